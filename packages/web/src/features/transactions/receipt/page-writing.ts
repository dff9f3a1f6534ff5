import type { ReceiptFormat } from '@tern/contract/receipt/receipt-sheet'
import { receipt as texts } from '#messages/receipt/words.ts'
import { ownTimeZone } from '../../../app/browser/time-zone.ts'
import { clockFormat, formatMoney } from '../../../ui/format/format.ts'
import { countryName } from '../../../ui/format/country-name.ts'
import { textLocale } from '../../../ui/format/locale.ts'
import { formatPercent } from '../../../ui/money/percent.ts'
import { formatRateLine } from '../../../ui/money/rates.ts'

const formatInZone = (at: Date, timeZone: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(textLocale(), { ...options, timeZone }).format(at)

/** Localized formats of a receipt on this page. */
export const pageWriting: ReceiptFormat = {
  texts,
  country: countryName,
  zone: ownTimeZone(),
  money: (amount, currency) => formatMoney(amount, currency),
  rate: formatRateLine,
  date: (at, zone) => formatInZone(at, zone, { month: 'short', day: 'numeric', year: 'numeric' }),
  percent: (basisPoints) => formatPercent(Number(basisPoints)), // not money: a rate of the price list
  clock: (at, zone) =>
    formatInZone(at, zone, { ...clockFormat(), second: '2-digit', timeZoneName: 'short' }).replaceAll(/\s/g, ' '),
}
