import { type CountryPlace, findCountryPlace } from '@tern/drawing/country-places'
import { countryName } from '../../format/country-name.ts'

/** A country at an end of a route. */
export interface RouteCountry {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  readonly name: string
  readonly place: CountryPlace
}

/** Country of a verified residence; undefined before verification, and for countries that no map here shows. */
export function routeCountry(code: string | null | undefined): RouteCountry | undefined {
  const place = findCountryPlace(code)
  return place && typeof code === 'string' ? { code, name: countryName(code), place } : undefined
}

/** Both ends of a route; undefined unless both countries are known and differ. */
export function routeBetween(
  from: string | null | undefined,
  to: string | null | undefined,
): { readonly from: RouteCountry; readonly to: RouteCountry } | undefined {
  const ends = { from: routeCountry(from), to: routeCountry(to) }
  if (!ends.from || !ends.to || from === to) return undefined
  return { from: ends.from, to: ends.to }
}
