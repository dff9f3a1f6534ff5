import assert from 'node:assert'
import { LedgerError, toLedgerError, readSqlState } from '@tern/ledger/ledger'
import { refuseUnreplicated } from '@tern/ledger/replication'
import pg from 'pg'
import { Refusal } from '../refuse.ts'

const { INT8, NUMERIC, DATE } = pg.types.builtins

// Money and user numbers are bigint; `BigInt` throws on fractions, which would be a bug.
pg.types.setTypeParser(INT8, BigInt)
pg.types.setTypeParser(NUMERIC, BigInt)
// A calendar date has no time zone, so PostgreSQL's text is kept.
pg.types.setTypeParser(DATE, (text) => text)

/** Calls fail after waiting this long for a free connection. */
const connectTimeoutMs = 10_000
/** Unused connections close after this. */
const defaultIdleMs = 10_000
const lockTimeoutMs = 5000
const idleInTransactionTimeoutMs = 10_000

declare const inTransaction: unique symbol

/**
 * Connection in an open transaction. Only `transact` creates one, so a function that requires a Tx cannot be called
 * outside a transaction.
 */
export type Tx = pg.PoolClient & { readonly [inTransaction]: true }

/** Pool or open transaction, for reading. */
export type Db = Pick<pg.Pool, 'query'>

interface ConnectOptions {
  /** Replaces this process's type parsers. */
  readonly types?: pg.CustomTypesConfig
  /** Key under which the database seals rows that this pool writes; see `rowSealKeys`. */
  readonly sealKey?: string
  /** Time after which an unused connection closes; 10 seconds by default. */
  readonly idleMs?: number | undefined
  /** Makes all transactions read-only, and ends statements after this time. */
  readonly readOnlyForMs?: number
  /** Time to wait for a connection; 10 seconds by default. */
  readonly connectMs?: number
  /** Checks a new connection, which is closed if this rejects. */
  readonly check?: (client: pg.ClientBase) => Promise<void>
}

export function connect(
  url: string,
  max = 10,
  { types, sealKey, idleMs = defaultIdleMs, readOnlyForMs, connectMs = connectTimeoutMs, check }: ConnectOptions = {},
): pg.Pool {
  const settings: Record<string, string> = {
    // Just-in-time compilation of short queries takes longer than running them.
    jit: 'off',
    lock_timeout: String(lockTimeoutMs),
    idle_in_transaction_session_timeout: String(idleInTransactionTimeoutMs),
    ...(sealKey === undefined ? {} : { 'tern.row_seal_key': sealKey }),
    ...(readOnlyForMs === undefined
      ? {}
      : { default_transaction_read_only: 'on', statement_timeout: String(readOnlyForMs) }),
  }
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: 'tern',
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: idleMs,
    // pgbouncer refuses settings that come with the connection itself.
    verify: (client, done) => client.query(buildSettingsQuery(settings, connectMs), (error) => done(error)),
    ...(types ? { types } : {}),
    ...(readOnlyForMs === undefined ? {} : { query_timeout: readOnlyForMs }),
    // Awaited by the pool, though its types do not say so.
    // oxlint-disable-next-line typescript/no-misused-promises
    ...(check ? { onConnect: check } : {}),
  })
  // The caller's query fails as well, and the pool replaces the connection.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    refuseUnreplicated(client)
  })
  return pool
}

function buildSettingsQuery(settings: Readonly<Record<string, string>>, timeoutMs: number) {
  return {
    text: 'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as setting(name, value)',
    values: [Object.keys(settings), Object.values(settings)],
    // Otherwise the statement would wait for a frozen server, and the pool with it.
    query_timeout: timeoutMs,
  }
}

const callbacks = new WeakMap<object, ((pool: pg.Pool) => void)[]>()

/** Calls `callback` with the transaction's pool after commit, never after rollback. `callback` must not throw. */
export function afterCommit(tx: Tx, callback: (pool: pg.Pool) => void): void {
  callbacks.get(tx)?.push(callback)
}

/** Returns whether a connection is in an open transaction, whose writes may still be rolled back. */
export const isTransaction = (db: Db): boolean => callbacks.has(db)

/** Calls `callback` once everything read through `db` is committed: at once, or after the commit of its transaction. */
export function runAfterCommit(db: Db, callback: () => void): void {
  const pendingCallbacks = callbacks.get(db)
  if (pendingCallbacks) pendingCallbacks.push(callback)
  else callback()
}

/** SQLSTATE that the database raises for a new row about a closed account. */
const closedAccountState = 'TU001'

/**
 * Runs `work` in a transaction: commits on return, rolls back and rethrows on errors. `work` must not keep a reference
 * to the transaction. `begin` may set isolation level and settings. Refuses `recipient_not_found` for a closed account.
 */
export async function transact<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>, begin = 'begin'): Promise<T> {
  const client = await pool.connect()
  const commitCallbacks: ((pool: pg.Pool) => void)[] = []
  let rollbackError: Error | undefined
  try {
    await client.query(begin)
    callbacks.set(client, commitCallbacks)
    const result = await work(client as Tx)
    await client.query('commit')
    for (const callback of commitCallbacks) callback(pool)
    return result
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      rollbackError = failure
    })
    throw readSqlState(error) === closedAccountState ? new Refusal('recipient_not_found') : error
  } finally {
    callbacks.delete(client)
    client.release(rollbackError)
  }
}

const maxConflictAttempts = 4

/** Runs `work` in a transaction, retrying on LedgerError `conflict`. `attemptNumber` counts from 1. */
export async function retryOnConflict<T>(
  pool: pg.Pool,
  work: (tx: Tx, attemptNumber: number) => Promise<T>,
): Promise<T> {
  for (let attemptNumber = 1; ; attemptNumber += 1) {
    try {
      return await transact(pool, (tx) => work(tx, attemptNumber))
    } catch (error) {
      const ledgerError = toLedgerError(error)
      if (
        !(ledgerError instanceof LedgerError) ||
        ledgerError.problem !== 'conflict' ||
        attemptNumber === maxConflictAttempts
      )
        throw error
    }
  }
}

/** Returns the only row of a result; throws unless there is exactly one. */
export function onlyRow<T>(rows: T[]): T {
  assert(rows.length === 1, `expected one row, got ${rows.length}`)
  return rows[0] as T
}

/** Input of a function `f(ctx, db, input)`, for the interface of a feature that binds `ctx` and `db`. */
export type WorkInput<Work extends (context: never, db: never, input: never) => unknown> = Parameters<Work>[2]
