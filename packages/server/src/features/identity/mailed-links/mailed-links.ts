import type { Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { IdentityContext, UserAndTime } from '../context.ts'
import { hashSecret, newSecret } from '../secrets.ts'

export type LinkPurpose =
  | 'log_in'
  | 'verify_email'
  | 'change_email'
  | 'reset_password'
  | 'unrecognized_sign_in'
  | 'freeze_account'

/** Purposes of links that sign in, set a password or confirm an address. */
export const signInLinkPurposes: readonly LinkPurpose[] = ['log_in', 'verify_email', 'change_email', 'reset_password']

const lifetimeMinutes: Readonly<Record<LinkPurpose, number>> = {
  log_in: 15,
  verify_email: 24 * 60,
  change_email: 24 * 60,
  reset_password: 60,
  unrecognized_sign_in: 30 * 24 * 60,
  freeze_account: 30 * 24 * 60,
}

const retentionDays = 90

export interface MailedLink {
  readonly purpose: LinkPurpose
  readonly userId: bigint
  readonly email: string
  readonly sessionId: string | null
  /** True if the account's address is reserved while the link is valid. Set only for proven addresses. */
  readonly keepsEmail: boolean
}

/**
 * Issues a token to be mailed to `email`. With `browser`, only that browser can use it. Without `userId`, runs the same
 * statements but stores nothing, so that timing does not reveal unknown addresses.
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
                                         and email_proven_at is not null)
      where $3::bigint is not null`,
    [
      hashSecret(token),
      link.purpose,
      link.userId ?? null,
      link.email,
      link.browser ?? null,
      link.at,
      expiresAt,
      link.sessionId ?? null,
      retentionDays,
    ],
  )
  return token
}

export async function mailVerification(
  { notifications, publicUrl, realNow }: IdentityContext,
  tx: Tx,
  { userId, email }: { userId: bigint; email: string },
): Promise<void> {
  const token = await issueLink(tx, { purpose: 'verify_email', userId, email, at: realNow() })
  const link = `${publicUrl}/verify-email?token=${token}`
  await notifications.mail(tx, { to: { email, userId }, template: 'verify_email', data: { link } })
}

/**
 * Marks a link as used and locks its user. Refuses `link_invalid` if it is unknown, expired, used or for another
 * purpose. Refuses `link_of_other_browser` without using it up.
 */
export async function consumeLink(
  tx: Tx,
  linkUse: { purposes: readonly LinkPurpose[]; token: string; at: Date; browser?: Buffer | undefined },
): Promise<MailedLink> {
  const { purposes, token, at, browser } = linkUse
  const hash = hashSecret(token)
  // Locks the user before the link. Otherwise, using one link and voiding others could deadlock.
  await tx.query(
    'select 1 from app_user where id = (select user_id from mailed_link where hash = $1) for no key update',
    [hash],
  )
  const { rows } = await tx.query<MailedLink & { browser: Buffer | null }>(
    `select purpose, user_id as "userId", email, session_id as "sessionId", keeps_email as "keepsEmail", browser
       from mailed_link
      where hash = $1 and purpose = any($2) and used_at is null and expires_at > $3 for update`,
    [hash, purposes, at],
  )
  const { browser: linkBrowser, ...link } = rows[0] ?? refuse('link_invalid')
  const isBound = linkBrowser !== null || link.purpose === 'log_in'
  if (isBound && !(browser && linkBrowser?.equals(browser))) refuse('link_of_other_browser')
  await tx.query('update mailed_link set used_at = $2 where hash = $1', [hash, at])
  return link
}

/** Voids a user's unused links; with `browser`, only those bound to that browser. */
export async function voidLinks(
  tx: Tx,
  linkSelection: {
    userId: bigint | undefined
    purposes: readonly LinkPurpose[]
    at: Date
    browser?: Buffer | undefined
  },
): Promise<void> {
  const { userId, purposes, at, browser } = linkSelection
  await tx.query(
    `update mailed_link set used_at = $3
      where user_id = $1::bigint and purpose = any($2) and used_at is null and ($4::bytea is null or browser = $4)`,
    [userId ?? null, purposes, at, browser ?? null],
  )
}

/**
 * Expires the "this wasn't me" links issued since that of `token`, because an intruder may have received them. Older
 * links stay valid, so that a second change of address cannot void the owner's links.
 */
export async function expireReportLinksSince(
  tx: Tx,
  { userId, token, at }: UserAndTime & { token: string },
): Promise<void> {
  await tx.query(
    `update mailed_link set expires_at = $3
      where user_id = $1 and purpose = 'unrecognized_sign_in' and used_at is null and expires_at > $3
        and created_at >= (select created_at from mailed_link where hash = $2)`,
    [userId, hashSecret(token), at],
  )
}
