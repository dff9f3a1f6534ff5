import type { Wallet } from '@tern/contract/wallets'
import { type CryptoCode, type CurrencyCode, isFiatCode } from '@tern/money/currency'
import type { ReactNode } from 'react'
import { wallets } from '#messages/wallets.ts'
import { paths } from '../../app/paths.ts'
import { Balance } from '../../ui/money/Balance.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { exactPlaces, formatExact, formatExactWithSign } from '../../ui/money/exact-amount.ts'
import { formatMoney, isZero } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { Named } from '../../ui/layout/Named.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'

/** The main balance, and beside it what is held in cryptocurrency, every digit of it. */
export function BalancePanel({ wallet }: { wallet: Wallet }) {
  const main = wallet.assets.find(({ currency }) => currency === wallet.base_currency)
  const others = wallet.assets.filter(({ currency }) => !isFiatCode(currency))
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
          <h2 className="muted mb-4">{wallets.assets}</h2>
          <ul className="grid gap-x-10 sm:grid-cols-2 xl:grid-cols-1">
            {others.map((asset) => (
              <Asset key={asset.currency} {...asset} />
            ))}
          </ul>
        </>
      }
    />
  )
}

function Panel({ main, side }: { main: ReactNode; side: ReactNode }) {
  return (
    <Sheet scaleBar className="bg-water">
      <div className="grid xl:grid-cols-[minmax(0,1fr)_380px]">
        <div className="flex flex-col p-5 md:p-10">{main}</div>
        <div className="border-t p-5 md:p-10 xl:border-t-0 xl:border-s">{side}</div>
      </div>
    </Sheet>
  )
}

const fewestPlaces = (currency: CurrencyCode) => (currency === 'BTC' ? 8 : 6)

function Asset({ currency, available, held }: Wallet['assets'][number]) {
  const places = exactPlaces(available, currency, fewestPlaces(currency))
  return (
    <li className="row min-h-14 border-t py-2">
      <Named
        name={wallets.names[currency as CryptoCode]}
        more={!isZero(held) && wallets.onHold(formatExact(held, currency))}
      />
      <span className="amount">
        <span className={isZero(available) ? 'faint font-normal' : undefined}>
          {formatMoney(available, currency, { places, unit: 'none' })}
        </span>{' '}
        <span className="small muted font-normal">{currency}</span>
      </span>
    </li>
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
        <div className="grid gap-9">
          {[0, 1, 2, 3].map((row) => (
            <SkeletonLine key={row} className="w-full" />
          ))}
        </div>
      }
    />
  )
}
