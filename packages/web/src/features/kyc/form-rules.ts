import { countries, findCountry, type DocumentType, documentTypes } from '@tern/contract/countries'
import { type VerificationForm, verificationForm } from '@tern/contract/kyc/verification-form'
import type { SchemaIssue } from '@tern/contract/protocol/field-problems'
import { type FormValues, isFormField } from './form-fields.ts'
import type { FieldErrors, Resolver } from 'react-hook-form'
import { verificationFields } from '#messages/verification-fields.ts'
import { fieldSentence } from '../../app/forms/resolver.ts'

/** Regions with at least one country, in country order. */
export const regions = [...new Set(countries.map((country) => country.region))]

/** Documents accepted by a country; all of them until a country is chosen. */
export const acceptedDocuments = (countryName: string): readonly DocumentType[] =>
  findCountry(countryName)?.documents ?? documentTypes

/**
 * Request body without numbers that the chosen country does not use and without fields made redundant by a checked box.
 */
function buildRequest(values: FormValues): object {
  const { panCard, medicareNumber, issuingCountry, singleName, localName, firstName, ...otherValues } = values
  const extraField = findCountry(values.country)?.extraField
  return {
    ...otherValues,
    ...(singleName === '' ? { firstName } : { firstName: '', singleName: true }),
    ...(localName === '' ? {} : { localName }),
    ...(issuingCountry === '' ? {} : { issuingCountry }),
    ...(extraField === 'panCard' && panCard !== '' ? { panCard } : {}),
    ...(extraField === 'medicareNumber' && medicareNumber !== '' ? { medicareNumber } : {}),
  }
}

/** A partly entered date is invalid rather than missing. */
const refineIssue = <Issue extends SchemaIssue>(issue: Issue, { dateOfBirth }: FormValues): Issue =>
  issue.message === 'date_of_birth_required' && dateOfBirth !== ''
    ? { ...issue, message: 'invalid_date_of_birth' }
    : issue

/** Validates the form with the server's schema; one message per field. */
export const checkForm: Resolver<FormValues, unknown, VerificationForm> = (values) => {
  const checked = verificationForm.safeParse(buildRequest(values))
  if (checked.success) return { values: checked.data, errors: {} }
  const errors: FieldErrors<FormValues> = {}
  for (const issue of checked.error.issues) {
    const [field] = issue.path
    if (isFormField(field))
      errors[field] ??= { type: 'invalid', message: fieldSentence(refineIssue(issue, values), verificationFields) }
  }
  return { values: {}, errors }
}
