import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { payments } from '#messages/payments.ts'
import { titles } from '#messages/shell.ts'
import { type MoneyContent, MoneyPage } from '../../../app/orders/MoneyPage.tsx'
import { paths } from '../../../app/paths.ts'
import { type ProviderReturn, usePageBack } from '../../../app/provider-page.ts'
import { refreshMoney } from '../../../app/session/live.ts'
import { dropDraft, readDraft } from '../draft.ts'
import { DepositForm } from './DepositForm.tsx'
import type { StartedDeposit } from './use-deposit.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'

// Loaded lazily: shown before or after the form.
const LinkNote = lazyComponent(() => import('../../../app/instruments/LinkNote.tsx'), 'LinkNote')
const BankDeposit = lazyComponent(() => import('./BankDeposit.tsx'), 'BankDeposit')
const PaymentReturn = lazyComponent(() => import('../return/PaymentReturn.tsx'), 'PaymentReturn')
const UnfinishedPayment = lazyComponent(() => import('../return/UnfinishedPayment.tsx'), 'UnfinishedPayment')

/** Deposits, and the return page of the payment provider. */
export default function Deposit() {
  return <MoneyPage title={titles.deposit} texts={payments} path={paths.deposit} Content={Content} />
}

function Content({ user, wallet, methods, onRetry, returned, onOutcome }: MoneyContent) {
  const queryClient = useQueryClient()
  const [begun, setBegun] = useState<StartedDeposit>()
  const [finished, setFinished] = useState<ProviderReturn>()
  const [linkedAccount, setLinkedAccount] = useState<string>()
  const leftPayment = () => readDraft('deposit', user.id)?.paymentId
  const [left, setLeft] = useState(leftPayment)
  usePageBack(() => setLeft(leftPayment))

  // A deposit started here takes precedence over the payment in the address.
  const open = returned === finished ? undefined : returned
  const payment = open?.payment
  // Any page may link to such an address, so one without a payment id cancels nothing.
  const isUnnamed = payment?.isCanceled && payment.id === undefined && left !== undefined
  const came = isUnnamed ? undefined : payment && { ...payment, id: payment.id ?? left }
  const awaited = begun ? { id: begun.reply.payment_id, isCanceled: false } : came
  const finish = () => {
    onOutcome(undefined)
    setBegun(undefined)
    setFinished(returned)
  }

  if (begun?.order.body.method === 'bank') {
    return <BankDeposit begun={begun} methods={methods} onAnother={finish} />
  }
  const form = (
    <DepositForm
      userId={user.id}
      wallet={wallet}
      methods={methods}
      onRetry={onRetry}
      linkedAccount={linkedAccount}
      onBegun={(next) => {
        void refreshMoney(queryClient, user.id)
        setBegun(next)
        if (next.order.body.method === 'bank') {
          dropDraft('deposit')
          onOutcome(payments.bankStarted)
        }
        scrollTo({ top: 0 })
      }}
    />
  )
  return (
    <>
      <Suspense>
        {open?.link && <LinkNote userId={user.id} link={open.link} onLinked={setLinkedAccount} />}
        {left !== undefined && (isUnnamed || !returned) && !begun && <UnfinishedPayment key={left} id={left} />}
      </Suspense>
      {awaited ? (
        <PaymentReturn key={awaited.id} {...{ user, wallet, onOutcome }} payment={awaited} onAnother={finish}>
          {form}
        </PaymentReturn>
      ) : (
        form
      )}
    </>
  )
}
