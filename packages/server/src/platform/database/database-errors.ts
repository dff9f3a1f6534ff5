import { LedgerError, readSqlState } from '@tern/ledger/ledger'

/**
 * SQLSTATEs of temporary failures: connection exceptions (08), read-only after failover (25006), transactions ended by
 * the server (25P), serialization failures, deadlocks and commits without a standby (40), insufficient resources (53), lock timeout (55P03),
 * statement timeout (57014), shutdown, crash or startup (57P), I/O errors (58).
 */
const transientStates = /^(08\w{3}|25006|25P0[34]|40001|40003|40P01|53\w{3}|55P03|57014|57P0\w|58\w{3})$/

/** Messages of the driver, without SQLSTATE, about lost, unavailable or silent connections. */
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end)/

const networkCalls: ReadonlySet<string> = new Set(['connect', 'read', 'write', 'getaddrinfo'])

/** Returns whether a system call on a socket failed. `fetch`, used for providers, wraps its errors. */
const isNetworkError = (error: Error): boolean =>
  'syscall' in error && typeof error.syscall === 'string' && networkCalls.has(error.syscall)

/**
 * Returns whether a call failed only because the database was unavailable. A retry may succeed, but a write may already
 * have happened.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof LedgerError) return error.problem === 'unavailable' || error.problem === 'conflict'
  const state = readSqlState(error)
  if (state !== undefined) return transientStates.test(state)
  if (driverMessages.test(error.message) || isNetworkError(error)) return true
  // An AggregateError has one error per address tried.
  return error instanceof AggregateError && error.errors.length > 0 && error.errors.every(isDatabaseUnavailable)
}

/** Returns the SQLSTATE or system code and the message, for the log. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return [code, error.message].filter(Boolean).join(': ')
}
