import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { lazy, Suspense, useEffect, useState } from 'react'
import { payments } from '#messages/payments.ts'
import { titles } from '#messages/shell.ts'
import { paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { type ProviderReturn, usePageBack, useProviderReturn } from '../../../app/provider-page.ts'
import { FormSkeleton, MoneyPage } from '../../../app/orders/MoneyPage.tsx'
import { paths } from '../../../app/paths.ts'
import { refreshMoney } from '../../../app/session/live.ts'
import { readDraft } from '../draft.ts'
import type { AwaitedPayment } from '../return/PaymentReturn.tsx'
import type { DepositOrder, Gain } from './deposit-order.ts'
import type { StartedByBank } from './DepositStarted.tsx'
import type { Begun } from './use-deposit.ts'

// The form is fetched beside the wallet it needs; what is shown before or after it, when that is needed.
const loadForm = () => import('./DepositForm.tsx')
const DepositForm = lazy(async () => ({ default: (await loadForm()).DepositForm }))
const LinkNote = lazy(async () => ({ default: (await import('../../../app/instruments/LinkNote.tsx')).LinkNote }))
const PaymentReturn = lazy(async () => ({ default: (await import('../return/PaymentReturn.tsx')).PaymentReturn }))
const UnfinishedPayment = lazy(async () => ({
  default: (await import('../return/UnfinishedPayment.tsx')).UnfinishedPayment,
}))
const DepositStarted = lazy(async () => ({ default: (await import('./DepositStarted.tsx')).DepositStarted }))

/** Paying into the wallet, and the page people come back to from the provider. */
export default function Deposit() {
  const returned = useProviderReturn(paths.deposit)
  useEffect(() => void loadForm(), [])
  return (
    <MoneyPage title={titles.deposit} texts={payments}>
      {(user, wallet) => <WithWallet user={user} wallet={wallet} returned={returned} />}
    </MoneyPage>
  )
}

interface WithWalletProps {
  user: CurrentUser
  wallet: Wallet
  returned: ProviderReturn | undefined
}

function WithWallet({ user, wallet, returned }: WithWalletProps) {
  const queryClient = useQueryClient()
  const methods = useQuery(paymentMethodsQuery(user.id))
  const [started, setStarted] = useState<AwaitedPayment | StartedByBank>()
  const [finished, setFinished] = useState<ProviderReturn>()
  const [linkedAccount, setLinkedAccount] = useState<string>()
  const leftPayment = () => readDraft('deposit', user.id)?.paymentId
  const [left, setLeft] = useState(leftPayment)
  usePageBack(() => setLeft(leftPayment))

  // What was begun here comes after what the browser came back from.
  const open = returned === finished ? undefined : returned
  const payment = open?.payment
  // Any page may lead here with such an address: one that names no payment cancels none.
  const isUnnamed = payment?.isCanceled && payment.id === undefined && left !== undefined
  const awaited = started ?? (isUnnamed ? undefined : payment && { ...payment, id: payment.id ?? left })
  const finish = () => {
    setStarted(undefined)
    setFinished(returned)
  }
  const begin = (begun: Begun, order: DepositOrder, gain: Gain) => {
    void refreshMoney(queryClient, user.id)
    const account = methods.data?.bank_accounts.find(
      ({ id }) => order.method === 'bank' && id === order.body.bankAccountId,
    )
    setStarted(
      order.method === 'bank'
        ? { method: 'bank', ...gain, account, transactionId: begun.transaction_id }
        : { id: begun.payment_id, isCanceled: false },
    )
    scrollTo({ top: 0 })
  }

  if (awaited && 'method' in awaited) {
    return (
      <Suspense fallback={<FormSkeleton />}>
        <DepositStarted started={awaited} onAnother={finish} />
      </Suspense>
    )
  }
  const form = (
    <Suspense fallback={<FormSkeleton />}>
      <DepositForm
        userId={user.id}
        wallet={wallet}
        methods={methods.data}
        onRetry={methods.isError ? () => void methods.refetch() : undefined}
        linkedAccount={linkedAccount}
        onBegun={begin}
      />
    </Suspense>
  )
  return (
    <>
      <Suspense>
        {open?.link && <LinkNote userId={user.id} link={open.link} onLinked={setLinkedAccount} />}
        {left !== undefined && (isUnnamed || !returned) && !started && <UnfinishedPayment key={left} id={left} />}
      </Suspense>
      {awaited ? (
        <Suspense fallback={<FormSkeleton />}>
          <PaymentReturn key={awaited.id} user={user} wallet={wallet} payment={awaited} onAnother={finish}>
            {form}
          </PaymentReturn>
        </Suspense>
      ) : (
        form
      )}
    </>
  )
}
