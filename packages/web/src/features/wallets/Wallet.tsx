import '../../css/timeline.css'
import '../../css/wallet.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { Suspense } from 'react'
import { shell, titles } from '#messages/shell.ts'
import { wallets } from '#messages/wallets.ts'
import { walletQuery } from '../../app/session/live.ts'
import { paths } from '../../app/paths.ts'
import { useUser } from '../../app/session/session.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { FormSkeleton } from '../../ui/feedback/FormSkeleton.tsx'
import { OfflineNote } from '../../ui/feedback/OfflineNote.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { BalancePanel, BalancePanelSkeleton } from './BalancePanel.tsx'
import { holdingsQuery } from './holdings-query.ts'

const VerifyFirst = lazyComponent(() => import('../../app/shell/VerifyFirst.tsx'), 'VerifyFirst')
// Below what is seen first.
const ConversionForm = lazyComponent(() => import('./ConversionForm.tsx'), 'ConversionForm')
const Holdings = lazyComponent(() => import('./Holdings.tsx'), 'Holdings')
const RecentTransactions = lazyComponent(() => import('./RecentTransactions.tsx'), 'RecentTransactions')

/** Everything the person holds, and what can be done with it. */
export default function Wallet() {
  const user = useUser()
  return (
    <>
      <h1 className="display-m">{titles.wallet}</h1>
      <p className="muted mb-6 md:mb-8">{wallets.subtitle}</p>
      {user ? <OfUser user={user} /> : <Skeletons />}
    </>
  )
}

function OfUser({ user }: { user: CurrentUser }) {
  const { data: wallet, dataUpdatedAt, isError, refetch } = useQuery(walletQuery(user.id))
  const worth = useQuery({ ...holdingsQuery(wallet), enabled: wallet !== undefined })
  if (!wallet) return isError ? <ErrorState title={wallets.failed} onRetry={() => void refetch()} /> : <Skeletons />
  return (
    <>
      <OfflineNote className="mb-6" readAt={dataUpdatedAt} />
      <BalancePanel wallet={wallet} worth={worth.data} />
      <Suspense fallback={<div className="holdings-space" />}>
        <Holdings wallet={wallet} holdings={worth.data?.holdings} failed={worth.isError && !worth.data} />
      </Suspense>
      <div className="two-columns mt-12">
        <section>
          <h2 className="display-s">{wallets.protection}</h2>
          <p className="muted mt-1 mb-6 text-balance">{wallets.protectionText}</p>
          <Suspense fallback={<FormSkeleton />}>
            {user.kyc_status === 'verified' ? (
              <ConversionForm userId={user.id} wallet={wallet} />
            ) : (
              <VerifyFirst status={user.kyc_status} />
            )}
          </Suspense>
        </section>
        <div className="grid content-start gap-12 sm:grid-cols-2 xl:grid-cols-1">
          <Crossing currency={wallet.base_currency} />
          <Reasons />
        </div>
      </div>
      <Suspense>
        <RecentTransactions userId={user.id} />
      </Suspense>
    </>
  )
}

/** How money gets into another currency, in three steps. */
function Crossing({ currency }: { currency: string }) {
  return (
    <section>
      <h2 className="display-s mb-4">{wallets.crossing}</h2>
      <ol className="timeline">
        {wallets.crossingSteps(currency).map((step) => (
          <li key={step.title}>
            <span>
              <b className="block text-base font-medium">{step.title}</b>
              <span className="muted">{step.text}</span>
            </span>
          </li>
        ))}
      </ol>
      <div className="row mt-3 flex-wrap">
        <LinkButton icon="send" to={paths.send}>
          {wallets.makeTransfer}
        </LinkButton>
        <LinkButton look="ghost" to={paths.send} state={{ cryptoPreSelected: true }}>
          {wallets.sendAsCrypto}
        </LinkButton>
      </div>
    </section>
  )
}

function Reasons() {
  return (
    <section>
      <h2 className="display-s mb-2">{wallets.why}</h2>
      <dl>
        {wallets.reasons.map((reason) => (
          <div key={reason.title} className="border-t py-3 first:border-t-0">
            <dt className="font-medium">{reason.title}</dt>
            <dd className="small muted">{reason.text}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Skeletons() {
  return (
    <div aria-busy="true" aria-label={shell.loading}>
      <BalancePanelSkeleton />
      <div className="two-columns mt-12">
        <div className="grid content-start gap-6">
          <SkeletonLine className="h-6 w-2/5" />
          <SkeletonLine className="h-12 w-full" />
          <SkeletonLine className="h-18 w-full" />
        </div>
        <div className="grid content-start gap-6">
          <SkeletonLine className="h-6 w-3/5" />
          <SkeletonLine className="w-4/5" />
          <SkeletonLine className="w-3/5" />
        </div>
      </div>
    </div>
  )
}
