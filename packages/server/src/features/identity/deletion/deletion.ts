import type { Tx } from '../../../platform/database/db.ts'
import type { IdentityContext, UserAndTime } from '../context.ts'
import { alertChange, issueReportLink, locateClient } from '../mailed-links/security-alerts.ts'
import { notifyUserChanged } from '../sessions/live-sessions.ts'
import type { Client } from '../sessions/sessions.ts'
import { endAllAccess, readOwner } from '../users/account-changes.ts'

// A deletion has a grace period, during which the account is closed. A login cancels the deletion.

interface DeletionRequest {
  readonly userId: bigint
  readonly sessionId: string
  readonly client: Client
  readonly dueAt: Date
}

/**
 * Starts the grace period of a deletion and ends every session. Mails the due time, how to cancel, and a link to report
 * "this wasn't me". The caller has locked the user with `lockForDeletion`.
 */
export async function beginDeletion(
  ctx: IdentityContext,
  tx: Tx,
  { userId, sessionId, client, dueAt }: DeletionRequest,
): Promise<void> {
  const at = ctx.realNow()
  await endAllAccess(tx, { userId, reason: 'deletion_begun', at })
  await tx.query('update app_user set deletion_due_at = $2 where id = $1', [userId, dueAt])
  await notifyUserChanged(tx, userId)
  const { email } = await readOwner(tx, userId)
  const link = await issueReportLink(ctx, tx, { userId, sessionId, email, at })
  const mailParams = { ...locateClient(client), at, dueAt, link, logInLink: `${ctx.publicUrl}/login` }
  await ctx.notifications.mail(tx, { to: { email, userId }, template: 'deletion_begun', data: mailParams })
}

/** Cancels a pending deletion. False if none was pending. */
export async function cancelAccountDeletion(ctx: IdentityContext, tx: Tx, userId: bigint): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update app_user set deletion_due_at = null where id = $1 and deletion_due_at is not null',
    [userId],
  )
  if (rowCount !== 1) return false
  for (const { kept } of ctx.accountEvents) await kept?.(tx, { userId, at: ctx.now() })
  await notifyUserChanged(tx, userId)
  return true
}

/** Cancels a pending deletion and notifies the owner by mail and in the product. False if none was pending. */
export async function undoDeletion(
  ctx: IdentityContext,
  tx: Tx,
  { userId, client, at }: UserAndTime & { client: Client },
): Promise<boolean> {
  if (!(await cancelAccountDeletion(ctx, tx, userId))) return false
  await alertChange(ctx, tx, { userId, change: 'deletion_undone', client, at })
  return true
}
