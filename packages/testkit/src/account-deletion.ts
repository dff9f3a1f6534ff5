// For tests of account deletion.

import type { TestApp } from './app.ts'

const client = { userAgent: 'test', address: '127.0.0.1' }

/** Starts the deletion of an account as its holder, without a step-up confirmation. */
export async function beginDeletion({ app, database }: TestApp, id: number): Promise<Date> {
  const { rows } = await database.pool.query<{ id: string }>(
    'select id from session where user_id = $1 order by created_at desc limit 1',
    [id],
  )
  const caller = { userId: BigInt(id), sessionId: rows[0]?.id ?? '' }
  return app.product.privacy.deletion.begin({ caller, client })
}

/** Ends the grace period of a deletion by moving its due time into the past. */
export async function endGracePeriod({ database }: TestApp, id: number): Promise<void> {
  await database.pool.query(`update app_user set deletion_due_at = '2020-01-01T00:00:00Z' where id = $1`, [id])
}

/** Deletes an account: starts the deletion, ends the grace period, and runs the worker's step. */
export async function completeDeletion(world: TestApp, id: number): Promise<void> {
  await beginDeletion(world, id)
  await endGracePeriod(world, id)
  const outcome = await world.app.product.privacy.deletion.finish(BigInt(id))
  if (outcome !== 'deleted') throw new Error(`the account was not deleted: ${String(outcome)}`)
}
