import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'

// Runs as the owner of all tables: a refusal here applies to every role.

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const insertRow = (
  status: string,
) => `insert into transaction (user_id, id, posting_id, kind, status, created_at, wallet_id,
    description, source_amount, source_currency, target_amount, target_currency, fee_amount, fee_currency)
  values (1, gen_random_uuid(), gen_random_uuid(), 'SEND', '${status}', now(), gen_random_uuid(), '', 5, 'USD', 5, 'USD', 0, 'USD')`

const toOutcome = (statement: string): Promise<string> =>
  database.pool.query(statement).then(
    ({ rowCount }) => `${rowCount} done`,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )

const refusalText = 'is refused: only the status of a pending row changes'

/** Writable columns of a row in this status. */
async function findChangeableColumns(status: 'PENDING' | 'COMPLETED'): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'transaction'::regclass and attnum > 0 and not attisdropped`,
  )
  const changeableColumnNames: string[] = []
  for (const { name } of rows) {
    const outcome = await toOutcome(`update transaction set ${name} = ${name} where status = '${status}'`)
    if (outcome !== `UPDATE of transaction ${refusalText}`) changeableColumnNames.push(name)
  }
  return changeableColumnNames.toSorted()
}

test('facts of a row cannot be changed by anyone; the price of a send can until its money has come', async () => {
  await database.pool.query(insertRow('PENDING'))
  await database.pool.query(insertRow('COMPLETED'))
  const priceColumns = ['quote_id', 'rate_denominator', 'rate_numerator', 'stablecoin_amount', 'target_amount']
  expect(await findChangeableColumns('PENDING')).toEqual(['changed_at', ...priceColumns, 'status', 'xid'].toSorted())
  expect(await findChangeableColumns('COMPLETED')).toEqual(['changed_at', 'xid'])
})

test('a pending row ends once and for good', async () => {
  await database.pool.query(insertRow('PENDING'))
  expect(await toOutcome(`update transaction set status = 'COMPLETED' where status = 'PENDING'`)).toMatch(
    /^[1-9]\d* done/,
  )
  for (const status of ['PENDING', 'FAILED', 'COMPLETED']) {
    expect(await toOutcome(`update transaction set status = '${status}'`)).toBe(`UPDATE of transaction ${refusalText}`)
  }
  expect(await toOutcome(`update transaction set status = 'FAILED' where status = 'PENDING'`)).toBe('0 done')
})

test('rows cannot be removed', async () => {
  expect(await toOutcome('delete from transaction')).toBe(`DELETE of transaction ${refusalText}`)
  expect(await toOutcome('truncate transaction cascade')).toBe(`TRUNCATE of transaction ${refusalText}`)
})
