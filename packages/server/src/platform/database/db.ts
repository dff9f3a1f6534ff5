import assert from 'node:assert'
import { LedgerError, ledgerErrorOf } from '@tern/ledger/ledger'
import pg from 'pg'

const { INT8, NUMERIC, DATE } = pg.types.builtins

// Money and identity numbers are bigint in the process; a numeric with a fraction would be a bug, and BigInt() throws on it.
pg.types.setTypeParser(INT8, BigInt)
pg.types.setTypeParser(NUMERIC, BigInt)
// A calendar date has no time zone: it stays the text that PostgreSQL wrote.
pg.types.setTypeParser(DATE, (text) => text)

/** Whoever waits longer for a free connection is told so, instead of waiting for good. */
const connectTimeoutMs = 10_000
const lockTimeoutMs = 5000
const idleInTransactionTimeoutMs = 10_000

declare const inTransaction: unique symbol

/** A connection inside an open transaction. Only `transact` makes one, so whoever asks for a Tx cannot write outside one. */
export type Tx = pg.PoolClient & { readonly [inTransaction]: true }

/** Anything that answers a query: the pool, for reading, or a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>

/** A pool of at most `max` connections to the database at `url`; `types` reads values otherwise than this process does. */
export function connect(url: string, max = 10, types?: pg.CustomTypesConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: 'tern',
    connectionTimeoutMillis: connectTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    // Our queries are short: compiling one takes longer than running it.
    options: '-c jit=off',
    ...(types ? { types } : {}),
  })
  // A connection that the server ends is not an error of ours: whoever uses it is told, and the pool makes a new one.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const callbacks = new WeakMap<object, (() => void)[]>()

/** Calls `callback` once the transaction has been committed, and never when it is rolled back. It must not throw. */
export function afterCommit(tx: Tx, callback: () => void): void {
  callbacks.get(tx)?.push(callback)
}

/**
 * Runs `work` in one transaction: commits when it returns, rolls back when it throws, and passes the error on.
 * The transaction handed to `work` must not be used after it has returned.
 */
export async function transact<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  const committed: (() => void)[] = []
  let broken: Error | undefined
  try {
    await client.query('begin')
    callbacks.set(client, committed)
    const result = await work(client as Tx)
    await client.query('commit')
    for (const callback of committed) callback()
    return result
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    callbacks.delete(client)
    client.release(broken)
  }
}

const triesAtConflict = 4

/** Runs `work` in a transaction, and again when another one was quicker (LedgerError `conflict`). */
export async function retryOnConflict<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await transact(pool, work)
    } catch (error) {
      const known = ledgerErrorOf(error)
      if (!(known instanceof LedgerError) || known.problem !== 'conflict' || tried === triesAtConflict) throw error
    }
  }
}

/** The only row of a result that must have exactly one. */
export function only<T>(rows: T[]): T {
  assert(rows.length === 1, `expected one row, got ${rows.length}`)
  return rows[0] as T
}
