// Country names used by lists, as ISO 3166-1 alpha-2 codes.

import { findNationality, normalizeCountryName, specialStatuses } from '@tern/contract/kyc/nationalities'

// Country names of the OFAC, UN and UK lists that `findNationality` does not know.
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

/** Returns the ISO 3166-1 alpha-2 code of a country by code or English name; undefined if unknown. */
export function findCountryCode(text: string): string | undefined {
  const code = extraNames.get(normalizeCountryName(text)) ?? findNationality(text)?.code
  return specialStatuses.some((known) => known.code === code) ? undefined : code
}
