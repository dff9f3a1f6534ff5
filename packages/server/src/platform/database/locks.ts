import type { Tx } from './db.ts'

/**
 * Waits until no other transaction, in whatever process, holds `name`, and holds it until this one ends. To be taken
 * before anything else is locked: what is decided under one name counts what was decided under it before.
 */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
}

/** What was about to be done needs a fresh proof of the person first; thrown to roll back what was begun. */
export class StepUpNeeded extends Error {}
