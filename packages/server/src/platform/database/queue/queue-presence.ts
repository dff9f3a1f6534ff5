import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

// Presence of job queue pools: each pool holds an advisory lock on a connection of its process. The server releases the
// lock when the process dies, and keeps it while the process is slow or frozen. No clocks are involved.

const retryMs = 500

/** SQL condition: the lock of pool `id` (an SQL expression) is free. Takes the lock until the transaction ends. */
const isFreeSql = (id: string) => `pg_try_advisory_xact_lock(hashtextextended('job pool ' || ${id}, 0))`

export interface Presence {
  add(id: string): void
  remove(id: string): void
}

const lockSql = (name: 'pg_advisory_lock_shared' | 'pg_advisory_unlock_shared') =>
  `select ${name}(hashtextextended('job pool ' || $1, 0))`

/** Holds the locks on one connection while there are any, and takes them again after a connection loss. */
function createPresence(pool: pg.Pool): Presence {
  const ids = new Set<string>()
  let client: pg.PoolClient | undefined
  let isOpening = false
  let lastStatement: Promise<unknown> = Promise.resolve()

  async function open(): Promise<void> {
    if (isOpening) return
    isOpening = true
    while (client === undefined && ids.size > 0 && !pool.ending) {
      const opened = await pool.connect().catch(() => undefined)
      try {
        opened?.once('error', () => handleLostClient(opened))
        // Detects a dead host within half a minute.
        await opened?.query(
          'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3',
        )
        for (const id of ids) await opened?.query(lockSql('pg_advisory_lock_shared'), [id])
        client = opened
      } catch {
        opened?.release(true)
      }
      if (client === undefined) await delay(retryMs, undefined, { ref: false })
    }
    isOpening = false
    if (ids.size === 0) close()
  }

  function handleLostClient(lost: pg.PoolClient): void {
    if (client !== lost) return
    close()
    void open()
  }

  function close(): void {
    const last = client
    client = undefined
    last?.release(true)
  }

  /** Sends a statement after earlier ones. A failure means that the connection is lost. */
  function send(name: Parameters<typeof lockSql>[0], id: string): void {
    const releasedClient = client
    if (releasedClient)
      lastStatement = lastStatement
        .then(() => releasedClient.query(lockSql(name), [id]))
        .catch(() => handleLostClient(releasedClient))
  }

  return {
    add(id) {
      ids.add(id)
      if (client === undefined) void open()
      else send('pg_advisory_lock_shared', id)
    },
    remove(id) {
      ids.delete(id)
      if (ids.size === 0) close()
      else send('pg_advisory_unlock_shared', id)
    },
  }
}

const presences = new WeakMap<pg.Pool, Presence>()

/** Returns the presence shared by all runners over these connections. */
export function sharedPresence(pool: pg.Pool): Presence {
  const presence = presences.get(pool) ?? createPresence(pool)
  presences.set(pool, presence)
  return presence
}

/**
 * Number of consecutive missed checks after which a pool counts as dead. A process that only lost its connection takes
 * its locks again before that.
 */
const maxMissedChecks = 3

/**
 * Frees the jobs of pools that died; returns these pools. `missing`, which the caller keeps between checks, counts the
 * consecutive checks at which each pool was missing.
 */
export async function freeLostJobs(pool: pg.Pool, missing: Map<string, number>): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from (select distinct locked_by as id from graphile_worker._private_jobs where locked_by is not null) pools
      where ${isFreeSql('id')}`,
  )
  const missingIds = new Set(rows.map(({ id }) => id))
  for (const id of missing.keys()) if (!missingIds.has(id)) missing.delete(id)
  for (const id of missingIds) missing.set(id, (missing.get(id) ?? 0) + 1)
  const dead = [...missing].filter(([, missedChecks]) => missedChecks >= maxMissedChecks).map(([id]) => id)
  if (dead.length === 0) return []
  await pool.query(
    `select graphile_worker.force_unlock_workers(array(select id from unnest($1::text[]) id where ${isFreeSql('id')}))`,
    [dead],
  )
  return dead
}
