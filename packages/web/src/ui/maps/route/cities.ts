import { maps } from '#messages/maps/maps.ts'

/** Longitude and latitude in degrees. */
export type Position = readonly [longitude: number, latitude: number]

/** A city on the map. */
export interface City {
  readonly name: string
  readonly at: Position
  readonly zone: string
}

const known: Readonly<Record<keyof typeof maps.cities, Omit<City, 'name'>>> = {
  USD: { at: [-74.006, 40.713], zone: 'America/New_York' },
  GBP: { at: [-0.128, 51.507], zone: 'Europe/London' },
  CAD: { at: [-79.383, 43.653], zone: 'America/Toronto' },
  AUD: { at: [151.209, -33.868], zone: 'Australia/Sydney' },
  EUR: { at: [8.682, 50.11], zone: 'Europe/Berlin' },
  JPY: { at: [139.692, 35.689], zone: 'Asia/Tokyo' },
  SGD: { at: [103.82, 1.352], zone: 'Asia/Singapore' },
  INR: { at: [72.878, 19.076], zone: 'Asia/Kolkata' },
  BRL: { at: [-46.633, -23.55], zone: 'America/Sao_Paulo' },
}

/** The city that stands for a currency's area; undefined for cryptocurrencies, which have none. */
export function cityOf(currency: string | undefined): City | undefined {
  if (currency === undefined || !Object.hasOwn(known, currency)) return undefined
  const code = currency as keyof typeof known
  return { name: maps.cities[code], ...known[code] }
}
