import { formatExactly, isolate } from '../format/format.ts'
import { personLocale } from '../format/locale.ts'

/**
 * Rate with four decimals, more if it begins with zeros, or two from a thousand on: "0.9300", "0.006700", "65,000.00".
 */
export function formatRate(rate: string, locale: string = personLocale()): string {
  const leadingZeros = /^0\.(0*)/.exec(rate)?.[1]?.length ?? 0
  const places = /^\d{4}/.test(rate) ? 2 : leadingZeros + 4
  const format = new Intl.NumberFormat(locale, {
    numberingSystem: 'latn',
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  })
  return formatExactly(format, rate)
}

/** "1 USD = 0.9300 EUR". */
export const formatRateLine = (rate: string, source: string, target: string): string =>
  isolate(`1 ${source} = ${formatRate(rate)} ${target}`)
