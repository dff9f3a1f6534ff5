import type { VerificationForm } from '@tern/contract/kyc/verification-form'

/** Values of the form's controls: always text; a checked box is 'yes'. */
export type FormValues = { [field in keyof VerificationForm]-?: string }
export type FormField = keyof FormValues

/** Fields of each step in page order. */
export const fieldsByStep = [
  ['email', 'firstName', 'lastName', 'singleName', 'localName', 'dateOfBirth'],
  ['country', 'nationality', 'currencyPreference', 'streetAddress', 'city', 'state', 'postalCode'],
  ['idNumber', 'panCard', 'medicareNumber', 'documentType', 'documentNumber', 'issuingCountry'],
] as const satisfies readonly (readonly FormField[])[]

export const findStep = (name: FormField): number =>
  fieldsByStep.findIndex((fields) => (fields as readonly FormField[]).includes(name))

const fields: readonly FormField[] = fieldsByStep.flat()
const empty = Object.fromEntries(fields.map((field) => [field, ''])) as FormValues
export const emptyForm: FormValues = { ...empty, documentType: 'passport', currencyPreference: 'USD' }

export const isFormField = (name: unknown): name is FormField => fields.some((field) => field === name)
