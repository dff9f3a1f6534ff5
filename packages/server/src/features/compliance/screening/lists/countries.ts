// Names of countries on lists, as ISO 3166-1 alpha-2 codes.

import { plainName } from '@tern/contract/kyc/nationalities'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
const english = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

const plain = (name: string): string => plainName(name).replace(/^the /, '')

// Other names in OFAC's, the UN's and the UK's lists.
const others: Readonly<Record<string, string>> = {
  'russian federation': 'RU',
  'syrian arab republic': 'SY',
  'iran islamic republic of': 'IR',
  'islamic republic of iran': 'IR',
  'korea north': 'KP',
  'korea south': 'KR',
  'north korea': 'KP',
  'south korea': 'KR',
  'democratic people s republic of korea': 'KP',
  'republic of korea': 'KR',
  'congo democratic republic of the': 'CD',
  'democratic republic of the congo': 'CD',
  'democratic republic of congo': 'CD',
  'congo republic of the': 'CG',
  'republic of the congo': 'CG',
  congo: 'CG',
  burma: 'MM',
  myanmar: 'MM',
  'united states of america': 'US',
  usa: 'US',
  'united kingdom of great britain and northern ireland': 'GB',
  'libyan arab jamahiriya': 'LY',
  'state of libya': 'LY',
  'united republic of tanzania': 'TZ',
  'republic of yemen': 'YE',
  'west bank': 'PS',
  gaza: 'PS',
  palestinian: 'PS',
  palestine: 'PS',
  'state of palestine': 'PS',
  'occupied palestinian territories': 'PS',
  'bosnia herzegovina': 'BA',
  macedonia: 'MK',
  'republic of north macedonia': 'MK',
  'czech republic': 'CZ',
  turkey: 'TR',
  'viet nam': 'VN',
  'ivory coast': 'CI',
  'cote d ivoire': 'CI',
  'gambia the': 'GM',
  'bahamas the': 'BS',
  'republic of moldova': 'MD',
  'bolivarian republic of venezuela': 'VE',
  'venezuela bolivarian republic of': 'VE',
  'lao people s democratic republic': 'LA',
  'brunei darussalam': 'BN',
  swaziland: 'SZ',
  'hong kong': 'HK',
  macau: 'MO',
}

const codes = new Map<string, string>(
  letters
    .flatMap((first) => letters.map((second) => first + second))
    .flatMap((code) => {
      const name = english.of(code)
      // Codes that were withdrawn, or stand for no country.
      return name === undefined || /^(AN|BU|CS|DD|DY|EU|EZ|FX|HV|NH|QO|RH|SU|TP|UK|UN|VD|XA|XB|YD|YU|ZR|ZZ)$/.test(code)
        ? []
        : [[plain(name), code] as const]
    }),
)
for (const [name, code] of Object.entries(others)) codes.set(name, code)

/** The code of a country by its code or any of its English names; undefined for what is none. */
export function countryCodeOf(text: string): string | undefined {
  const given = text.trim()
  if (/^[a-z]{2}$/i.test(given)) return english.of(given.toUpperCase()) === undefined ? undefined : given.toUpperCase()
  return codes.get(plain(given))
}
