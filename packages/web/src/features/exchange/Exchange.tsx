import '../../css/exchange.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { shell, titles } from '#messages/shell.ts'
import { paths } from '../../app/paths.ts'
import { walletQuery } from '../../app/session/live.ts'
import { useUser } from '../../app/session/session.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { OfflineNote } from '../../ui/feedback/OfflineNote.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { isZero } from '../../ui/format/format.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { SwapForm } from './SwapForm.tsx'
import { useSwap } from './use-swap.ts'

// Loaded lazily: the form works without it.
const RateHistory = lazyComponent(() => import('../../app/rates/RateHistory.tsx'), 'RateHistory')
// Loaded lazily: shown after the form.
const SwapReview = lazyComponent(() => import('./SwapReview.tsx'), 'SwapReview')
const SwapReceipt = lazyComponent(() => import('./SwapReceipt.tsx'), 'SwapReceipt')
// Loaded lazily: most users are verified.
const VerificationRequired = lazyComponent(
  () => import('../../app/shell/VerificationRequired.tsx'),
  'VerificationRequired',
)

/** Exchange between the user's own balances, beside the rate history. */
export default function Exchange() {
  const user = useUser()
  // A link to another pair, such as one in a notification, resets the form.
  const [address] = useSearchParams()
  return (
    <>
      <h1 className="display-m mb-4">{titles.exchange}</h1>
      {user ? <WalletExchange key={`${user.id} ${address.toString()}`} user={user} /> : <Skeletons />}
    </>
  )
}

function WalletExchange({ user }: { user: CurrentUser }) {
  const wallet = useQuery(walletQuery(user.id))
  if (!wallet.data) return <DataShell query={wallet} skeleton={<Skeletons />} failed={texts.walletFailed} />
  return (
    <>
      <OfflineNote className="mt-6" readAt={wallet.dataUpdatedAt} />
      <ExchangeColumns user={user} wallet={wallet.data} />
    </>
  )
}

function ExchangeColumns({ user, wallet }: { user: CurrentUser; wallet: Wallet }) {
  const swap = useSwap(user.id, wallet)
  const { stage, values } = swap
  const isEmpty = stage.name === 'form' && wallet.assets.every(({ available }) => isZero(available))
  const isVerified = user.kyc_status === 'verified'
  return (
    <div className="grid grid-cols-[440px_minmax(0,1fr)] gap-16 items-start mt-4 max-xl:grid-cols-1 max-xl:gap-12">
      <div>
        <Suspense fallback={<SwapSkeleton />}>
          {!isVerified ? (
            <div className="sheet">
              <VerificationRequired status={user.kyc_status} />
            </div>
          ) : isEmpty ? (
            <div className="sheet">
              <EmptyState illustration="arcs" title={texts.emptyTitle} text={texts.emptyText(wallet.base_currency)}>
                <LinkButton look="primary" icon="deposit" to={paths.deposit}>
                  {texts.addMoney}
                </LinkButton>
              </EmptyState>
            </div>
          ) : stage.name === 'receipt' ? (
            <SwapReceipt swap={swap} wallet={wallet} transaction={stage.transaction} quote={stage.quote} />
          ) : stage.name === 'review' ? (
            <SwapReview swap={swap} review={stage} />
          ) : (
            <SwapForm swap={swap} wallet={wallet} />
          )}
        </Suspense>
      </div>
      <Suspense fallback={<ChartSkeleton />}>
        <RateHistory from={values.from} to={values.to} />
      </Suspense>
    </div>
  )
}

function Skeletons() {
  return (
    <div
      className="grid grid-cols-[440px_minmax(0,1fr)] gap-16 items-start mt-4 max-xl:grid-cols-1 max-xl:gap-12"
      aria-busy="true"
      aria-label={shell.loading}
    >
      <SwapSkeleton />
      <ChartSkeleton />
    </div>
  )
}

/** Same height as the chart with its heading. */
function ChartSkeleton() {
  return (
    <div className="grid gap-6 content-start min-h-135">
      <SkeletonLine className="w-24" />
      <SkeletonLine className="w-2/5" />
    </div>
  )
}

function SwapSkeleton() {
  return (
    <div className="sheet max-xl:max-w-140">
      <div className="grid gap-5 py-6 px-[clamp(16px,4vw,24px)]">
        <SkeletonLine className="w-24" />
        <SkeletonLine className="h-18 w-full" />
        <SkeletonLine className="w-4/5" />
        <SkeletonLine className="h-18 w-full" />
        <SkeletonLine className="h-12 w-full" />
      </div>
    </div>
  )
}
