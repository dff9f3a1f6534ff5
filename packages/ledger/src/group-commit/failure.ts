import { AssertionError } from 'node:assert'
import { readSqlState } from '../ledger.ts'

// Deadlock, serialization failure, or an id or token just written by another process.
const conflictStates: ReadonlySet<string> = new Set(['40P01', '40001', '23505'])

export const isConflict = (error: unknown): boolean => conflictStates.has(readSqlState(error) ?? '')

export const isLockTimeout = (error: unknown): boolean => readSqlState(error) === '55P03'

/**
 * Reports a lost connection. No SQLSTATE: the network failed; 08, 57P: the server is shutting down, gone or not ready.
 */
export function isConnectionLoss(error: unknown): boolean {
  const state = readSqlState(error)
  const isBug = error instanceof AssertionError || error instanceof TypeError || error instanceof RangeError
  return state === undefined ? error instanceof Error && !isBug : /^(08|57P0[1235]|53300)/.test(state)
}
