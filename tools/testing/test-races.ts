// For tests of races: makes transactions meet at one moment.

import { expect, onTestFinished } from 'vitest'
import type { TestDatabase } from './test-database.ts'

/** Keeps transactions from writing to a table until they are let go, all at one moment. */
export async function holdWriters({ pool }: Pick<TestDatabase, 'pool'>, table: string) {
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
  // Where the test fails before it lets go, the database could not close.
  onTestFinished(letGo)
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return {
    /** Waits until so many wait, for the table or for one another. */
    untilWaiting: (count: number) =>
      expect
        .poll(async () => (await pool.query(waiting)).rowCount, { interval: 5, timeout: 120_000 })
        .toBeGreaterThanOrEqual(count),
    letGo,
  }
}
