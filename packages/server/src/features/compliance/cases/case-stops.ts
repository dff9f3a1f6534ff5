import { readSqlState } from '@tern/ledger/ledger'
import type { Db } from '../../../platform/database/db.ts'

/** SQLSTATE the database raises when money would move although a case stops one of its people. */
const stopState = 'TC001'

/** A case opened after the check stops a person whose money would move now. */
export class StoppedByCaseError extends Error {
  constructor() {
    super('a case stops somebody')
    this.name = 'StoppedByCase'
  }
}

/** Returns whether an error means that a case stops a person. Nothing has moved; the payment can be held. */
export const isStoppedByCase = (error: unknown): boolean =>
  error instanceof StoppedByCaseError || readSqlState(error) === stopState

/** SQL condition: an open or confirmed case stops one of these people (an array). Uses a small partial index. */
export const caseStopsSql = (people: string): string =>
  `exists (select from compliance_case where user_id = any(${people}) and stops = 'person' and state <> 'cleared')`

/** Returns whether an open or confirmed case stops one of these people. */
export async function areStopped(db: Db, people: readonly bigint[]): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'case_that_stops',
    text: `select where ${caseStopsSql('$1::bigint[]')}`,
    values: [people],
  })
  return rowCount === 1
}

/** Throws StoppedByCaseError when a case stops one of these people; call it before moving money in the same transaction. */
export async function requireNotStopped(db: Db, people: readonly bigint[]): Promise<void> {
  if (await areStopped(db, people)) throw new StoppedByCaseError()
}
