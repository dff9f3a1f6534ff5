import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import type { Period } from '../../app/periods/period-choices.ts'

/** Statement named in an address; what is missing is chosen by the page. */
export interface StatementAddress {
  readonly currency: CurrencyCode | undefined
  readonly period: Period | undefined
}

const isDay = (text: string): boolean =>
  /^20\d\d-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  // Impossible days such as February 30 become other days.
  new Date(text).toISOString().startsWith(text)

/** Parses an address; ignores unknown values. */
export function readAddress(address: URLSearchParams): StatementAddress {
  const currency = address.get('currency') ?? ''
  const period = address.get('period') ?? ''
  const from = address.get('from') ?? ''
  const to = address.get('to') ?? ''
  return {
    currency: isCurrencyCode(currency) ? currency : undefined,
    period: /^20\d\d(-(0[1-9]|1[0-2]|Q[1-4]))?$/.test(period)
      ? { period }
      : isDay(from) && isDay(to) && from <= to
        ? { from, to }
        : undefined,
  }
}

export const writeAddress = (currency: string, period: Period): URLSearchParams =>
  new URLSearchParams({ currency, ...period })
