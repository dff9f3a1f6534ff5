import { type CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { convert, crossRate } from '@tern/money/rate'
import { type Exchange, computeIncomingRoom, computeOutgoingRoom, type Exposure } from '../exchange/exchange.ts'

type Valuation = Exchange['valuation']

/** Trade that brings a position closest to zero within the limits. */
export interface Trade {
  readonly sell: Money
  /** Proceeds at the mid-market rate. */
  readonly expected: Money
}

/** Currency in which positions are measured, and into which they are flattened. */
const measure: CurrencyCode = 'USD'

export const toAbsolute = (minor: bigint): bigint => (minor < 0n ? -minor : minor)
const smallest = (one: bigint, ...rest: bigint[]): bigint => rest.reduce((low, next) => (next < low ? next : low), one)

const convertValue = ({ usdValueOf }: Valuation, amount: Money, target: CurrencyCode, rounding: 'up' | 'down'): Money =>
  convert(amount, target, crossRate(usdValueOf, amount.currency, target), rounding)

function requireDollarExposure(exposures: readonly Exposure[]): Exposure {
  const measureExposure = exposures.find(({ currency }) => currency === measure)
  if (!measureExposure) throw new Error(`${measure} has no position`)
  return measureExposure
}

/** A position in US dollar cents, rounded away from zero; undefined while no rate is known. */
export function computeUsdMinor(valuation: Valuation, { currency, position }: Exposure): bigint | undefined {
  if (!valuation.isKnown(currency)) return undefined
  const { minor } = convertValue(valuation, money(currency, toAbsolute(position)), measure, 'up')
  return position < 0n ? -minor : minor
}

/**
 * Returns the trade that flattens a position, no larger than the room for it and for dollars within their limits.
 * Undefined if no amount can be traded, or no rate is known.
 */
export function planTrade(valuation: Valuation, exposures: readonly Exposure[], exposure: Exposure): Trade | undefined {
  const { currency, position } = exposure
  if (currency === measure || position === 0n || !valuation.isKnown(currency)) return undefined
  const isLong = position > 0n
  const dollars = requireDollarExposure(exposures)
  const room = isLong ? computeIncomingRoom(dollars) : computeOutgoingRoom(dollars)
  if (room <= 0n) return undefined
  const ownCurrencyMinor = convertValue(valuation, money(measure, room), currency, 'down').minor
  const size = smallest(
    toAbsolute(position),
    isLong ? computeOutgoingRoom(exposure) : computeIncomingRoom(exposure),
    ownCurrencyMinor,
  )
  if (size <= 0n) return undefined
  const amount = money(currency, size)
  const value = convertValue(valuation, amount, measure, isLong ? 'down' : 'up')
  if (value.minor <= 0n) return undefined
  return isLong ? { sell: amount, expected: value } : { sell: value, expected: amount }
}
