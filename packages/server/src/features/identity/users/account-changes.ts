import type { UserAndTime } from '../context.ts'
import { type Db, onlyRow, type Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { type LinkPurpose, signInLinkPurposes, type MailedLink, voidLinks } from '../mailed-links/mailed-links.ts'
import { type Client, type RevokedReason, revokeUserSessions } from '../sessions/sessions.ts'
import { loadFactors } from '../sessions/verified-credentials.ts'
import { isEmailFree } from './users.ts'
import type { AppUserRow } from '../row-types.ts'

export interface Owner {
  readonly email: string
  readonly username: string
  readonly emailVerifiedAt: Date | null
  /** First time that a person with access to the mailbox used the account. */
  readonly emailProvenAt: Date | null
  /** An earlier address was proven, so the sign-in methods are the owner's. */
  readonly isProvenBeforeMove: boolean
  readonly pendingEmail: string | null
}

export async function readOwner(db: Db, userId: bigint): Promise<Owner> {
  const { rows } = await db.query<Owner>(
    `select email, username, email_verified_at as "emailVerifiedAt", email_proven_at as "emailProvenAt",
            proven_before_move as "isProvenBeforeMove", pending_email as "pendingEmail"
       from app_user where id = $1`,
    [userId],
  )
  return onlyRow(rows)
}

export const isSameAddress = (a: string | null, b: string): boolean => a?.toLowerCase() === b.toLowerCase()

/**
 * Returns the owner of a link. Refuses `link_invalid` if the account's address has changed since the link was mailed.
 */
export async function requireOwner(tx: Tx, link: MailedLink): Promise<Owner> {
  const owner = await readOwner(tx, link.userId)
  return isSameAddress(owner.email, link.email) ? owner : refuse('link_invalid')
}

/** Confirms the account's address; a repeated call keeps the first time. */
export async function confirmEmail(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  await tx.query('update app_user set email_verified_at = coalesce(email_verified_at, $2) where id = $1', [userId, at])
}

/**
 * Confirms the account's address and marks it as proven: a person with access to the mailbox uses the account. Does
 * nothing if `email` is given and no longer the account's address.
 */
export async function proveEmail(tx: Tx, { userId, at, email }: UserAndTime & { email?: string }): Promise<void> {
  await tx.query(
    `update app_user set email_verified_at = coalesce(email_verified_at, $2),
            email_proven_at = coalesce(email_proven_at, $2)
      where id = $1 and ($3::text is null or lower(email) = lower($3))`,
    [userId, at, email ?? null],
  )
}

/** Replaces the account's address with the pending one, confirmed but not proven. Refuses `email_taken`. */
export async function moveToPendingEmail(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  try {
    const { rows } = await tx.query<Pick<AppUserRow, 'email'>>(
      `update app_user set email = pending_email, pending_email = null, email_verified_at = $2, email_proven_at = null,
              proven_before_move = proven_before_move or email_proven_at is not null
        where id = $1 returning email`,
      [userId, at],
    )
    if (!(await isEmailFree(tx, { email: onlyRow(rows).email, userId }))) refuse('email_taken')
  } catch (error) {
    if (isUniqueViolation(error)) refuse('email_taken')
    throw error
  }
}

/**
 * Restores the address a link was mailed to. Returns false if the account still has it. Refuses `link_invalid` if
 * another user has it by now: password resets would still go to the intruder's address.
 */
export async function restoreEmail(
  tx: Tx,
  { userId, email, keepsEmail, at }: MailedLink & { at: Date },
): Promise<boolean> {
  if (isSameAddress((await readOwner(tx, userId)).email, email)) return false
  if (!(await isEmailFree(tx, { email, userId }))) refuse('link_invalid')
  await tx.query(
    `update app_user set email = $2, email_verified_at = $3,
            email_proven_at = case when $4 then coalesce(email_proven_at, $3) end
      where id = $1`,
    [userId, email, at, keepsEmail],
  )
  return true
}

/** Sets a password and unblocks it. */
export async function setPassword(
  tx: Tx,
  { userId, passwordHash }: { userId: bigint; passwordHash: string },
): Promise<void> {
  await tx.query('update app_user set password_hash = $2, password_blocked_at = null where id = $1', [
    userId,
    passwordHash,
  ])
}

/** Blocks the password until a new one is set. */
export async function blockPassword(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  await tx.query('update app_user set password_blocked_at = $2 where id = $1 and password_hash is not null', [
    userId,
    at,
  ])
}

/** Removes every sign-in method except password and mailed links. */
export async function removeOtherSignInMethods(tx: Tx, userId: bigint): Promise<void> {
  for (const table of ['passkey', 'passkey_ceremony', 'totp', 'recovery_code', 'external_identity']) {
    await tx.query(`delete from ${table} where user_id = $1`, [userId])
  }
}

/** True if this browser has an open session of the account. */
export async function isSignedInHere(
  tx: Tx,
  { userId, client: { browser }, at }: UserAndTime & { client: Client },
): Promise<boolean> {
  const { rows } = await tx.query<{ open: boolean }>(
    `select exists (select from session join refresh_token on refresh_token.session_id = session.id
                     where user_id = $1 and device = $2 and revoked_at is null
                       and used_at is null and expires_at > $3) as open`,
    [userId, browser ?? null, at],
  )
  return onlyRow(rows).open
}

/** True if the account was ever used in this browser. */
export async function isKnownDevice(
  tx: Tx,
  { userId, client: { browser } }: { userId: bigint; client: Client },
): Promise<boolean> {
  const { rows } = await tx.query<{ known: boolean }>(
    'select exists (select 1 from session where user_id = $1 and device = $2) as known',
    [userId, browser ?? null],
  )
  return onlyRow(rows).known
}

const revertibleHours = 72

/**
 * Removes factors that a session added in the last three days, and the recovery codes if no factor is left. Older
 * factors stay, because a mailed link must not bypass them.
 */
export async function removeRecentFactors(
  tx: Tx,
  { userId, sessionId, at }: UserAndTime & { sessionId: string },
): Promise<void> {
  const since = new Date(at.getTime() - revertibleHours * 3_600_000)
  const values = [userId, sessionId, since]
  await tx.query('delete from passkey where user_id = $1 and session_id = $2 and created_at > $3', values)
  await tx.query(
    'delete from totp where user_id = $1 and session_id = $2 and coalesce(confirmed_at, created_at) > $3',
    values,
  )
  if (!(await loadFactors(tx, userId)).any) await tx.query('delete from recovery_code where user_id = $1', [userId])
}

/** Ends all sessions, pending sign-ins and a pending change of address, and voids the links of `signInLinkPurposes`. */
export async function endAllAccess(
  tx: Tx,
  { userId, reason, at }: UserAndTime & { reason: RevokedReason },
): Promise<void> {
  await revokeUserSessions(tx, { userId, reason, at })
  await endPendingActions(tx, { userId, purposes: signInLinkPurposes, at })
}

/** Cancels a pending change of address and voids its link. */
export async function cancelEmailMove(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  await tx.query('update app_user set pending_email = null where id = $1', [userId])
  await voidLinks(tx, { userId, purposes: ['change_email'], at })
}

/**
 * Ends all sessions except `sessionId`. Also ends pending sign-ins and a pending change of address, and voids links
 * that sign in or reset the password.
 */
export async function revokeOtherAccess(
  tx: Tx,
  { userId, sessionId, reason, at }: UserAndTime & { sessionId: string; reason: RevokedReason },
): Promise<void> {
  await revokeUserSessions(tx, { userId, reason, at, exceptSessionId: sessionId })
  await endPendingActions(tx, { userId, purposes: ['log_in', 'change_email', 'reset_password'], at })
}

async function endPendingActions(
  tx: Tx,
  { userId, purposes, at }: UserAndTime & { purposes: readonly LinkPurpose[] },
): Promise<void> {
  await tx.query('update sign_in_challenge set used_at = $2 where user_id = $1 and used_at is null', [userId, at])
  await tx.query('update app_user set pending_email = null where id = $1', [userId])
  await voidLinks(tx, { userId, purposes, at })
}

/** True for PostgreSQL's unique_violation, for example of a username or address that was just taken. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505'
