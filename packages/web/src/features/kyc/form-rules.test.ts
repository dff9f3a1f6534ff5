import { expect, test } from 'vitest'
import { checkForm, documentsOf, emptyForm, fieldsOfSteps, type FormValues } from './form-rules.ts'

const filled: FormValues = {
  ...emptyForm,
  email: 'ada@example.com',
  firstName: ' Ada ',
  lastName: 'Byron',
  dateOfBirth: '1990-12-10',
  country: 'United States',
  nationality: 'United Kingdom',
  idNumber: '123-45-6789',
  documentNumber: 'P1234567',
  streetAddress: '1 Main Street',
  city: 'New York',
  state: 'NY',
  postalCode: '10001',
}

const check = async (values: FormValues) => checkForm(values, undefined, {} as never)
const messagesOf = async (values: FormValues) =>
  Object.fromEntries(Object.entries((await check(values)).errors).map(([field, error]) => [field, error?.message]))

test('an empty form says everything that is missing at once', async () => {
  expect(await messagesOf({ ...emptyForm, email: 'ada@example.com' })).toEqual({
    firstName: 'First name is required',
    lastName: 'Last name is required',
    dateOfBirth: 'Date of birth is required',
    country: 'Country of residence is required',
    nationality: 'Nationality is required',
    idNumber: 'ID number is required',
    documentNumber: 'Document number is required',
    streetAddress: 'Street address is required',
    city: 'City is required',
    state: 'State/Province is required',
    postalCode: 'Postal code is required',
  })
})

test('the national number is named and checked as the country has it', async () => {
  expect(await messagesOf({ ...filled, idNumber: '123456789' })).toEqual({
    idNumber: 'SSN must be in format XXX-XX-XXXX',
  })
  expect(await messagesOf({ ...filled, country: 'Brazil', idNumber: '' })).toEqual({ idNumber: 'CPF is required' })
  expect(await messagesOf({ ...filled, country: 'Brazil', idNumber: '1' })).toEqual({})
})

test('what is sent is trimmed, and carries only the numbers that the country asks for', async () => {
  const body = (await check({ ...filled, panCard: 'ABCDE1234F', medicareNumber: '1' })).values
  expect(body).toMatchObject({ firstName: 'Ada' })
  expect(body).not.toHaveProperty('panCard')
  const india = await check({ ...filled, country: 'India', idNumber: '1234 5678 9012', panCard: 'ABCDE1234F' })
  expect(india.values).toMatchObject({ panCard: 'ABCDE1234F' })
})

test('every field stands on one step', () => {
  expect(fieldsOfSteps.flat().toSorted()).toEqual(Object.keys(emptyForm).toSorted())
})

test('a document of another country is refused', async () => {
  expect(documentsOf('Singapore')).toEqual(['passport', 'drivers_license', 'nric'])
  expect(await messagesOf({ ...filled, documentType: 'nric' })).toEqual({
    documentType: 'This document is not accepted in the chosen country',
  })
})
