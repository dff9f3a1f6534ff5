import { AssertionError } from 'node:assert'
import pg from 'pg'
import { stripedKinds } from '../chart.ts'
import { sqlStateOf } from '../ledger.ts'
import type { Stripes } from '../movement.ts'

// One connection that posts. It has a stripe of every system account for itself, so that no two lanes, in whatever
// process, wait for each other where all movements meet.

/** A connection, with the accounts that stand in for the system's on it. */
export interface LaneConnection {
  readonly client: pg.Client
  readonly stripes: Stripes
}

export interface Lane {
  /** The connection, made anew after `drop`. */
  connect(): Promise<LaneConnection>
  /** The stripes of the connection that is there; none before the first. */
  stripes(): Stripes
  /** How many posters the database had a second ago, this one among them; 0 before the first connection. */
  posterCount(): number
  /** Forgets the connection; the next `connect` makes a new one. */
  drop(): void
  end(): Promise<void>
}

/** The lanes of one poster. */
export interface Lanes {
  /** Those that may be used now; the first one always. */
  usable(): readonly Lane[]
  /** Whether no other poster is known on this database. */
  isAlone(): boolean
  end(): Promise<void>
}

const connectTimeoutMs = 5_000
/** Longer than any commit should take; after that the connection is given up, and the batch is sent again. */
const answerTimeoutMs = 10_000
/** How long a batch waits for accounts that somebody else has locked, before it goes on without those who need them. */
const lockTimeoutMs = 250
const stripesKnownMs = 60_000
const postersKnownMs = 1000
/** More lanes than this share stripes. The first lanes of posters have the odd ones, so that posters can be counted. */
const stripeCount = 64
const stripeLock = 7_316_022

/** With more posters on the database each keeps to one lane: more lanes would only make the batches smaller. */
const postersWithLanes = 2

const noStripes: Stripes = new Map()

/** At most `most` lanes to the database at `connectionString`. Nothing is connected before it is needed. */
export function createLanes(connectionString: string, most: number): Lanes {
  const first = createLane(connectionString, true)
  const all = [first, ...Array.from({ length: most - 1 }, () => createLane(connectionString, false))]
  return {
    usable() {
      const posters = first.posterCount()
      return posters > 0 && posters <= postersWithLanes ? all : [first]
    },
    isAlone: () => first.posterCount() === 1,
    async end() {
      await Promise.all(all.map((lane) => lane.end()))
    },
  }
}

/** One lane. The first one of a poster counts the posters. */
function createLane(connectionString: string, isFirst: boolean): Lane {
  let current: (LaneConnection & { readonly stripe: number; readonly loadedAt: number }) | undefined
  let posters = { count: 0, countedAt: Number.NEGATIVE_INFINITY }

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
    async connect() {
      const now = performance.now()
      const isCounted = !isFirst || now - posters.countedAt < postersKnownMs
      if (current && isCounted && now - current.loadedAt < stripesKnownMs) return current
      const client = current?.client ?? (await open())
      try {
        // A plan cached while tables were small must not scan them when they are large.
        if (!current) await client.query(`set enable_seqscan = off; set lock_timeout = ${lockTimeoutMs}`)
        const stripe = current?.stripe ?? (await claimStripe(client, isFirst))
        if (isFirst) posters = { count: await countPosters(client), countedAt: now }
        if (current && now - current.loadedAt < stripesKnownMs) return current
        // An account that was opened since the last time has no stripe yet, and is posted to itself.
        current = { client, stripe, stripes: await openStripes(client, stripe), loadedAt: performance.now() }
        return current
      } catch (error) {
        current = undefined
        void client.end().catch(() => {})
        throw error
      }
    },
    stripes: () => current?.stripes ?? noStripes,
    posterCount: () => posters.count,
    drop,
    async end() {
      await current?.client.end()
      current = undefined
    },
  }
}

/** The first stripe that no other connection has; it is given back when the connection ends. */
async function claimStripe(client: pg.Client, isFirst: boolean): Promise<number> {
  const { rows } = await client.query<{ stripe: number }>(
    `select stripe from generate_series($2::int, $3, 2) as stripe where pg_try_advisory_lock($1, stripe) limit 1`,
    [stripeLock, isFirst ? 1 : 2, stripeCount],
  )
  return rows[0]?.stripe ?? 1 + (process.pid % stripeCount)
}

/** How many posters the database has. More of them than stripes are counted as many as there are stripes. */
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

// Deadlock, serialization failure, and a unique id or token that another process wrote in the same moment.
const conflictStates: ReadonlySet<string> = new Set(['40P01', '40001', '23505'])

export const isConflict = (error: unknown): boolean => conflictStates.has(sqlStateOf(error) ?? '')

export const isLockTimeout = (error: unknown): boolean => sqlStateOf(error) === '55P03'

/** Without an SQLSTATE the network failed; classes 08 and 57P say that the server is going, gone or not yet there. */
export function isConnectionLoss(error: unknown): boolean {
  const state = sqlStateOf(error)
  const isBug = error instanceof AssertionError || error instanceof TypeError || error instanceof RangeError
  return state === undefined ? error instanceof Error && !isBug : /^(08|57P0[1235]|53300)/.test(state)
}
