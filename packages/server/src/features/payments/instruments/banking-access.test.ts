import { randomUUID } from 'node:crypto'
import { bankAccounts, paymentMethods, withdraw } from '@tern/contract/banking'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { linkAccount, saveCard } from '@tern/testkit/payments'
import { newId } from '../../../platform/ids.ts'

let world: TestApp
let owner: TestPerson
let stranger: TestPerson
let unverifiedPerson: TestPerson
let accountId: string
let cardId: string
let linkId: string
let payoutId: string

beforeAll(async () => {
  world = await startTestApp()
  owner = await world.enroll('owner', 'United States')
  stranger = await world.enroll('stranger', 'United States')
  unverifiedPerson = await world.enroll('nova', null)
  await world.fund(owner, 10_000)
  await world.fund(stranger, 10_000)
  const { pool, now } = world.app.product
  accountId = await linkAccount(world, owner)
  await saveCard(world, owner, {
    token: `card_${randomUUID()}`,
    fingerprint: randomUUID(),
    brand: 'Visa',
    last4: '4242',
    expMonth: 12,
    expYear: 2039,
  })
  cardId = (await owner.call(paymentMethods, {})).cards[0]!.id
  linkId = newId(now())
  await pool.query(
    `insert into bank_link (id, user_id, provider, status, created_at, updated_at, last_polled_at)
     values ($1, $2, 'sandbox', 'canceled', $3, $3, $3)`,
    [linkId, owner.id, now()],
  )
  const withdrawal = await owner.call(withdraw, {
    body: { amount: '1.00', currency: 'USD', bankAccountId: accountId },
    idempotencyKey: randomUUID(),
  })
  payoutId = withdrawal.payout_id
})
afterAll(() => world.close())

interface SignInMethod {
  readonly method: string
  readonly path: () => string
  readonly body?: () => object
  /** HTTP status for another user. */
  readonly stranger: number
  readonly unverified: number
  /** HTTP status for the owner; left out for calls that change what other calls need. */
  readonly owner?: number
}

const buildOwnPath = () => `/payment/bank-accounts/${owner.id}`
const hiddenStatuses = { stranger: 404, unverified: 404 }

/** Calls of routes for bank accounts, saved cards and withdrawals, with the owner's ids. */
const signInMethods: readonly SignInMethod[] = [
  { method: 'GET', path: buildOwnPath, ...hiddenStatuses, owner: 200 },
  { method: 'DELETE', path: () => `${buildOwnPath()}/${accountId}`, ...hiddenStatuses },
  { method: 'PUT', path: () => `${buildOwnPath()}/${accountId}/default`, ...hiddenStatuses, owner: 200 },
  { method: 'GET', path: () => `/payment/link-bank-account/${linkId}`, ...hiddenStatuses, owner: 200 },
  {
    method: 'POST',
    path: () => '/payment/link-bank-account',
    body: () => ({ userId: owner.id }),
    stranger: 403,
    unverified: 403,
    owner: 403,
  },
  { method: 'DELETE', path: () => `/payment/methods/${cardId}`, ...hiddenStatuses },
  { method: 'PUT', path: () => `/payment/methods/${cardId}/default`, ...hiddenStatuses, owner: 200 },
  { method: 'GET', path: () => `/payment/withdraw/${payoutId}`, ...hiddenStatuses, owner: 200 },
  {
    method: 'GET',
    path: () => `/payment/withdraw/estimate?bankAccountId=${accountId}`,
    stranger: 422,
    unverified: 422,
    owner: 200,
  },
  {
    method: 'POST',
    path: () => '/payment/withdraw',
    body: () => ({ amount: '1.00', currency: 'USD', bankAccountId: accountId }),
    stranger: 422,
    unverified: 403,
    owner: 200,
  },
]

const call = ({ method, path, body }: SignInMethod, token: string | undefined) =>
  world.raw(method, path(), { token, body: body?.(), headers: { 'idempotency-key': randomUUID() } })

const namedMethods = signInMethods.map((signInMethod) => ({
  signInMethod,
  name: `${signInMethod.method} ${signInMethod.path.toString().replace(/^\(\) => /, '')}`,
}))

describe('the owner’s data', () => {
  test.each(namedMethods)('$name is refused to every other user', async ({ signInMethod }) => {
    const revokedPerson = await world.enroll('revoked', 'United States')
    await world.raw('POST', '/user/logout', { token: revokedPerson.token })
    expect((await call(signInMethod, stranger.token)).status, 'a stranger').toBe(signInMethod.stranger)
    expect((await call(signInMethod, unverifiedPerson.token)).status, 'somebody before verification').toBe(
      signInMethod.unverified,
    )
    for (const token of [undefined, 'nonsense', revokedPerson.token]) {
      const { status, body } = await call(signInMethod, token)
      expect([status, body.code]).toEqual([401, 'unauthenticated'])
    }
    expect(await owner.call(bankAccounts, { params: { userId: String(owner.id) } })).toMatchObject([{ id: accountId }])
    expect((await owner.call(paymentMethods, {})).cards).toMatchObject([{ id: cardId }])
    if (signInMethod.owner !== undefined)
      expect((await call(signInMethod, owner.token)).status, 'the owner').toBe(signInMethod.owner)
  })

  test('cannot be reached through another user’s own number either', async () => {
    const accountPath = `/payment/bank-accounts/${stranger.id}/${accountId}`
    for (const [method, path] of [
      ['DELETE', accountPath],
      ['PUT', `${accountPath}/default`],
    ] as const) {
      expect((await world.raw(method, path, { token: stranger.token })).status).toBe(404)
    }
    expect(await stranger.call(paymentMethods, {})).toEqual({ cards: [], bank_accounts: [], saves_cards: true })
    expect(await owner.call(bankAccounts, { params: { userId: String(owner.id) } })).toHaveLength(1)
  })

  test('answers like data that does not exist', async () => {
    const inventedId = randomUUID()
    const pairs = [
      ['GET', `/payment/withdraw/${payoutId}`, `/payment/withdraw/${inventedId}`],
      ['GET', `/payment/link-bank-account/${linkId}`, `/payment/link-bank-account/${inventedId}`],
      ['PUT', `/payment/methods/${cardId}/default`, `/payment/methods/${inventedId}/default`],
    ] as const
    for (const [method, realId, unknownId] of pairs) {
      const requestBody = async (path: string) => {
        const { body } = await world.raw(method, path, { token: stranger.token })
        return { ...body, requestId: '' }
      }
      expect(await requestBody(realId)).toEqual(await requestBody(unknownId))
    }
  })
})
