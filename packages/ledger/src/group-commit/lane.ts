import assert from 'node:assert'
import pg from 'pg'
import { stripedKinds } from '../chart.ts'
import type { Stripes } from '../movement.ts'
import { refuseUnreplicated } from '../replication.ts'
import { awaitDisk, endFrozenTurns, claimTurn, type Turn } from './turn.ts'

// Posting connections, each with its own stripe of the striped system accounts, so that lanes do not contend for them.

interface LaneConnection {
  readonly client: pg.Client
  readonly stripes: Stripes
  readonly server: ServerRun
}

/** Time between a start and the end of a database server, as one connection sees it. */
export interface ServerRun {
  /** Start of the server: another one after a restart, and after a failover. */
  readonly startedAt: string
  /** When the connection was opened (`performance.now()`); it would not have survived a crash of the server. */
  readonly connectedAt: number
}

const connectTimeoutMs = 5_000
/** Longer than any commit; after this the batch is resent on a new connection. */
const answerTimeoutMs = 10_000
/** Maximum time for which a batch waits for locked accounts; then it is resent without waiting. */
const lockTimeoutMs = 250
const stripesKnownMs = 60_000
const postersKnownMs = 1000
/**
 * Number of stripes; further lanes share them. Each poster's first lane locks an odd stripe, so locked odd stripes
 * count the posters.
 */
const stripeCount = 64
const stripeLock = 7_316_022

/**
 * Number of posters up to which no turns are needed. With more, each poster uses one lane, since more would only make
 * batches smaller.
 */
const postersWithoutTurns = 2
/** Time for which batches are posted without turns after a lane failed to get one. */
const turnsPauseMs = 5000

const noStripes: Stripes = new Map()

export type Lanes = ReturnType<typeof createLanes>

/** Creates `most` lanes and a spare connection, each connected on first use. */
export function createLanes(connectionString: string, most: number) {
  const first = createLane(connectionString, true)
  const all = [first, ...Array.from({ length: most - 1 }, () => createLane(connectionString, false))]
  // Spare connection for waiting for the disk while the lanes commit.
  const spare = createLane(connectionString, false)
  let turnsPauseUntil = 0
  const needsTurns = () => first.posterCount() > postersWithoutTurns
  const takesTurns = () => needsTurns() && performance.now() >= turnsPauseUntil
  const disk = createDisk([...all.slice(1), spare])
  return {
    /** Returns the lanes usable now; always includes the first. */
    usable(): readonly Lane[] {
      return first.posterCount() > 0 && !needsTurns() ? all : [first]
    },
    /** Returns whether this is the only poster known on the database. */
    isAlone: () => first.posterCount() === 1,
    takesTurns,
    disk,
    /** Claims a turn for the lane; undefined if the lane should post without one. */
    async claimTurn(lane: Lane): Promise<Turn | undefined> {
      try {
        const [{ client }] = await Promise.all([lane.connect(), disk.connect()])
        const turn = await claimTurn(client)
        if (turn || (await endFrozenTurns(client))) return turn
      } catch {
        // Sending the batch reports the cause.
        lane.drop()
      }
      turnsPauseUntil = performance.now() + turnsPauseMs
      return undefined
    },
    async end(): Promise<void> {
      await Promise.all([...all, spare].map((lane) => lane.end()))
    },
  }
}

export type Lane = ReturnType<typeof createLane>

