// Accounts of invented people, or under another person's identity.

import { randomUUID } from 'node:crypto'
import { kycStatus } from '@tern/contract/kyc'
import { submitKyc, type VerificationForm } from '@tern/contract/kyc/verification-form'
import { sendMoney } from '@tern/contract/transfers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { settleCall } from '@tern/testkit/banking'
import { importRequired } from '@tern/testkit/compliance/lists'
import { confirmEmail } from '@tern/testkit/people'
import { generateNationalId } from '@tern/testkit/national-ids'
import { countCodes } from '@tern/testkit/attacks/attack'

let world: TestApp
let payee: TestPerson
beforeAll(async () => {
  world = await startTestApp()
  payee = await world.enroll('payee', 'United States')
})
afterAll(() => world.close())

const form = {
  firstName: 'Alex',
  lastName: 'Invented',
  dateOfBirth: '1990-02-03',
  country: 'United States',
  nationality: 'United States',
  documentType: 'passport',
  documentNumber: 'P1234567',
  currencyPreference: 'USD',
  streetAddress: '1 Main Street',
  city: 'Springfield',
  state: 'Illinois',
  postalCode: '62701',
} as const

const submitForm = (person: TestPerson, overrides: Partial<VerificationForm> & { idNumber: string }) =>
  settleCall(
    person.call(submitKyc, { params: { id: String(person.id) }, body: { ...form, email: person.email, ...overrides } }),
  )

/** Returns the verification state once it is no longer pending. */
async function loadState(person: TestPerson): Promise<string> {
  const loadStatus = async () => (await person.call(kycStatus, { params: { id: String(person.id) } })).status
  await expect.poll(loadStatus, { timeout: 120_000 }).not.toBe('pending')
  return loadStatus()
}

test('the same SSN over 100 accounts verifies one of them', async () => {
  const idNumber = generateNationalId('United States')
  const people: TestPerson[] = []
  for (let personIndex = 0; personIndex < 100; personIndex += 1) people.push(await world.enroll('invented', null))
  for (const { id } of people) await confirmEmail(id, world.database.pool)
  // Submits 20 forms at a time, as many as one process answers in time on a busy machine.
  for (let offset = 0; offset < people.length; offset += 20) {
    await Promise.all(people.slice(offset, offset + 20).map((person) => submitForm(person, { idNumber })))
  }
  const personStates: string[] = []
  for (const person of people) personStates.push(await loadState(person))
  expect(countCodes(personStates)).toEqual({ verified: 1, in_review: 99 })
})

test('a birth in 2020 or number 000-00-0000 is refused, and nothing is stored', async () => {
  const person = await world.enroll('child', null)
  expect(
    await submitForm(person, { idNumber: generateNationalId('United States'), dateOfBirth: '2020-02-03' }),
  ).toMatchObject({
    errors: [{ field: 'dateOfBirth' }],
  })
  expect(await submitForm(person, { idNumber: '000-00-0000' })).toMatchObject({ errors: [{ field: 'idNumber' }] })
  expect(await loadState(person)).toBe('not_started')
})

test.each([
  ['山田', '太郎'],
  ['김', '정은'],
  ['Παπαδόπουλος', 'Νικόλαος'],
  ['כהן', 'משה'],
  ['शर्मा', 'राहुल'],
  ['.', 'Suharto'],
])('a name that no list has in these letters, %s %s: refused, and nothing can be sent', async (lastName, firstName) => {
  const person = await world.enroll('unread', null)
  await confirmEmail(person.id, world.database.pool)
  const refusedSubmission = await submitForm(person, {
    idNumber: generateNationalId('United States'),
    firstName,
    lastName,
  })
  expect(refusedSubmission).toMatchObject({ status: 422 })
  expect(await loadState(person)).toBe('not_started')
  const body = { recipient_id: payee.id, amount: '1.00', source_currency: 'USD' } as const
  const sendOutcome = await settleCall(person.call(sendMoney, { body, idempotencyKey: randomUUID() }))
  expect(sendOutcome).toMatchObject({ code: 'verification_required' })
})

test.each([
  ['ᴋᴀʀᴠᴇ', 'ᴀɴsᴇʟᴍ'],
  ['Kɑrve', 'Anselm'],
  ['Velmarev', 'FNU'],
  ['LNU', 'Velmarev'],
])(
  'a listed name in look-alike letters or with a placeholder, %s %s: nothing can be sent',
  async (lastName, firstName) => {
    await importRequired(world, ['KARVE, Anselm', 'VELMAREV'])
    const person = await world.enroll('alike', null)
    await confirmEmail(person.id, world.database.pool)
    await submitForm(person, { idNumber: generateNationalId('United States'), firstName: firstName, lastName })
    const state = await loadState(person)
    const fundOutcome = await settleCall(world.fund(person, 500))
    const body = { recipient_id: payee.id, amount: '1.00', source_currency: 'USD' } as const
    const sendOutcome = await settleCall(person.call(sendMoney, { body, idempotencyKey: randomUUID() }))
    expect((await payee.wallet()).fiat_balance, 'what arrived').toBe('0.00')
    for (const outcome of [fundOutcome, sendOutcome]) expect(outcome).toMatchObject({ code: 'verification_required' })
    expect(state).toBe('in_review')
  },
)
