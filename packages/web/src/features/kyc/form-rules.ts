import { countries, countryOf, type DocumentType, documentTypes } from '@tern/contract/countries'
import { type VerificationForm, verificationForm } from '@tern/contract/kyc'
import { fieldIssueOf, type SchemaIssue } from '@tern/contract/protocol/field-problems'
import { fields } from '@tern/messages/en/fields'
import { type Coded, sentence } from '@tern/messages/message'
import type { FieldErrors, Resolver } from 'react-hook-form'

/** What the form's controls hold: always text. */
export type FormValues = { [field in keyof VerificationForm]-?: string }
export type FormField = keyof FormValues

export const emptyForm: FormValues = {
  email: '',
  firstName: '',
  lastName: '',
  dateOfBirth: '',
  country: '',
  nationality: '',
  idNumber: '',
  documentType: 'passport',
  documentNumber: '',
  issuingCountry: '',
  currencyPreference: 'USD',
  streetAddress: '',
  city: '',
  state: '',
  postalCode: '',
  panCard: '',
  medicareNumber: '',
}

export const isFormField = (name: unknown): name is FormField =>
  typeof name === 'string' && Object.hasOwn(emptyForm, name)

/** Every region that has a country, in the order of the countries. */
export const regions = [...new Set(countries.map((country) => country.region))]

/** The documents that a country accepts; all of them as long as none is chosen. */
export const documentsOf = (countryName: string): readonly DocumentType[] =>
  countryOf(countryName)?.documents ?? (Object.keys(documentTypes) as DocumentType[])

/** What is sent: numbers that the chosen country does not ask for are left out. */
function requestOf(values: FormValues): object {
  const { panCard, medicareNumber, issuingCountry, ...asked } = values
  const extra = countryOf(values.country)?.extraField
  return {
    ...asked,
    ...(issuingCountry === '' ? {} : { issuingCountry }),
    ...(extra === 'panCard' && panCard !== '' ? { panCard } : {}),
    ...(extra === 'medicareNumber' && medicareNumber !== '' ? { medicareNumber } : {}),
  }
}

const sentenceOf = (issue: SchemaIssue): string => sentence(fields, fieldIssueOf(issue) as Coded<typeof fields>)

/** Checks the form as the server will, one message for each field. */
export const checkForm: Resolver<FormValues, unknown, VerificationForm> = (values) => {
  const checked = verificationForm.safeParse(requestOf(values))
  if (checked.success) return { values: checked.data, errors: {} }
  const errors: FieldErrors<FormValues> = {}
  for (const issue of checked.error.issues) {
    const [field] = issue.path
    if (isFormField(field)) errors[field] ??= { type: 'invalid', message: sentenceOf(issue) }
  }
  return { values: {}, errors }
}
