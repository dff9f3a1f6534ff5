import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../../tools/testing/test-database.ts'
import { isReadable } from './held-table.ts'
import { categories, heldTables, tablesWithoutPeople } from './held-tables.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const names = async (sql: string) =>
  (await database.pool.query<{ name: string }>(sql)).rows.map(({ name }) => name).toSorted()

/** Tables as the list names them: without the schema `public`. */
const nameSql = `case table_schema when 'public' then '' else table_schema || '.' end || table_name`

test('every table is said to hold data about people, or none', async () => {
  const tables = await names(
    `select ${nameSql} as name from information_schema.tables
      where table_schema in ('public', 'ledger') and table_type = 'BASE TABLE'`,
  )
  const listed = [...heldTables.map(({ table }) => table), ...tablesWithoutPeople]
  expect(listed.toSorted(), 'each once, in features/privacy/held').toEqual(tables)
})

test('no table that names people is among those without', async () => {
  const naming = await names(
    `select distinct ${nameSql} as name from information_schema.columns
      where table_schema in ('public', 'ledger')
        and (column_name like '%email%' or column_name ~ '^(user|sender|recipient|requester|payer|payee|favorite|owner)_id$')`,
  )
  expect(naming.length).toBeGreaterThan(40)
  expect(naming.filter((name) => tablesWithoutPeople.includes(name))).toEqual([])
})

test('every category has tables, and each table can be read', async () => {
  const used = new Set(heldTables.filter(isReadable).map(({ category }) => category))
  expect([...used].toSorted()).toEqual(Object.keys(categories).toSorted())
  for (const { table, columns, rows, since } of heldTables.filter(isReadable)) {
    const order = since === undefined ? '' : ` order by ${since}`
    await expect(
      database.pool.query(`select ${columns} ${rows}${order}`, [1_000_000_001n]),
      table,
    ).resolves.toMatchObject({ rowCount: 0 })
  }
})

test('exports name no column that is a secret', () => {
  const secret =
    /\b(password_hash(?! is not null)|token|fingerprint|hash|secret|public_key|credential_id|signature|binding)\b/
  for (const { table, columns } of heldTables.filter(isReadable)) expect(columns, table).not.toMatch(secret)
})
