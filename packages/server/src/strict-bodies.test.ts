import { randomUUID } from 'node:crypto'
import { allEndpoints } from '@tern/contract/endpoints'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import { fields } from '@tern/messages/en/fields'
import { requestFields } from '@tern/messages/en/request-fields'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type RawAnswer, type TestApp, type TestPerson } from '@tern/testkit/app'

let world: TestApp
let alice: TestPerson
let bruno: TestPerson

beforeAll(async () => {
  world = await startTestApp()
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'United States')
  await world.fund(alice, 10_000)
})
afterAll(() => world.close())

const bodyEndpoints = Object.entries(allEndpoints as Readonly<Record<string, Endpoint>>).filter(([, { body }]) => body)
const sessionEndpoints = bodyEndpoints.filter(([, { access }]) => access === 'session')

/** Sends a call with a valid path and this body. */
async function send({ method, path }: Endpoint, body: unknown): Promise<RawAnswer> {
  const filled = path
    .replace(':userId', String(alice.id))
    .replace(path.startsWith('/user/') || path.startsWith('/kyc/') ? ':id' : ':none', String(alice.id))
    .replace('/user/passkeys/' + alice.id, '/user/passkeys/:id')
    .replaceAll(/:\w+/g, randomUUID())
  const headers = { 'idempotency-key': randomUUID(), 'content-type': 'application/json' }
  return world.raw(method, filled, { token: alice.token, body, headers })
}

const readErrors = ({ body }: RawAnswer): { field: string; code: string; message: string }[] => body.errors ?? []

/** Expects sentences in the catalogue's words rather than the validator's. */
function expectProductTexts({ body }: RawAnswer): void {
  const texts = [body.detail, ...(body.errors ?? []).map(({ message }: { message: string }) => message)]
  for (const text of texts)
    expect(text).not.toMatch(/invalid input|\bexpected\b|\breceived\b|unrecognized|zod|\bkey\b|undefined/i)
}

describe.each(bodyEndpoints)('%s', (_name, endpoint) => {
  test('refuses unknown fields by name', async () => {
    const answer = await send(endpoint, { surprise: 1, ['constructor']: 'x', 'a.b/c': {} })
    expect([answer.status, answer.body.code]).toEqual([422, 'invalid_request'])
    const unknownFieldErrors = readErrors(answer).filter(({ code }) => code === 'unknown_field')
    expect(unknownFieldErrors.map(({ field }) => field)).toEqual(['surprise', 'constructor', 'a.b/c'])
    expect(unknownFieldErrors.map(({ message }) => message)).toEqual(Array(3).fill(requestFields.unknown_field))
    expectProductTexts(answer)
  })

  test('explains an invalid body of any kind in our words', async () => {
    const names = Object.keys((endpoint.body as unknown as { shape: object }).shape)
    const bodies: unknown[] = [undefined, null, [], 'text', 7, {}]
    for (const value of [null, [], {}, '', 'x', 7, -1, 1.5, true, 'x'.repeat(9000), '\u0000']) {
      bodies.push(Object.fromEntries(names.map((name) => [name, value])))
    }
    for (const body of bodies) {
      const answer = await send(endpoint, body === undefined ? '' : JSON.stringify(body))
      // Only answers with 422 are about the body; others may be rate limits.
      if (answer.status === 422) {
        expectProductTexts(answer)
        for (const { field, message } of readErrors(answer)) expect([field, message]).not.toContain('')
      }
      expect(answer.status, JSON.stringify(body)).toBeLessThan(500)
    }
  })
})

describe.each(sessionEndpoints)('%s', (_name, endpoint) => {
  test('accepts fields of older callers, and only the caller as payer', async () => {
    const removedFields = { fee: '0.01', userId: alice.id, sender_id: alice.id, skip_sender_deduction: true }
    expect(readErrors(await send(endpoint, removedFields)).filter(({ code }) => code === 'unknown_field')).toEqual([])
    for (const field of ['userId', 'sender_id']) {
      const answer = await send(endpoint, { ...removedFields, [field]: 'alice' })
      expect(readErrors(answer).map((error) => error.field)).toContain(field)
    }
  })
})

