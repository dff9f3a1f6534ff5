import type { FiatCode } from '@tern/money/currency'
import type { Place } from '../../ui/maps/Globe.tsx'

/** The financial centre of each currency's country: where an arc of that currency starts or ends. Without one it has none. */
export const placeOfCurrency: Readonly<Partial<Record<FiatCode, Place>>> = {
  USD: [-74, 40.7],
  GBP: [-0.1, 51.5],
  CAD: [-79.4, 43.7],
  AUD: [151.2, -33.9],
  EUR: [8.7, 50.1],
  JPY: [139.7, 35.7],
  SGD: [103.8, 1.35],
  INR: [72.9, 19.1],
  BRL: [-46.6, -23.5],
}
