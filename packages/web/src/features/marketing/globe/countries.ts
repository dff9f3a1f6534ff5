import type { Place } from '@tern/drawing/sphere'
import { type CountryPlace, countryPlaces } from '@tern/drawing/country-places'
import type { FiatCode } from '@tern/money/currency'

/** Currencies of the ten countries of the price check, by ISO 3166-1 alpha-2. Country names are in the texts. */
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

/** Time zone of a country with a single one; otherwise undefined. */
export const findTimeZone = (country: CountryCode): string | undefined => {
  const place: CountryPlace = countryPlaces[country]
  return place.zone
}

/** End points of a transfer: one place for each country. */
export const locateEnds = (from: CountryCode, to: CountryCode): readonly [Place, Place] => [
  countryPlaces[from].at,
  countryPlaces[to].at,
]
