import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import type { IdentityContext, UserAndTime } from '../context.ts'
import * as account from '../users/account-changes.ts'
import { signInLinkPurposes, type MailedLink, consumeLink, voidLinks } from '../mailed-links/mailed-links.ts'
import { loadFactors, readVerifiedCredentials } from '../sessions/verified-credentials.ts'
import { hashSecret } from '../secrets.ts'
import { issueSession, type SecondFactorRequired, type SignedIn } from '../sign-in/complete-sign-in.ts'
import { alertChange } from '../mailed-links/security-alerts.ts'
import type { Client } from '../sessions/sessions.ts'

/** Signs in by a mailed link. Refuses `link_invalid`, `link_of_other_browser`. */
export async function logInByLink(
  ctx: IdentityContext,
  pool: pg.Pool,
  { token, client }: { token: string; client: Client },
): Promise<SignedIn | SecondFactorRequired> {
  const { browser } = client
  const credentials = await transact(pool, async (tx) => {
    const at = ctx.realNow()
    const link = await consumeLink(tx, { purposes: ['log_in'], token, at, browser })
    const { emailProvenAt } = await account.requireOwner(tx, link)
    if (!emailProvenAt) await proveBySignIn(tx, { userId: link.userId, client, at })
    return readVerifiedCredentials(tx, link.userId)
  })
  ctx.live.forgetUser(credentials.userId)
  return issueSession(ctx, pool, { credentials, signInMethod: 'link', client })
}

/**
 * Confirms an address or completes a change of address; a repeated call has the same result. Returns whether the
 * address is proven, which requires a browser signed in to the account. Refuses `link_invalid`, `email_taken`.
 */
export async function verifyEmail(
  ctx: IdentityContext,
  pool: pg.Pool,
  { token, client }: { token: string; client: Client },
): Promise<boolean> {
  try {
    return await transact(pool, async (tx) => {
      const at = ctx.realNow()
      const link = await consumeLink(tx, { purposes: ['verify_email', 'change_email'], token, at })
      if (link.purpose === 'change_email') return moveAccount(ctx, tx, { link, client, at })
      await account.requireOwner(tx, link)
      await account.confirmEmail(tx, { userId: link.userId, at })
      return proveIfSignedIn(tx, { userId: link.userId, client, at })
    })
  } catch (error) {
    const isSpent = error instanceof Refusal && error.code === 'link_invalid'
    // A mail scanner or an earlier click may already have used the link.
    if (!isSpent) throw error
    return (await proveByUsedLink(ctx, pool, { token, client })) ?? Promise.reject(error)
  }
}

async function moveAccount(
  ctx: IdentityContext,
  tx: Tx,
  { link: { userId, email }, client, at }: { link: MailedLink; client: Client; at: Date },
): Promise<boolean> {
  const previousOwner = await account.readOwner(tx, userId)
  if (!account.isSameAddress(previousOwner.pendingEmail, email)) refuse('link_invalid')
  // Alerts before the change, because the alert's link reserves the address that the account has at that time.
  await alertChange(ctx, tx, { userId, change: 'email_changed', client, at, to: previousOwner.email })
  await account.moveToPendingEmail(tx, { userId, at })
  await voidLinks(tx, { userId, purposes: signInLinkPurposes, at })
  return proveIfSignedIn(tx, { userId, client, at })
}

/**
 * Handles a link that was used before; until it expires, it can still prove the address. Returns whether the address is
 * proven; undefined if the link was never applied.
 */
async function proveByUsedLink(
  { realNow }: Pick<IdentityContext, 'realNow'>,
  pool: pg.Pool,
  { token, client }: { token: string; client: Client },
): Promise<boolean | undefined> {
  const { rows } = await pool.query<{ user_id: bigint; is_fresh: boolean; is_proven: boolean }>(
    `select user_id, expires_at > $2 as is_fresh, email_proven_at is not null as is_proven
       from mailed_link join app_user on app_user.id = user_id
      where hash = $1 and purpose in ('verify_email', 'change_email') and used_at is not null
        and email_verified_at is not null and lower(app_user.email) = lower(mailed_link.email)`,
    [hashSecret(token), realNow()],
  )
  const [usedLink] = rows
  if (!usedLink?.is_fresh) return usedLink?.is_proven
  return transact(pool, (tx) => proveIfSignedIn(tx, { userId: usedLink.user_id, client, at: realNow() }))
}

/**
 * Proves the mailbox of a user who signs in by link. In a browser in which the account was never used, first revokes
 * its password, sign-in methods and sessions, because another person may have registered it. Changes nothing there if
 * the account has a second factor: a password reset can remove the factor only while the mailbox is unproven.
 */
async function proveBySignIn(tx: Tx, { userId, client, at }: UserAndTime & { client: Client }): Promise<void> {
  if (!(await account.isKnownDevice(tx, { userId, client }))) {
    if ((await loadFactors(tx, userId)).any) return
    await account.removeOtherSignInMethods(tx, userId)
    await account.blockPassword(tx, { userId, at })
    await account.endAllAccess(tx, { userId, reason: 'address_verified_by_another', at })
  }
  await account.proveEmail(tx, { userId, at })
}

/**
 * Proves the address only in a browser signed in to the account. Otherwise a mail scanner, or the owner of an address
 * that a stranger registered, could prove it for the stranger, who would then be found by that address and be paid.
 */
async function proveIfSignedIn(tx: Tx, { userId, client, at }: UserAndTime & { client: Client }): Promise<boolean> {
  if (await account.isSignedInHere(tx, { userId, client, at })) await account.proveEmail(tx, { userId, at })
  return (await account.readOwner(tx, userId)).emailProvenAt !== null
}
