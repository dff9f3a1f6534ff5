import { randomUUID } from 'node:crypto'
import { searchUsers, userProfile } from '@tern/contract/identity'
import { sendMoney } from '@tern/contract/transfers'
import { walletByUser } from '@tern/contract/wallets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'

let world: TestApp
let alice: TestPerson
let bruno: TestPerson

beforeAll(async () => {
  world = await startTestApp()
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
})
afterAll(() => world.close())

const walletOf = (id: number | string, token = alice.token) => world.raw('GET', `/wallet/${id}`, { token })

test('a number with a wrong check digit is unknown, without a query', async () => {
  const mistyped = bruno.id % 10 === 9 ? bruno.id - 1 : bruno.id + 1
  const { pool } = world.database
  await pool.query(`insert into app_user (id, email, username, created_at) values ($1, 'x@example.com', 'x', now())`, [
    mistyped,
  ])
  await pool.query(
    `insert into wallet (id, user_id, name, base_currency, created_at)
     values (gen_random_uuid(), $1, 'Main wallet', 'USD', now())`,
    [mistyped],
  )
  expect((await walletOf(mistyped)).status).toBe(404)
  expect((await walletOf(bruno.id)).status).toBe(200)
})

test('the typed name of an unverified person is not shown', async () => {
  const dora = await world.enroll('dora', null)
  expect((await walletOf(dora.id)).body).toMatchObject({ name: dora.username })
})

test('names are initials until a payment has arrived, in either direction; the lookup for the review shows the whole name', async () => {
  const carol = await world.enroll('carol', 'Germany')
  const nameIn = async (who: TestPerson, of: TestPerson) => {
    const [found] = await who.call(searchUsers, { query: { query: of.username } })
    const wallet = await walletOf(of.id, who.token)
    return [found?.name, (wallet.body as { name: string }).name]
  }
  expect(await nameIn(alice, carol)).toEqual(['C. T.', 'C. T.'])
  expect(await alice.call(userProfile, { params: { id: String(carol.id) } })).toMatchObject({ name: 'carol Tester' })
  expect(await nameIn(alice, carol), 'having looked changes nothing').toEqual(['C. T.', 'C. T.'])
  await world.fund(alice, 10_000)
  await alice.call(sendMoney, {
    body: { recipient_id: carol.id, amount: '1.00', source_currency: 'USD' },
    idempotencyKey: randomUUID(),
  })
  expect(await nameIn(alice, carol)).toEqual(['carol Tester', 'carol Tester'])
  expect(await nameIn(carol, alice)).toEqual(['alice Tester', 'alice Tester'])
  expect(await nameIn(await world.enroll('stranger', 'Germany'), carol)).toEqual(['C. T.', 'C. T.'])
})

test('unverified users cannot look up others, and are referred to verification', async () => {
  const dora = await world.enroll('dora', null)
  for (const path of ['/user/search?query=alice', `/user/profile/${alice.id}`, `/wallet/${alice.id}`]) {
    const { status, body } = await world.raw('GET', path, { token: dora.token })
    expect([path, status, body]).toEqual([path, 403, expect.objectContaining({ code: 'verification_required' })])
    expect(body.detail).toBe('Verify your identity first. Then you can find people and send them money.')
    expect(JSON.stringify(body)).not.toContain('Tester')
  }
  expect((await world.raw('GET', `/user/profile/${dora.id}`, { token: dora.token })).status).toBe(200)
})

test('search, number and wallet lookups share a limit; one’s own wallet does not count', async () => {
  const params = { params: { id: String(alice.id) } }
  for (let count = 0; count < 40; count += 1) {
    await bruno.call(searchUsers, { query: { query: 'alice' } })
    await bruno.call(userProfile, params)
    await bruno.call(walletByUser, { params: { userId: String(alice.id) } })
  }
  for (const path of ['/user/search?query=alice', `/user/profile/${alice.id}`, `/wallet/${alice.id}`]) {
    const answer = await world.raw('GET', path, { token: bruno.token })
    expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited'])
  }
  expect((await walletOf(bruno.id, bruno.token)).status).toBe(200)
  expect((await walletOf(bruno.id)).status).toBe(200)
})
