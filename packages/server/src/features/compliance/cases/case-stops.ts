import { readSqlState } from '@tern/ledger/ledger'
import type { Db } from '../../../platform/database/db.ts'

/** SQLSTATE of a movement that the database refuses because a case stops one of its parties. */
const stopState = 'TC001'

/** Thrown if money would move although an open or confirmed case stops one of the movement's parties. */
export class StoppedByCaseError extends Error {
  constructor() {
    super('a case stops somebody')
    this.name = 'StoppedByCase'
  }
}

/**
 * Returns whether an error means that a case stops a person. The movement has failed, so the payment can be held
 * instead.
 */
export const isStoppedByCase = (error: unknown): boolean =>
  error instanceof StoppedByCaseError || readSqlState(error) === stopState

/** SQL condition: an open or confirmed case stops one of the users in the array `people`. Uses a partial index. */
export const caseStopsSql = (people: string): string =>
  `exists (select from compliance_case where user_id = any(${people}) and stops = 'person' and state <> 'cleared')`

/** Returns whether an open or confirmed case stops one of these users. */
export async function areStopped(db: Db, people: readonly bigint[]): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'case_that_stops',
    text: `select where ${caseStopsSql('$1::bigint[]')}`,
    values: [people],
  })
  return rowCount === 1
}

/** Throws StoppedByCaseError if a case stops one of these users. Call it in the transaction that moves the money. */
export async function requireNotStopped(db: Db, people: readonly bigint[]): Promise<void> {
  if (await areStopped(db, people)) throw new StoppedByCaseError()
}
