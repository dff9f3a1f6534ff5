import { personLocale } from '../format/locale.ts'

/** "1%" or "0.5%" from basis points, exactly. */
export const formatPercent = (basisPoints: number, locale: string = personLocale()): string =>
  new Intl.NumberFormat(locale, { numberingSystem: 'latn', style: 'percent', maximumFractionDigits: 2 }).format(
    `${basisPoints}e-4` as Intl.StringNumericLiteral,
  )
