import type { Tx } from '../../../platform/database/db.ts'
import type { Product } from '../../../product.ts'
import type { DeskCallRow } from '../row-types.ts'

/** Columns of an ended call that its notices name. */
export const endedColumns = 'id, user_id, caller, about, started_at, ended_by'
export type EndedCallRow = Pick<DeskCallRow, 'id' | 'user_id' | 'caller' | 'about' | 'started_at' | 'ended_by'>

/** SQL assignments that end a call; `$1` is the time and `$2` says who or what ended it. */
export const endAssignments = 'ended_at = $1, ended_by = $2, code = null'

/** Refetches the status of calls on every open page of a user. */
export async function touchCalls({ notifications }: Pick<Product, 'notifications'>, tx: Tx, userId: bigint) {
  await notifications.touch(tx, { userIds: [userId], topic: 'calls' })
  // The banner above every page comes with the account.
  await notifications.touch(tx, { userIds: [userId], topic: 'account' })
}

/** Tells a user about a call that has ended, in the app and by mail, so that none goes unnoticed. */
export async function notifyEnded(
  product: Pick<Product, 'notifications' | 'publicUrl'>,
  tx: Tx,
  { id, user_id: userId, caller, about, started_at: startedAt, ended_by: endedBy }: EndedCallRow,
): Promise<void> {
  const { notifications, publicUrl } = product
  const call = { caller, about }
  const end = endedBy ?? 'operator'
  const params = { ...call, started_at: startedAt.toISOString(), ended_by: end }
  await notifications.notify(tx, { userId, code: 'operator_called', params, subjectId: id })
  const { rows } = await tx.query<{ email: string }>('select email from app_user where id = $1', [userId])
  for (const { email } of rows) {
    const data = { ...call, endedBy: end, startedAt: startedAt.toISOString(), link: `${publicUrl}/calls` }
    await notifications.mail(tx, { to: { email, userId }, template: 'operator_called', data })
  }
  await touchCalls(product, tx, userId)
}
