import * as z from 'zod/mini'
import { type Country, countries, findCountry, documentTypes } from '../countries.ts'
import { kycState } from '../kyc.ts'
import { emailAddress } from '../protocol/email-address.ts'
import { endpoint } from '../protocol/endpoint.ts'
import { withCode, type FieldCode } from '../protocol/field-problems.ts'
import type { ProblemParams } from '../protocol/refusal.ts'
import { baseCurrency, requiredText, text, userNumberText } from '../protocol/wire.ts'
import { isMedicareNumber, parseNationalId, parsePan, normalizeNumber } from './national-ids.ts'
import { findNationality } from './nationalities.ts'
import { isVisibleName, findLatinNameProblem, normalizeName } from './person-names.ts'

const countryName = z.enum(countries.map(({ name }) => name) as [string, ...string[]], withCode('country_required'))

/** Any nationality that `findNationality` resolves, "Stateless" and "Refugee" included; output as its stored name. */
const nationality = z.string(withCode('nationality_required')).check(
  z.trim(),
  z.minLength(1, withCode('nationality_required')),
  z.refine((text) => text === '' || findNationality(text) !== undefined, withCode('nationality_unknown')),
  z.overwrite((text) => findNationality(text)?.name ?? text),
)

/** Part of a name, normalized for storage. Further rules depend on the whole form. */
const namePartShape = (missing: FieldCode) =>
  z.pipe(z.string(withCode(missing)).check(z.overwrite(normalizeName)), text(60))

const calendarDate = z.iso
  .date(withCode('date_of_birth_required'))
  .check(
    z.refine(
      (date) => date >= '1900-01-01' && date < new Date().toISOString().slice(0, 10),
      withCode('invalid_date_of_birth'),
    ),
  )

/** Identity number, normalized for comparison. */
const idNumberShape = (maxLength: number) => z.pipe(z.string().check(z.overwrite(normalizeNumber)), text(maxLength))

const minimumAge = 18

/** Reports whether a person born on `date` is of age by the calendar of `country`. */
function isOfAge(date: string, { timeZone }: Country): boolean {
  // The Swedish locale formats dates as ISO 8601.
  const today = new Date().toLocaleDateString('sv-SE', { timeZone })
  // not money: a year
  return date <= `${String(Number(today.slice(0, 4)) - minimumAge)}${today.slice(4)}`
}

type ReportProblem = (field: string, message: FieldCode, params?: ProblemParams) => void

/** Unvalidated form. */
type RawForm = { [field: string]: unknown }

/** Refuses an invalid national number; replaces a valid one with its stored form. */
function checkNationalId(
  form: RawForm,
  { code, idName: name, idFormat: format }: Country,
  report: ReportProblem,
): void {
  const { idNumber } = form
  if (typeof idNumber !== 'string' || idNumber === '') return
  const parsed = parseNationalId(code, idNumber)
  if ('number' in parsed) form.idNumber = parsed.number
  else if (parsed.problem === 'itin') report('idNumber', 'itin_not_accepted')
  else if (parsed.problem === 'never_issued') report('idNumber', 'national_id_never_issued', { name })
  else if (code === 'US') report('idNumber', 'invalid_ssn')
  else if (code === 'DE') report('idNumber', 'national_id_digits', { name, digits: format })
  else report('idNumber', 'national_id_format', { name, format })
}

const panProblems = {
  format: 'invalid_pan',
  not_personal: 'pan_not_personal',
  never_issued: 'pan_never_issued',
} as const satisfies Record<string, FieldCode>

/** Applies the country's rules for numbers and documents. */
function checkByCountry(form: RawForm, country: Country, report: ReportProblem): void {
  const { panCard, medicareNumber, documentType } = form
  checkNationalId(form, country, report)
  if (country.extraField === 'panCard' && typeof panCard === 'string' && panCard !== '') {
    const parsed = parsePan(panCard)
    if ('number' in parsed) form.panCard = parsed.number
    else report('panCard', panProblems[parsed.problem])
  }
  const hasInvalidMedicareNumber =
    typeof medicareNumber === 'string' && medicareNumber !== '' && !isMedicareNumber(medicareNumber)
  if (country.extraField === 'medicareNumber' && hasInvalidMedicareNumber)
    report('medicareNumber', 'invalid_medicare_number')
  const isKnownType = documentTypes.some((type) => type === documentType)
  if (isKnownType && !country.documents.some((type) => type === documentType)) {
    report('documentType', 'document_not_accepted')
  }
}