/** A poster's first lane counts the posters. */
function createLane(connectionString: string, isFirst: boolean) {
  let current: (LaneConnection & { readonly stripe: number; readonly loadedAt: number }) | undefined
  let preparing: Promise<LaneConnection> | undefined
  let posters = { count: 0, countedAt: Number.NEGATIVE_INFINITY }

  /** Drops the connection; `connect` opens another. */
  function drop(): void {
    void current?.client.end().catch(() => {})
    current = undefined
  }

  async function open(): Promise<{ client: pg.Client; server: ServerRun }> {
    const client = new pg.Client({
      connectionString,
      application_name: 'tern poster',
      keepAlive: true,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: answerTimeoutMs,
    })
    client.on('error', () => {
      if (current?.client === client) drop()
    })
    refuseUnreplicated(client)
    await client.connect()
    const connectedAt = performance.now()
    // Forbids sequential scans in plans cached while tables are small.
    const { rows } = await client.query<{ started_at: string }>(
      `select set_config('enable_seqscan', 'off', false), set_config('lock_timeout', $1, false),
         extract(epoch from pg_postmaster_start_time())::text as started_at`,
      [String(lockTimeoutMs)],
    )
    return { client, server: { startedAt: rows[0]?.started_at ?? '', connectedAt } }
  }

  async function prepare(): Promise<LaneConnection> {
    const now = performance.now()
    const isCounted = !isFirst || now - posters.countedAt < postersKnownMs
    if (current && isCounted && now - current.loadedAt < stripesKnownMs) return current
    const { client, server } = current ?? (await open())
    try {
      const stripe = current?.stripe ?? (await claimStripe(client, isFirst))
      if (isFirst) posters = { count: await countPosters(client), countedAt: now }
      if (current && now - current.loadedAt < stripesKnownMs) return current
      // Accounts opened later have no stripe yet and are posted to directly.
      current = { client, server, stripe, stripes: await openStripes(client, stripe), loadedAt: performance.now() }
      return current
    } catch (error) {
      current = undefined
      void client.end().catch(() => {})
      throw error
    }
  }

  return {
    /** Returns the connection, reopened after `drop`. */
    connect(): Promise<LaneConnection> {
      preparing ??= prepare().finally(() => (preparing = undefined))
      return preparing
    },
    /** Returns the current connection's stripes; empty before the first connection. */
    stripes: () => current?.stripes ?? noStripes,
    /** Returns the number of posters on the database, this one included, as last counted; 0 before connecting. */
    posterCount: () => posters.count,
    drop,
    async end(): Promise<void> {
      await current?.client.end()
      current = undefined
    },
  }
}

export type Disk = ReturnType<typeof createDisk>

/** Waits until commits made without waiting for the disk are durable, on connections other than the first lane's. */
function createDisk(lanes: readonly Lane[]) {
  const idle = [...lanes]
  const running = new Set<Promise<ServerRun | undefined>>()
  let next: Promise<ServerRun | undefined> | undefined

  async function confirmOn(lane: Lane): Promise<ServerRun | undefined> {
    try {
      const { client, server } = await lane.connect()
      await awaitDisk(client)
      return server
    } catch {
      lane.drop()
      return undefined
    } finally {
      idle.push(lane)
    }
  }

  function start(): Promise<ServerRun | undefined> {
    next = undefined
    const lane = idle.pop()
    assert(lane, 'a write begins on an idle connection')
    const started = confirmOn(lane).finally(() => running.delete(started))
    running.add(started)
    return started
  }

  return {
    /** Connects, so that the first confirmation can prove something. */
    async connect(): Promise<void> {
      // A lane that cannot connect fails when it is used.
      await Promise.all(idle.map((lane) => lane.connect())).catch(() => {})
    },
    /**
     * Returns the server on which everything committed before the call is durable; undefined if unknown. That covers
     * a commit on the same server, sent after this connection was opened: no crash or failover came in between.
     */
    confirm(): Promise<ServerRun | undefined> {
      if (next) return next
      if (idle.length > 0) return start()
      // A running confirmation may have begun before the caller's commit.
      next = Promise.race(running).then(start)
      return next
    },
  }
}

/**
 * Claims a free stripe until the connection ends: an odd one for a poster's first lane, otherwise an even one. Returns
 * a shared stripe if none is free.
 */
async function claimStripe(client: pg.Client, isFirst: boolean): Promise<number> {
  const { rows } = await client.query<{ stripe: number }>(
    `select stripe from generate_series($2::int, $3, 2) as stripe where pg_try_advisory_lock($1, stripe) limit 1`,
    [stripeLock, isFirst ? 1 : 2, stripeCount],
  )
  return rows[0]?.stripe ?? 1 + (process.pid % stripeCount)
}

/** Counts the posters, at most one per odd stripe. */
async function countPosters(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_locks
      where locktype = 'advisory' and classid = $1 and objid::int8 % 2 = 1 and granted
        and database = (select oid from pg_database where datname = current_database())`,
    [stripeLock],
  )
  return rows[0]?.count ?? 1
}

async function openStripes(client: pg.Client, stripe: number): Promise<Stripes> {
  const { rows } = await client.query<{ base: string | bigint; id: string | bigint }>(
    'select base, id from ledger.open_stripes($1, $2)',
    [stripe, stripedKinds],
  )
  return new Map(rows.map(({ base, id }) => [BigInt(base), BigInt(id)]))
}
