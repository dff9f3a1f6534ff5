import type { FiatCode } from '@tern/money/currency'
import { averageBankBasisPoints, feeBasisPoints, computeFee } from '@tern/money/fee'
import { add, parseDecimal, toDecimal } from '@tern/money/money'
import { convert } from '@tern/money/rate'
import { inverse, parseRatio } from '@tern/money/ratio'
import type { CountryCode } from './globe/countries.ts'

export interface PriceInput {
  readonly source: FiatCode
  readonly target: FiatCode
  /** Decimal string in the currency of `side`. */
  readonly amount: string
  readonly side: 'source' | 'target'
  /** Target units per source unit, as a decimal string. */
  readonly rate: string
}

export interface Price {
  readonly sent: string
  readonly received: string
  readonly fee: string
  readonly feePercent: string
  readonly total: string
  /** Price of an average bank for the same amount; undefined within one currency. */
  readonly bankFee: string | undefined
}

/** Formats basis points as a percentage without trailing zeros: 50 is "0.5". */
export function formatPercent(basisPoints: bigint): string {
  const digits = String(basisPoints).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`.replace(/\.?0+$/, '')
}

/**
 * Price of a transfer by the product's single formula: the fee is charged on top, in the source currency; the received
 * amount is rounded down, the fee half up. Throws MoneyError if the amount has more decimal places than its currency.
 */
export function computePrice({ source, target, amount, side, rate }: PriceInput): Price {
  const exchange = parseRatio(rate)
  const isSame = source === target
  const sent =
    side === 'source'
      ? parseDecimal(source, amount || '0')
      : convert(parseDecimal(target, amount || '0'), source, inverse(exchange), 'up')
  const received = side === 'source' ? convert(sent, target, exchange, 'down') : parseDecimal(target, amount || '0')
  const basisPoints = feeBasisPoints[isSame ? 'same_currency' : 'stablecoin_bridge']
  const fee = computeFee(sent, basisPoints)
  return {
    sent: toDecimal(sent),
    received: toDecimal(received),
    fee: toDecimal(fee),
    feePercent: formatPercent(basisPoints),
    total: toDecimal(add(sent, fee)),
    bankFee: isSame ? undefined : toDecimal(computeFee(sent, averageBankBasisPoints)),
  }
}

export interface Example extends PriceInput {
  readonly from: CountryCode
  readonly to: CountryCode
  readonly date: string
}

/**
 * Example of the landing page until live rates are loaded, at the reference rate of the product's own table on that
 * day.
 */
export const example: Example = {
  from: 'US',
  to: 'BR',
  source: 'USD',
  target: 'BRL',
  amount: '1000',
  side: 'source',
  rate: '5.35',
  // Noon, so that the day is the same in every build time zone.
  date: '2026-11-21T12:00Z',
}

export const pricesExample: Example = {
  from: 'US',
  to: 'DE',
  source: 'USD',
  target: 'EUR',
  amount: '200',
  side: 'source',
  rate: '0.93',
  date: example.date,
}
