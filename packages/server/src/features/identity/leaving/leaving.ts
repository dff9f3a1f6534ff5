import type { Tx } from '../../../platform/database/db.ts'
import type { IdentityContext, UserAt } from '../context.ts'
import { alertChange, notMeLink, whereFrom } from '../mailed-links/security-alerts.ts'
import { notifyUserChanged } from '../sessions/live-sessions.ts'
import type { Client } from '../sessions/sessions.ts'
import { endEverything, readOwner } from '../users/account-changes.ts'

// A deletion waits some days before it is done. In these days the account is closed, and whoever logs in to it keeps it.

interface Begun {
  readonly userId: bigint
  readonly sessionId: string
  readonly client: Client
  readonly dueAt: Date
}

/**
 * Notes when an account is deleted, ends every session, and mails its owner when that is, how to undo it, and a link to say
 * "this wasn't me". The caller has locked the user with `lockToDelete`.
 */
export async function beginDeletion(
  ctx: IdentityContext,
  tx: Tx,
  { userId, sessionId, client, dueAt }: Begun,
): Promise<void> {
  const at = ctx.realNow()
  await endEverything(tx, { userId, reason: 'deletion_begun', at })
  await tx.query('update app_user set deletion_due_at = $2 where id = $1', [userId, dueAt])
  await notifyUserChanged(tx, userId)
  const { email } = await readOwner(tx, userId)
  const link = await notMeLink(ctx, tx, { userId, sessionId, email, at })
  const told = { ...whereFrom(client), at, dueAt, link, logInLink: `${ctx.publicUrl}/login` }
  await ctx.notifications.mail(tx, { to: { email, userId }, template: 'deletion_begun', data: told })
}

/** Takes a deletion back; the account is what it was before. False when none was under way. */
export async function keepAccount(ctx: IdentityContext, tx: Tx, userId: bigint): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update app_user set deletion_due_at = null where id = $1 and deletion_due_at is not null',
    [userId],
  )
  if (rowCount !== 1) return false
  await ctx.onAccountKept(ctx, tx, userId)
  await notifyUserChanged(tx, userId)
  return true
}

/** The same by its owner, who is told by mail and in the product. */
export async function undoDeletion(
  ctx: IdentityContext,
  tx: Tx,
  { userId, client, at }: UserAt & { client: Client },
): Promise<boolean> {
  if (!(await keepAccount(ctx, tx, userId))) return false
  await alertChange(ctx, tx, { userId, change: 'deletion_undone', client, at })
  return true
}
