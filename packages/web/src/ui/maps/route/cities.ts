import { type PlacedCurrency, places, type Position } from '@tern/contract/chart/currency-places'
import { maps } from '#messages/maps/maps.ts'

/** A city on the map. */
export interface City {
  readonly name: string
  readonly at: Position
  readonly zone: string
}

/** The city that stands for a currency's area; undefined for cryptocurrencies, which have none. */
export function cityOf(currency: string | undefined): City | undefined {
  if (currency === undefined || !Object.hasOwn(places, currency)) return undefined
  const code = currency as PlacedCurrency
  return { name: maps.cities[code], ...places[code] }
}
