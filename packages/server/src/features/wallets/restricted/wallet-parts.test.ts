import { ownWallets, walletByUser } from '@tern/contract/wallets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ageRestrictions } from '../../../../../../tools/aging.ts'
import { readCode, send } from '@tern/testkit/attacks/attack'
import { exchange } from '@tern/testkit/attacks/transfer-methods'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { restoreMaturityPolicy } from '@tern/testkit/risk'

const week = 7 * 24

let world: TestApp
let payer: TestPerson
let friend: TestPerson

beforeAll(async () => {
  world = await startTestApp({ unconfirmedPayments: 'any' })
  await restoreMaturityPolicy(world.database.pool)
  payer = await world.enroll('payer', 'United States')
  friend = await world.enroll('friend', 'United States')
  await world.fund(payer, 5_000)
  expect(readCode(await send(payer, friend, '20.00'))).toBe('passed')
})
afterAll(() => world.close())

async function loadParts(person: TestPerson) {
  const [wallet] = await person.call(ownWallets, {})
  return wallet?.restricted
}

/** Reads from when the payer's card money can go to a bank, and when it was paid in. */
async function loadPartTimes({ id }: TestPerson) {
  const { rows } = await world.database.pool.query<{ from: Date; since: Date }>(
    `select distinct r.matures_at as from, p.created_at as since
       from restricted_money r join payment p on p.id = r.origin where p.user_id = $1`,
    [id],
  )
  expect(rows).toHaveLength(1)
  return { from: rows[0]?.from.toISOString(), since: rows[0]?.since.toISOString() }
}

test('the wallet of a recipient of card money shows how much can go to a bank, and from when', async () => {
  const times = await loadPartTimes(payer)
  const part = { currency: 'USD', reason: 'card', ...times }
  expect(await loadParts(friend)).toEqual([{ ...part, amount: '20.00', is_received: true }])
  expect(await loadParts(payer)).toEqual([{ ...part, amount: (await payer.wallet()).fiat_balance, is_received: false }])

  await exchange(friend, 'USD', 'USDT', '10.00')
  const parts = await loadParts(friend)
  expect(parts).toMatchObject([
    { ...part, amount: '9.90' },
    { ...part, currency: 'USDT', amount: '10.000000', is_received: true },
  ])
})

test('only the wallet’s owner sees its restricted parts', async () => {
  const stranger = await world.enroll('stranger', 'United States')
  expect(await loadParts(stranger)).toEqual([])
  const otherWallet = await stranger.call(walletByUser, { params: { userId: String(friend.id) } })
  expect(Object.keys(otherWallet).toSorted()).toEqual(['base_currency', 'name'])
  const { status } = await world.raw('GET', `/wallet/user/${friend.id}`, { token: stranger.token })
  expect(status).toBe(404)
})

test('matured money is not restricted, even before it is deleted', async () => {
  const { pool } = world.database
  await ageRestrictions(pool, payer.id, week - 1)
  expect(await loadParts(friend)).toHaveLength(2)
  await ageRestrictions(pool, payer.id, 1)
  expect(await loadParts(friend)).toEqual([])
  expect(await loadParts(payer)).toEqual([])
  const { rowCount } = await pool.query('select from restricted_money where user_id = $1', [friend.id])
  expect(rowCount).toBe(2)
})
