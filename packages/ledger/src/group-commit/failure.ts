import { AssertionError } from 'node:assert'
import { readSqlState } from '../ledger.ts'

// Deadlock, serialization failure, or a duplicate key: another process has just written the same id or token.
const conflictStates: ReadonlySet<string> = new Set(['40P01', '40001', '23505'])

export const isConflict = (error: unknown): boolean => conflictStates.has(readSqlState(error) ?? '')

export const isLockTimeout = (error: unknown): boolean => readSqlState(error) === '55P03'

/**
 * Returns whether the database was unreachable: no SQLSTATE (network failure), class 08 (connection), 25006 (read-only:
 * a standby), 40003 (a commit that no standby confirmed), 57P01 to 57P03 or 57P05 (shutdown, crash, startup, idle
 * timeout) or 53300 (too many connections).
 */
export function isConnectionLoss(error: unknown): boolean {
  const state = readSqlState(error)
  const isBug = error instanceof AssertionError || error instanceof TypeError || error instanceof RangeError
  return state === undefined ? error instanceof Error && !isBug : /^(08|25006|40003|57P0[1235]|53300)/.test(state)
}
