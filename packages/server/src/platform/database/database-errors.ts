import { LedgerError, sqlStateOf } from '@tern/ledger/ledger'

/**
 * SQLSTATEs with which a call that is right may fail for a while: connection exceptions (08), a server that is read-only
 * after a failover (25006), transactions that the server ended (25P), serialization failures and deadlocks (40), too few
 * resources (53), a lock that did not come free (55P03), a statement that took too long (57014), a server that stops,
 * crashed or starts (57P), and its own input and output (58).
 */
const passingStates = /^(08\w{3}|25006|25P0[34]|40001|40P01|53\w{3}|55P03|57014|57P0\w|58\w{3})$/

/** What the driver says without an SQLSTATE, of a connection that is lost, not to be had, or silent. */
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end)/

const networkCalls: ReadonlySet<string> = new Set(['connect', 'read', 'write', 'getaddrinfo'])

/** A failed system call on a socket. Our providers are asked by `fetch`, which wraps theirs. */
const isNetworkError = (error: Error): boolean =>
  'syscall' in error && typeof error.syscall === 'string' && networkCalls.has(error.syscall)

/**
 * True when a call failed only because the database could not be reached, or could not do it just now: the same call may
 * succeed in a moment. Whether a write was carried out is unknown. False for everything that would fail again.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof LedgerError) return error.problem === 'unavailable' || error.problem === 'conflict'
  const state = sqlStateOf(error)
  if (state !== undefined) return passingStates.test(state)
  if (driverMessages.test(error.message) || isNetworkError(error)) return true
  // One error for each address that was tried.
  return error instanceof AggregateError && error.errors.length > 0 && error.errors.every(isDatabaseUnavailable)
}

/** What failed, in a few words for the log: the SQLSTATE or the system's code, and the message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return [code, error.message].filter(Boolean).join(': ')
}
