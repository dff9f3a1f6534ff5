import type { Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { hashOfSecret, newSecret } from '../secrets.ts'

export type LinkPurpose = 'log_in' | 'verify_email' | 'change_email' | 'reset_password' | 'unrecognized_sign_in'

/** All links by which an account can be entered or taken over; what says "this was not me" is none of them. */
export const linksThatOpen: readonly LinkPurpose[] = ['log_in', 'verify_email', 'change_email', 'reset_password']

const lifetimeMinutes: Readonly<Record<LinkPurpose, number>> = {
  log_in: 15,
  verify_email: 24 * 60,
  change_email: 24 * 60,
  reset_password: 60,
  unrecognized_sign_in: 30 * 24 * 60,
}

const keptDays = 90

export interface MailedLink {
  readonly purpose: LinkPurpose
  readonly userId: bigint
  readonly email: string
  readonly sessionId: string | null
  /** Whether the owner was in the account when it had this address, which is kept for it while the link is good. */
  readonly keepsEmail: boolean
}

/**
 * A new token for `purpose`, to be put into a link and mailed to `email`. With `browser` (see `Client`) only that
 * browser may use it. With nobody as `userId` the same work is done and the token opens nothing.
 */
export async function issueLink(
  tx: Tx,
  link: {
    purpose: LinkPurpose
    userId: bigint | undefined
    email: string
    at: Date
    browser?: Buffer | undefined
    sessionId?: string | undefined
  },
): Promise<string> {
  const token = newSecret()
  const expiresAt = new Date(link.at.getTime() + lifetimeMinutes[link.purpose] * 60_000)
  await tx.query(
    `with swept as (delete from mailed_link where expires_at < $6::timestamptz - make_interval(days => $9))
     insert into mailed_link (hash, purpose, user_id, email, browser, created_at, expires_at, session_id, keeps_email)
     select $1, $2, $3::bigint, $4, $5, $6, $7, $8,
            $2 = 'unrecognized_sign_in' and exists (select from app_user where id = $3 and lower(email) = lower($4)
                                         and owner_verified_at is not null)
      where $3::bigint is not null`,
    [
      hashOfSecret(token),
      link.purpose,
      link.userId ?? null,
      link.email,
      link.browser ?? null,
      link.at,
      expiresAt,
      link.sessionId ?? null,
      keptDays,
    ],
  )
  return token
}

/**
 * Spends a link and locks its user. Refuses `link_invalid` when it is unknown, expired, used, or for none of
 * `purposes`, and `link_of_other_browser`, leaving it unspent, when it belongs to another browser than `browser`.
 */
export async function takeLink(
  tx: Tx,
  {
    purposes,
    token,
    at,
    browser,
  }: { purposes: readonly LinkPurpose[]; token: string; at: Date; browser?: Buffer | undefined },
): Promise<MailedLink> {
  const hash = hashOfSecret(token)
  // The user before the link: whoever spends one link of an account and voids the others would else meet their like.
  await tx.query(
    'select 1 from app_user where id = (select user_id from mailed_link where hash = $1) for no key update',
    [hash],
  )
  const { rows } = await tx.query<{
    purpose: LinkPurpose
    user_id: bigint
    email: string
    session_id: string | null
    browser: Buffer | null
    keeps_email: boolean
  }>(
    `select purpose, user_id, email, session_id, browser, keeps_email from mailed_link
      where hash = $1 and purpose = any($2) and used_at is null and expires_at > $3 for update`,
    [hash, purposes, at],
  )
  const link = rows[0] ?? refuse('link_invalid')
  const isBound = link.browser !== null || link.purpose === 'log_in'
  if (isBound && !(browser && link.browser?.equals(browser))) refuse('link_of_other_browser')
  await tx.query('update mailed_link set used_at = $2 where hash = $1', [hash, at])
  const { purpose, email, user_id: userId, session_id: sessionId, keeps_email: keepsEmail } = link
  return { purpose, userId, email, sessionId, keepsEmail }
}

/** Makes the unused links of a user good for nothing; with `browser` (see `Client`) only those it asked for. */
export async function voidLinks(
  tx: Tx,
  {
    userId,
    purposes,
    at,
    browser,
  }: { userId: bigint | undefined; purposes: readonly LinkPurpose[]; at: Date; browser?: Buffer | undefined },
): Promise<void> {
  await tx.query(
    `update mailed_link set used_at = $3
      where user_id = $1::bigint and purpose = any($2) and used_at is null and ($4::bytea is null or browser = $4)`,
    [userId ?? null, purposes, at, browser ?? null],
  )
}

/**
 * Lets the links that say "this was not me" expire that were written since the one of `token`: they may have been mailed
 * to whoever it was. Older ones stay good, or a thief who moves an account twice could take them from its owner. None
 * counts as used, since nobody has disowned what it tells of.
 */
export async function expireNotMeSince(tx: Tx, userId: bigint, token: string, at: Date): Promise<void> {
  await tx.query(
    `update mailed_link set expires_at = $3
      where user_id = $1 and purpose = 'unrecognized_sign_in' and used_at is null and expires_at > $3
        and created_at >= (select created_at from mailed_link where hash = $2)`,
    [userId, hashOfSecret(token), at],
  )
}
