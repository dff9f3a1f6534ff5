import '../../../css/steps.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { useState } from 'react'
import { payments } from '#messages/payments.ts'
import { shell } from '#messages/shell.ts'
import { refreshMoney, walletQuery } from '../../../app/session/live.ts'
import { paths } from '../../../app/paths.ts'
import { paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { usePageBack } from '../../../app/instruments/provider-page.ts'
import { useUser } from '../../../app/session/session.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { SkeletonLine } from '../../../ui/feedback/Skeleton.tsx'
import { VerifyFirst } from '../../../app/shell/VerifyFirst.tsx'
import { BankDepositBegun, type BegunByBank } from './BankDepositStarted.tsx'
import type { DepositOrder, Gain } from './deposit-order.ts'
import { DepositForm } from './DepositForm.tsx'
import { readDraft } from './draft.ts'
import { LinkNote } from '../methods/LinkNote.tsx'
import { type AwaitedPayment, PaymentReturn } from '../return/PaymentReturn.tsx'
import type { Begun } from './use-deposit-order.ts'
import { UnfinishedPayment } from '../return/UnfinishedPayment.tsx'
import { type Returned, useReturn } from '../return/use-return.ts'

export const meta = () => [{ title: shell.pageTitle(payments.title) }]

/** Paying into the wallet, and the place where people come back to from the provider's pages. */
export default function Deposit() {
  const user = useUser()
  const returned = useReturn(paths.deposit)
  return (
    <>
      <h1 className="display-m">{payments.title}</h1>
      <p className="muted">{payments.subtitle}</p>
      {user ? <OfUser key={user.id} user={user} returned={returned} /> : <Loading />}
    </>
  )
}

function OfUser({ user, returned }: { user: CurrentUser; returned: Returned | undefined }) {
  const wallet = useQuery(walletQuery(user.id))
  if (user.kyc_status !== 'verified') return <VerifyFirst status={user.kyc_status} />
  if (wallet.data) return <WithWallet user={user} wallet={wallet.data} returned={returned} />
  if (wallet.isError) return <ErrorState title={payments.walletFailed} onRetry={() => void wallet.refetch()} />
  return <Loading />
}

interface WithWalletProps {
  user: CurrentUser
  wallet: Wallet
  returned: Returned | undefined
}

function WithWallet({ user, wallet, returned }: WithWalletProps) {
  const queryClient = useQueryClient()
  const methods = useQuery(paymentMethodsQuery(user.id))
  const [begun, setBegun] = useState<AwaitedPayment | BegunByBank>()
  const [finished, setFinished] = useState<Returned>()
  const [linkedAccount, setLinkedAccount] = useState<string>()
  const leftPayment = () => readDraft('deposit', user.id)?.paymentId
  const [left, setLeft] = useState(leftPayment)
  usePageBack(() => setLeft(leftPayment))

  // What was begun here comes after what the browser came back from.
  const open = returned === finished ? undefined : returned
  const payment = open?.payment
  // Any page may lead here with such an address: one that names no payment cancels none.
  const isUnnamed = payment?.isCanceled && payment.id === undefined && left !== undefined
  const awaited = begun ?? (isUnnamed ? undefined : payment && { ...payment, id: payment.id ?? left })
  const finish = () => {
    setBegun(undefined)
    setFinished(returned)
  }
  const begin = (newPayment: Begun, order: DepositOrder, gain: Gain) => {
    void refreshMoney(queryClient, user.id)
    const account = methods.data?.bank_accounts.find(
      ({ id }) => order.method === 'bank' && id === order.body.bankAccountId,
    )
    setBegun(
      order.method === 'bank'
        ? { method: 'bank', ...gain, account, transactionId: newPayment.transaction_id }
        : { id: newPayment.payment_id, isCanceled: false },
    )
    scrollTo({ top: 0 })
  }

  if (awaited && 'method' in awaited) return <BankDepositBegun begun={awaited} onAnother={finish} />
  const form = (
    <DepositForm
      userId={user.id}
      wallet={wallet}
      methods={methods.data}
      onRetry={methods.isError ? () => void methods.refetch() : undefined}
      linkedAccount={linkedAccount}
      onBegun={begin}
    />
  )
  return (
    <>
      {open?.link && <LinkNote userId={user.id} link={open.link} onLinked={setLinkedAccount} />}
      {left !== undefined && (isUnnamed || !returned) && !begun && <UnfinishedPayment key={left} id={left} />}
      {awaited ? (
        <PaymentReturn key={awaited.id} user={user} wallet={wallet} payment={awaited} onAnother={finish}>
          {form}
        </PaymentReturn>
      ) : (
        form
      )}
    </>
  )
}

function Loading() {
  return (
    <div className="form-beside" role="status" aria-busy="true" aria-label={shell.loading}>
      <div className="grid gap-3">
        <SkeletonLine className="w-20" />
        <SkeletonLine className="h-18 w-full" />
        <SkeletonLine className="w-32" />
      </div>
    </div>
  )
}
