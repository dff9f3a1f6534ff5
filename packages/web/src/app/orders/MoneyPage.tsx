import '../../css/steps.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import type { ReactNode } from 'react'
import { shell } from '#messages/shell.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { walletQuery } from '../session/live.ts'
import { useUser } from '../session/session.ts'
import { VerifyFirst } from '../shell/VerifyFirst.tsx'

interface MoneyPageProps {
  title: string
  texts: { subtitle: string; walletFailed: string }
  children: (user: CurrentUser, wallet: Wallet) => ReactNode
}

/** A page that moves money between the wallet and the world outside: for verified people, once their wallet is there. */
export function MoneyPage({ title, texts, children }: MoneyPageProps) {
  const user = useUser()
  return (
    <>
      <h1 className="display-m">{title}</h1>
      <p className="muted">{texts.subtitle}</p>
      {user ? <OfUser key={user.id} user={user} texts={texts} children={children} /> : <FormSkeleton />}
    </>
  )
}

function OfUser({ user, texts, children }: Omit<MoneyPageProps, 'title'> & { user: CurrentUser }) {
  const wallet = useQuery(walletQuery(user.id))
  if (user.kyc_status !== 'verified') return <VerifyFirst status={user.kyc_status} />
  if (wallet.data) return children(user, wallet.data)
  if (wallet.isError) return <ErrorState title={texts.walletFailed} onRetry={() => void wallet.refetch()} />
  return <FormSkeleton />
}

export function FormSkeleton() {
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
