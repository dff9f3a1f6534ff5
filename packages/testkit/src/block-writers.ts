// For tests of races: lets transactions continue at the same moment.

import { expect, onTestFinished } from 'vitest'
import type { TestDatabase } from './database.ts'

/** Locks a table against writes, until all waiting writers are released at the same moment. */
export async function blockWriters({ pool }: Pick<TestDatabase, 'pool'>, table: string) {
  const lockClient = await pool.connect()
  await lockClient.query('begin')
  await lockClient.query(`lock table ${table} in share mode`)
  let isLocked = true
  const release = async () => {
    if (!isLocked) return
    isLocked = false
    await lockClient.query('commit')
    lockClient.release()
  }
  // A test that fails before the release could not close its database otherwise.
  onTestFinished(release)
  const waitingSql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return {
    /** Waits until `count` transactions wait for a lock. */
    waitForWaiters: (count: number) =>
      expect
        .poll(async () => (await pool.query(waitingSql)).rowCount, { interval: 5, timeout: 120_000 })
        .toBeGreaterThanOrEqual(count),
    release,
  }
}
