import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type pg from 'pg'
import { requiredFiles, createUnFile } from '@tern/testkit/compliance/lists'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { connect } from '../../../../platform/database/db.ts'
import { createCompliance } from '../../compliance.ts'

const hourMs = 3_600_000
const startedAt = new Date('2026-11-20T09:00:00Z')
const log = { error: () => {} }

let database: TestDatabase
let pool: pg.Pool
let now = startedAt

beforeAll(async () => {
  database = await createTestDatabase()
  pool = connect(database.applicationUrl)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(async () => {
  now = startedAt
  await database.pool.query(
    'truncate screening_match, screening_name, screening_entry, screening_list, screening_epoch',
  )
  await database.pool.query(`update screening_policy set is_required = source in ('ofac_sdn', 'un', 'eu', 'uk')`)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const createComplianceWith = (areListsRequired: boolean) =>
  createCompliance({ pool, now: () => now, log, areListsRequired })
const hoursAfterStart = (hours: number) => new Date(startedAt.getTime() + hours * hourMs)

test('lists that were never imported hold all payments, but only where they are required', async () => {
  const { lists } = createComplianceWith(true)
  expect(await lists.tooOld()).toEqual(expect.arrayContaining(['ofac_sdn', 'un', 'eu', 'uk']))
  expect(await lists.hold(pool, [1n])).toBe(true)
  const sandbox = createComplianceWith(false).lists
  const querySpy = vi.spyOn(pool, 'query')
  expect([await sandbox.areTooOld(pool), await sandbox.hold(pool, [1n]), await sandbox.tooOld()]).toEqual([
    false,
    false,
    [],
  ])
  expect(querySpy).not.toHaveBeenCalled()
})

test('lists hold no payments once all required ones are imported, regardless of the others', async () => {
  const { lists, importLists } = createComplianceWith(true)
  const files = requiredFiles()
  await importLists(files.slice(0, 3))
  expect(await lists.tooOld()).toEqual(expect.arrayContaining(['eu', 'uk']))
  expect(await lists.areTooOld(pool)).toBe(true)
  await importLists(files.slice(3))
  expect(await lists.areTooOld(pool)).toBe(false)
})

test('fresh lists need no query, and go stale by the clock alone', async () => {
  const { lists, importLists } = createComplianceWith(true)
  await importLists(requiredFiles())
  expect(await lists.hold(pool, [1n])).toBe(false)
  const querySpy = vi.spyOn(pool, 'query')
  for (let sendIndex = 0; sendIndex < 20; sendIndex += 1) expect(await lists.hold(pool, [1n])).toBe(false)
  now = hoursAfterStart(48)
  expect(await lists.hold(pool, [1n])).toBe(false)
  expect(querySpy).not.toHaveBeenCalled()
  now = new Date(hoursAfterStart(48).getTime() + 1)
  expect(await lists.hold(pool, [1n])).toBe(true)
})

test('an unreachable database makes the gate fail, never open', async () => {
  const { lists, importLists } = createComplianceWith(true)
  await importLists(requiredFiles())
  expect(await lists.areTooOld(pool)).toBe(false)
  vi.spyOn(pool, 'query').mockImplementation(() => {
    throw new Error('away')
  })
  now = hoursAfterStart(49)
  await expect(lists.areTooOld(pool)).rejects.toThrow('away')
  now = startedAt
  const realNow = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + 31_000)
  await expect(lists.areTooOld(pool)).rejects.toThrow('away')
})

test('imports by another process and changed limits are noticed', async () => {
  const { lists, importLists } = createComplianceWith(true)
  await importLists(requiredFiles())
  expect(await lists.areTooOld(pool)).toBe(false)
  now = hoursAfterStart(49)
  expect(await lists.areTooOld(pool)).toBe(true)
  await createComplianceWith(true).importLists(requiredFiles())
  expect(await lists.areTooOld(pool), 'the same files, given to another process').toBe(false)
  await database.pool.query(`update screening_policy set is_required = true where source = 'pep'`)
  const realNow = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + 31_000)
  expect(await lists.tooOld()).toEqual(['pep'])
})

test('after a period without fresh lists each person waits until screened, but not after an ordinary import', async () => {
  const { lists, importLists, screenDue } = createComplianceWith(true)
  const first = 1_000_000_101n
  const second = 1_000_000_102n
  await database.pool.query(
    `insert into app_user (id, email, username, created_at)
       select id, id || '@example.com', 'gate' || id, now() from unnest($1::bigint[]) as id`,
    [[first, second]],
  )
  await database.pool.query(
    `insert into screening_person (user_id) values ($1), ($2)
       on conflict (user_id) do update set screened_epoch = 0, screened_at = null`,
    [first, second],
  )
  await importLists(requiredFiles())
  expect(await lists.areTooOld(pool), 'verification screens by itself').toBe(false)
  expect([await lists.hold(pool, [first]), await lists.hold(pool, [second])]).toEqual([true, true])
  await screenDue()
  expect(await lists.hold(pool, [first, second])).toBe(false)
  now = hoursAfterStart(1)
  await importLists([createUnFile(Array.from({ length: 12 }, (_, index) => `NEW${index}`))], true)
  expect(await lists.hold(pool, [first, second]), 'lists were fresh all the time').toBe(false)
})
