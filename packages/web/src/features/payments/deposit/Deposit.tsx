import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { payments } from '#messages/payments.ts'
import { titles } from '#messages/shell.ts'
import { type MoneyContent, MoneyPage } from '../../../app/orders/MoneyPage.tsx'
import { paths } from '../../../app/paths.ts'
import { type ProviderReturn, usePageRestore } from '../../../app/provider-page.ts'
import { refreshMoney } from '../../../app/session/live.ts'
import { removeDraft, readDraft } from '../draft.ts'
import { DepositForm } from './DepositForm.tsx'
import type { StartedDeposit } from './use-deposit.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'

// Loaded lazily: shown before or after the form.
const LinkNote = lazyComponent(() => import('../../../app/instruments/LinkNote.tsx'), 'LinkNote')
const BankDeposit = lazyComponent(() => import('./BankDeposit.tsx'), 'BankDeposit')
const PaymentReturn = lazyComponent(() => import('../return/PaymentReturn.tsx'), 'PaymentReturn')
const UnfinishedPayment = lazyComponent(() => import('../return/UnfinishedPayment.tsx'), 'UnfinishedPayment')

/** Deposits. The payment provider also returns the browser to this page. */
export default function Deposit() {
  return <MoneyPage title={titles.deposit} texts={payments} path={paths.deposit} Content={Content} />
}

function Content({ user, wallet, methods, onRetry, providerReturn, onOutcome }: MoneyContent) {
  const queryClient = useQueryClient()
  const [startedDeposit, setStartedDeposit] = useState<StartedDeposit>()
  const [finishedReturn, setFinishedReturn] = useState<ProviderReturn>()
  const [linkedAccount, setLinkedAccount] = useState<string>()
  const readUnfinished = () => readDraft('deposit', user.id)?.paymentId
  const [unfinishedId, setUnfinishedId] = useState(readUnfinished)
  usePageRestore(() => setUnfinishedId(readUnfinished))

  // A deposit started here takes precedence over the payment in the address.
  const open = providerReturn === finishedReturn ? undefined : providerReturn
  const payment = open?.payment
  // Any site may link to such an address, so one without a payment id cancels nothing.
  const isMissingId = payment?.isCanceled && payment.id === undefined && unfinishedId !== undefined
  const returnedPayment = isMissingId ? undefined : payment && { ...payment, id: payment.id ?? unfinishedId }
  const pendingPayment = startedDeposit ? { id: startedDeposit.reply.payment_id, isCanceled: false } : returnedPayment
  const finish = () => {
    onOutcome(undefined)
    setStartedDeposit(undefined)
    setFinishedReturn(providerReturn)
  }

  if (startedDeposit?.order.body.method === 'bank') {
    return <BankDeposit deposit={startedDeposit} methods={methods} onRestart={finish} />
  }
  const form = (
    <DepositForm
      userId={user.id}
      wallet={wallet}
      methods={methods}
      onRetry={onRetry}
      linkedAccount={linkedAccount}
      onStarted={(next) => {
        void refreshMoney(queryClient, user.id)
        setStartedDeposit(next)
        if (next.order.body.method === 'bank') {
          removeDraft('deposit')
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
        {unfinishedId !== undefined && (isMissingId || !providerReturn) && !startedDeposit && (
          <UnfinishedPayment key={unfinishedId} id={unfinishedId} />
        )}
      </Suspense>
      {pendingPayment ? (
        <PaymentReturn
          key={pendingPayment.id}
          {...{ user, wallet, onOutcome }}
          payment={pendingPayment}
          onRestart={finish}
        >
          {form}
        </PaymentReturn>
      ) : (
        form
      )}
    </>
  )
}
