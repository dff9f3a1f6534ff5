import '../../css/steps.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { payments } from '#messages/payments.ts'
import { shell } from '#messages/shell.ts'
import { walletQuery } from '../../live.ts'
import { useUser } from '../../session.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { SkeletonLine } from '../../ui/Skeleton.tsx'
import { VerifyFirst } from '../../ui/VerifyFirst.tsx'
import { DepositForm } from './DepositForm.tsx'
import { ReturnNote } from './ReturnNote.tsx'
import { useReturn } from './use-return.ts'

export const meta = () => [{ title: shell.pageTitle(payments.title) }]

/** Paying into the wallet by card, and the place where people come back to from the provider's page. */
export default function Deposit() {
  const user = useUser()
  const returned = useReturn()
  return (
    <>
      <h1 className="display-m">{payments.title}</h1>
      <p className="muted">{payments.subtitle}</p>
      {user && returned && <ReturnNote key={returned.paymentId} user={user} returned={returned} />}
      {!user ? <Loading /> : <OfUser user={user} />}
    </>
  )
}

function OfUser({ user }: { user: CurrentUser }) {
  const wallet = useQuery(walletQuery(user.id))
  if (user.kyc_status !== 'verified') return <VerifyFirst status={user.kyc_status} />
  if (wallet.data) return <DepositForm user={user} wallet={wallet.data} />
  if (wallet.isError) return <ErrorState title={payments.walletFailed} onRetry={() => void wallet.refetch()} />
  return <Loading />
}

function Loading() {
  return (
    <div className="form-beside" aria-busy="true" aria-label={shell.loading}>
      <div className="grid gap-3">
        <SkeletonLine className="w-20" />
        <SkeletonLine className="h-18 w-full" />
        <SkeletonLine className="w-32" />
      </div>
    </div>
  )
}
