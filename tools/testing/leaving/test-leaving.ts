// For tests: accounts that are being deleted.

import type { TestApp } from '../test-app.ts'

const client = { userAgent: 'test', address: '127.0.0.1' }

/** Begins to delete an account as its owner does, without the confirmation. */
export async function beginToLeave({ app, database }: TestApp, id: number): Promise<Date> {
  const { rows } = await database.pool.query<{ id: string }>(
    'select id from session where user_id = $1 order by created_at desc limit 1',
    [id],
  )
  const caller = { userId: BigInt(id), sessionId: rows[0]?.id ?? '' }
  return app.product.privacy.deletion.begin({ caller, client })
}

/** As if the days in which somebody can come back had passed. */
export async function passGrace({ database }: TestApp, id: number): Promise<void> {
  await database.pool.query(`update app_user set deletion_due_at = '2020-01-01T00:00:00Z' where id = $1`, [id])
}

/** Begins to delete an account, lets the days pass, and does what the worker then does. */
export async function leaveForGood(world: TestApp, id: number): Promise<void> {
  await beginToLeave(world, id)
  await passGrace(world, id)
  const outcome = await world.app.product.privacy.deletion.finish(BigInt(id))
  if (outcome !== 'deleted') throw new Error(`the account was not deleted: ${String(outcome)}`)
}
