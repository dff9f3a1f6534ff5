import { expect, test, vi } from 'vitest'
import { emptyForm, fieldsByStep, type FormValues } from './form-fields.ts'
import { checkForm, acceptedDocuments } from './form-rules.ts'

const filledForm: FormValues = {
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
const checkMessages = async (values: FormValues) =>
  Object.fromEntries(Object.entries((await check(values)).errors).map(([field, error]) => [field, error?.message]))

test('an empty form shows all missing fields at once', async () => {
  expect(await checkMessages({ ...emptyForm, email: 'ada@example.com' })).toEqual({
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

test('the national number is named and validated by country', async () => {
  expect(await checkMessages({ ...filledForm, idNumber: '123456789' })).toEqual({
    idNumber: 'SSN must be in format XXX-XX-XXXX',
  })
  expect(await checkMessages({ ...filledForm, country: 'Brazil', idNumber: '' })).toEqual({
    idNumber: 'CPF is required',
  })
  expect(await checkMessages({ ...filledForm, country: 'Brazil', idNumber: '1' })).toEqual({
    idNumber: 'CPF must be in format 999.999.999-99',
  })
  expect(await checkMessages({ ...filledForm, country: 'Germany', idNumber: '1' })).toEqual({
    idNumber: 'TIN must have 11 digits',
  })
  expect(await checkMessages({ ...filledForm, country: 'Brazil', idNumber: '529.982.247-24' })).toEqual({
    idNumber: 'No CPF with this number can exist. Please check it for a wrong digit',
  })
  const wideResult = await check({ ...filledForm, idNumber: '１２３-４５-６７８９' })
  expect(wideResult.values).toMatchObject({ idNumber: '123-45-6789' })
})

test.each([
  ['United States', '078-05-1120', 'No SSN with this number can exist. Please check it for a wrong digit'],
  ['United States', '912-90-3456', "An ITIN can't be used here. Enter your Social Security Number"],
  ['United States', '536 90 4399', '536-90-4399'],
  ['Germany', '65 929 970 489', '65929970489'],
  ['Australia', '100\u00A0000\u00A006', '100 000 06'],
  ['France', '2 95 10 99 126 111 93', '2 95 10 99126 111 93'],
  ['United Kingdom', 'ab 12 34 56 c', 'AB123456C'],
  ['United Kingdom', 'QQ 12 34 56 C', 'No NINO with this number can exist. Please check it for a wrong digit'],
  ['India', '2000 0990 0002', 'No Aadhaar with this number can exist. Please check it for a wrong digit'],
  ['Brazil', '39053344705', '390.533.447-05'],
])('%s: the number %s gives %s', async (country, idNumber, expected) => {
  const { values, errors } = await check({ ...filledForm, country, idNumber })
  expect(errors.idNumber?.message ?? ('idNumber' in values && values.idNumber)).toBe(expected)
})

test.each([
  [{ firstName: '太郎' }, 'Enter your first name in Latin letters, as in your passport, for example Taro'],
  [{ firstName: 'Ana3' }, 'First name can have letters, spaces, hyphens, apostrophes and full stops only'],
  [{ firstName: '.' }, /tick “My document shows only one name”/],
  [{ firstName: '-' }, /tick “My document shows only one name”/],
  [{ firstName: ' ' }, 'First name is required'],
  [{ firstName: 'Nguyễn', singleName: '' }, undefined],
])('the first name of %j: %s', async (change, message) => {
  const { firstName } = await checkMessages({ ...filledForm, ...change })
  if (message === undefined) expect(firstName).toBeUndefined()
  else expect(firstName).toMatch(message)
})

test('a single name is sent alone, even if a first name had been typed', async () => {
  const singleNameForm = { ...filledForm, firstName: 'x9', lastName: ' Suharto ', singleName: 'yes' }
  const { values, errors } = await check(singleNameForm)
  expect(errors).toEqual({})
  expect(values).toMatchObject({ firstName: '', lastName: 'Suharto', singleName: true })
  expect(await checkMessages({ ...singleNameForm, lastName: '' })).toEqual({ lastName: 'Name is required' })
  expect(await checkMessages({ ...singleNameForm, lastName: '스하르토' })).toEqual({
    lastName: 'Enter your last name in Latin letters, as in your passport, for example Yamada',
  })
})

test('the name in its own script is empty or has visible letters', async () => {
  expect((await check(filledForm)).values).not.toHaveProperty('localName')
  expect((await check({ ...filledForm, localName: '\u3164' })).values).toMatchObject({ localName: '' })
  expect((await check({ ...filledForm, localName: '山田 太郎' })).values).toMatchObject({ localName: '山田 太郎' })
  for (const localName of ['…', '1']) {
    expect(await checkMessages({ ...filledForm, localName })).toEqual({
      localName: 'Enter your name in your own script in letters that can be seen, or leave it empty',
    })
  }
})

test('any nationality is accepted, and an empty one too', async () => {
  for (const nationality of ['Vietnam', 'Stateless', 'Refugee', 'Côte d’Ivoire'])
    expect((await check({ ...filledForm, nationality })).values).toMatchObject({ nationality })
  expect(await checkMessages({ ...filledForm, nationality: 'Atlantis' })).toEqual({
    nationality: 'Choose your nationality from the list, or Stateless',
  })
})

test('minors are refused even before a country is chosen', async () => {
  const birthday = `${String(new Date().getUTCFullYear() - 17)}-01-01`
  expect(await checkMessages({ ...emptyForm, dateOfBirth: birthday })).toMatchObject({
    dateOfBirth: 'You must be at least 18 years old to open a wallet',
  })
  vi.useFakeTimers()
  try {
    // March 2 in Tokyo: before a country is chosen, being of age in any country is enough.
    vi.setSystemTime('2026-03-01T15:30:00Z')
    expect(await checkMessages({ ...emptyForm, dateOfBirth: '2008-03-02' })).not.toHaveProperty('dateOfBirth')
    expect(await checkMessages({ ...emptyForm, dateOfBirth: '2008-03-03' })).toHaveProperty('dateOfBirth')
  } finally {
    vi.useRealTimers()
  }
})

test('the sent form is trimmed, and has only the numbers that the country requires', async () => {
  const body = (await check({ ...filledForm, panCard: 'ABCDE1234F', medicareNumber: '1' })).values
  expect(body).toMatchObject({ firstName: 'Ada' })
  expect(body).not.toHaveProperty('panCard')
  const india = await check({ ...filledForm, country: 'India', idNumber: '2345 6789 1238', panCard: 'acupa7085r' })
  expect(india.values).toMatchObject({ panCard: 'ACUPA7085R' })
})

test('the extra number is validated if the country requires it', async () => {
  const india = { ...filledForm, country: 'India', idNumber: '2345 6789 1238' }
  expect(await checkMessages({ ...india, panCard: 'ABCDE12345' })).toEqual({
    panCard: 'PAN card number must be in format ABCDE1234F',
  })
  expect(await checkMessages({ ...india, panCard: 'AAACA1234F' })).toEqual({
    panCard: 'The fourth letter of a person’s PAN is P. Enter your own PAN, not that of a company or trust',
  })
  expect(await checkMessages({ ...india, panCard: 'ACUPA0000R' })).toEqual({
    panCard: 'No PAN card with this number can exist. Please check it for a wrong digit',
  })
  const australia = { ...filledForm, country: 'Australia', idNumber: '123 456 782' }
  expect(await checkMessages({ ...australia, medicareNumber: '2123 45670 1' })).toEqual({})
  expect(await checkMessages({ ...australia, medicareNumber: '2123 45671 1' })).toEqual({
    medicareNumber: 'No Medicare card with this number can exist. Please check it for a wrong digit',
  })
})

test('a person is 18 on their birthday, by the calendar of their country', async () => {
  vi.useFakeTimers()
  const japan = { ...filledForm, country: 'Japan', idNumber: '1234-5678-9018', dateOfBirth: '2008-03-02' }
  const ageErrors = { dateOfBirth: 'You must be at least 18 years old to open a wallet' }
  try {
    // Half past midnight in Tokyo, still the day before in Honolulu.
    vi.setSystemTime('2026-03-01T15:30:00Z')
    expect(await checkMessages(japan)).toEqual({})
    expect(await checkMessages({ ...filledForm, dateOfBirth: '2008-03-02' })).toEqual(ageErrors)
    expect(await checkMessages({ ...japan, dateOfBirth: '2008-03-03' })).toEqual(ageErrors)
    vi.setSystemTime('2026-02-28T23:00:00Z')
    expect(
      await checkMessages({ ...filledForm, country: 'Germany', idNumber: '65929970489', dateOfBirth: '2008-02-29' }),
    ).toEqual({})
    vi.setSystemTime('2026-02-28T22:00:00Z')
    expect(
      await checkMessages({ ...filledForm, country: 'Germany', idNumber: '65929970489', dateOfBirth: '2008-02-29' }),
    ).toEqual(ageErrors)
  } finally {
    vi.useRealTimers()
  }
})

test('every field belongs to one step', () => {
  expect(fieldsByStep.flat().toSorted()).toEqual(Object.keys(emptyForm).toSorted())
})

test('a document of another country is refused', async () => {
  expect(acceptedDocuments('Singapore')).toEqual(['passport', 'drivers_license', 'nric'])
  expect(await checkMessages({ ...filledForm, documentType: 'nric' })).toEqual({
    documentType: 'This document is not accepted in the chosen country',
  })
})
