import { randomUUID } from 'node:crypto'
import { allEndpoints } from '@tern/contract/endpoints'
import { currentUser, searchUsers, userProfile } from '@tern/contract/identity'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import { createRequest } from '@tern/contract/requests/requests'
import { ownTransactions, transactionReceipt } from '@tern/contract/transactions'
import { sendMoney } from '@tern/contract/transfers'
import { shareTracking } from '@tern/contract/transfers/tracking'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setKycStatus } from '../features/identity/identity.ts'
import { transact } from '../platform/database/db.ts'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'

let world: TestApp
/** Residents of Austin and Toulouse, verified there. */
let ines: TestPerson
let lucas: TestPerson
let newcomer: TestPerson
/** A send from Ines to Lucas with its tracking link, and a payment request by Lucas that anyone can pay. */
let transactionId: string
let trackingCode: string
let requestData: string
let requestId: string

async function enrollIn(city: string, name: string, country: string): Promise<TestPerson> {
  const person = await world.enroll(name, country)
  await world.database.pool.query('update kyc_submission set city = $2 where user_id = $1', [person.id, city])
  return person
}

beforeAll(async () => {
  world = await startTestApp()
  ines = await enrollIn('Austin', 'ines', 'United States')
  lucas = await enrollIn('Toulouse', 'lucas', 'France')
  newcomer = await world.enroll('newcomer', null)
  await world.fund(ines, 50_000)
  const body = { recipient_id: lucas.id, amount: '10.00', source_currency: 'USD' } as const
  transactionId = (await ines.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
  const sharedLink = await ines.call(shareTracking, { params: { id: transactionId }, body: { shows_amounts: true } })
  trackingCode = new URL(sharedLink.url).pathname.split('/').at(-1) ?? ''
  const requestBody = { amount: '5.00', currency: 'EUR', description: 'Tickets' } as const
  const request = await lucas.call(createRequest, { body: requestBody, idempotencyKey: randomUUID() })
  requestData = request.data
  requestId = request.id
})
afterAll(() => world.close())

const findUserAs = async (viewer: TestPerson, { username }: TestPerson) =>
  (await viewer.call(searchUsers, { query: { query: username, exact: 'true' } }))[0]

const readAs = async (path: string, viewer?: TestPerson) =>
  (await world.raw('GET', path, { token: viewer?.token })).body as Record<string, unknown>

test('people see the city and country that they were verified in', async () => {
  expect((await ines.call(currentUser, {})).residence).toEqual({ country: 'US', city: 'Austin' })
  expect((await lucas.call(currentUser, {})).residence).toEqual({ country: 'FR', city: 'Toulouse' })
})

test('before verification no place is shown', async () => {
  expect((await newcomer.call(currentUser, {})).residence).toBeNull()
  expect(await findUserAs(ines, newcomer)).toMatchObject({ country: null })
})

test('others see the country: in search, profile, transactions, receipts, tracking and payment links', async () => {
  expect(await findUserAs(ines, lucas)).toMatchObject({ country: 'FR' })
  expect(await lucas.call(userProfile, { params: { id: String(ines.id) } })).toMatchObject({ country: 'US' })
  const sentTransaction = (await ines.call(ownTransactions, {})).transactions.find(({ id }) => id === transactionId)
  const receivedTransaction = (await lucas.call(ownTransactions, {})).transactions.find(
    ({ id }) => id === transactionId,
  )
  expect([sentTransaction?.counterparty?.country, receivedTransaction?.counterparty?.country]).toEqual(['FR', 'US'])
  const receipt = await lucas.call(transactionReceipt, { params: { id: transactionId } })
  expect([receipt.owner.country, receipt.transaction.counterparty?.country]).toEqual(['FR', 'US'])
  expect(await readAs(`/tracking/${trackingCode}`)).toMatchObject({ sender_country: 'US', recipient_country: 'FR' })
  expect(await readAs(`/payment-links/${requestData}`)).toMatchObject({ requester: { country: 'FR' } })
})

const listPathValues = () => [
  String(ines.id),
  ines.username,
  String(lucas.id),
  transactionId,
  trackingCode,
  requestData,
  requestId,
]

/** Returns the paths of an endpoint: one for each value of `listPathValues`, in place of all parameters. */
function listPaths({ path }: Endpoint): string[] {
  const hasParameters = /:\w+/.test(path)
  if (!hasParameters) return [path]
  return listPathValues().map((part) => path.replaceAll(/:\w+/g, part))
}

test('every response shows a city only to its own user', async () => {
  const readableEndpoints = Object.values(allEndpoints as Readonly<Record<string, Endpoint>>).filter(
    ({ method, path }) => method === 'GET' && !/\.pdf$|stream|events/.test(path),
  )
  const query = `?${new URLSearchParams({ query: ines.username, exact: 'true' }).toString()}`
  const paths = [...readableEndpoints.flatMap(listPaths), `${searchUsers.path}${query}`]
  const readers = [
    { viewer: lucas, hidden: /Austin/ },
    { viewer: ines, hidden: /Toulouse/ },
    { viewer: newcomer, hidden: /Austin|Toulouse/ },
    { viewer: undefined, hidden: /Austin|Toulouse/ },
  ]
  let answeredCount = 0
  for (const path of paths) {
    for (const { viewer, hidden } of readers) {
      const answer = await world.raw('GET', path, { token: viewer?.token })
      expect(JSON.stringify(answer.body) ?? '', path).not.toMatch(hidden)
      if (answer.status === 200) answeredCount += 1
    }
  }
  expect(answeredCount).toBeGreaterThan(40)
})

// Runs last, because Lucas loses his verification.
test('a user who is no longer verified has no place, for others and for themselves', async () => {
  const { identity } = world.app.product
  await transact(world.database.pool, (tx) =>
    setKycStatus(tx, { userId: BigInt(lucas.id), status: 'needs_information' }),
  )
  identity.forgetUser(BigInt(lucas.id))
  expect((await lucas.call(currentUser, {})).residence).toBeNull()
  expect(await findUserAs(ines, lucas)).toMatchObject({ country: null })
  const [sentTransaction] = (await ines.call(ownTransactions, {})).transactions
  expect(sentTransaction?.counterparty?.country).toBeNull()
  expect((await ines.call(transactionReceipt, { params: { id: transactionId } })).transaction).toMatchObject({
    counterparty: { country: null },
  })
  expect(await readAs(`/tracking/${trackingCode}`)).toMatchObject({ sender_country: 'US', recipient_country: null })
  expect(await readAs(`/payment-links/${requestData}`)).toMatchObject({ requester: { country: null } })
})
