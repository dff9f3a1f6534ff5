import { randomInt } from 'node:crypto'
import { emailAddress } from '@tern/contract/protocol/email-address'
import { deriveUsernameStem } from '@tern/contract/protocol/text/username-stem'
import { text } from '@tern/contract/protocol/wire'
import type { ProviderAccount } from '@tern/providers/signin/port'
import type { CurrentUser } from '@tern/contract/identity'
import type { UserAndTime } from '../context.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { hashSecret, newSecret } from '../secrets.ts'
import { insertUser, type NewUser } from '../users/users.ts'
import { isReservedUsername, looksLikeNumber } from '../users/usernames.ts'
import type { VerifiedCredentials } from '../sessions/verified-credentials.ts'
import type { ExternalIdentityRow, ExternalLinkRow } from '../row-types.ts'

export type ExternalProvider = 'google' | 'external'

/** Identity at a provider. `provider` is the sign-in button that was used. */
export type ExternalIdentity = Pick<ExternalLinkRow, 'provider' | 'issuer' | 'subject' | 'email'>

const linkMinutes = 15

/** Returns the user linked to an identity, whatever its email. */
export async function findUserByIdentity(
  db: Db,
  { issuer, subject }: Pick<ExternalIdentity, 'issuer' | 'subject'>,
): Promise<VerifiedCredentials | undefined> {
  const { rows } = await db.query<VerifiedCredentials>(
    `select user_id as "userId", credentials_version as "credentialsVersion"
       from external_identity join app_user on app_user.id = user_id where issuer = $1 and subject = $2`,
    [issuer, subject],
  )
  return rows[0]
}

/** Links an identity to an account. False if it is linked to another. */
export async function addIdentity(
  tx: Tx,
  { userId, identity, at }: UserAndTime & { identity: ExternalIdentity },
): Promise<boolean> {
  const { issuer, subject, provider, email } = identity
  const { rows } = await tx.query<Pick<ExternalIdentityRow, 'user_id'>>(
    `insert into external_identity as known (issuer, subject, user_id, provider, email, linked_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (issuer, subject) do update set email = excluded.email where known.user_id = excluded.user_id
     returning user_id`,
    [issuer, subject, userId, provider, email, at],
  )
  return rows.length > 0
}

/**
 * Creates a single-use secret, valid for 15 minutes, with which the account that has the identity's email can link it.
 */
export async function createLinkOffer(
  db: Db,
  { identity, at }: { identity: ExternalIdentity; at: Date },
): Promise<string> {
  const link = newSecret()
  const expiresAt = new Date(at.getTime() + linkMinutes * 60_000)
  const { issuer, subject, provider, email } = identity
  await db.query(
    `with swept as (delete from external_link where expires_at < $6::timestamptz - interval '1 day')
     insert into external_link (hash, issuer, subject, provider, email, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [hashSecret(link), issuer, subject, provider, email, at, expiresAt],
  )
  return link
}

/**
 * Uses up a secret of `createLinkOffer` for the caller's account. Without using it up, refuses `link_invalid` for an
 * account with another email, and `fresh_sign_in_required` for a session older than the secret.
 */
export async function consumeOfferedLink(
  tx: Tx,
  { link, caller: { userId, sessionId }, at }: { link: string; caller: Caller; at: Date },
): Promise<ExternalIdentity> {
  const { rows } = await tx.query<ExternalIdentity & { isFresh: boolean }>(
    `delete from external_link using app_user, session
      where hash = $1 and external_link.expires_at > $2 and lower(app_user.email) = lower(external_link.email)
        and app_user.id = $3 and session.id = $4 and session.user_id = app_user.id
      returning issuer, subject, provider, external_link.email,
                session.created_at >= external_link.created_at as "isFresh"`,
    [hashSecret(link), at, userId, sessionId],
  )
  const { isFresh, ...identity } = rows[0] ?? refuse('link_invalid')
  return isFresh ? identity : refuse('fresh_sign_in_required')
}

/** Normalizes a provider's account. The email is undefined if it is not a valid address. */
export function readProviderAccount(account: ProviderAccount): {
  email: string | undefined
  name: string | undefined
  emailVerified: boolean
} {
  const email = emailAddress.safeParse(account.email)
  // Cuts the name to 100 UTF-16 units without splitting a surrogate pair.
  const shortName = account.name
    ?.replaceAll(/\s+/g, ' ')
    .slice(0, 100)
    .replace(/[\uD800-\uDBFF]$/, '')
  const name = text(100).safeParse(shortName)
  return {
    email: email.success ? email.data : undefined,
    name: name.success && name.data !== '' ? name.data : undefined,
    emailVerified: account.emailVerified,
  }
}

/** Removes identities linked since the mailed link with this hash was issued. */
export async function removeIdentitiesSince(
  tx: Tx,
  { userId, linkHash }: { userId: bigint; linkHash: Buffer },
): Promise<void> {
  await tx.query(
    `delete from external_identity
      where user_id = $1 and linked_at >= (select created_at from mailed_link where hash = $2)`,
    [userId, linkHash],
  )
}

const attemptsAtUsername = 10

/** Derives a username from the first text that yields a valid one; `user` if none does. */
export function proposeUsername(...texts: readonly (string | undefined)[]): string {
  const stems = texts.map((text = '') => deriveUsernameStem(text))
  return stems.find((stem) => stem !== undefined && !looksLikeNumber(stem)) ?? 'user'
}

/** Adds a user under `username`, or `user` if it is reserved; appends random digits if taken. Refuses `email_taken`. */
export async function insertWithFreeUsername(tx: Tx, { user, at }: { user: NewUser; at: Date }): Promise<CurrentUser> {
  // A reserved name with digits appended is still reserved.
  const isUnusable = looksLikeNumber(user.username) || (await isReservedUsername(tx, user.username))
  const stem = isUnusable ? 'user' : user.username
  for (let attempt = 0; attempt < attemptsAtUsername; attempt += 1) {
    const username = attempt === 0 ? stem : `${stem}${randomInt(10_000, 100_000)}`
    await tx.query('savepoint username')
    try {
      return await insertUser(tx, { user: { ...user, username }, at })
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'username_taken')) throw error
      await tx.query('rollback to savepoint username')
    }
  }
  throw new Error('no free username was found')
}
