import { type Db, onlyRow, type Tx } from '../../../platform/database/db.ts'
import type { IdentityContext } from '../context.ts'
import type { AppUserRow, SessionRow } from '../row-types.ts'
import { revokeUserSessions } from './sessions.ts'

/** Ends a user's sessions and sign-ins in progress, and mails the user. Returns the number of sessions. */
export async function endSessionsByOperator(
  { notifications, publicUrl, realNow }: Pick<IdentityContext, 'notifications' | 'publicUrl' | 'realNow'>,
  tx: Tx,
  userId: bigint,
): Promise<number> {
  const { rows } = await tx.query<Pick<AppUserRow, 'email' | 'deleted_at'>>(
    'select email, deleted_at from app_user where id = $1 for no key update',
    [userId],
  )
  const { email, deleted_at: deletedAt } = onlyRow(rows)
  const { rowCount } = await tx.query('select from session where user_id = $1 and revoked_at is null', [userId])
  await revokeUserSessions(tx, { userId, reason: 'ended_by_operator', at: realNow() })
  if (deletedAt === null && rowCount !== 0) {
    const data = { link: `${publicUrl}/login` }
    await notifications.mail(tx, { to: { email, userId }, template: 'sessions_ended', data })
  }
  return rowCount ?? 0
}

/** Returns the users who have a session that was not ended. */
export async function listUsersWithSessions(db: Db): Promise<bigint[]> {
  const { rows } = await db.query<Pick<SessionRow, 'user_id'>>(
    'select distinct user_id from session where revoked_at is null order by user_id',
  )
  return rows.map(({ user_id: userId }) => userId)
}
