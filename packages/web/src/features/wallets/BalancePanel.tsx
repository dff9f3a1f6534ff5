import type { Reply } from '@tern/contract/protocol/endpoint'
import type { walletHoldings } from '@tern/contract/exchange/rates'
import type { Wallet } from '@tern/contract/wallets'
import { type ReactNode, Suspense } from 'react'
import { holdings as holdingTexts } from '#messages/exchange/holdings.ts'
import { wallets } from '#messages/wallets.ts'
import { paths } from '../../app/paths.ts'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { formatMoney, isZero } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { Balance } from '../../ui/money/Balance.tsx'
import { formatExactWithSign } from '../../ui/money/exact-amount.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Allocation } from './Allocation.tsx'

// Most people have no such money.
const Restricted = lazyComponent(() => import('../../app/restricted/Restricted.tsx'), 'Restricted')

interface BalancePanelProps {
  wallet: Wallet
  /** Undefined until it is known what everything is worth. */
  worth: Reply<typeof walletHoldings> | undefined
}

/** The main balance, and beside it what everything is worth and which part of it is what. */
export function BalancePanel({ wallet, worth }: BalancePanelProps) {
  const main = wallet.assets.find(({ currency }) => currency === wallet.base_currency)
  const restricted = wallet.restricted.filter(({ currency }) => currency === wallet.base_currency)
  return (
    <Panel
      main={
        <>
          <div className="row flex-wrap">
            <h2 className="muted">{wallets.balanceOf(wallet.base_currency)}</h2>
            {!isZero(wallet.pending) && (
              <span className="tag">
                <Icon name="clock" small />
                {wallets.onItsWay(formatMoney(wallet.pending, wallet.base_currency, { sign: 'always' }))}
              </span>
            )}
          </div>
          <p className="mt-6">
            <Balance amount={wallet.fiat_balance} currency={wallet.base_currency} />
          </p>
          <p className="small muted mt-3">
            {wallets.mainCurrency}
            {main && !isZero(main.held) && ` · ${wallets.onHold(formatExactWithSign(main.held, main.currency))}`}
          </p>
          {restricted.length > 0 && (
            <Suspense>
              <Restricted parts={restricted} currency={wallet.base_currency} />
            </Suspense>
          )}
          <div className="form-actions mt-auto flex-wrap pt-8">
            <LinkButton look="primary" icon="deposit" to={paths.deposit}>
              {wallets.deposit}
            </LinkButton>
            <LinkButton icon="bank" to={paths.withdraw}>
              {wallets.withdraw}
            </LinkButton>
          </div>
        </>
      }
      side={
        <>
          <h2 className="muted">{holdingTexts.everything}</h2>
          {worth && (
            <>
              <p className="mt-6">
                <Balance amount={worth.total} currency={worth.currency} size="medium" />
              </p>
              <p className="small muted mt-3">{worth.is_complete ? holdingTexts.atRates : holdingTexts.incomplete}</p>
              <Allocation holdings={worth.holdings} />
            </>
          )}
        </>
      }
    />
  )
}

function Panel({ main, side }: { main: ReactNode; side: ReactNode }) {
  return (
    <div className="sheet wallet-panel">
      <div className="wallet-main">{main}</div>
      <div className="wallet-side">{side}</div>
    </div>
  )
}

/** The panel's place while the wallet is on its way. */
export function BalancePanelSkeleton() {
  return (
    <Panel
      main={
        <>
          <SkeletonLine className="w-24" />
          <SkeletonLine className="mt-8 h-14 w-3/5" />
          <SkeletonLine className="mt-6 w-32" />
          <SkeletonLine className="mt-10 h-11 w-32" />
        </>
      }
      side={
        <>
          <SkeletonLine className="w-32" />
          <SkeletonLine className="mt-8 h-14 w-3/5" />
          <SkeletonLine className="mt-10 w-full" />
        </>
      }
    />
  )
}
