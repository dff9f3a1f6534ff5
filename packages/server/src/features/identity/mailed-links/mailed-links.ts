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

/** Links that can open or take over an account. */
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
  /** Reserves the address while the link is valid, because its owner used the account. */
  readonly keepsEmail: boolean
}

/**
 * Issues a token for `purpose`, to be mailed to `email` and used only in `browser`, if given (see `Client`). Without
 * `userId` it does the same work, but the token is useless.
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

/** Mails a link that confirms an address. */
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
 * Spends a link and locks its user. Refuses `link_invalid` when unknown, expired, used or for another purpose, and,
 * without spending it, `link_of_other_browser`.
 */
export async function consumeLink(
  tx: Tx,
  linkUse: { purposes: readonly LinkPurpose[]; token: string; at: Date; browser?: Buffer | undefined },
): Promise<MailedLink> {
  const { purposes, token, at, browser } = linkUse
  const hash = hashSecret(token)
  // The user before the link: spending one and voiding others could otherwise deadlock.
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

/** Voids a user's unused links, or only those of `browser` (see `Client`). */
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
 * Expires "this was not me" links newer than that of `token`, which the intruder may have received. Older ones stay
 * valid; otherwise moving an account twice would void the owner's links. None counts as used, because their events were
 * not reported.
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
