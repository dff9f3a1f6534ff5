import { expect, test, vi } from 'vitest'
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
  expect(await messagesOf({ ...filled, country: 'Brazil', idNumber: '1' })).toEqual({
    idNumber: 'CPF must be 999.999.999-99',
  })
  expect(await messagesOf({ ...filled, country: 'Germany', idNumber: '1' })).toEqual({
    idNumber: 'TIN must be 11 digits',
  })
  expect(await messagesOf({ ...filled, country: 'Brazil', idNumber: '529.982.247-24' })).toEqual({
    idNumber: 'CPF is not valid',
  })
  const wide = await check({ ...filled, idNumber: '１２３-４５-６７８９' })
  expect(wide.values).toMatchObject({ idNumber: '123-45-6789' })
})

test('what is sent is trimmed, and carries only the numbers that the country asks for', async () => {
  const body = (await check({ ...filled, panCard: 'ABCDE1234F', medicareNumber: '1' })).values
  expect(body).toMatchObject({ firstName: 'Ada' })
  expect(body).not.toHaveProperty('panCard')
  const india = await check({ ...filled, country: 'India', idNumber: '2345 6789 1238', panCard: 'abcde1234f' })
  expect(india.values).toMatchObject({ panCard: 'ABCDE1234F' })
})

test('the extra number is checked where the country asks for it', async () => {
  const india = { ...filled, country: 'India', idNumber: '2345 6789 1238' }
  expect(await messagesOf({ ...india, panCard: 'ABCDE12345' })).toEqual({
    panCard: 'PAN must be in format ABCDE1234F',
  })
  const australia = { ...filled, country: 'Australia', idNumber: '123 456 782' }
  expect(await messagesOf({ ...australia, medicareNumber: '2123 45670 1' })).toEqual({})
  expect(await messagesOf({ ...australia, medicareNumber: '2123 45671 1' })).toEqual({
    medicareNumber: 'Medicare number is not valid',
  })
})

test('somebody is 18 on their birthday, by the calendar of their country', async () => {
  vi.useFakeTimers()
  const japan = { ...filled, country: 'Japan', idNumber: '1234-5678-9018', dateOfBirth: '2008-03-02' }
  const tooYoung = { dateOfBirth: 'You must be at least 18 years old' }
  try {
    // Half past midnight in Tokyo, still the day before in Honolulu.
    vi.setSystemTime('2026-03-01T15:30:00Z')
    expect(await messagesOf(japan)).toEqual({})
    expect(await messagesOf({ ...filled, dateOfBirth: '2008-03-02' })).toEqual(tooYoung)
    expect(await messagesOf({ ...japan, dateOfBirth: '2008-03-03' })).toEqual(tooYoung)
    vi.setSystemTime('2026-02-28T23:00:00Z')
    expect(
      await messagesOf({ ...filled, country: 'Germany', idNumber: '65929970489', dateOfBirth: '2008-02-29' }),
    ).toEqual({})
    vi.setSystemTime('2026-02-28T22:00:00Z')
    expect(
      await messagesOf({ ...filled, country: 'Germany', idNumber: '65929970489', dateOfBirth: '2008-02-29' }),
    ).toEqual(tooYoung)
  } finally {
    vi.useRealTimers()
  }
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
