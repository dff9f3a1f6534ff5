import { currencyCodes, currencyOf } from '@tern/money/currency'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { addCurrencies } from './currencies.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('the database knows every currency of the registry, with its kind and scale', async () => {
  const { rows } = await database.pool.query('select code, kind, scale from ledger.currency order by code')
  expect(rows).toEqual(currencyCodes.toSorted().map((code) => currencyOf(code)))
})

test('a new currency of the registry is added once', async () => {
  await runWithoutTriggers(`delete from ledger.currency where code = 'ETH'`)
  const client = await database.pool.connect()
  await addCurrencies(client)
  await addCurrencies(client)
  client.release()
  const { rows } = await database.pool.query(`select scale from ledger.currency where code = 'ETH'`)
  expect(rows).toEqual([{ scale: 18 }])
})

test('a currency with another scale than in the database is refused', async () => {
  await runWithoutTriggers(`update ledger.currency set scale = 2 where code = 'JPY'`)
  const client = await database.pool.connect()
  await expect(addCurrencies(client)).rejects.toThrow('keeps JPY with another kind or scale')
  client.release()
})

test('currencies cannot be changed or removed, and unknown ones get no account', async () => {
  await expect(database.pool.query('update ledger.currency set scale = 3')).rejects.toThrow()
  await expect(database.pool.query('delete from ledger.currency')).rejects.toThrow()
  const insertAccountSql = `insert into ledger.account (name, kind, currency) values ('float:XXX', 'float', 'XXX')`
  await expect(database.pool.query(insertAccountSql)).rejects.toThrow('account_currency_fkey')
})

/** Runs a statement with the triggers that would refuse it disabled. */
async function runWithoutTriggers(change: string): Promise<void> {
  const client = await database.pool.connect()
  await client.query('set session_replication_role = replica')
  await client.query(change)
  await client.query('set session_replication_role = default')
  client.release()
}
