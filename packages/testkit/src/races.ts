// For tests of races: makes transactions run at the same moment.

import { expect, onTestFinished } from 'vitest'
import type { TestDatabase } from './database.ts'

/** Blocks writers of a table until they are released, all at one moment. */
export async function blockWriters({ pool }: Pick<TestDatabase, 'pool'>, table: string) {
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query(`lock table ${table} in share mode`)
  let isHolding = true
  const letGo = async () => {
    if (!isHolding) return
    isHolding = false
    await holder.query('commit')
    holder.release()
  }
  // If the test fails before releasing them, the database could not close.
  onTestFinished(letGo)
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return {
    /** Waits until `count` transactions wait for a lock. */
    untilWaiting: (count: number) =>
      expect
        .poll(async () => (await pool.query(waiting)).rowCount, { interval: 5, timeout: 120_000 })
        .toBeGreaterThanOrEqual(count),
    letGo,
  }
}
