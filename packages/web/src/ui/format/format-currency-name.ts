import { isCurrencyCode, isFiatCode } from '@tern/money/currency'
import { textLocale } from './locale.ts'

/** Currency name: "euros", "US dollars", or "US dollar" for a `count` of 1; the code of a cryptocurrency. */
export function formatCurrencyName(code: string, count = 2): string {
  if (!isCurrencyCode(code) || !isFiatCode(code)) return code
  const format = new Intl.NumberFormat(textLocale(), {
    style: 'currency',
    currency: code,
    currencyDisplay: 'name',
    maximumFractionDigits: 0,
  })
  return format.formatToParts(count).find(({ type }) => type === 'currency')?.value ?? code
}
