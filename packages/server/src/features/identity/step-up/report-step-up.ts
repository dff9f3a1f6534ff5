import type pg from 'pg'
import { transact } from '../../../platform/database/db.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { IdentityContext } from '../context.ts'
import { alertChange } from '../mailed-links/security-alerts.ts'
import type { Client } from '../sessions/sessions.ts'
import { endAllAccess } from '../users/account-changes.ts'
import { expireConfirmation } from './confirmations.ts'

/**
 * Reports a step-up that the caller did not request. Needs no step-up, because it only ends sessions, including the
 * caller's. The alert's mail has a link to block the password, which only the mailbox owner can follow. Refuses
 * `step_up_invalid`, also once the confirmation was used.
 */
export async function reportUnrecognizedStepUp(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, id, client }: { caller: Caller; id: string; client: Client },
): Promise<void> {
  const { userId, sessionId } = caller
  await transact(pool, async (tx) => {
    const at = ctx.realNow()
    await expireConfirmation(tx, { caller, id, at })
    await endAllAccess(tx, { userId, reason: 'reported_unrecognized', at })
    await alertChange(ctx, tx, { userId, sessionId, change: 'step_up_unrecognized', client, at })
  })
  ctx.live.forgetUser(userId)
  ctx.log.warn({ userId: String(userId) }, 'a step-up was reported as unrecognized: sessions ended')
}
