import { type CurrencyCode, isFiatCode, scaleOf } from '@tern/money/currency'
import { formatMoney } from '../format/format.ts'

const placesUsed = (amount: string): number => /\.(\d*?)0*$/.exec(amount)?.[1]?.length ?? 0

/** How many places show an amount whole: all of a fiat currency's, of a crypto one at least `atLeast` and as many as count. */
export const exactPlaces = (amount: string, currency: CurrencyCode, atLeast = 2): number =>
  isFiatCode(currency) ? scaleOf(currency) : Math.min(scaleOf(currency), Math.max(atLeast, placesUsed(amount)))

/** "$12.00", "0.033266129032258064 ETH": an amount with every digit it has. */
export const formatExact = (amount: string, currency: CurrencyCode, atLeast?: number): string =>
  formatMoney(amount, currency, { places: exactPlaces(amount, currency, atLeast) })

/** The most places of an amount that is set large. */
export const bigPlacesAtMost = 8

/** The same cut to as many digits as fit where an amount is set large. */
export const formatBig = (amount: string, currency: CurrencyCode): string =>
  formatMoney(amount, currency, { places: Math.min(exactPlaces(amount, currency), bigPlacesAtMost) })
