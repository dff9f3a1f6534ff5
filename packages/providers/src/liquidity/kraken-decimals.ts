import { type CurrencyCode, scaleOf } from '@tern/money/currency'

/** Exact decimal number: `digits` / 10^`places`. */
export interface Decimal {
  readonly digits: bigint
  readonly places: number
}

export const zero: Decimal = { digits: 0n, places: 0 }

/** Parses plain decimals, such as "-0.2805800000"; undefined for anything else. */
export function readDecimal(text: string | undefined): Decimal | undefined {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d{1,30})(?:\.(\d{1,20}))?$/.exec(text ?? '') ?? []
  return whole === '' ? undefined : { digits: BigInt(sign + whole + fraction), places: fraction.length }
}

const scaleTo = ({ digits, places }: Decimal, target: number): bigint => digits * 10n ** BigInt(target - places)

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const places = Math.max(a.places, b.places)
  return { digits: scaleTo(a, places) + scaleTo(b, places), places }
}

export const negate = ({ digits, places }: Decimal): Decimal => ({ digits: -digits, places })

/** Returns -1, 0 or 1. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const { digits } = addDecimals(a, negate(b))
  return digits > 0n ? 1 : digits < 0n ? -1 : 0
}

/** Returns an amount of 0 or more in minor units. */
export function toMinor({ digits, places }: Decimal, currency: CurrencyCode, rounding: 'up' | 'down'): bigint {
  const unit = 10n ** BigInt(places)
  const scaled = digits * 10n ** BigInt(scaleOf(currency))
  return rounding === 'down' ? scaled / unit : (scaled + unit - 1n) / unit
}

/** Formats an amount in minor units with at most this many decimals, rounded down. */
export function formatVolume(minor: bigint, currency: CurrencyCode, maxPlaces: number): string {
  const scale = scaleOf(currency)
  const places = Math.min(scale, maxPlaces)
  const digits = (minor / 10n ** BigInt(scale - places)).toString().padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}
