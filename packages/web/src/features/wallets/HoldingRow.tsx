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
  /** The values are loaded. */
  isKnown: boolean
}

const fewestPlaces = (currency: CurrencyCode) => (currency === 'BTC' ? 8 : 6)

/** One holding with its amount, share of the total, and value in the main currency. */
export function HoldingRow({ asset: { currency, available, held }, base, holding, share, isKnown }: HoldingRowProps) {
  const amount = formatMoney(available, currency, { places: exactPlaces(available, currency, fewestPlaces(currency)) })
  return (
    <div className="holding">
      <span className={currency === base ? 'coin coin-base' : 'coin'} aria-hidden="true">
        {coinSigns[currency] ?? currencyName(currency).slice(0, 1)}
      </span>
      <span>
        <b>{currencyName(currency)}</b>
        <span className="holding-sub">{isZero(held) ? amount : texts.onHold(amount, formatExact(held, currency))}</span>
      </span>
      <span className="share-bar" style={{ '--share': `${share ?? 0}%` } as CSSProperties} aria-hidden="true" />
      <span className="holding-sub text-end">{share !== undefined && formatPercent(share * 100)}</span>
      <span className="text-end">
        {holding && holding.value !== null ? (
          <b className="tabular">{formatMoney(holding.value, base)}</b>
        ) : (
          isKnown && <span className="holding-sub">{texts.noPrice}</span>
        )}
      </span>
    </div>
  )
}

const coinSigns: Partial<Record<CurrencyCode, string>> = { EUR: '€', USD: '$', GBP: '£', JPY: '¥', INR: '₹' }
