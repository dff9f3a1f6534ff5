import type { ReceiptFormat } from '@tern/contract/receipt/receipt-sheet'
import { amountInWords } from '@tern/messages/formats'
import type { Messages } from '../../../platform/messages.ts'

/** Formats a rate like the receipt page: with four decimals, or four significant digits if it is small. */
function rateText(rate: string, locale: string): string {
  const zeros = /^0\.(0*)/.exec(rate)?.[1]?.length ?? 0
  const places = { minimumFractionDigits: 4 + zeros, maximumFractionDigits: 4 + zeros }
  return new Intl.NumberFormat(locale, places).format(rate as `${number}`)
}

/** Texts and formats of a receipt in a language, equal to those of the receipt page. */
export function createWriting({ language, receipt }: Messages): ReceiptFormat {
  const locale = language.code === 'en' ? 'en-US' : language.locale
  const regions = new Intl.DisplayNames(locale, { type: 'region' })
  const formatInZone = (at: Date, timeZone: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(at)
  const clock = { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  return {
    texts: receipt,
    country: (code) => regions.of(code) ?? code,
    zone: 'UTC',
    money: (amount, currency) => amountInWords(language, amount, currency),
    rate: (rate, source, target) => `1 ${source} = ${rateText(rate, locale)} ${target}`,
    percent: (basisPoints) => percents.format(`${String(basisPoints)}e-4` as Intl.StringNumericLiteral),
    date: (at, zone) => formatInZone(at, zone, { month: 'short', day: 'numeric', year: 'numeric' }),
    clock: (at, zone) => formatInZone(at, zone, clock).replaceAll(/\s/g, ' '),
  }
}
