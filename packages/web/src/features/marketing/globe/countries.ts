// not money: places on the globe.
import type { FiatCode } from '@tern/money/currency'
import type { Place } from './sphere.ts'

export interface Country {
  readonly currency: FiatCode
  /** Label point of the country: both its name and its end of a route stand there. */
  readonly place: Place
  /** IANA name; only for a country with one time zone. */
  readonly timeZone?: string
}

/** The ten open countries of the price check, by ISO code. */
export const places = {
  US: { currency: 'USD', place: [-98.5, 39.5] },
  GB: { currency: 'GBP', place: [-1.6, 52.6], timeZone: 'Europe/London' },
  CA: { currency: 'CAD', place: [-106, 56] },
  AU: { currency: 'AUD', place: [134.5, -25] },
  DE: { currency: 'EUR', place: [10.4, 51.2], timeZone: 'Europe/Berlin' },
  FR: { currency: 'EUR', place: [2.5, 46.7], timeZone: 'Europe/Paris' },
  JP: { currency: 'JPY', place: [138.4, 36.6], timeZone: 'Asia/Tokyo' },
  SG: { currency: 'SGD', place: [103.8, 1.35], timeZone: 'Asia/Singapore' },
  IN: { currency: 'INR', place: [79, 22.5], timeZone: 'Asia/Kolkata' },
  BR: { currency: 'BRL', place: [-52, -10.5] },
} as const satisfies Record<string, Country>

export type CountryCode = keyof typeof places

/** The time zone at the end of a route; undefined in a country with several. */
export function timeZoneOf(country: CountryCode): string | undefined {
  const { timeZone }: Country = places[country]
  return timeZone
}

/** Both ends of a transfer; within one country they are the same. */
export const endsOf = (from: CountryCode, to: CountryCode): readonly [Place, Place] => [
  places[from].place,
  places[to].place,
]
