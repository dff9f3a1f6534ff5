import type { Wallet } from '@tern/contract/wallets'
import { type ReactNode, Suspense } from 'react'
import { wallets } from '#messages/wallets.ts'
import { paths } from '../../app/paths.ts'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { formatMoney, isZero } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { Balance } from '../../ui/money/Balance.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'

// Loaded lazily: most users have no restricted money.
const Restricted = lazyComponent(() => import('../../app/restricted/Restricted.tsx'), 'Restricted')
const BalanceTrend = lazyComponent(() => import('./BalanceTrend.tsx'), 'BalanceTrend')

/** Main balance with its two actions, beside its last 30 days. */
export function BalancePanel({ wallet }: { wallet: Wallet }) {
  const main = wallet.assets.find(({ currency }) => currency === wallet.base_currency)
  const restrictedParts = wallet.restricted.filter(({ currency }) => currency === wallet.base_currency)
  return (
    <Panel
      main={
        <>
          <div className="small muted flex flex-wrap items-center gap-1">
            <h2>{wallets.balanceOf(wallet.base_currency)}</h2>
            <span>· {wallets.mainCurrency}</span>
            {!isZero(wallet.pending) && (
              <span className="tag">
                <Icon name="clock" small />
                {wallets.onItsWay(formatMoney(wallet.pending, wallet.base_currency, { sign: 'always' }))}
              </span>
            )}
          </div>
          <p className="mt-4 mb-8 max-md:mt-1 max-md:mb-4">
            <Balance amount={wallet.fiat_balance} currency={wallet.base_currency} />
          </p>
          {main && !isZero(main.held) && (
            <p className="small muted mb-6">{wallets.onHold(formatExact(main.held, main.currency))}</p>
          )}
          <div className="flex flex-wrap gap-3 max-md:[&_.button]:flex-1 max-md:[&_.button]:px-3">
            <LinkButton look="primary" big icon="deposit" to={paths.deposit}>
              {wallets.deposit}
            </LinkButton>
            <LinkButton big icon="bank" to={paths.withdraw}>
              {wallets.withdraw}
            </LinkButton>
          </div>
          {restrictedParts.length > 0 && (
            <Suspense>
              <Restricted parts={restrictedParts} currency={wallet.base_currency} />
            </Suspense>
          )}
        </>
      }
      side={
        <Suspense>
          <BalanceTrend wallet={wallet} />
        </Suspense>
      }
    />
  )
}

function Panel({ main, side }: { main: ReactNode; side: ReactNode }) {
  return (
    <div className="sheet grid grid-cols-[minmax(0,5fr)_minmax(0,7fr)] gap-10 py-8 px-10 overflow-visible bg-water max-xl:grid-cols-1 max-md:gap-5 max-md:p-4">
      <div className="wallet-main">{main}</div>
      <div className="min-h-59 max-md:min-h-43 [&_.chart]:grid-rows-[176px_auto] [&_.chart]:mt-3 max-md:[&_.chart]:grid-rows-[112px_auto]">
        {side}
      </div>
    </div>
  )
}

export function BalancePanelSkeleton() {
  return (
    <Panel
      main={
        <>
          <SkeletonLine className="w-24" />
          <SkeletonLine className="mt-8 h-14 w-3/5" />
          <SkeletonLine className="mt-10 h-13 w-3/5" />
        </>
      }
      side={<SkeletonLine className="w-32" />}
    />
  )
}
