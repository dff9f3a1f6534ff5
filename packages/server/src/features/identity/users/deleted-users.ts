import type { UserAndTime } from '../context.ts'
import type { Tx } from '../../../platform/database/db.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { removeOtherSignInMethods } from './account-changes.ts'
import { revokeUserSessions } from '../sessions/sessions.ts'

const deletedUsername = (userId: bigint): string => `deleted-${userId}`

/**
 * Returns the display name of a deleted account; undefined for other usernames. Users cannot choose such a username.
 */
export const findDeletedName = (username: string): string | undefined =>
  /^deleted-\d{10}$/.test(username) ? currentRequestMessages().activity.deletedAccount : undefined

/** Names of a deleted user, kept for the legal retention period. */
export interface FormerNames {
  readonly email: string
  readonly username: string
  readonly name: string | null
}

/** True if the account is deleted. Otherwise locks it against deletion until the transaction ends. */
export async function isDeleted(tx: Tx, userId: bigint): Promise<boolean> {
  const { rows } = await tx.query<{ left: boolean }>(
    'select deleted_at is not null as "left" from app_user where id = $1 for key share',
    [userId],
  )
  return rows[0]?.left ?? true
}

export interface UserToDelete extends FormerNames {
  /** Due time of a pending deletion. */
  readonly deletionDueAt: Date | null
}

/** Locks a user for deletion, so that no new row can reference them. Undefined if already deleted. */
export async function lockForDeletion(tx: Tx, userId: bigint): Promise<UserToDelete | undefined> {
  const { rows } = await tx.query<UserToDelete>(
    `select email, username, name, deletion_due_at as "deletionDueAt" from app_user
      where id = $1 and deleted_at is null for update`,
    [userId],
  )
  return rows[0]
}

/**
 * Removes all sign-in methods and session details, and replaces the user's names with a pseudonym. The released
 * username stays reserved for a year. No later change of the user is allowed.
 */
export async function pseudonymise(tx: Tx, { userId, at }: UserAndTime): Promise<void> {
  await revokeUserSessions(tx, { userId, reason: 'account_deleted', at })
  await removeOtherSignInMethods(tx, userId)
  for (const table of ['step_up_confirmation', 'sign_in_challenge', 'mailed_link']) {
    await tx.query(`delete from ${table} where user_id = $1`, [userId])
  }
  await tx.query('delete from refresh_token where session_id in (select id from session where user_id = $1)', [userId])
  await tx.query(
    `update session set user_agent = '', address_prefix = '', device = null, country = null where user_id = $1`,
    [userId],
  )
  await tx.query('delete from favorite where user_id = $1 or favorite_id = $1', [userId])
  await tx.query('delete from shown_name where viewer_id = $1 or owner_id = $1', [userId])
  await tx.query('update username_claim set released_at = $2 where user_id = $1 and released_at is null', [userId, at])
  await tx.query(
    `update app_user
        set email = $2 || '@deleted.invalid', username = $2, name = null, first_name = null, local_name = null,
            password_hash = null, password_blocked_at = null, email_verified_at = null, email_proven_at = null,
            proven_before_move = false, pending_email = null,
            factor_change = null, factor_changed_at = null, metadata = '{}', kyc_status = 'not_started',
            deletion_due_at = null, deleted_at = $3
      where id = $1`,
    [userId, deletedUsername(userId), at],
  )
}
