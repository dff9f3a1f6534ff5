import type { UserAndTime } from '../context.ts'
import { type Db, onlyRow, type Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { type LinkPurpose, signInLinkPurposes, type MailedLink, voidLinks } from '../mailed-links/mailed-links.ts'
import { type Client, type RevokedReason, revokeUserSessions } from '../sessions/sessions.ts'
import { loadFactors } from '../sessions/verified-credentials.ts'
import { isEmailFree } from './users.ts'
import type { AppUserRow } from '../row-types.ts'

/** Account with the fields that changes of its sign-in need. */
export interface Owner {
  readonly email: string
  readonly username: string
  readonly emailVerifiedAt: Date | null
  /** First time that the mailbox's holder used the account. */
  readonly emailProvenAt: Date | null
  readonly pendingEmail: string | null
}

export async function readOwner(db: Db, userId: bigint): Promise<Owner> {
  const { rows } = await db.query<Owner>(
    `select email, username, email_verified_at as "emailVerifiedAt", email_proven_at as "emailProvenAt",
            pending_email as "pendingEmail"
       from app_user where id = $1`,
    [userId],
  )
  return onlyRow(rows)
}

/** Compares addresses, ignoring case. */
export const isSameAddress = (a: string | null, b: string): boolean => a?.toLowerCase() === b.toLowerCase()

/** The owner of a link. Refuses `link_invalid` when the account left its address. */
export async function requireOwner(tx: Tx, link: MailedLink): Promise<Owner> {
  const owner = await readOwner(tx, link.userId)
  return isSameAddress(owner.email, link.email) ? owner : refuse('link_invalid')
}

/** Confirms the address, keeping the time it was first confirmed. */
export async function confirmEmail(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  await tx.query('update app_user set email_verified_at = coalesce(email_verified_at, $2) where id = $1', [userId, at])
}

/**
 * Records that the mailbox's holder (of `email`, if given) uses the account, so that later setup is theirs, and
 * confirms the address. Does nothing when the account has left it.
 */
export async function verifyOwner(tx: Tx, { userId, at, email }: UserAndTime & { email?: string }): Promise<void> {
  await tx.query(
    `update app_user set email_verified_at = coalesce(email_verified_at, $2),
            email_proven_at = coalesce(email_proven_at, $2)
      where id = $1 and ($3::text is null or lower(email) = lower($3))`,
    [userId, at, email ?? null],
  )
}

/** Moves the account to its pending address, confirmed but not yet used by its holder. Refuses `email_taken`. */
export async function moveToPendingEmail(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  try {
    const { rows } = await tx.query<Pick<AppUserRow, 'email'>>(
      `update app_user set email = pending_email, pending_email = null, email_verified_at = $2, email_proven_at = null
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
 * Moves an account back to a link's address; true when it had moved. Refuses `link_invalid` when someone else has it:
 * the mover would choose the next password.
 */
export async function returnToEmail(
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

/** Sets a password and lifts a block. */
export async function setPassword(
  tx: Tx,
  { userId, passwordHash }: { userId: bigint; passwordHash: string },
): Promise<void> {
  await tx.query('update app_user set password_hash = $2, password_blocked_at = null where id = $1', [
    userId,
    passwordHash,
  ])
}

/** Blocks the password until another is chosen. */
export async function blockPassword(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  await tx.query('update app_user set password_blocked_at = $2 where id = $1 and password_hash is not null', [
    userId,
    at,
  ])
}

/** Removes every sign-in method but password and mail. */
export async function removeOtherSignInMethods(tx: Tx, userId: bigint): Promise<void> {
  for (const table of ['passkey', 'passkey_ceremony', 'totp', 'recovery_code', 'external_identity']) {
    await tx.query(`delete from ${table} where user_id = $1`, [userId])
  }
}

/** True if a session of the account is open in this browser. */
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

/** True if the account was used in this browser. */
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
 * Removes factors that a session added in the last three days, and recovery codes with the last factor. Older factors
 * stay, since a mailed link must not bypass one.
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

/** Ends sessions, pending sign-ins, links and a pending move. */
export async function endAllAccess(
  tx: Tx,
  { userId, reason, at }: UserAndTime & { reason: RevokedReason },
): Promise<void> {
  await revokeUserSessions(tx, { userId, reason, at })
  await endPendingActions(tx, { userId, purposes: signInLinkPurposes, at })
}

/** Cancels a pending move and voids its link. */
export async function cancelEmailMove(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  await tx.query('update app_user set pending_email = null where id = $1', [userId])
  await voidLinks(tx, { userId, purposes: ['change_email'], at })
}

/** Ends all sessions but one, pending sign-ins and a pending move. */
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

/** True if a username or address was just taken (PostgreSQL's unique_violation). */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505'
