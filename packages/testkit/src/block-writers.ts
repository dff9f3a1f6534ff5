// For tests of races: makes transactions run at the same moment.

import { expect, onTestFinished } from 'vitest'
import type { TestDatabase } from './database.ts'

/** Blocks writers of a table until they are released, all at one moment. */
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
  // If the test fails before releasing them, the database could not close.
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
