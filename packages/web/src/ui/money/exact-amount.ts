import { type CurrencyCode, isFiatCode, scaleOf } from '@tern/money/currency'
import { formatMoney } from '../format/format.ts'

const countPlacesUsed = (amount: string): number => /\.(\d*?)0*$/.exec(amount)?.[1]?.length ?? 0

/**
 * Decimal places that show an amount in full: all of a fiat currency's; for crypto the significant ones, at least
 * `atLeast`.
 */
export const exactPlaces = (amount: string, currency: CurrencyCode, atLeast = 2): number =>
  isFiatCode(currency) ? scaleOf(currency) : Math.min(scaleOf(currency), Math.max(atLeast, countPlacesUsed(amount)))

/** Amount with every digit it has: "$12.00", "0.033266129032258064 ETH". */
export const formatExact = (amount: string, currency: CurrencyCode, atLeast?: number): string =>
  formatMoney(amount, currency, { places: exactPlaces(amount, currency, atLeast) })

/** Maximum decimal places of an amount in large type. */
export const maxBigPlaces = 8

/** Amount cut to as many decimal places as fit in large type. */
export const formatBig = (amount: string, currency: CurrencyCode): string =>
  formatMoney(amount, currency, { places: Math.min(exactPlaces(amount, currency), maxBigPlaces) })
