import { type Ratio, toDecimalPlaces } from '@tern/money/ratio'

/** Formats a price with up to 24 decimals, rounded half up. Postings state exact totals instead. */
export const formatPrice = (rate: Ratio): string => toDecimalPlaces(rate, 24).replace(/\.?0+$/, '')
