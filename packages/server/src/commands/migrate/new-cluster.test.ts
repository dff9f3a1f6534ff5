import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { adoptCluster, isRestoredDatabase } from './new-cluster.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  // Rows with three transaction ids; those with the last fill more than two batches.
  await database.pool.query(
    `insert into transaction (user_id, id, posting_id, kind, status, created_at, wallet_id, description, source_amount,
        source_currency, target_amount, target_currency, fee_amount, fee_currency, xid)
      select n, gen_random_uuid(), gen_random_uuid(), 'DEPOSIT', 'COMPLETED', now(), gen_random_uuid(), 'card_deposit', 1, 'USD', 1, 'USD', 0,
          'USD', case when n <= 3 then '5' when n <= 5 then '900000000000' else '900000000001' end::xid8
        from generate_series(1, 45005) as n`,
  )
})
afterAll(() => database.drop())

const countRowsByXid = async () => {
  const { rows } = await database.pool.query<{ xid: string; count: number }>(
    'select xid::text, count(*)::int from transaction where changed_at is null group by xid order by xid',
  )
  return rows.map(({ xid, count }) => [xid, count])
}
const markRestored = () => database.pool.query('update database_cluster set identifier = 1')

test('a database stays unchanged in its own cluster', async () => {
  expect(await isRestoredDatabase(database.pool)).toBe(false)
  await adoptCluster(database.pool)
  expect(await countRowsByXid()).toEqual([
    ['5', 3],
    ['900000000000', 2],
    ['900000000001', 45_000],
  ])
})

test("numbers ahead of a restored database's new cluster become old, and it is adopted there", async () => {
  await database.pool.query(`insert into changed_topic (xid, user_id, topic) values ('900000000000', 1, 'requests')`)
  await markRestored()
  expect(await isRestoredDatabase(database.pool)).toBe(true)
  await adoptCluster(database.pool)
  expect(await countRowsByXid()).toEqual([
    ['3', 45_002],
    ['5', 3],
  ])
  expect(await isRestoredDatabase(database.pool)).toBe(false)
  expect((await database.pool.query('select from changed_topic')).rowCount).toBe(0)
})
