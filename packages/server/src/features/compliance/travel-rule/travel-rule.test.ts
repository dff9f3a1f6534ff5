import { randomUUID } from 'node:crypto'
import { dataAccesses } from '@tern/contract/privacy/privacy'
import { money, toDecimal } from '@tern/money/money'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { raiseLimits } from '../../../../../../tools/testing/test-people.ts'
import { leaveForGood } from '../../../../../../tools/testing/leaving/test-leaving.ts'
import { startTestApp, type TestApp, type TestPerson } from '../../../../../../tools/testing/test-app.ts'
import { send } from '../../../../../../tools/testing/compliance/test-cases.ts'
import { readRecord } from '../../../commands/travel-rule.ts'
import { createTravelRule, type TravelRuleOptions } from './travel-rule.ts'

let world: TestApp
let ada: TestPerson
let bo: TestPerson
let carl: TestPerson

beforeAll(async () => {
  world = await startTestApp({ unproven: 'any' })
  ada = await world.enroll('ada', 'United States')
  bo = await world.enroll('bo', 'United States')
  carl = await world.enroll('carl', 'Germany')
  await raiseLimits(world.database.pool)
  await world.fund(ada, 2_000_000)
})
afterAll(() => world.close())
beforeEach(async () => {
  await isPast()
  await world.app.product.travelRule.recordDue()
})

/** Waits until nothing under way, in tests beside this one too, is older than what was committed before. */
async function isPast(): Promise<void> {
  const { rows } = await world.database.pool.query<{ xid: string }>('select pg_current_xact_id()::text as xid')
  const past = 'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as is_past'
  const ask = async () => (await world.database.pool.query<{ is_past: boolean }>(past, [rows[0]?.xid])).rows[0]?.is_past
  await expect.poll(ask, { timeout: 30_000, interval: 20 }).toBe(true)
}

const recordAll = async (
  of: Pick<TestApp['app']['product']['travelRule'], 'recordDue'> = world.app.product.travelRule,
) => {
  await isPast()
  return of.recordDue()
}
const pay = async (from: TestPerson, to: TestPerson, amount: string) => (await send(from, to, amount)).transaction_id
const recorded = async (...ids: string[]) => {
  const { rows } = await world.database.pool.query<{ transaction_id: string; threshold_country: string | null }>(
    'select transaction_id, threshold_country from travel_rule_record where transaction_id = any($1)',
    [ids],
  )
  return ids.map((id) => rows.find(({ transaction_id: found }) => found === id)?.threshold_country ?? 'none')
}

/** As another process of the same installation. */
const anotherProcess = (change: Partial<TravelRuleOptions> = {}) => {
  const { pool, now, kyc, exchange } = world.app.product
  return createTravelRule({ pool, now, kyc, exchange, secret: Buffer.from(world.secret, 'base64url'), ...change })
}

test('a transfer from the threshold on is recorded, one below is not, and Germany has none', async () => {
  const below = await pay(ada, bo, '2999.99')
  const at = await pay(ada, bo, '3000.00')
  const small = await pay(ada, carl, '5.00')
  expect(await recordAll()).toBe(2)
  expect(await recorded(below, at, small)).toEqual(['none', 'US', 'DE'])
  expect(await recordAll()).toBe(0)
})

test('of a record, nothing is legible but who moved when', async () => {
  const id = await pay(ada, carl, '5.00')
  await recordAll()
  const { rows } = await world.database.pool.query<{ content: Buffer }>(
    'select content from travel_rule_record where transaction_id = $1',
    [id],
  )
  expect(rows[0]!.content.toString('latin1')).not.toContain('Tester')
  const record = await world.app.product.travelRule.read(world.app.product.pool, id)
  expect(record?.payload.originator.originatorPersons[0]?.naturalPerson.name.nameIdentifier).toEqual([
    { primaryIdentifier: 'Tester', secondaryIdentifier: 'ada', nameIdentifierType: 'LEGL' },
  ])
  expect(record?.payload.beneficiary.accountNumber).not.toEqual(record?.payload.originator.accountNumber)
})

test('whoever reads a record is logged with both people', async () => {
  const id = await pay(ada, carl, '5.00')
  await recordAll()
  const shown = await readRecord(world.app.product, id, 'olga')
  expect(JSON.parse(shown!)).toMatchObject({ transactionId: id, kind: 'send' })
  for (const person of [ada, carl]) {
    const { accesses } = await person.call(dataAccesses, { query: {} })
    expect(accesses[0]).toMatchObject({
      role: 'operator',
      purpose: 'travel_rule',
      what: ['identity', 'address', 'numbers', 'payments'],
    })
  }
  expect(await readRecord(world.app.product, randomUUID(), 'olga')).toBeUndefined()
})

test('a worker that is killed in the middle loses nothing, and two workers record nothing twice', async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, () => pay(ada, carl, '1.00')))
  let asked = 0
  const dying = anotherProcess({
    kyc: {
      async verifiedForm(db, userId) {
        asked += 1
        // The second person of the step: its connection ends here, as with the process.
        if (asked === 2) await db.query('select pg_terminate_backend(pg_backend_pid())')
        return world.app.product.kyc.verifiedForm(db, userId)
      },
    },
  })
  await expect(recordAll(dying)).rejects.toThrow()
  expect(await recorded(...ids)).toEqual(ids.map(() => 'none'))
  await isPast()
  const counts = await Promise.all([anotherProcess().recordDue(), anotherProcess().recordDue()])
  expect(counts.reduce((sum, each) => sum + each, 0) + (await recordAll())).toBe(6)
  expect(await recorded(...ids)).toEqual(ids.map(() => 'DE'))
})

test('a movement that commits after a later one was recorded is recorded too', async () => {
  const { pool } = world.database
  const slow = await pool.connect()
  try {
    // Whatever was begun before it may still commit: the worker stays behind it.
    await slow.query('begin')
    await slow.query('select pg_current_xact_id()')
    const id = await pay(ada, carl, '1.00')
    await world.app.product.travelRule.recordDue()
    expect(await recorded(id)).toEqual(['none'])
    await slow.query('commit')
    await recordAll()
    expect(await recorded(id)).toEqual(['DE'])
  } finally {
    slow.release()
  }
})

test('restored into another cluster, the worker looks again at what it may have missed', async () => {
  const id = await pay(ada, carl, '1.00')
  await world.database.pool.query(`update travel_rule_position set position = '900000000000', cluster = 1`)
  await recordAll()
  expect(await recorded(id)).toEqual(['DE'])
})

test('whoever leaves before the worker came is recorded with their name', async () => {
  const dora = await world.enroll('dora', 'United States')
  const { rows } = await world.database.pool.query<{ cents: bigint }>(
    'select 300000 + fee_amount as cents from transaction where id = $1 and user_id = $2',
    [await pay(ada, bo, '3000.00'), ada.id],
  )
  await pay(ada, dora, toDecimal(money('USD', rows[0]!.cents)))
  await recordAll()
  // All of it, so that nothing stands against leaving.
  const id = await pay(dora, bo, '3000.00')
  await leaveForGood(world, dora.id)
  expect(await recorded(id)).toEqual(['US'])
  const record = await world.app.product.travelRule.read(world.app.product.pool, id)
  expect(record?.payload.originator.originatorPersons[0]?.naturalPerson.name.nameIdentifier[0]).toMatchObject({
    secondaryIdentifier: 'dora',
  })
})
