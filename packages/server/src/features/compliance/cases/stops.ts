import { sqlStateOf } from '@tern/ledger/ledger'
import type { Db } from '../../../platform/database/db.ts'

/** What the database raises where money would move although a case stops one of its people. */
const stopState = 'TC001'

/** A case stops somebody whose money would move now: it was opened after somebody had looked. */
export class StoppedByCase extends Error {
  constructor() {
    super('a case stops somebody')
    this.name = 'StoppedByCase'
  }
}

/** Whether something failed because a case stops somebody. What was begun has moved nothing, and can be held. */
export const isStoppedByCase = (error: unknown): boolean =>
  error instanceof StoppedByCase || sqlStateOf(error) === stopState

/** SQL condition: an open or confirmed case stops one of these people, an array. One look into a small index. */
export const caseStopsSql = (people: string): string =>
  `exists (select from compliance_case where user_id = any(${people}) and stops = 'person' and state <> 'cleared')`

/** Whether an open or confirmed case stops one of these people. */
export async function areStopped(db: Db, people: readonly bigint[]): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'case_that_stops',
    text: `select where ${caseStopsSql('$1::bigint[]')}`,
    values: [people],
  })
  return rowCount === 1
}

/** Throws StoppedByCase when a case stops one of these people: before money is moved in the same transaction. */
export async function requireNotStopped(db: Db, people: readonly bigint[]): Promise<void> {
  if (await areStopped(db, people)) throw new StoppedByCase()
}
