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

const requestWallet = (id: number | string, token = alice.token) => world.raw('GET', `/wallet/${id}`, { token })

test('a number with a wrong check digit is unknown, without a query', async () => {
  const mistypedId = bruno.id % 10 === 9 ? bruno.id - 1 : bruno.id + 1
  const { pool } = world.database
  await pool.query(`insert into app_user (id, email, username, created_at) values ($1, 'x@example.com', 'x', now())`, [
    mistypedId,
  ])
  await pool.query(
    `insert into wallet (id, user_id, name, base_currency, created_at)
     values (gen_random_uuid(), $1, 'Main wallet', 'USD', now())`,
    [mistypedId],
  )
  expect((await requestWallet(mistypedId)).status).toBe(404)
  expect((await requestWallet(bruno.id)).status).toBe(200)
})

test('the typed name of an unverified person is not shown', async () => {
  const dora = await world.enroll('dora', null)
  expect((await requestWallet(dora.id)).body).toMatchObject({ name: dora.username })
})

test('names are initials until a payment has arrived, in either direction; the lookup for the review shows the whole name', async () => {
  const carol = await world.enroll('carol', 'Germany')
  const findName = async (viewer: TestPerson, person: TestPerson) => {
    const [match] = await viewer.call(searchUsers, { query: { query: person.username } })
    const wallet = await requestWallet(person.id, viewer.token)
    return [match?.name, (wallet.body as { name: string }).name]
  }
  expect(await findName(alice, carol)).toEqual(['C. T.', 'C. T.'])
  expect(await alice.call(userProfile, { params: { id: String(carol.id) } })).toMatchObject({ name: 'carol Tester' })
  expect(await findName(alice, carol), 'having looked changes nothing').toEqual(['C. T.', 'C. T.'])
  await world.fund(alice, 10_000)
  await alice.call(sendMoney, {
    body: { recipient_id: carol.id, amount: '1.00', source_currency: 'USD' },
    idempotencyKey: randomUUID(),
  })
  expect(await findName(alice, carol)).toEqual(['carol Tester', 'carol Tester'])
  expect(await findName(carol, alice)).toEqual(['alice Tester', 'alice Tester'])
  expect(await findName(await world.enroll('stranger', 'Germany'), carol)).toEqual(['C. T.', 'C. T.'])
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
  expect((await requestWallet(bruno.id, bruno.token)).status).toBe(200)
  expect((await requestWallet(bruno.id)).status).toBe(200)
})
