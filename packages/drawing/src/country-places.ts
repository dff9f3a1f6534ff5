import type { Place } from './sphere.ts'

/** Position of a country on a map, marked by a dot at its label point. */
export interface CountryPlace {
  /** Label point in Natural Earth, near the middle of the country. */
  readonly at: Place
  /** Largest distance from `at` to the edge of the main landmass, in degrees. */
  readonly reach: number
  /** IANA time zone; absent for countries with more than one. */
  readonly zone?: string
}

/** Countries of residence by ISO 3166-1 alpha-2 code. */
export const countryPlaces = {
  US: { at: [-97.5, 39.5], reach: 24 },
  GB: { at: [-2.1, 54.4], reach: 6, zone: 'Europe/London' },
  CA: { at: [-101.9, 60.3], reach: 27 },
  AU: { at: [134, -24.1], reach: 20 },
  DE: { at: [9.7, 51], reach: 5, zone: 'Europe/Berlin' },
  FR: { at: [2.6, 46.7], reach: 6, zone: 'Europe/Paris' },
  JP: { at: [138.4, 36.1], reach: 10, zone: 'Asia/Tokyo' },
  SG: { at: [103.8, 1.37], reach: 3, zone: 'Asia/Singapore' },
  IN: { at: [79.4, 22.7], reach: 15, zone: 'Asia/Kolkata' },
  BR: { at: [-49.6, -12.1], reach: 22 },
} as const satisfies Readonly<Record<string, CountryPlace>>

export type MappedCountry = keyof typeof countryPlaces

/** Returns the position of a country by its ISO code; undefined for null and for any other country. */
export const findCountryPlace = (code: string | null | undefined): CountryPlace | undefined =>
  typeof code === 'string' && Object.hasOwn(countryPlaces, code) ? countryPlaces[code as MappedCountry] : undefined
