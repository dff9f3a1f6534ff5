import { cities } from '../../cities.ts'

/** The lettering of maps. */
export const maps = {
  distance: (count: number) => `${count.toLocaleString('en')} km`,
  /** A currency without one has no arc. */
  cities,
}
