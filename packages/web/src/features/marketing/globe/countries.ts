import { type CountryPlace, countryPlaces } from '@tern/contract/chart/country-places'
import type { FiatCode } from '@tern/money/currency'
import type { Place } from './sphere.ts'

/** The currencies of the ten countries of the price check, by ISO 3166-1 alpha-2. Names of countries are texts. */
export const currencies = {
  US: 'USD',
  GB: 'GBP',
  CA: 'CAD',
  AU: 'AUD',
  DE: 'EUR',
  FR: 'EUR',
  JP: 'JPY',
  SG: 'SGD',
  IN: 'INR',
  BR: 'BRL',
} as const satisfies Record<keyof typeof countryPlaces, FiatCode>

export type CountryCode = keyof typeof currencies

/** The time zone of a country that has only one. */
export const timeZoneOf = (country: CountryCode): string | undefined => {
  const place: CountryPlace = countryPlaces[country]
  return place.zone
}

/** The two ends of a transfer, which stand for whole countries: one place within a country. */
export const endsOf = (from: CountryCode, to: CountryCode): readonly [Place, Place] => [
  countryPlaces[from].at,
  countryPlaces[to].at,
]
