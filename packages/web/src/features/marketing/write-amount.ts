import { scaleOf, type FiatCode } from '@tern/money/currency'
import { isolate } from '../../ui/format/format.ts'
import { personLocale } from '../../ui/format/locale.ts'

/** "1,010.00 USD", or without the code; exact, in the reader's own number format. */
export function writeAmount(amount: string, currency: FiatCode, withCode = true): string {
  const places = scaleOf(currency)
  const format = new Intl.NumberFormat(personLocale(), { minimumFractionDigits: places, maximumFractionDigits: places })
  const figures = format.format(amount as Intl.StringNumericLiteral)
  return withCode ? isolate(`${figures} ${currency}`) : figures
}

/** "1 USD = 5.3500 BRL". Small rates get the places they need to be readable. */
export function writeRate(rate: string, source: FiatCode, target: FiatCode): string {
  const zeros = /^0\.(0*)/.exec(rate)?.[1]?.length ?? 0
  const places = 4 + zeros
  const format = new Intl.NumberFormat(personLocale(), { minimumFractionDigits: places, maximumFractionDigits: places })
  return isolate(`1 ${source} = ${format.format(rate as Intl.StringNumericLiteral)} ${target}`)
}
