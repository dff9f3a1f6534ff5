// The whole stack: the application with its sandbox in this process, and crowds of people who use it.

import { startTestApp, type TestApp } from '../../tools/testing/test-app.ts'
import { raiseLimits } from '../../tools/testing/test-people.ts'
import { openProcessorClock, type ProcessorClock } from '../costs/processor-time.ts'
import { noteFunding, requireSoundBooks } from '../movements/sound-books.ts'
import { createCrowd, enrollModels, type Member, type Models } from './crowd.ts'

export interface Stack {
  readonly app: TestApp
  readonly clock: ProcessorClock
  readonly models: Models
  /** Crowds by the number of their people. */
  readonly crowds: ReadonlyMap<number, readonly Member[]>
  /** Throws unless the books are sound; then ends everything. */
  close(): Promise<void>
}

/** Known payees of each person in either kind of send; all others of a small crowd. */
const payeesIn = (size: number): number => (size <= 100 ? size : 1)

/** Starts the application over a copy of the migrated database `template`, with a crowd of each of the sizes. */
export async function startStack(serverUrl: string, template: string, sizes: readonly number[]): Promise<Stack> {
  process.env.TEST_DATABASE_URL = serverUrl
  process.env.TEST_DATABASE_TEMPLATE = template
  // Rights are checked either way; the owner needs no grants.
  process.env.TEST_APPLICATION_URL = serverUrl
  const app = await startTestApp({ unproven: 'any' })
  const { pool, url } = app.database
  await raiseLimits(pool)
  await pool.query('update liquidity_default set usd_minor = 100000000000')
  const models = await enrollModels(app)
  const crowds = new Map<number, Member[]>()
  for (const size of sizes) {
    const began = performance.now()
    crowds.set(size, await createCrowd(app, models, { size, mostPayees: payeesIn(size) }))
    console.log(`prepared ${size} people in ${((performance.now() - began) / 1000).toFixed(1)} s`)
  }
  // As autovacuum does within a minute of work.
  await pool.query('analyze')
  const clock = await openProcessorClock(url)
  return {
    app,
    clock,
    models,
    crowds,
    async close() {
      await clock.close()
      await noteFunding(pool)
      await requireSoundBooks(pool)
      await app.close()
    },
  }
}
