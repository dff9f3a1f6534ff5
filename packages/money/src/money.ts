import { type CurrencyCode, scaleOf } from './currency.ts'

/** Exact amount in minor units (cents, yen, wei). */
export interface Money {
  readonly currency: CurrencyCode
  readonly minor: bigint
}

export type MoneyProblem = 'malformed' | 'too_many_decimals' | 'too_large' | 'currency_mismatch' | 'indivisible'

/** Thrown for invalid amounts, ratios and divisions, and for mixed currencies. */
export class MoneyError extends Error {
  readonly problem: MoneyProblem
  constructor(problem: MoneyProblem, message: string) {
    super(message)
    this.name = 'MoneyError'
    this.problem = problem
  }
}

/** Largest accepted amount, well within the ledger's numeric(38,0). */
export const largestMinor = 10n ** 30n

export const money = (currency: CurrencyCode, minor: bigint): Money => ({ currency, minor })

export const zero = (currency: CurrencyCode): Money => money(currency, 0n)

/**
 * Parses a decimal such as `"12.34"` or `"-0.5"` exactly: ASCII digits without grouping, exponent, plus sign or spaces.
 * Throws MoneyError `malformed`, `too_many_decimals` (for the currency) or `too_large`.
 */
export function parseDecimal(currency: CurrencyCode, text: string): Money {
  const match = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?$/.exec(text)
  if (!match) throw new MoneyError('malformed', `"${text.slice(0, 60)}" is not a decimal amount`)
  const [, sign = '', integerPart = '', fraction = ''] = match
  const scale = scaleOf(currency)
  if (fraction.length > scale) {
    throw new MoneyError('too_many_decimals', `${currency} amounts have at most ${scale} decimals`)
  }
  const magnitude = BigInt(integerPart + fraction.padEnd(scale, '0'))
  if (magnitude > largestMinor) throw new MoneyError('too_large', 'The amount is too large')
  return money(currency, sign ? -magnitude : magnitude)
}

/** Formats a decimal with all the currency's places: `{USD, 1234n}` gives `"12.34"`. */
export function toDecimal({ currency, minor }: Money): string {
  const scale = scaleOf(currency)
  const digits = (minor < 0n ? -minor : minor).toString().padStart(scale + 1, '0')
  const sign = minor < 0n ? '-' : ''
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

function requireSameCurrency(a: Money, b: Money): void {
  if (a.currency !== b.currency) {
    throw new MoneyError('currency_mismatch', `${a.currency} and ${b.currency} cannot be combined`)
  }
}

export function add(a: Money, b: Money): Money {
  requireSameCurrency(a, b)
  return money(a.currency, a.minor + b.minor)
}

export function subtract(a: Money, b: Money): Money {
  requireSameCurrency(a, b)
  return money(a.currency, a.minor - b.minor)
}

export const negate = (a: Money): Money => money(a.currency, -a.minor)

/** Compares two amounts like a sort comparator: negative, zero or positive. Throws MoneyError `currency_mismatch`. */
export function compare(a: Money, b: Money): -1 | 0 | 1 {
  requireSameCurrency(a, b)
  return a.minor < b.minor ? -1 : a.minor > b.minor ? 1 : 0
}

export const isPositive = (a: Money): boolean => a.minor > 0n

/**
 * Splits an amount into `parts` shares that sum to it; the first shares get the odd units. Throws MoneyError
 * `indivisible` unless `parts` is a positive integer.
 */
export function split(total: Money, parts: number): Money[] {
  if (!Number.isSafeInteger(parts) || parts < 1) throw new MoneyError('indivisible', 'parts must be 1 or more')
  const count = BigInt(parts)
  const share = total.minor / count
  const remainder = total.minor % count
  const step = remainder < 0n ? -1n : 1n
  return Array.from({ length: parts }, (_, index) =>
    money(total.currency, share + (BigInt(index) < remainder * step ? step : 0n)),
  )
}
