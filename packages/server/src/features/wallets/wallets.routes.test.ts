import { searchUsers, userProfile } from '@tern/contract/identity'
import { walletByUser } from '@tern/contract/wallets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '../../../../../tools/testing/test-app.ts'

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
