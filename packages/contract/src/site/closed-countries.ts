import { countries } from '../countries.ts'
import { citizenships } from '../kyc/nationalities.ts'

const openCodes = new Set<string>(countries.map(({ code }) => code))

/** ISO 3166-1 alpha-2 codes, and XK for Kosovo, of the countries whose residents cannot open a wallet yet. */
export const closedCountries: readonly string[] = citizenships
  .map(({ code }) => code)
  .filter((code) => !openCodes.has(code))

export const isClosedCountry = (text: string): boolean => closedCountries.includes(text)
