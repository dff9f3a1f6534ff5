import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type pg from 'pg'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { publishedFile } from '@tern/testkit/compliance/lists/published-lists'
import { connect, type Db, transact } from '../../../../platform/database/db.ts'
import { createCompliance } from '../../compliance.ts'
import type { ListFile } from '../lists/read-files.ts'

const at = new Date('2026-11-20T09:00:00Z')

let database: TestDatabase
/** Pool of the application role. */
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = connect(database.applicationUrl)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(() =>
  database.pool.query('truncate screening_match, screening_name, screening_entry, screening_list, screening_epoch'),
)

/** Creates an instance with its own caches, as in another process. */
const createTestCompliance = (screeningPool = pool) =>
  createCompliance({ pool: screeningPool, now: () => at, log: { error: () => {} }, areListsRequired: false })

/** Returns the UK list with the rows of one entry changed, or removed if `change` returns undefined. */
function buildList(change: (line: string) => string | undefined = (line) => line): ListFile[] {
  const { name, bytes } = publishedFile('uk.csv')
  const lines = new TextDecoder().decode(bytes).split('\n')
  const changedLines = lines.flatMap((line) => (line.includes('TST0003') ? (change(line) ?? []) : [line]))
  return [{ name, bytes: new TextEncoder().encode(changedLines.join('\n')) }]
}

const person = { names: ['Tamsin Oyelaran-Voss'] }

test('an import takes effect at once in all processes, as does a removal', async () => {
  const [firstProcess, secondProcess] = [createTestCompliance(), createTestCompliance()]
  expect((await firstProcess.screen(pool, person)).matches).toEqual([])
  await secondProcess.importLists(buildList())
  expect((await firstProcess.screen(pool, person)).matches).toMatchObject([{ reference: 'TST0003', tier: 'hold' }])
  await secondProcess.importLists(
    buildList(() => undefined),
    true,
  )
  expect((await firstProcess.screen(pool, person)).matches).toEqual([])
})

test('concurrent transactions that read the names all find them', async () => {
  const { importLists, screen } = createTestCompliance()
  await importLists(buildList())
  const results = await Promise.all(
    Array.from({ length: 30 }, () => transact(pool, async (tx) => (await screen(tx, person)).matches.length)),
  )
  expect(results).toEqual(Array.from({ length: 30 }, () => 1))
})

test('a list that changes while it is searched is searched again', async () => {
  const { importLists, screen } = createTestCompliance()
  await importLists(buildList())
  let changeCount = 0
  const dbAfterRead: Db = {
    query: (async (query: pg.QueryConfig) => {
      if (query.name === 'screening_found_names' && changeCount < 2) {
        changeCount += 1
        await importLists(
          buildList((line) => line.replaceAll('OYELARAN', `OYELARAN${'N'.repeat(changeCount)}`)),
          true,
        )
      }
      return pool.query(query)
    }) as pg.Pool['query'],
  }
  expect((await screen(dbAfterRead, person)).matches).toMatchObject([{ reference: 'TST0003', listVersion: 3 }])
  expect(changeCount).toBe(2)
})

test('screening fails while the lists in force cannot be read', async () => {
  const closedPool = connect(database.applicationUrl)
  const { importLists, screen } = createTestCompliance(closedPool)
  await importLists(buildList())
  expect((await screen(closedPool, person)).matches).toHaveLength(1)
  await closedPool.end()
  await expect(screen(closedPool, person)).rejects.toThrow(/pool/)
})
