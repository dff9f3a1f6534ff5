import '../../css/wallet.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { Suspense } from 'react'
import { shell, titles } from '#messages/shell.ts'
import { wallets } from '#messages/wallets.ts'
import { walletQuery } from '../../app/session/live.ts'
import { useUser } from '../../app/session/session.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { OfflineNote } from '../../ui/feedback/OfflineNote.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { BalancePanel, BalancePanelSkeleton } from './BalancePanel.tsx'
import { holdingsQuery } from './holdings-query.ts'

// Loaded lazily: below the first screen.
const Holdings = lazyComponent(() => import('./Holdings.tsx'), 'Holdings')
const Protection = lazyComponent(() => import('./Protection.tsx'), 'Protection')
const RecentTransactions = lazyComponent(() => import('./RecentTransactions.tsx'), 'RecentTransactions')
const Crossing = lazyComponent(() => import('./Crossing.tsx'), 'Crossing')

/** All holdings of the user, and the actions on them. */
export default function Wallet() {
  const user = useUser()
  return (
    <>
      <h1 className="display-m">{titles.wallet}</h1>
      <p className="muted mb-6">{wallets.subtitle}</p>
      {user ? <UserWallet user={user} /> : <Skeletons />}
    </>
  )
}

function UserWallet({ user }: { user: CurrentUser }) {
  const query = useQuery(walletQuery(user.id))
  const { data: wallet } = query
  const holdings = useQuery(holdingsQuery(wallet))
  if (!wallet) return <DataShell query={query} skeleton={<Skeletons />} failed={wallets.failed} />
  return (
    <>
      <OfflineNote className="mb-6" readAt={query.dataUpdatedAt} />
      <BalancePanel wallet={wallet} />
      <div className="grid grid-cols-[minmax(0,7fr)_minmax(0,5fr)] gap-16 mt-10 max-xl:grid-cols-1 max-md:gap-8 max-md:mt-8">
        <Suspense fallback={<HoldingsSkeleton />}>
          <div>
            <Holdings wallet={wallet} holdings={holdings.data} failed={holdings.isError && !holdings.data} />
            <Protection user={user} wallet={wallet} />
          </div>
        </Suspense>
        <Suspense fallback={<HoldingsSkeleton />}>
          <div>
            <RecentTransactions userId={user.id} />
            <Crossing currency={wallet.base_currency} />
          </div>
        </Suspense>
      </div>
    </>
  )
}

function HoldingsSkeleton() {
  return (
    <div className="grid content-start gap-6">
      <SkeletonLine className="h-6 w-2/5" />
      <SkeletonLine className="h-12 w-full" />
      <SkeletonLine className="h-12 w-full" />
    </div>
  )
}

function Skeletons() {
  return (
    <div aria-busy="true" aria-label={shell.loading}>
      <BalancePanelSkeleton />
      <div className="grid grid-cols-[minmax(0,7fr)_minmax(0,5fr)] gap-16 mt-10 max-xl:grid-cols-1 max-md:gap-8 max-md:mt-8">
        <HoldingsSkeleton />
        <HoldingsSkeleton />
      </div>
    </div>
  )
}
