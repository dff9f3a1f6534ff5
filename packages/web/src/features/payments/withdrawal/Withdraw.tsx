import '../../../css/steps.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { BankAccount } from '@tern/contract/banking'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { useState } from 'react'
import { shell } from '#messages/shell.ts'
import { withdrawals } from '#messages/withdrawals.ts'
import { refreshMoney, walletQuery } from '../../../app/session/live.ts'
import { paths } from '../../../app/paths.ts'
import { paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { useUser } from '../../../app/session/session.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { SkeletonLine } from '../../../ui/feedback/Skeleton.tsx'
import { VerifyFirst } from '../../../app/shell/VerifyFirst.tsx'
import { LinkNote } from '../methods/LinkNote.tsx'
import { type Returned, useReturn } from '../return/use-return.ts'
import { WithdrawalForm } from './WithdrawalForm.tsx'
import { WithdrawalOrdered } from './WithdrawalOrdered.tsx'
import { WithdrawalReturn } from './WithdrawalReturn.tsx'
import type { Ordered } from './use-withdrawal-order.ts'

export const meta = () => [{ title: shell.pageTitle(withdrawals.title) }]

/** Paying out to a bank account, and the place where people come back to from the provider's pages. */
export default function Withdraw() {
  const user = useUser()
  const returned = useReturn(paths.withdraw)
  return (
    <>
      <h1 className="display-m">{withdrawals.title}</h1>
      <p className="muted">{withdrawals.subtitle}</p>
      {user ? <OfUser key={user.id} user={user} returned={returned} /> : <Loading />}
    </>
  )
}

function OfUser({ user, returned }: { user: CurrentUser; returned: Returned | undefined }) {
  const wallet = useQuery(walletQuery(user.id))
  const methods = useQuery(paymentMethodsQuery(user.id))
  if (user.kyc_status !== 'verified') return <VerifyFirst status={user.kyc_status} />
  if (wallet.isError && !wallet.data) {
    return <ErrorState title={withdrawals.walletFailed} onRetry={() => void wallet.refetch()} />
  }
  if (methods.isError && !methods.data) {
    return <ErrorState title={withdrawals.accountsFailed} onRetry={() => void methods.refetch()} />
  }
  if (!wallet.data || !methods.data) return <Loading />
  return <Ready userId={user.id} wallet={wallet.data} accounts={methods.data.bank_accounts} returned={returned} />
}

interface ReadyProps {
  userId: number
  wallet: Wallet
  accounts: readonly BankAccount[]
  returned: Returned | undefined
}

function Ready({ userId, wallet, accounts, returned }: ReadyProps) {
  const queryClient = useQueryClient()
  const [done, setDone] = useState<{ ordered: Ordered; amount: string; account: BankAccount | undefined }>()
  const [linkedAccount, setLinkedAccount] = useState<string>()
  if (done) {
    return <WithdrawalOrdered {...done} currency={wallet.base_currency} onAnother={() => setDone(undefined)} />
  }
  return (
    <>
      {returned?.withdrawal && <WithdrawalReturn withdrawal={returned.withdrawal} />}
      {returned?.link && <LinkNote userId={userId} link={returned.link} onLinked={setLinkedAccount} />}
      <WithdrawalForm
        userId={userId}
        wallet={wallet}
        accounts={accounts}
        linkedAccount={linkedAccount}
        onOrdered={(ordered, order, account) => {
          void refreshMoney(queryClient, userId)
          setDone({ ordered, amount: String(order.amount), account })
          scrollTo({ top: 0 })
        }}
      />
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
        <div className="radio-list mt-6">
          <div className="radio-option">
            <SkeletonLine className="w-2/5" />
          </div>
        </div>
      </div>
    </div>
  )
}
