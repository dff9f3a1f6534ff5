import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense } from 'react'
import { dashboard } from '#messages/home/dashboard.ts'
import { paths } from '../../app/paths.ts'
import { Balance } from '../../ui/money/Balance.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import type { FirstStep } from './FirstSteps.tsx'

// Loaded lazily: the globe image is part of the page, and its routes need data anyway.
const BalanceMap = lazyComponent(() => import('./BalanceMap.tsx'), 'BalanceMap')
// Loaded lazily: most users have sent before, are verified and have no money on hold.
const FirstSteps = lazyComponent(() => import('./FirstSteps.tsx'), 'FirstSteps')
const BalanceNotes = lazyComponent(() => import('./BalanceNotes.tsx'), 'BalanceNotes')
const HoldNotice = lazyComponent(() => import('./BalanceNotes.tsx'), 'HoldNotice')

interface BalancePanelProps {
  wallet: Wallet | undefined
  user: CurrentUser | undefined
  firstStep: FirstStep | undefined
  failed: boolean
  onRetry: () => void
}

/** Balance, or the first steps of a new user, over the globe of past transfers; above it the notice of held money. */
export function BalancePanel(props: BalancePanelProps) {
  const { wallet, user, firstStep, failed } = props
  return (
    <>
      {user && wallet && (
        <Suspense>
          <HoldNotice wallet={wallet} user={user} />
        </Suspense>
      )}
      <section className="home-panel" aria-label={dashboard.yourBalance} aria-busy={!wallet && !failed}>
        <div className="home-panel-map">
          <Suspense fallback={<div className="globe" />}>
            <BalanceMap />
          </Suspense>
        </div>
        <div className="home-panel-body">
          {wallet && user && firstStep ? (
            <Suspense>
              <FirstSteps wallet={wallet} step={firstStep} status={user.kyc_status} />
            </Suspense>
          ) : (
            <Overview {...props} />
          )}
          {(!user || user.kyc_status === 'verified') && (
            <div className="home-actions">
              <LinkButton look={firstStep === 'add' ? 'secondary' : 'primary'} big icon="send" to={paths.send}>
                {dashboard.send}
              </LinkButton>
              <LinkButton big icon="receive" to={paths.receive}>
                {dashboard.receive}
              </LinkButton>
            </div>
          )}
        </div>
      </section>
    </>
  )
}

function Overview({ wallet, user, failed, onRetry }: BalancePanelProps) {
  return (
    <>
      <p className="small muted">{dashboard.yourBalance}</p>
      {wallet ? (
        <Balance amount={wallet.fiat_balance} currency={wallet.base_currency} />
      ) : failed ? (
        <ErrorState title={dashboard.walletFailed} onRetry={onRetry} />
      ) : (
        <span className="balance">
          <SkeletonLine className="h-[1em] w-[4em]" />
        </span>
      )}
      <Suspense>{wallet && user && <BalanceNotes wallet={wallet} status={user.kyc_status} />}</Suspense>
    </>
  )
}
