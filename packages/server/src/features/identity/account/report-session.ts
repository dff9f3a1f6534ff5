import type pg from 'pg'
import { transact } from '../../../platform/database/db.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'
import { alertChange } from '../mailed-links/security-alerts.ts'
import { type Client, markUnrecognized } from '../sessions/sessions.ts'
import { endAllAccess } from '../users/account-changes.ts'
import { completeFreeze, freezeInTransaction } from './freeze.ts'

/**
 * Reports the sign-in of an alert as unrecognized. Ends every session, including the caller's, and freezes the account.
 * The mail's link also removes what that session added. Refuses `not_found` for a session of another user.
 */
export async function reportUnrecognizedSession(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller: { userId }, sessionId, client }: { caller: Caller; sessionId: string; client: Client },
): Promise<void> {
  await transact(pool, async (tx) => {
    const at = ctx.realNow()
    const sessionResult = await tx.query('select from session where id = $1 and user_id = $2', [sessionId, userId])
    if (sessionResult.rowCount === 0) refuse('not_found')
    await freezeInTransaction(ctx, tx, { caller: { userId, sessionId }, client })
    await markUnrecognized(tx, { userId, sessionId, at })
    await endAllAccess(tx, { userId, reason: 'reported_unrecognized', at })
    await ctx.notifications.markSubjectRead(tx, { userId, subjectId: sessionId })
    await alertChange(ctx, tx, { userId, sessionId, change: 'sign_in_unrecognized', client, at })
  })
  await completeFreeze(ctx, pool, userId)
  ctx.log.warn(
    { userId: String(userId) },
    'a sign-in was reported as unrecognized in the product: sessions ended, account frozen',
  )
}
