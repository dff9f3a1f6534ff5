import type { Reply } from '@tern/contract/protocol/endpoint'
import type { CurrentUser, updateProfile as updateContract } from '@tern/contract/identity'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { refuseField } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { ConfirmedCaller, ClientInput, IdentityContext, UserAndTime } from '../context.ts'
import {
  cancelEmailMove,
  revokeOtherAccess,
  isUniqueViolation,
  readOwner,
  setPassword,
} from '../users/account-changes.ts'
import { alertChange } from '../mailed-links/security-alerts.ts'
import { notifyUserChanged } from '../sessions/live-sessions.ts'
import { requireMail } from '../mailed-links/mail-requests.ts'
import { issueLink, voidLinks } from '../mailed-links/mailed-links.ts'
import { hashPassword, passwordWeakness, queueKey } from '../users/passwords.ts'
import type { SensitiveAction } from '../step-up/confirmations.ts'
import { requireStepUp } from '../step-up/step-up.ts'
import type { Client } from '../sessions/sessions.ts'
import { claimUsername, refuseUnusable } from '../users/usernames.ts'
import { readCurrentUser, refuseTaken } from '../users/users.ts'

/** Requested changes; absent fields are unchanged. */
interface ProfileChange {
  readonly name?: string | undefined
  readonly username?: string | undefined
  readonly email?: string | undefined
}

type Metadata = Readonly<Record<string, string | number | boolean | null>>

type Profile = Reply<typeof updateContract>

const maxKeys = 50
const maxBytes = 8 * 1024

/**
 * Changes name and username together. Mails a link to a new address, which applies once the link is followed; the
 * current address cancels a pending change. Refuses `name_is_verified`, `username_taken`; `step_up_required` for a new
 * username or address; `rate_limited` for a new address.
 */
export async function updateProfile(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, change, confirmation, client }: ConfirmedCaller & ClientInput & { change: ProfileChange },
): Promise<Profile> {
  const { live, realNow } = ctx
  const { userId } = caller
  const previousUser = await readCurrentUser(pool, userId)
  const { name, username, email } = listDifferences(change, previousUser)
  if (name !== undefined && previousUser.kyc_status === 'verified') refuseField('name_is_verified', 'name')
  if (username !== undefined) {
    await refuseTaken(pool, { username })
    await refuseUnusable(pool, { userId, username, at: realNow() })
  }
  const act = findSensitiveAction({ email, username })
  if (act !== undefined) await requireStepUp(ctx, pool, { caller, act, confirmation })
  await transact(pool, async (tx) => {
    const at = realNow()
    if (email !== undefined) await requireMail(ctx, tx, { kind: 'change_email', email })
    if (name !== undefined) await setName(tx, { userId, name: name || null })
    if (username !== undefined) await setUsername(tx, { userId, username, at })
    if (email !== undefined) await requestEmailMove(ctx, tx, { caller, email, client, at })
    else if (change.email !== undefined) await cancelEmailMove(tx, { userId, at })
    // Every process caches the public profile.
    if (name !== undefined || username !== undefined) await notifyUserChanged(tx, userId)
  })
  live.forgetUser(userId)
  return readOwnProfile(pool, userId)
}

/**
 * Sets a password and ends all other sessions. Refuses `invalid_request` for a weak password, and `step_up_required`.
 */
export async function changePassword(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, password, confirmation, client }: ConfirmedCaller & ClientInput & { password: string },
): Promise<void> {
  const { live, realNow, operatorName } = ctx
  const { userId, sessionId } = caller
  const weakness = passwordWeakness(password, { ...(await readOwner(pool, userId)), operatorName })
  if (weakness !== undefined) refuseField('invalid_request', 'password', weakness)
  await requireStepUp(ctx, pool, { caller, act: { action: 'change_password', subject: {} }, confirmation })
  const passwordHash = await hashPassword(password, queueKey(client))
  await transact(pool, async (tx) => {
    const at = realNow()
    await setPassword(tx, { userId, passwordHash })
    await revokeOtherAccess(tx, { userId, sessionId, reason: 'password_changed', at })
    await alertChange(ctx, tx, { ...caller, change: 'password_changed', client, at })
  })
  live.forgetUser(userId)
}

