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

/** An identity at a provider, with the button it was used through. */
export type ExternalIdentity = Pick<ExternalLinkRow, 'provider' | 'issuer' | 'subject' | 'email'>

const linkMinutes = 15

/** The account that the identity opens, regardless of its email. */
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

/** Lets the identity open the account. False when it already opens another. */
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

/** A single-use secret, valid 15 minutes, that lets the account with the identity's email connect it. */
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
 * Spends such a secret for the caller's account. Refuses, without spending it, `link_invalid` for another account and
 * `fresh_sign_in_required` for a session older than the secret.
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

/** The provider's account in our form, without an undeliverable email. */
export function readProviderAccount(account: ProviderAccount): {
  email: string | undefined
  name: string | undefined
  emailVerified: boolean
} {
  const email = emailAddress.safeParse(account.email)
  // Returns, for an applied link, whether the address is proven, also by following the link again. Otherwise undefined.
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

/**
 * Confirms the mailbox of a user who signs in by link. If the account was never used in their browser, another person
 * may have registered it, so all sign-in methods set up before are revoked. With a second factor the mailbox stays
 * unconfirmed, so that a new password can still remove it.
 */
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

/**
 * Proves the address only in a browser that is signed in. In any other, a mail scanner may have followed the link, or
 * the owner of an address that a stranger registered; searches by that address would then send the owner's money to the
 * stranger.
 */
export function proposeUsername(...texts: readonly (string | undefined)[]): string {
  const stems = texts.map((text = '') => deriveUsernameStem(text))
  return stems.find((stem) => stem !== undefined && !looksLikeNumber(stem)) ?? 'user'
}

/** Adds a user under `username`, or the next free variant. Refuses `email_taken`. */
export async function insertWithFreeUsername(tx: Tx, { user, at }: { user: NewUser; at: Date }): Promise<CurrentUser> {
  // With digits at its end a reserved name stays reserved.
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
