// not money: places on the globe.
import type { FiatCode } from '@tern/money/currency'
import type { Place } from './sphere.ts'

export interface Country {
  readonly currency: FiatCode
  /** Where its ways on the globe start and end, and the second city for a transfer within the country. */
  readonly city: Place
  readonly secondCity: Place
  /** Of the first city, as IANA names it. */
  readonly timeZone: string
  /** Of the second city, where it is another. */
  readonly secondTimeZone?: string
}

/** The ten countries of the price check, by their ISO code. Their names and those of their cities are texts. */
export const places = {
  US: {
    currency: 'USD',
    city: [-74, 40.7],
    secondCity: [-122.4, 37.8],
    timeZone: 'America/New_York',
    secondTimeZone: 'America/Los_Angeles',
  },
  GB: { currency: 'GBP', city: [-0.1, 51.5], secondCity: [-4.3, 55.9], timeZone: 'Europe/London' },
  CA: {
    currency: 'CAD',
    city: [-79.4, 43.7],
    secondCity: [-123.1, 49.3],
    timeZone: 'America/Toronto',
    secondTimeZone: 'America/Vancouver',
  },
  AU: {
    currency: 'AUD',
    city: [151.2, -33.9],
    secondCity: [115.9, -32],
    timeZone: 'Australia/Sydney',
    secondTimeZone: 'Australia/Perth',
  },
  DE: { currency: 'EUR', city: [13.4, 52.5], secondCity: [11.6, 48.1], timeZone: 'Europe/Berlin' },
  FR: { currency: 'EUR', city: [4.8, 45.8], secondCity: [3.1, 50.6], timeZone: 'Europe/Paris' },
  JP: { currency: 'JPY', city: [139.7, 35.7], secondCity: [141.4, 43.1], timeZone: 'Asia/Tokyo' },
  SG: { currency: 'SGD', city: [103.8, 1.35], secondCity: [103.8, 1.35], timeZone: 'Asia/Singapore' },
  IN: { currency: 'INR', city: [72.9, 19.1], secondCity: [77.2, 28.6], timeZone: 'Asia/Kolkata' },
  BR: {
    currency: 'BRL',
    city: [-46.6, -23.5],
    secondCity: [-34.9, -8.1],
    timeZone: 'America/Sao_Paulo',
    secondTimeZone: 'America/Recife',
  },
} as const satisfies Record<string, Country>

export type CountryCode = keyof typeof places

/** The time zone of where a transfer ends. */
export function timeZoneOf(from: CountryCode, to: CountryCode): string {
  const { timeZone, secondTimeZone }: Country = places[to]
  return from === to ? (secondTimeZone ?? timeZone) : timeZone
}

/** The two ends of a transfer: within a country it goes to its second city. */
export const endsOf = (from: CountryCode, to: CountryCode): readonly [Place, Place] => [
  places[from].city,
  from === to ? places[to].secondCity : places[to].city,
]
