import { exactly, isolate } from '../format/format.ts'
import { personLocale } from '../format/locale.ts'

/** A rate with four decimals at least and six significant figures at least: "0.9300", "0.006700", "149.2537". */
export function formatRate(rate: string, locale: string = personLocale()): string {
  const leadingZeros = /^0\.(0*)/.exec(rate)?.[1]?.length ?? 0
  const places = Math.max(4, leadingZeros > 0 ? leadingZeros + 4 : 4)
  const format = new Intl.NumberFormat(locale, {
    numberingSystem: 'latn',
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  })
  return exactly(format, rate)
}

/** "1 USD = 0.9300 EUR". */
export const formatRateLine = (rate: string, source: string, target: string): string =>
  isolate(`1 ${source} = ${formatRate(rate)} ${target}`)
