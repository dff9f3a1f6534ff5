import type pg from 'pg'
import { type Db, transact } from '../../../platform/database/db.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { cancelAccountDeletion } from '../deletion/deletion.ts'
import type { IdentityContext } from '../context.ts'
import * as account from '../users/account-changes.ts'
import { removeIdentitiesSince } from '../external/external-accounts.ts'
import { expireReportLinksSince, issueLink, consumeLink } from '../mailed-links/mailed-links.ts'
import { hashPassword, passwordWeakness, queueKey } from '../users/passwords.ts'
import { hashSecret } from '../secrets.ts'
import { clearAttempts } from '../sign-in/login-attempts.ts'
import { alertChange } from '../mailed-links/security-alerts.ts'
import { findKnownBrowser } from '../sessions/known-browsers.ts'
import { type Client, markUnrecognized } from '../sessions/sessions.ts'
import type { AppUserRow, MailedLinkRow } from '../row-types.ts'

// Account recovery through a link mailed to the owner.

/** Sets a password and ends all sessions. Refuses `link_invalid`, `invalid_request` for a weak password. */
export async function resetPassword(
  ctx: IdentityContext,
  pool: pg.Pool,
  { token, password, client }: { token: string; password: string; client: Client },
): Promise<void> {
  const { live, realNow, log } = ctx
  await requireStrength(ctx, pool, { token, password })
  const passwordHash = await hashPassword(password, queueKey(client))
  const userId = await transact(pool, async (tx) => {
    const at = realNow()
    const link = await consumeLink(tx, { purposes: ['reset_password'], token, at })
    const { userId } = link
    const { email, emailProvenAt, isProvenBeforeMove } = await account.requireOwner(tx, link)
    // Before any mailbox was proven, another person may have registered the address and added a sign-in method.
    if (!emailProvenAt && !isProvenBeforeMove) await account.removeOtherSignInMethods(tx, userId)
    await account.setPassword(tx, { userId, passwordHash })
    await account.proveEmail(tx, { userId, at })
    await account.endAllAccess(tx, { userId, reason: 'password_reset', at })
    const browser = await findKnownBrowser(tx, { userId, client })
    await clearAttempts(ctx, tx, { account: email, browser })
    await alertChange(ctx, tx, { userId, change: 'password_reset', client, at })
    return userId
  })
  live.forgetUser(userId)
  log.info({ userId: String(userId) }, 'password_reset')
}

/** Checks the strength of a new password without using up the link. */
async function requireStrength(
  { realNow, operatorName }: Pick<IdentityContext, 'realNow' | 'operatorName'>,
  db: Db,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const { rows } = await db.query<Pick<MailedLinkRow, 'email'> & Pick<AppUserRow, 'username'>>(
    `select app_user.email, username from mailed_link join app_user on app_user.id = user_id
      where hash = $1 and purpose = 'reset_password' and used_at is null and expires_at > $2`,
    [hashSecret(token), realNow()],
  )
  const weakness = passwordWeakness(password, { ...(rows[0] ?? refuse('link_invalid')), operatorName })
  if (weakness !== undefined) refuseField('invalid_request', 'password', weakness)
}

/**
 * Reports a sign-in or change by its mailed link. Ends all sessions, cancels a pending deletion, blocks the password,
 * restores the address the link was mailed to, and removes identities linked since then and recent factors of the
 * reported session. Returns a token for choosing a password. Refuses `link_invalid`, also if another user has the
 * address.
 */
export async function reportUnrecognizedSignIn(ctx: IdentityContext, pool: pg.Pool, token: string): Promise<string> {
  const { notifications, live, publicUrl, realNow, log } = ctx
  const { userId, resetToken } = await transact(pool, async (tx) => {
    const at = realNow()
    const consumedLink = await consumeLink(tx, { purposes: ['unrecognized_sign_in'], token, at })
    const { userId, email, sessionId } = consumedLink
    await cancelAccountDeletion(ctx, tx, userId)
    await account.blockPassword(tx, { userId, at })
    // An intruder may have changed the account's address.
    if (await account.restoreEmail(tx, { ...consumedLink, at })) await expireReportLinksSince(tx, { userId, token, at })
    // An intruder may also have linked an identity or added a factor.
    await removeIdentitiesSince(tx, { userId, linkHash: hashSecret(token) })
    if (sessionId !== null) {
      await account.removeRecentFactors(tx, { userId, sessionId, at })
      await markUnrecognized(tx, { userId, sessionId, at })
    }
    await account.endAllAccess(tx, { userId, reason: 'reported_unrecognized', at })
    const resetLink = { purpose: 'reset_password' as const, userId, email, at }
    const link = `${publicUrl}/reset-password#token=${await issueLink(tx, resetLink)}`
    await notifications.mail(tx, { to: { email, userId }, template: 'reset_password', data: { link } })
    return { userId, resetToken: await issueLink(tx, resetLink) }
  })
  live.forgetUser(userId)
  log.warn({ userId: String(userId) }, 'a sign-in was reported as unrecognized: sessions ended, password blocked')
  return resetToken
}
