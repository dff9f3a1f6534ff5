import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { seedDemo } from './demo.ts'

let world: TestApp

beforeAll(async () => {
  world = await startTestApp()
})

afterAll(() => world.close())

async function countRows(table: string): Promise<bigint> {
  const { rows } = await world.database.pool.query<{ many: bigint }>(`select count(*) as many from ${table}`)
  return rows[0]?.many ?? 0n
}

const loadCounts = async () => [
  await countRows('ledger.posting'),
  await countRows('payment'),
  await countRows('app_user'),
]

test('an interrupted start completes the history without duplicates', { timeout: 600_000 }, async () => {
  const seedProduct = () => seedDemo(world.app.product, world.sandboxUrl, world.app.http.log)
  await seedProduct()
  const countsBefore = await loadCounts()
  expect(countsBefore[0]).toBeGreaterThan(20n)
  // Simulates an interruption before the last statement.
  await world.database.pool.query('update demo_seed set finished_at = null')
  await seedProduct()
  expect(await loadCounts()).toEqual(countsBefore)
  expect(await loadFailedChecks(world)).toEqual([])
})
