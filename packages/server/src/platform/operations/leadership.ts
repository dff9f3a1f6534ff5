import type pg from 'pg'
import { onlyRow } from '../database/db.ts'
import type { DatabaseWatch } from '../database/database-watch.ts'

/** A leader that is no longer scraped makes room for another process after this. */
const unscrapedMs = 5 * 60_000

interface LeadershipOptions {
  readonly pool: pg.Pool
  readonly databaseWatch: Pick<DatabaseWatch, 'whileThere'>
  readonly releaseAfterMs?: number
}

/**
 * Elects the process that serves the gauges of the installation: the first one scraped takes an advisory lock on a
 * connection that it keeps. If it ends, loses the connection or is not scraped any more, the next one scraped leads.
 */
export function createLeadership({ pool, databaseWatch, releaseAfterMs = unscrapedMs }: LeadershipOptions) {
  let client: pg.PoolClient | undefined
  let election: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function release(): void {
    clearTimeout(timer)
    // Closing the connection releases the lock.
    client?.release(true)
    client = undefined
  }

  async function elect(): Promise<boolean> {
    const candidate = await pool.connect()
    try {
      const { rows } = await candidate.query<{ leads: boolean }>(
        `select pg_try_advisory_lock(hashtextextended('tern gauges', 0)) as leads`,
      )
      if (!onlyRow(rows).leads || isClosed) {
        candidate.release(isClosed)
        return false
      }
    } catch (error) {
      candidate.release(true)
      throw error
    }
    client = candidate
    candidate.once('end', () => {
      if (client === candidate) release()
    })
    return true
  }

  return {
    /** Returns whether this process leads; false while the database is unavailable. Called by each scrape. */
    async leads(): Promise<boolean> {
      clearTimeout(timer)
      timer = setTimeout(release, releaseAfterMs).unref()
      if (client) return true
      election ??= databaseWatch
        .whileThere(elect)
        .catch(() => false)
        .finally(() => (election = undefined))
      return election
    },
    async close(): Promise<void> {
      isClosed = true
      await election
      release()
    },
  }
}

export type Leadership = ReturnType<typeof createLeadership>