function listDifferences({ name, username, email }: ProfileChange, previousUser: CurrentUser): ProfileChange {
  return {
    name: name === (previousUser.name ?? '') ? undefined : name,
    username: username === previousUser.username ? undefined : username,
    email: email === previousUser.email.toLowerCase() ? undefined : email,
  }
}

/** Returns the action to confirm for a new address, a new username, or both; undefined if neither changes. */
function findSensitiveAction({ email, username }: ProfileChange): SensitiveAction | undefined {
  const usernameSubject = username === undefined ? {} : { username }
  if (email !== undefined) return { action: 'change_email', subject: { email, ...usernameSubject } }
  return username === undefined ? undefined : { action: 'change_username', subject: usernameSubject }
}

async function setName(tx: Tx, { userId, name }: { userId: bigint; name: string | null }): Promise<void> {
  // Keeps a name that was verified after the check in `updateProfile`.
  const { rowCount } = await tx.query(
    `update app_user set name = $2, first_name = $3 where id = $1 and kyc_status <> 'verified'`,
    [userId, name, name?.split(/\s+/)[0] ?? null],
  )
  if (rowCount === 0) refuseField('name_is_verified', 'name')
}

async function setUsername(tx: Tx, { userId, username, at }: UserAndTime & { username: string }): Promise<void> {
  await claimUsername(tx, { userId, username, at })
  try {
    await tx.query('update app_user set username = $2 where id = $1', [userId, username])
  } catch (error) {
    if (isUniqueViolation(error)) refuseField('username_taken', 'username')
    throw error
  }
}

/** Replaces lone surrogates, which JSON allows but PostgreSQL cannot store. */
const toWellFormed = (values: Metadata): Metadata =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value.toWellFormed() : value]),
  )

async function requestEmailMove(
  ctx: IdentityContext,
  tx: Tx,
  { caller, email, client, at }: { caller: Caller; email: string; client: Client; at: Date },
): Promise<void> {
  const { userId } = caller
  await tx.query('update app_user set pending_email = $2 where id = $1', [userId, email])
  await voidLinks(tx, { userId, purposes: ['change_email'], at })
  const token = await issueLink(tx, { purpose: 'change_email', userId, email, at })
  const link = `${ctx.publicUrl}/verify-email?token=${token}`
  await ctx.notifications.mail(tx, { to: { email, userId }, template: 'change_email', data: { link } })
  await alertChange(ctx, tx, { ...caller, change: 'email_change_asked', client, at })
}

async function readOwnProfile(db: Db, userId: bigint): Promise<Profile> {
  const [user, { pendingEmail }] = await Promise.all([readCurrentUser(db, userId), readOwner(db, userId)])
  return { ...user, pending_email: pendingEmail }
}

/** Merges values into the user's metadata; null removes one. Refuses `invalid_request` beyond 50 values or 8 KB. */
export async function saveMetadata(
  db: Db,
  { userId, metadata }: { userId: bigint; metadata: Metadata },
): Promise<CurrentUser> {
  // One statement, so that concurrent changes are serialized.
  const { rowCount } = await db.query(
    `update app_user set metadata = jsonb_strip_nulls(metadata || $2::jsonb)
      where id = $1
        and (select count(*) from jsonb_object_keys(jsonb_strip_nulls(metadata || $2::jsonb))) <= $3
        and octet_length(jsonb_strip_nulls(metadata || $2::jsonb)::text) <= $4`,
    [userId, JSON.stringify(toWellFormed(metadata)), maxKeys, maxBytes],
  )
  if (rowCount === 0) {
    const params = { max: maxKeys, kilobytes: maxBytes / 1024 }
    refuseField('invalid_request', 'metadata', { code: 'too_much_metadata', params })
  }
  return readCurrentUser(db, userId)
}
