import * as z from 'zod/mini'
import { countries, countryOf, documentTypes } from './countries.ts'
import { kycStatusValue } from './identity.ts'
import { endpoint } from './protocol/endpoint.ts'
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

/** The verification form, validated alike by page and server. */
export const verificationForm = z
  .object({
    email: emailAddress,
    firstName: requiredText(60, 'first_name_required'),
    lastName: requiredText(60, 'last_name_required'),
    dateOfBirth: calendarDate,
    country: countryName('country_required'),
    nationality: countryName('nationality_required'),
    idNumber: text(30),
    documentType: z.enum(documentTypes, coded('document_type_required')),
    documentNumber: requiredText(40, 'document_number_required'),
    issuingCountry: z.optional(text(60)),
    currencyPreference: baseCurrency,
    streetAddress: requiredText(120, 'street_address_required'),
    city: requiredText(80, 'city_required'),
    state: requiredText(80, 'state_required'),
    postalCode: requiredText(20, 'postal_code_required'),
    panCard: z.optional(text(20)),
    medicareNumber: z.optional(text(20)),
  })
  .check(
    // Reports all errors at once.
    z.check(
      (context) => {
        const { country: name, idNumber, documentType } = (context.value ?? {}) as Partial<{ [field: string]: unknown }>
        const country = typeof name === 'string' ? countryOf(name) : undefined
        const problem = (field: string, message: FieldCode, params: ProblemParams = {}) =>
          context.issues.push({ code: 'custom', path: [field], message, params, input: context.value })
        if (typeof idNumber !== 'string') return
        if (idNumber === '' && country) problem('idNumber', 'national_id_required', { name: country.idName })
        else if (idNumber === '') problem('idNumber', 'id_number_required')
        else if (country?.name === 'United States' && !/^\d{3}-\d{2}-\d{4}$/.test(idNumber)) {
          problem('idNumber', 'invalid_ssn')
        }
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
