/** Longitude and latitude in degrees. */
export type Position = readonly [longitude: number, latitude: number]

/** The city that stands for a currency's area. */
export interface Place {
  readonly at: Position
  readonly zone: string
}

/** The cities of all currencies that have one. */
export const places = {
  USD: { at: [-74.006, 40.713], zone: 'America/New_York' },
  GBP: { at: [-0.128, 51.507], zone: 'Europe/London' },
  CAD: { at: [-79.383, 43.653], zone: 'America/Toronto' },
  AUD: { at: [151.209, -33.868], zone: 'Australia/Sydney' },
  EUR: { at: [8.682, 50.11], zone: 'Europe/Berlin' },
  JPY: { at: [139.692, 35.689], zone: 'Asia/Tokyo' },
  SGD: { at: [103.82, 1.352], zone: 'Asia/Singapore' },
  INR: { at: [72.878, 19.076], zone: 'Asia/Kolkata' },
  BRL: { at: [-46.633, -23.55], zone: 'America/Sao_Paulo' },
} as const satisfies Readonly<Record<string, Place>>

/** A currency with a city. */
export type PlacedCurrency = keyof typeof places

/** Whether a currency has a city: cryptocurrencies have none. */
export const isPlaced = (currency: string | undefined): currency is PlacedCurrency =>
  currency !== undefined && Object.hasOwn(places, currency)

/** The city of a currency. */
export const placeOf = (currency: PlacedCurrency): Place => places[currency]
