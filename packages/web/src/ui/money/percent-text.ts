import { personLocale } from '../format/locale.ts'

/** "6.18%" from a decimal string with two decimals, exactly. */
export const formatPercentText = (percent: string, locale: string = personLocale()): string =>
  new Intl.NumberFormat(locale, { numberingSystem: 'latn', style: 'percent', minimumFractionDigits: 2 }).format(
    `${percent}e-2` as Intl.StringNumericLiteral,
  )
