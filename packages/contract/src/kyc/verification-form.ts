import * as z from 'zod/mini'
import { type Country, countries, countryOf, documentTypes } from '../countries.ts'
import { kycState } from '../kyc.ts'
import { emailAddress } from '../protocol/email-address.ts'
import { endpoint } from '../protocol/endpoint.ts'
import { coded, type FieldCode } from '../protocol/field-problems.ts'
import type { ProblemParams } from '../protocol/refusal.ts'
import { baseCurrency, requiredText, text, userNumberText } from '../protocol/wire.ts'
import { isMedicareNumber, readNationalId, readPan, spellNumber } from './national-ids.ts'
import { findNationality } from './nationalities.ts'
import { isVisibleName, latinNameProblem, spellName } from './person-names.ts'

const countryName = z.enum(countries.map(({ name }) => name) as [string, ...string[]], coded('country_required'))

/** Any nationality of ISO 3166, "Stateless" or "Refugee", by its stored name or by its code. */
const nationality = z.string(coded('nationality_required')).check(
  z.trim(),
  z.minLength(1, coded('nationality_required')),
  z.refine((text) => text === '' || findNationality(text) !== undefined, coded('nationality_unknown')),
  z.overwrite((text) => findNationality(text)?.name ?? text),
)

/** Part of a name, normalized for storage. Further rules depend on the whole form. */
const partOfName = (missing: FieldCode) => z.pipe(z.string(coded(missing)).check(z.overwrite(spellName)), text(60))

const calendarDate = z.iso
  .date(coded('date_of_birth_required'))
  .check(
    z.refine(
      (date) => date >= '1900-01-01' && date < new Date().toISOString().slice(0, 10),
      coded('invalid_date_of_birth'),
    ),
  )

/** Identity number, normalized for comparison. */
const number = (longest: number) => z.pipe(z.string().check(z.overwrite(spellNumber)), text(longest))

const leastAge = 18

/** Reports whether a person born on `date` is of age by the calendar of `country`. */
function isOfAge(date: string, { timeZone }: Country): boolean {
  // The Swedish locale formats dates as ISO 8601.
  const today = new Date().toLocaleDateString('sv-SE', { timeZone })
  // not money: a year
  return date <= `${String(Number(today.slice(0, 4)) - leastAge)}${today.slice(4)}`
}

type Problem = (field: string, message: FieldCode, params?: ProblemParams) => void

/** Unvalidated form. */
type RawForm = { [field: string]: unknown }

/** Refuses an invalid national number, and rewrites a valid one in its stored form. */
function checkNationalId(form: RawForm, { code, idName: name, idFormat: format }: Country, problem: Problem): void {
  const { idNumber } = form
  if (typeof idNumber !== 'string' || idNumber === '') return
  const read = readNationalId(code, idNumber)
  if ('number' in read) form.idNumber = read.number
  else if (read.problem === 'itin') problem('idNumber', 'itin_not_accepted')
  else if (read.problem === 'never_issued') problem('idNumber', 'national_id_never_issued', { name })
  else if (code === 'US') problem('idNumber', 'invalid_ssn')
  else if (code === 'DE') problem('idNumber', 'national_id_digits', { name, digits: format })
  else problem('idNumber', 'national_id_format', { name, format })
}

const panProblems = {
  format: 'invalid_pan',
  not_personal: 'pan_not_personal',
  never_issued: 'pan_never_issued',
} as const satisfies Record<string, FieldCode>

/** Applies the rules of `country` for numbers and documents. */
function checkByCountry(form: RawForm, country: Country, problem: Problem): void {
  const { panCard, medicareNumber, documentType } = form
  checkNationalId(form, country, problem)
  if (country.extraField === 'panCard' && typeof panCard === 'string' && panCard !== '') {
    const read = readPan(panCard)
    if ('number' in read) form.panCard = read.number
    else problem('panCard', panProblems[read.problem])
  }
  const isMedicareWrong =
    typeof medicareNumber === 'string' && medicareNumber !== '' && !isMedicareNumber(medicareNumber)
  if (country.extraField === 'medicareNumber' && isMedicareWrong) problem('medicareNumber', 'invalid_medicare_number')
  const isKnown = documentTypes.some((known) => known === documentType)
  if (isKnown && !country.documents.some((accepted) => accepted === documentType)) {
    problem('documentType', 'document_not_accepted')
  }
}

