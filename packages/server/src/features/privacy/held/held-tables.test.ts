import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { tables } from '../../list.ts'
import { categories, readableTables } from './held-tables.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const loadNames = async (sql: string) =>
  (await database.pool.query<{ name: string }>(sql)).rows.map(({ name }) => name).toSorted()

/** Table names as the features list them: without the schema `public`. */
const nameSql = `case table_schema when 'public' then '' else table_schema || '.' end || table_name`

test('no table that names users is declared to hold nothing about them', async () => {
  const referencingTables = await loadNames(
    `select distinct ${nameSql} as name from information_schema.columns
      where table_schema in ('public', 'ledger')
        and (column_name like '%email%' or column_name ~ '^(user|sender|recipient|requester|payer|payee|favorite|owner)_id$')`,
  )
  expect(referencingTables.length).toBeGreaterThan(40)
  expect(referencingTables.filter((name) => tables[name]?.personal === 'none')).toEqual([])
})

test('every category has tables, and each table can be read', async () => {
  const usedCategories = new Set(readableTables.map(({ category }) => category))
  expect([...usedCategories].toSorted()).toEqual(Object.keys(categories).toSorted())
  for (const { table, columns, rows, since } of readableTables) {
    const order = since === undefined ? '' : ` order by ${since}`
    await expect(
      database.pool.query(`select ${columns} ${rows}${order}`, [1_000_000_001n]),
      table,
    ).resolves.toMatchObject({ rowCount: 0 })
  }
})

test('exports contain no secret column', () => {
  const secret =
    /\b(password_hash(?! is not null)|token|fingerprint|hash|secret|public_key|credential_id|signature|binding)\b/
  for (const { table, columns } of readableTables) expect(columns, table).not.toMatch(secret)
})
