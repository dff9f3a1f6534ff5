// Stack under test: application and sandbox in this process, with crowds of people.

import { startTestApp, type TestApp } from '@tern/testkit/app'
import { raiseLimits } from '@tern/testkit/people'
import { openProcessorClock, type ProcessorClock } from '../costs/processor-time.ts'
import { noteFunding, requireSoundBooks } from '../movements/sound-books.ts'
import { createCrowd, enrollModels, type Member, type ModelIds } from './crowd.ts'

export interface Stack {
  readonly app: TestApp
  readonly clock: ProcessorClock
  readonly models: ModelIds
  /** Crowds by size. */
  readonly crowds: ReadonlyMap<number, readonly Member[]>
  /** Throws unless the books are sound; then stops everything. */
  close(): Promise<void>
}

/** Returns the number of known payees per person and kind of send; in a small crowd, all other people. */
const choosePayeeCount = (size: number): number => (size <= 100 ? size : 1)

/** Starts the application on a copy of the migrated database `template`, with one crowd of each size. */
export async function startStack(serverUrl: string, template: string, sizes: readonly number[]): Promise<Stack> {
  process.env.TEST_DATABASE_URL = serverUrl
  process.env.TEST_DATABASE_TEMPLATE = template
  // Connects as the owner, which needs no grants; PostgreSQL checks privileges either way.
  process.env.TEST_APPLICATION_URL = serverUrl
  const app = await startTestApp({ unconfirmedPayments: 'any' })
  const { pool, url } = app.database
  await raiseLimits(pool)
  await pool.query('update liquidity_default set usd_minor = 100000000000')
  const models = await enrollModels(app)
  const crowds = new Map<number, Member[]>()
  for (const size of sizes) {
    const startedAt = performance.now()
    crowds.set(size, await createCrowd(app, models, { size, maxPayees: choosePayeeCount(size) }))
    console.log(`prepared ${size} people in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  }
  // Updates the planner's statistics at once; autovacuum would take a minute.
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
