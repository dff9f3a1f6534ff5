import * as z from 'zod/mini'
import { type Country, countries, countryOf, documentTypes } from './countries.ts'
import { kycStatusValue } from './identity.ts'
import { endpoint } from './protocol/endpoint.ts'
import { isMedicareNumber, isPan, nationalIdProblem } from './kyc/national-ids.ts'
import { coded, type FieldCode } from './protocol/field-problems.ts'
import type { ProblemParams } from './protocol/refusal.ts'
import { baseCurrency, emailAddress, requiredText, text, userNumberText } from './protocol/wire.ts'

export type KycStatus = z.output<typeof kycStatusValue>

const countryName = (code: FieldCode) =>
  z.enum(countries.map((country) => country.name) as [string, ...string[]], coded(code))

const calendarDate = z.iso
  .date(coded('date_of_birth_required'))
  .check(
    z.refine(
      (date) => date >= '1900-01-01' && date < new Date().toISOString().slice(0, 10),
      coded('invalid_date_of_birth'),
    ),
  )

/** A number as it is compared: wide letters and digits as their plain ones, in capitals. */
const number = (longest: number) => text(longest).check(z.normalize('NFKC'), z.toUpperCase())

const leastAge = 18

/** Whether somebody born on `date` is of age by the calendar of `country`. */
function isOfAge(date: string, { timeZone }: Country): boolean {
  // Sweden writes dates as ISO 8601 does.
  const today = new Date().toLocaleDateString('sv-SE', { timeZone })
  // not money: a year
  return date <= `${String(Number(today.slice(0, 4)) - leastAge)}${today.slice(4)}`
}

type Problem = (field: string, message: FieldCode, params?: ProblemParams) => void

/** The rules of `country` for numbers, documents and age. */
function checkByCountry(form: { readonly [field: string]: unknown }, country: Country, problem: Problem): void {
  const { idNumber, dateOfBirth, panCard, medicareNumber } = form
  const { idName: name, idFormat: format, extraField } = country
  if (typeof idNumber === 'string' && idNumber !== '') {
    const wrong = nationalIdProblem(country.code, idNumber)
    if (wrong === 'never_issued') problem('idNumber', 'national_id_never_issued', { name })
    else if (wrong && country.code === 'US') problem('idNumber', 'invalid_ssn')
    else if (wrong && country.code === 'DE') problem('idNumber', 'national_id_digits', { name, digits: format })
    else if (wrong) problem('idNumber', 'national_id_format', { name, format })
  }
  if (typeof dateOfBirth === 'string' && /^\d{4}-/.test(dateOfBirth) && !isOfAge(dateOfBirth, country)) {
    problem('dateOfBirth', 'under_age')
  }
  if (extraField === 'panCard' && typeof panCard === 'string' && panCard !== '' && !isPan(panCard)) {
    problem('panCard', 'invalid_pan')
  }
  const isMedicareWrong =
    typeof medicareNumber === 'string' && medicareNumber !== '' && !isMedicareNumber(medicareNumber)
  if (extraField === 'medicareNumber' && isMedicareWrong) problem('medicareNumber', 'invalid_medicare_number')
}

/** The verification form, validated alike by page and server. */
export const verificationForm = z
  .object({
    email: emailAddress,
    firstName: requiredText(60, 'first_name_required'),
    lastName: requiredText(60, 'last_name_required'),
    dateOfBirth: calendarDate,
    country: countryName('country_required'),
    nationality: countryName('nationality_required'),
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
    // Reports all errors at once.
    z.check(
      (context) => {
        const form = (context.value ?? {}) as Partial<{ [field: string]: unknown }>
        const { country: name, idNumber, documentType } = form
        const country = typeof name === 'string' ? countryOf(name) : undefined
        const problem: Problem = (field, message, params = {}) =>
          context.issues.push({ code: 'custom', path: [field], message, params, input: context.value })
        if (typeof idNumber !== 'string') return
        if (idNumber === '' && country) problem('idNumber', 'national_id_required', { name: country.idName })
        else if (idNumber === '') problem('idNumber', 'id_number_required')
        if (country) checkByCountry(form, country, problem)
        const isKnown = documentTypes.some((known) => known === documentType)
        if (country && isKnown && !country.documents.some((accepted) => accepted === documentType)) {
          problem('documentType', 'document_not_accepted')
        }
      },
      { when: () => true },
    ),
  )
export type VerificationForm = z.output<typeof verificationForm>

const kycState = z.object({
  status: kycStatusValue,
  reasons: z.array(z.object({ field: z.string(), code: z.string(), message: z.string() })),
  /** What the person has to do before it goes on. */
  next_step: z.nullable(z.enum(['confirm_email', 'identity_check'])),
})

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

export const kycStatus = endpoint({
  method: 'GET',
  path: '/kyc/:id/status',
  summary: 'Where identity verification stands, with what is still needed.',
  access: 'session',
  params: z.object({ id: userNumberText }),
  reply: kycState,
  refusals: ['not_found'],
})

export const openIdentityPage = endpoint({
  method: 'POST',
  path: '/kyc/:id/identity-page',
  summary: 'Open the page on which the identity check goes on, where `next_step` says so. Its address is good once.',
  access: 'session',
  params: z.object({ id: userNumberText }),
  reply: z.object({ url: z.url() }),
  refusals: ['not_found', 'provider_unavailable', 'rate_limited'],
})