/** Refuses people who are under age in their country; without a known country, those who are under age everywhere. */
function checkAge({ dateOfBirth: date }: RawForm, country: Country | undefined, report: ReportProblem): void {
  if (typeof date !== 'string' || !/^\d{4}-/.test(date)) return
  const candidates = country ? [country] : countries
  if (!candidates.some((candidate) => isOfAge(date, candidate))) report('dateOfBirth', 'under_age')
}

const nameProblems = {
  firstName: { script: 'first_name_not_latin', characters: 'first_name_characters', placeholder: 'first_name_letters' },
  lastName: { script: 'last_name_not_latin', characters: 'last_name_characters', placeholder: 'last_name_letters' },
} as const satisfies Record<string, Record<string, FieldCode>>

/** Requires both names, or only the last name for a single name, in Latin letters as in a passport. */
function checkNames(form: RawForm, report: ReportProblem): void {
  const hasSingleName = form.singleName === true
  for (const field of ['firstName', 'lastName'] as const) {
    const name = form[field]
    if (typeof name !== 'string' || /\p{Cc}/u.test(name)) continue
    const isFirst = field === 'firstName'
    if (isFirst && hasSingleName) {
      if (name !== '') report(field, 'first_name_beside_single')
    } else if (name === '') {
      report(field, isFirst ? 'first_name_required' : hasSingleName ? 'name_required' : 'last_name_required')
    } else {
      const nameProblem = findLatinNameProblem(name)
      if (nameProblem) report(field, nameProblems[field][nameProblem])
    }
  }
}

/** Verification form; page and server run the same validation. */
export const verificationForm = z
  .object({
    email: emailAddress,
    /** Empty if and only if the person has a single name. */
    firstName: z.prefault(namePartShape('first_name_required'), ''),
    lastName: namePartShape('last_name_required'),
    /**
     * True if the document shows one name only; it is stored as the last name, like the primary identifier of ICAO
     * 9303.
     */
    singleName: z.optional(z.boolean()),
    /** Name in its native script, shown to the account holder and to people who pay them. */
    localName: z.optional(
      text(120).check(z.refine((name) => name === '' || isVisibleName(name), withCode('local_name_letters'))),
    ),
    dateOfBirth: calendarDate,
    country: countryName,
    nationality,
    idNumber: idNumberShape(30),
    documentType: z.enum(documentTypes, withCode('document_type_required')),
    documentNumber: requiredText(40, 'document_number_required'),
    issuingCountry: z.optional(text(60)),
    currencyPreference: baseCurrency,
    streetAddress: requiredText(120, 'street_address_required'),
    city: requiredText(80, 'city_required'),
    state: requiredText(80, 'state_required'),
    postalCode: requiredText(20, 'postal_code_required'),
    panCard: z.optional(idNumberShape(20)),
    medicareNumber: z.optional(idNumberShape(20)),
  })
  .check(
    // Reports all errors at once and normalizes numbers for their country.
    z.check(
      (context) => {
        const form: RawForm = context.value ?? {}
        const { country: name, idNumber } = form
        const country = typeof name === 'string' ? findCountry(name) : undefined
        const report: ReportProblem = (field, message, params = {}) =>
          context.issues.push({ code: 'custom', path: [field], message, params, input: context.value })
        checkNames(form, report)
        checkAge(form, country, report)
        if (idNumber === '' && country) report('idNumber', 'national_id_required', { name: country.idName })
        else if (idNumber === '') report('idNumber', 'id_number_required')
        if (country) checkByCountry(form, country, report)
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
