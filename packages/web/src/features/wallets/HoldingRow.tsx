import type { Holding } from '@tern/contract/exchange/rates'
import type { Wallet } from '@tern/contract/wallets'
import type { CurrencyCode } from '@tern/money/currency'
import type { CSSProperties } from 'react'
import { holdings as texts } from '#messages/exchange/holdings.ts'
import { formatMoney, isZero } from '../../ui/format/format.ts'
import { exactPlaces, formatExact } from '../../ui/money/exact-amount.ts'
import { formatPercent } from '../../ui/money/percent.ts'
import { currencyName } from './currency-name.ts'

interface HoldingRowProps {
  asset: Wallet['assets'][number]
  base: CurrencyCode
  holding: Holding | undefined
  /** Whole percent of the total value; undefined without a value. */
  share: number | undefined
  /** The values are loaded, or could not be loaded. */
  isKnown: boolean
}

const minPlaces = (currency: CurrencyCode) => (currency === 'BTC' ? 8 : 6)

/** One holding with its amount, share of the total, and value in the main currency. */
export function HoldingRow({ asset: { currency, available, held }, base, holding, share, isKnown }: HoldingRowProps) {
  const amount = formatMoney(available, currency, { places: exactPlaces(available, currency, minPlaces(currency)) })
  return (
    <div className="grid grid-cols-[40px_minmax(0,1.4fr)_minmax(80px,1fr)_48px_minmax(96px,auto)] gap-x-5 gap-y-0 items-center min-h-18 max-md:grid-cols-[40px_minmax(0,1fr)_44px_minmax(0,auto)] max-md:gap-x-3 max-md:gap-y-0 max-md:min-h-17">
      <span
        className={
          currency === base
            ? 'text-[1.0625rem]/[1] font-normal font-display border size-10 grid place-items-center rounded-[50%] border-ink bg-ink text-paper'
            : 'text-[1.0625rem]/[1] font-normal font-display border border-line-strong size-10 grid place-items-center rounded-[50%] bg-sheet'
        }
        aria-hidden="true"
      >
        {coinSigns[currency] ?? currencyName(currency).slice(0, 1)}
      </span>
      <span>
        <b className="font-medium">{currencyName(currency)}</b>
        <span className="tabular-nums text-fine/5 block text-ink-2">
          {isZero(held) ? amount : texts.onHold(amount, formatExact(held, currency))}
        </span>
      </span>
      <span className="share-bar" style={{ '--share': `${share ?? 0}%` } as CSSProperties} aria-hidden="true" />
      <span className="tabular-nums text-fine/5 block text-ink-2 text-end">
        {share !== undefined && formatPercent(share * 100)}
      </span>
      <span className="text-end">
        {holding && holding.value !== null ? (
          <b className="tabular font-medium">{formatMoney(holding.value, base)}</b>
        ) : (
          isKnown && <span className="tabular-nums text-fine/5 block text-ink-2">{texts.noPrice}</span>
        )}
      </span>
    </div>
  )
}

const coinSigns: Partial<Record<CurrencyCode, string>> = { EUR: '€', USD: '$', GBP: '£', JPY: '¥', INR: '₹' }
