import * as z from 'zod/mini'
import { countries, countryOf, documentTypes } from './countries.ts'
import { endpoint } from './protocol/endpoint.ts'
import { baseCurrency, emailAddress, requiredText, text, userNumberText } from './protocol/wire.ts'

export const kycStatusValue = z.enum([
  'not_started',
  'pending',
  'in_review',
  'needs_information',
  'verified',
  'rejected',
])
export type KycStatus = z.output<typeof kycStatusValue>

const countryName = (message: string) =>
  z.enum(countries.map((country) => country.name) as [string, ...string[]], { error: message })

const calendarDate = z.iso.date({ error: 'Date of birth is required' }).check(
  z.refine((date) => date >= '1900-01-01' && date < new Date().toISOString().slice(0, 10), {
    error: 'Please enter a valid date of birth',
  }),
)

/** The verification form, validated alike by page and server. */
export const verificationForm = z
  .object({
    email: emailAddress,
    firstName: requiredText(60, 'First name is required'),
    lastName: requiredText(60, 'Last name is required'),
    dateOfBirth: calendarDate,
    country: countryName('Country of residence is required'),
    nationality: countryName('Nationality is required'),
    idNumber: text(30),
    documentType: z.enum(documentTypes, {
      error: 'Document type is required',
    }),
    documentNumber: requiredText(40, 'Document number is required'),
    issuingCountry: z.optional(text(60)),
    currencyPreference: baseCurrency,
    streetAddress: requiredText(120, 'Street address is required'),
    city: requiredText(80, 'City is required'),
    state: requiredText(80, 'State/Province is required'),
    postalCode: requiredText(20, 'Postal code is required'),
    panCard: z.optional(text(20)),
    medicareNumber: z.optional(text(20)),
  })
  .check(
    // Reports all errors at once.
    z.check(
      (context) => {
        const { country: name, idNumber, documentType } = context.value as Partial<{ [field: string]: unknown }>
        const country = typeof name === 'string' ? countryOf(name) : undefined
        const problem = (field: string, message: string) =>
          context.issues.push({ code: 'custom', path: [field], message, input: context.value })
        if (typeof idNumber !== 'string') return
        if (idNumber === '') problem('idNumber', `${country?.idName ?? 'ID number'} is required`)
        else if (country?.name === 'United States' && !/^\d{3}-\d{2}-\d{4}$/.test(idNumber)) {
          problem('idNumber', 'SSN must be in format XXX-XX-XXXX')
        }
        const isKnown = documentTypes.some((known) => known === documentType)
        if (country && isKnown && !country.documents.some((accepted) => accepted === documentType)) {
          problem('documentType', 'This document is not accepted in the chosen country')
        }
      },
      { when: () => true },
    ),
  )
export type VerificationForm = z.output<typeof verificationForm>

const kycState = z.object({
  status: kycStatusValue,
  reasons: z.array(z.object({ field: z.string(), message: z.string() })),
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
