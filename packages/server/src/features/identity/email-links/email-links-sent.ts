import { only, transact, type Tx } from '../../../platform/database/db.ts'
import { refuseField } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'
import { grantMail } from '../mailed-links/mail-requests.ts'
import { issueLink, voidLinks } from '../mailed-links/mailed-links.ts'
import { whereFrom } from '../mailed-links/security-alerts.ts'
import type { Client } from '../sessions/sessions.ts'

// Mails anyone may request. Known and unknown addresses run the same statements and write one mail, so neither answer nor
// timing reveals them. At most five of a kind per hour and address.

interface Owner {
  readonly id: bigint
  readonly isProven: boolean
}

/**
 * Mails a link that signs in the requesting browser, and voids its earlier ones. Refuses `invalid_request` when `from` is
 * not one of our paths.
 */
export async function sendLoginLink(
  context: IdentityContext,
  { email, from }: { email: string; from?: string | undefined },
  client: Client,
): Promise<void> {
  const { notifications, publicUrl } = context
  const wayOn = from === undefined ? '' : `&from=${encodeURIComponent(ownPath(from, publicUrl))}`
  const { browser } = client
  await send(context, { kind: 'log_in', email, client }, async (tx, owner, at) => {
    // Links of other browsers stay valid: anyone may request one.
    if (browser) await voidLinks(tx, { userId: owner?.id, purposes: ['log_in'], at, browser })
    const token = await issueLink(tx, { purpose: 'log_in', userId: owner?.id, email, at, browser })
    if (!owner) return mailNoAccount(context, tx, email)
    const link = `${publicUrl}/login-link#token=${token}${wayOn}`
    await notifications.mail(tx, {
      to: { email, userId: owner.id },
      template: 'log_in',
      data: { link, ...whereFrom(client) },
    })
  })
}

export const sendVerification = (context: IdentityContext, email: string, client: Client): Promise<void> =>
  send(context, { kind: 'verify_email', email, client }, async (tx, owner, at) => {
    const { notifications, publicUrl } = context
    const unproven = owner?.isProven === false ? owner : undefined
    const token = await issueLink(tx, { purpose: 'verify_email', userId: unproven?.id, email, at })
    if (!owner) return mailNoAccount(context, tx, email)
    const to = { email, userId: owner.id }
    if (!unproven)
      return notifications.mail(tx, { to, template: 'email_already_verified', data: { link: `${publicUrl}/login` } })
    await notifications.mail(tx, {
      to,
      template: 'verify_email',
      data: { link: `${publicUrl}/verify-email?token=${token}` },
    })
  })

export const sendPasswordReset = (context: IdentityContext, email: string, client: Client): Promise<void> =>
  send(context, { kind: 'reset_password', email, client }, async (tx, owner, at) => {
    const token = await issueLink(tx, { purpose: 'reset_password', userId: owner?.id, email, at })
    if (!owner) return mailNoAccount(context, tx, email)
    const link = `${context.publicUrl}/reset-password#token=${token}`
    await context.notifications.mail(tx, {
      to: { email, userId: owner.id },
      template: 'reset_password',
      data: { link },
    })
  })

const mailNoAccount = ({ notifications, publicUrl }: IdentityContext, tx: Tx, email: string) =>
  notifications.mail(tx, { to: { email }, template: 'no_account', data: { link: `${publicUrl}/signup` } })

/**
 * Runs `write` unless such mails were requested too often; then silently does nothing. Browsers the account was used in
 * are counted separately, so strangers cannot use up the owner's share.
 */
async function send(
  context: IdentityContext,
  { kind, email, client }: { kind: 'log_in' | 'verify_email' | 'reset_password'; email: string; client: Client },
  write: (tx: Tx, owner: Owner | undefined, at: Date) => Promise<void>,
): Promise<void> {
  await transact(context.pool, async (tx) => {
    const device = (await isOwnDevice(tx, email, client)) ? ` ${client.browser?.toString('hex')}` : ''
    if (!(await grantMail(context, tx, { kind: `${kind}${device}`, email }))) return
    await write(tx, await lockOwner(tx, email), context.realNow())
  })
}

/** The account with this address, locked as in `takeLink`. */
async function lockOwner(tx: Tx, email: string): Promise<Owner | undefined> {
  const { rows } = await tx.query<{ id: bigint; is_proven: boolean }>(
    `select id, email_proven_at is not null as is_proven
       from app_user where lower(email) = lower($1) for no key update`,
    [email],
  )
  return rows[0] && { id: rows[0].id, isProven: rows[0].is_proven }
}

/**
 * Whether someone with access to the mailbox used the account in this browser. Registering a foreign address must not
 * allow mailing it from many browsers.
 */
async function isOwnDevice(tx: Tx, email: string, client: Client): Promise<boolean> {
  const { rows } = await tx.query<{ own: boolean }>(
    `select exists (select from app_user join session on session.user_id = app_user.id
                     where lower(email) = lower($1) and email_proven_at is not null and device = $2) as own`,
    [email, client.browser ?? null],
  )
  return only(rows).own
}

/** A path on our own site. Refuses `invalid_request` for anything else. */
function ownPath(from: string, publicUrl: string): string {
  const { origin } = new URL(publicUrl)
  const read = URL.canParse(from, origin) ? new URL(from, origin) : undefined
  const isPath = /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(from)
  if (!isPath || read?.origin !== origin) refuseField('invalid_request', 'from', 'not_our_page')
  return from
}
