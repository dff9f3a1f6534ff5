import type { Tx } from './db.ts'

/**
 * Locks `name` across all processes until this transaction ends. Must be taken before other locks, so that all earlier
 * decisions under the name are visible.
 */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
}

/** Thrown to roll back an action that requires a step-up confirmation first. */
export class StepUpNeeded extends Error {}
