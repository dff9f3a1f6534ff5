import { randomUUID } from 'node:crypto'
import { sendMoney } from '@tern/contract/transfers'
import { ownTransactions, transactionsOfUser } from '@tern/contract/transactions'
import { ownWallets, transactionsOfWallet, updateWallet, type Wallet } from '@tern/contract/wallets'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'

let world: TestApp
let owner: TestPerson
let stranger: TestPerson
let unverifiedPerson: TestPerson
/** User who has logged out. */
let loggedOutPerson: TestPerson
let wallet: Wallet

beforeAll(async () => {
  world = await startTestApp()
  owner = await world.enroll('olivia', 'United States')
  stranger = await world.enroll('stranger', 'Germany')
  unverifiedPerson = await world.enroll('una', null)
  loggedOutPerson = await world.enroll('gone', 'United States')
  await world.fund(owner, 10_000)
  await owner.call(sendMoney, {
    body: { recipient_id: stranger.id, amount: '5.00', source_currency: 'USD' },
    idempotencyKey: randomUUID(),
  })
  expect((await world.raw('POST', '/user/logout', { token: loggedOutPerson.token, body: {} })).status).toBe(204)
})
afterAll(() => world.close())
beforeEach(async () => {
  wallet = await owner.wallet()
})

const callAs = (caller: TestPerson | undefined, method: string, path: string, body?: unknown) =>
  world.raw(method, path, { token: caller?.token, ...(body === undefined ? {} : { body }) })

describe.each(['', '/'])('with "%s" at the end', (trailingSlash) => {
  test('returns each user’s own wallet, verified or not', async () => {
    for (const person of [owner, stranger, unverifiedPerson]) {
      const answer = await callAs(person, 'GET', `/wallet${trailingSlash}`)
      expect([answer.status, answer.body]).toEqual([200, [await person.wallet()]])
    }
    expect(await owner.call(ownWallets, {})).toMatchObject([{ user_id: owner.id, fiat_balance: '94.95' }])
  })

  test('returns each user’s own transactions, by number, wallet or neither', async () => {
    for (const [person, types] of [
      [owner, ['SEND', 'DEPOSIT']],
      [stranger, ['RECEIVE']],
      [unverifiedPerson, []],
    ] as const) {
      const { body } = await callAs(person, 'GET', `/transaction${trailingSlash}`)
      expect(body.transactions.map((row: { transaction_type: string }) => row.transaction_type)).toEqual(types)
      expect(body).toEqual(await person.call(transactionsOfUser, { params: { userId: String(person.id) } }))
      const { id } = await person.wallet()
      expect((await callAs(person, 'GET', `/wallet/${id}/transactions${trailingSlash}`)).body).toEqual(body)
    }
  })

  test('filters and pages each list alike', async () => {
    const query = { limit: '1', type: 'DEPOSIT' } as const
    const filteredList = await owner.call(ownTransactions, { query })
    expect(filteredList).toMatchObject({ total: 1, transactions: [{ transaction_type: 'DEPOSIT' }] })
    expect(await owner.call(transactionsOfWallet, { params: { id: wallet.id }, query })).toEqual(filteredList)
    for (const path of ['/transaction', `/wallet/${wallet.id}/transactions`]) {
      const answer = await callAs(owner, 'GET', `${path}${trailingSlash}?limit=101`)
      expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'limit'])
    }
  })

  test('lets owners rename their wallet', async () => {
    const name = `Home ${trailingSlash ? 2 : 1}`
    const answer = await callAs(owner, 'PUT', `/wallet/update/${wallet.id}${trailingSlash}`, { name: `  ${name} ` })
    expect([answer.status, answer.body]).toEqual([200, { ...wallet, name }])
    expect(await owner.wallet()).toEqual({ ...wallet, name })
    const { id } = await unverifiedPerson.wallet()
    expect(await unverifiedPerson.call(updateWallet, { params: { id }, body: { name } })).toMatchObject({ id, name })
  })

  test('finds and changes nothing for other users', async () => {
    for (const id of [wallet.id, randomUUID()]) {
      for (const [method, path, body] of [
        ['GET', `/wallet/${id}/transactions${trailingSlash}`, undefined],
        ['PUT', `/wallet/update/${id}${trailingSlash}`, { name: 'Mine' }],
      ] as const) {
        for (const person of [stranger, unverifiedPerson]) {
          const answer = await callAs(person, method, path, body)
          expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
        }
      }
    }
    expect(await owner.wallet()).toEqual(wallet)
  })

  test('answers callers without a live session with 401 only', async () => {
    for (const person of [undefined, loggedOutPerson]) {
      for (const [method, path, body] of [
        ['GET', `/wallet${trailingSlash}`, undefined],
        ['GET', `/transaction${trailingSlash}`, undefined],
        ['GET', `/wallet/${wallet.id}/transactions${trailingSlash}`, undefined],
        ['GET', `/wallet/${owner.id}${trailingSlash}`, undefined],
        ['PUT', `/wallet/update/${wallet.id}${trailingSlash}`, { name: 'Mine', fiat_balance: '1' }],
      ] as const) {
        const answer = await callAs(person, method, path, body)
        expect([answer.status, answer.body.code, answer.body.errors]).toEqual([401, 'unauthenticated', undefined])
      }
    }
    expect(await owner.wallet()).toEqual(wallet)
  })

  test('reveals only name and currency of another user’s wallet', async () => {
    const otherWalletAnswer = await callAs(owner, 'GET', `/wallet/${stranger.id}${trailingSlash}`)
    expect(otherWalletAnswer.body).toEqual({ name: 'stranger Tester', base_currency: 'EUR' })
    const refusedAnswer = await callAs(unverifiedPerson, 'GET', `/wallet/${stranger.id}${trailingSlash}`)
    expect([refusedAnswer.status, refusedAnswer.body.code]).toEqual([403, 'verification_required'])
  })
})

test('refuses all read-only fields by name, together', async () => {
  const { name: _, ...otherFields } = wallet
  const answer = await callAs(owner, 'PUT', `/wallet/update/${wallet.id}`, {
    ...otherFields,
    name: 'Mine',
    colour: 'red',
  })
  expect([answer.status, answer.body.code]).toEqual([422, 'invalid_request'])
  const fieldErrors = answer.body.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)
  const expectedErrors = [
    ...Object.keys(otherFields).map((field) => `${field} cannot_be_changed`),
    'colour unknown_field',
  ]
  expect(new Set(fieldErrors)).toEqual(new Set(expectedErrors))
  expect(answer.body.detail).toBe(`${answer.body.errors[0].field}: Cannot be changed`)
  expect(await owner.wallet()).toEqual(wallet)
})

test.each([
  ['', 'name_required'],
  ['   ', 'name_required'],
  [undefined, 'name_required'],
  [7, 'name_required'],
  ['x'.repeat(61), 'too_long'],
  ['a\u0000b', 'control_characters'],
  ['\u202E\u3164', 'name_required'],
  ['half \ud83c', 'broken_characters'],
])('a wallet cannot be called %j', async (name, code) => {
  const answer = await callAs(owner, 'PUT', `/wallet/update/${wallet.id}`, { name })
  expect([answer.status, answer.body.errors[0]]).toMatchObject([422, { field: 'name', code }])
  expect(await owner.wallet()).toEqual(wallet)
})
