import { countries, countryOf, type DocumentType, documentTypes } from '@tern/contract/countries'
import { type VerificationForm, verificationForm } from '@tern/contract/kyc'
import type { SchemaIssue } from '@tern/contract/protocol/field-problems'
import type { FieldErrors, Resolver } from 'react-hook-form'
import { verificationFields } from '#messages/verification-fields.ts'
import { fieldSentence } from '../../app/forms/resolver.ts'

/** What the form's controls hold: always text; a ticked box has 'yes'. */
export type FormValues = { [field in keyof VerificationForm]-?: string }
export type FormField = keyof FormValues

const fields = Object.keys(verificationForm.shape) as FormField[]
const empty = Object.fromEntries(fields.map((field) => [field, ''])) as FormValues
export const emptyForm: FormValues = { ...empty, documentType: 'passport', currencyPreference: 'USD' }

export const isFormField = (name: unknown): name is FormField =>
  typeof name === 'string' && Object.hasOwn(emptyForm, name)

/** The fields of each step, in their order on the page. */
export const fieldsOfSteps = [
  ['email', 'firstName', 'lastName', 'singleName', 'localName', 'dateOfBirth'],
  ['country', 'nationality', 'currencyPreference', 'streetAddress', 'city', 'state', 'postalCode'],
  ['idNumber', 'panCard', 'medicareNumber', 'documentType', 'documentNumber', 'issuingCountry'],
] as const satisfies readonly (readonly FormField[])[]

/** The step on which a field stands. */
export const stepOf = (name: FormField): number =>
  fieldsOfSteps.findIndex((fields) => (fields as readonly FormField[]).includes(name))

/** Every region that has a country, in the order of the countries. */
export const regions = [...new Set(countries.map((country) => country.region))]

/** The documents that a country accepts; all of them as long as none is chosen. */
export const documentsOf = (countryName: string): readonly DocumentType[] =>
  countryOf(countryName)?.documents ?? documentTypes

/** What is sent: numbers that the chosen country does not ask for are left out, and what a ticked box makes needless. */
function requestOf(values: FormValues): object {
  const { panCard, medicareNumber, issuingCountry, singleName, localName, firstName, ...asked } = values
  const extra = countryOf(values.country)?.extraField
  return {
    ...asked,
    ...(singleName === '' ? { firstName } : { firstName: '', singleName: true }),
    ...(localName === '' ? {} : { localName }),
    ...(issuingCountry === '' ? {} : { issuingCountry }),
    ...(extra === 'panCard' && panCard !== '' ? { panCard } : {}),
    ...(extra === 'medicareNumber' && medicareNumber !== '' ? { medicareNumber } : {}),
  }
}

/** A date that was begun is not missing but wrong. */
const sharper = <Issue extends SchemaIssue>(issue: Issue, { dateOfBirth }: FormValues): Issue =>
  issue.message === 'date_of_birth_required' && dateOfBirth !== ''
    ? { ...issue, message: 'invalid_date_of_birth' }
    : issue

/** Checks the form as the server will, one message for each field. */
export const checkForm: Resolver<FormValues, unknown, VerificationForm> = (values) => {
  const checked = verificationForm.safeParse(requestOf(values))
  if (checked.success) return { values: checked.data, errors: {} }
  const errors: FieldErrors<FormValues> = {}
  for (const issue of checked.error.issues) {
    const [field] = issue.path
    if (isFormField(field))
      errors[field] ??= { type: 'invalid', message: fieldSentence(sharper(issue, values), verificationFields) }
  }
  return { values: {}, errors }
}
