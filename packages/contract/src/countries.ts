import type { FiatCode } from '@tern/money/currency'

export type Region = 'North America' | 'South America' | 'Europe' | 'Asia' | 'Oceania'

export const documentTypes = [
  'passport',
  'drivers_license',
  'national_id',
  'residence_permit',
  'pr_card',
  'medicare_card',
  'residence_card',
  'my_number_card',
  'nric',
  'aadhaar_card',
  'pan_card',
  'voters_id',
] as const
export type DocumentType = (typeof documentTypes)[number]

export interface Country {
  readonly name: string
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  readonly region: Region
  readonly currency: FiatCode
  readonly idName: string
  readonly idFormat: string
  readonly documents: readonly DocumentType[]
  /** Time zone in which the country's day begins last: a person who is 18 there is 18 everywhere in the country. */
  readonly timeZone: string
  /** Additional identity number that only this country requires. */
  readonly extraField?: 'panCard' | 'medicareNumber'
}

const commonDocuments = ['passport', 'drivers_license'] as const

export const countries: readonly Country[] = [
  {
    name: 'United States',
    code: 'US',
    region: 'North America',
    currency: 'USD',
    idName: 'SSN',
    idFormat: 'XXX-XX-XXXX',
    documents: [...commonDocuments, 'national_id', 'residence_permit'],
    timeZone: 'Pacific/Honolulu',
  },
  {
    name: 'United Kingdom',
    code: 'GB',
    region: 'Europe',
    currency: 'GBP',
    idName: 'NINO',
    idFormat: 'AA999999A',
    documents: [...commonDocuments, 'residence_permit'],
    timeZone: 'Europe/London',
  },
  {
    name: 'Canada',
    code: 'CA',
    region: 'North America',
    currency: 'CAD',
    idName: 'SIN',
    idFormat: '999-999-999',
    documents: [...commonDocuments, 'pr_card'],
    timeZone: 'America/Vancouver',
  },
  {
    name: 'Australia',
    code: 'AU',
    region: 'Oceania',
    currency: 'AUD',
    idName: 'TFN',
    idFormat: '999 999 999',
    documents: [...commonDocuments, 'medicare_card'],
    timeZone: 'Australia/Perth',
    extraField: 'medicareNumber',
  },
  {
    name: 'Germany',
    code: 'DE',
    region: 'Europe',
    currency: 'EUR',
    idName: 'TIN',
    idFormat: '11 digits',
    documents: [...commonDocuments, 'national_id', 'residence_permit'],
    timeZone: 'Europe/Berlin',
  },
  {
    name: 'France',
    code: 'FR',
    region: 'Europe',
    currency: 'EUR',
    idName: 'INSEE',
    idFormat: '9 99 99 99999 999 99',
    documents: [...commonDocuments, 'national_id', 'residence_permit'],
    timeZone: 'Europe/Paris',
  },
  {
    name: 'Japan',
    code: 'JP',
    region: 'Asia',
    currency: 'JPY',
    idName: 'My Number',
    idFormat: '9999-9999-9999',
    documents: [...commonDocuments, 'residence_card', 'my_number_card'],
    timeZone: 'Asia/Tokyo',
  },
  {
    name: 'Singapore',
    code: 'SG',
    region: 'Asia',
    currency: 'SGD',
    idName: 'NRIC',
    idFormat: 'S9999999A',
    documents: [...commonDocuments, 'nric'],
    timeZone: 'Asia/Singapore',
  },
  {
    name: 'India',
    code: 'IN',
    region: 'Asia',
    currency: 'INR',
    idName: 'Aadhaar',
    idFormat: '9999 9999 9999',
    documents: [...commonDocuments, 'aadhaar_card', 'pan_card', 'voters_id'],
    timeZone: 'Asia/Kolkata',
    extraField: 'panCard',
  },
  {
    name: 'Brazil',
    code: 'BR',
    region: 'South America',
    currency: 'BRL',
    idName: 'CPF',
    idFormat: '999.999.999-99',
    documents: [...commonDocuments, 'national_id'],
    timeZone: 'America/Rio_Branco',
  },
]

/** Returns the supported country with exactly this name. */
export const findCountry = (name: string): Country | undefined => countries.find((country) => country.name === name)
