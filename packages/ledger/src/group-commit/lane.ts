import { AssertionError } from 'node:assert'
import pg from 'pg'
import { stripedKinds } from '../chart.ts'
import { sqlStateOf } from '../ledger.ts'
import type { Stripes } from '../movement.ts'

// A posting connection with its own stripe of each system account, so that lanes never contend there.

/** A connection with its stripe accounts. */
interface LaneConnection {
  readonly client: pg.Client
  readonly stripes: Stripes
}

const connectTimeoutMs = 5_000
/** Longer than any commit; then the batch is resent on a new connection. */
const answerTimeoutMs = 10_000
/** How long a batch waits for locked accounts before continuing without them. */
const lockTimeoutMs = 250
const stripesKnownMs = 60_000
const postersKnownMs = 1000
/** Further lanes share stripes. First lanes have odd ones, to count posters by. */
const stripeCount = 64
const stripeLock = 7_316_022

/** With more posters, each uses one lane: more would only make batches smaller. */
const postersWithLanes = 2

const noStripes: Stripes = new Map()

export type Lanes = ReturnType<typeof createLanes>

/** Up to `most` lanes, each connected on first use. */
export function createLanes(connectionString: string, most: number) {
  const first = createLane(connectionString, true)
  const all = [first, ...Array.from({ length: most - 1 }, () => createLane(connectionString, false))]
  return {
    /** Lanes usable now; always the first. */
    usable(): readonly Lane[] {
      const posters = first.posterCount()
      return posters > 0 && posters <= postersWithLanes ? all : [first]
    },
    /** Whether no other poster is known on the database. */
    isAlone: () => first.posterCount() === 1,
    async end(): Promise<void> {
      await Promise.all(all.map((lane) => lane.end()))
    },
  }
}

export type Lane = ReturnType<typeof createLane>

/** One lane. A poster's first lane counts the posters. */
function createLane(connectionString: string, isFirst: boolean) {
  let current: (LaneConnection & { readonly stripe: number; readonly loadedAt: number }) | undefined
  let posters = { count: 0, countedAt: Number.NEGATIVE_INFINITY }

  /** Drops the connection; `connect` opens another. */
  function drop(): void {
    void current?.client.end().catch(() => {})
    current = undefined
  }

  async function open(): Promise<pg.Client> {
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
    await client.connect()
    return client
  }

  return {
    /** The connection, reopened after `drop`. */
    async connect(): Promise<LaneConnection> {
      const now = performance.now()
      const isCounted = !isFirst || now - posters.countedAt < postersKnownMs
      if (current && isCounted && now - current.loadedAt < stripesKnownMs) return current
      const client = current?.client ?? (await open())
      try {
        // A plan cached while tables were small must not scan them once large.
        if (!current) await client.query(`set enable_seqscan = off; set lock_timeout = ${lockTimeoutMs}`)
        const stripe = current?.stripe ?? (await claimStripe(client, isFirst))
        if (isFirst) posters = { count: await countPosters(client), countedAt: now }
        if (current && now - current.loadedAt < stripesKnownMs) return current
        // Accounts opened since have no stripe yet and are posted to directly.
        current = { client, stripe, stripes: await openStripes(client, stripe), loadedAt: performance.now() }
        return current
      } catch (error) {
        current = undefined
        void client.end().catch(() => {})
        throw error
      }
    },
    /** The current connection's stripes; none before the first. */
    stripes: () => current?.stripes ?? noStripes,
    /** Posters on the database a second ago, including this; 0 before connecting. */
    posterCount: () => posters.count,
    drop,
    async end(): Promise<void> {
      await current?.client.end()
      current = undefined
    },
  }
}

/** Claims the first free stripe until the connection ends. */
async function claimStripe(client: pg.Client, isFirst: boolean): Promise<number> {
  const { rows } = await client.query<{ stripe: number }>(
    `select stripe from generate_series($2::int, $3, 2) as stripe where pg_try_advisory_lock($1, stripe) limit 1`,
    [stripeLock, isFirst ? 1 : 2, stripeCount],
  )
  return rows[0]?.stripe ?? 1 + (process.pid % stripeCount)
}

/** Counts the posters, up to the number of stripes. */
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

// Deadlock, serialization failure, or an id or token that another process just wrote.
const conflictStates: ReadonlySet<string> = new Set(['40P01', '40001', '23505'])

export const isConflict = (error: unknown): boolean => conflictStates.has(sqlStateOf(error) ?? '')

export const isLockTimeout = (error: unknown): boolean => sqlStateOf(error) === '55P03'

/** No SQLSTATE: the network failed; 08 and 57P: the server is shutting down, gone or not ready. */
export function isConnectionLoss(error: unknown): boolean {
  const state = sqlStateOf(error)
  const isBug = error instanceof AssertionError || error instanceof TypeError || error instanceof RangeError
  return state === undefined ? error instanceof Error && !isBug : /^(08|57P0[1235]|53300)/.test(state)
}
