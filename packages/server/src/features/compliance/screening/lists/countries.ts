// Country names on lists, as ISO 3166-1 alpha-2 codes.

import { findNationality, normalizeCountryName, specialStatuses } from '@tern/contract/kyc/nationalities'

// Names on OFAC, UN and UK lists that are not names of nationalities.
const extraNames: ReadonlyMap<string, string> = new Map([
  ['bosnia herzegovina', 'BA'],
  ['gaza', 'PS'],
  ['korea north', 'KP'],
  ['korea south', 'KR'],
  ['libyan arab jamahiriya', 'LY'],
  ['occupied palestinian territories', 'PS'],
  ['palestinian', 'PS'],
  ['region gaza', 'PS'],
  ['west bank', 'PS'],
])

/** Returns the code of a country, given by one of its codes or English names; undefined if there is none. */
export function findCountryCode(text: string): string | undefined {
  const code = extraNames.get(normalizeCountryName(text)) ?? findNationality(text)?.code
  return specialStatuses.some((known) => known.code === code) ? undefined : code
}
