import type { Tx } from '../../db.ts'
import { refuse } from '../../refuse.ts'
import { hashOfSecret, newSecret } from './secrets.ts'

export type LinkPurpose = 'log_in' | 'verify_email' | 'change_email' | 'reset_password' | 'not_me'

const lifetimeMinutes: Readonly<Record<LinkPurpose, number>> = {
  log_in: 15,
  verify_email: 24 * 60,
  change_email: 24 * 60,
  reset_password: 60,
  not_me: 30 * 24 * 60,
}

const keptDays = 90

export interface MailedLink {
  readonly userId: bigint
  readonly email: string
  readonly sessionId: string | null
}

/**
 * A new token for `purpose`, to be put into a link and mailed to `email`. With `browser` (see `Client`) only that
 * browser may use it.
 */
export async function issueLink(
  tx: Tx,
  link: {
    purpose: LinkPurpose
    userId: bigint
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
     insert into mailed_link (hash, purpose, user_id, email, browser, created_at, expires_at, session_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      hashOfSecret(token),
      link.purpose,
      link.userId,
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
 * Spends a link. Refuses `link_invalid` when it is unknown, expired, used, or for another purpose, and
 * `link_of_other_browser`, leaving it unspent, when it belongs to another browser than `browser`.
 */
export async function takeLink(
  tx: Tx,
  { purpose, token, at, browser }: { purpose: LinkPurpose; token: string; at: Date; browser?: Buffer | undefined },
): Promise<MailedLink> {
  const { rows } = await tx.query<{
    user_id: bigint
    email: string
    session_id: string | null
    browser: Buffer | null
  }>(
    `select user_id, email, session_id, browser from mailed_link
      where hash = $1 and purpose = $2 and used_at is null and expires_at > $3 for update`,
    [hashOfSecret(token), purpose, at],
  )
  const link = rows[0] ?? refuse('link_invalid')
  if (link.browser && !(browser && link.browser.equals(browser))) refuse('link_of_other_browser')
  await tx.query('update mailed_link set used_at = $2 where hash = $1', [hashOfSecret(token), at])
  return { userId: link.user_id, email: link.email, sessionId: link.session_id }
}