const buildTransfer = () => ({ recipient_id: bruno.id, amount: '1.00', source_currency: 'USD' })
const post = (path: string, body: unknown) =>
  world.raw('POST', path, { token: alice.token, body, headers: { 'idempotency-key': randomUUID() } })

test('a valid order with fields of older callers costs what the server computes', async () => {
  const { body } = await post('/payment/transfer', {
    ...buildTransfer(),
    fee: '0.00',
    userId: alice.id,
    sender_id: alice.id,
    skip_sender_deduction: true,
  })
  expect(body.transaction).toMatchObject({ amount: '1.01', fee: '0.01', sender_id: alice.id })
})

test.each([
  ['/payment/transfer', 'userId', buildTransfer],
  ['/payment/transfer', 'sender_id', buildTransfer],
  ['/quotes', 'userId', () => ({ source_currency: 'USD', target_currency: 'EUR', amount: '1', side: 'source' })],
  ['/exchange', 'sender_id', () => ({ quote_id: randomUUID() })],
  ['/payment/deposit/card', 'sender_id', () => ({ amount: 1000, currency: 'usd' })],
])('%s in the name of another user (%s) is refused', async (path, field, body) => {
  const walletBefore = await alice.wallet()
  const answer = await post(path, { ...body(), [field]: bruno.id })
  expect([answer.status, answer.body.code]).toEqual([403, 'not_your_account'])
  expect(readErrors(answer)).toMatchObject([{ field }])
  expect(await alice.wallet()).toEqual(walletBefore)
})

test('the same key with or without meaningless fields is the same order', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const first = await world.raw('POST', '/payment/transfer', { token: alice.token, headers, body: buildTransfer() })
  const repeatedResponse = await world.raw('POST', '/payment/transfer', {
    token: alice.token,
    headers,
    body: { ...buildTransfer(), fee: '9', userId: alice.id },
  })
  expect(repeatedResponse.body.transaction_id).toBe(first.body.transaction_id)
})

test('a refusal names the invalid part of a request', async () => {
  const loadDetail = async (path: string, body: unknown) => (await post(path, body)).body.detail as string
  expect(await loadDetail('/payment/transfer', { ...buildTransfer(), surprise: 1 })).toBe(
    'surprise: Not a field of this request',
  )
  expect(await loadDetail('/payment/transfer', { ...buildTransfer(), recipient_id: undefined })).toBe(
    'recipient_id: Required',
  )
  expect(await loadDetail('/payment/transfer', { ...buildTransfer(), recipient_id: 'x' })).toBe(
    'recipient_id: Must be a number',
  )
  expect(await loadDetail('/payment/transfer', { ...buildTransfer(), quote_id: 'x' })).toBe('quote_id: Must be a UUID')
  expect(await loadDetail('/payment/transfer', { ...buildTransfer(), amount: '-1' })).toBe(fields.invalid_amount)
  expect(await loadDetail('/payment/transfer', { ...buildTransfer(), payment_source: 'gold' })).toBe(
    'payment_source: Must be one of: wallet, card, bank, wallet_partial',
  )
  expect(await loadDetail('/exchange', [])).toBe('body: Must be a JSON object')
  const { body } = await world.raw('GET', `/transaction?at=yesterday`, { token: alice.token })
  expect(body.detail).toBe('at: Must be a time such as 2026-11-22T09:30:00Z')
})

test('very many unknown fields, and very long ones, are repeated in part only', async () => {
  const unknownFields = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${'x'.repeat(100)}${index}`, 1]))
  const errors = readErrors(await post('/payment/transfer', { ...buildTransfer(), ...unknownFields }))
  expect(errors.length).toBeLessThanOrEqual(20)
  for (const { field } of errors) expect(field.length).toBeLessThanOrEqual(61)
})