/** Refuses minors by the calendar of their country; if it is unknown, only those who are minors in every country. */
function checkAge({ dateOfBirth: date }: RawForm, country: Country | undefined, problem: Problem): void {
  if (typeof date !== 'string' || !/^\d{4}-/.test(date)) return
  const places = country ? [country] : countries
  if (!places.some((place) => isOfAge(date, place))) problem('dateOfBirth', 'under_age')
}

const nameProblems = {
  firstName: { script: 'first_name_not_latin', characters: 'first_name_characters', placeholder: 'first_name_letters' },
  lastName: { script: 'last_name_not_latin', characters: 'last_name_characters', placeholder: 'last_name_letters' },
} as const satisfies Record<string, Record<string, FieldCode>>

/** Requires both names, or only the last name if the person has a single name, in Latin letters as in a passport. */
function checkNames(form: RawForm, problem: Problem): void {
  const hasSingleName = form.singleName === true
  for (const field of ['firstName', 'lastName'] as const) {
    const name = form[field]
    if (typeof name !== 'string' || /\p{Cc}/u.test(name)) continue
    const isFirst = field === 'firstName'
    if (isFirst && hasSingleName) {
      if (name !== '') problem(field, 'first_name_beside_single')
    } else if (name === '') {
      problem(field, isFirst ? 'first_name_required' : hasSingleName ? 'name_required' : 'last_name_required')
    } else {
      const wrong = latinNameProblem(name)
      if (wrong) problem(field, nameProblems[field][wrong])
    }
  }
}

/** Verification form; page and server run the same validation. */
export const verificationForm = z
  .object({
    email: emailAddress,
    /** Empty if and only if the person has a single name. */
    firstName: z.prefault(partOfName('first_name_required'), ''),
    lastName: partOfName('last_name_required'),
    /** The document shows one name only, stored as the last name, as in the primary identifier of ICAO 9303. */
    singleName: z.optional(z.boolean()),
    /** Name in its native script, shown to the account holder and to people who pay them. */
    localName: z.optional(
      text(120).check(z.refine((name) => name === '' || isVisibleName(name), coded('local_name_letters'))),
    ),
    dateOfBirth: calendarDate,
    country: countryName,
    nationality,
    idNumber: number(30),
    documentType: z.enum(documentTypes, coded('document_type_required')),
    documentNumber: requiredText(40, 'document_number_required'),
    issuingCountry: z.optional(text(60)),
    currencyPreference: baseCurrency,
    streetAddress: requiredText(120, 'street_address_required'),
    city: requiredText(80, 'city_required'),
    state: requiredText(80, 'state_required'),
    postalCode: requiredText(20, 'postal_code_required'),
    panCard: z.optional(number(20)),
    medicareNumber: z.optional(number(20)),
  })
  .check(
    // Reports all errors at once and normalizes numbers for their country.
    z.check(
      (context) => {
        const form: RawForm = context.value ?? {}
        const { country: name, idNumber } = form
        const country = typeof name === 'string' ? countryOf(name) : undefined
        const problem: Problem = (field, message, params = {}) =>
          context.issues.push({ code: 'custom', path: [field], message, params, input: context.value })
        checkNames(form, problem)
        checkAge(form, country, problem)
        if (idNumber === '' && country) problem('idNumber', 'national_id_required', { name: country.idName })
        else if (idNumber === '') problem('idNumber', 'id_number_required')
        if (country) checkByCountry(form, country, problem)
      },
      { when: () => true },
    ),
  )
export type VerificationForm = z.output<typeof verificationForm>

export const submitKyc = endpoint({
  method: 'POST',
  path: '/kyc/:id/submit',
  summary: 'Submit the identity verification form.',
  access: 'session',
  params: z.object({ id: userNumberText }),
  body: verificationForm,
  reply: kycState,
  refusals: ['not_found', 'already_verified', 'verification_running', 'provider_unavailable', 'rate_limited'],
})
