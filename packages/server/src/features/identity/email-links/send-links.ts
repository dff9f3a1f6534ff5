import type pg from 'pg'
import { onlyRow, transact, type Tx } from '../../../platform/database/db.ts'
import { refuseField } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'
import { grantMail } from '../mailed-links/mail-requests.ts'
import { issueLink, voidLinks } from '../mailed-links/mailed-links.ts'
import { locateClient } from '../mailed-links/security-alerts.ts'
import type { Client } from '../sessions/sessions.ts'

// Mails that anyone may request, at most five of a kind per hour and address; each of the owner's browsers has a limit
// of its own. Known and unknown addresses run the same statements and get one mail, so that neither reply nor timing
// reveals which are known.

interface Owner {
  readonly id: bigint
  readonly isProven: boolean
}

interface LinkRequest {
  readonly email: string
  readonly client: Client
}

/**
 * Mails a link that signs in the requesting browser, and voids the browser's earlier links. Refuses `invalid_request`
 * unless `from` is a path on our origin.
 */
export async function sendLoginLink(
  ctx: IdentityContext,
  pool: pg.Pool,
  { email, from, client }: LinkRequest & { from?: string | undefined },
): Promise<void> {
  const { notifications, publicUrl } = ctx
  const returnParameter = from === undefined ? '' : `&from=${encodeURIComponent(requireOwnPath(from, publicUrl))}`
  const { browser } = client
  await transact(pool, async (tx) => {
    const grant = await grantLinkMail(ctx, tx, { kind: 'log_in', email, client })
    if (!grant) return
    const { owner, at } = grant
    // Links of other browsers stay valid, because anyone can request a link.
    if (browser) await voidLinks(tx, { userId: owner?.id, purposes: ['log_in'], at, browser })
    const token = await issueLink(tx, { purpose: 'log_in', userId: owner?.id, email, at, browser })
    if (!owner) return mailNoAccount(ctx, tx, email)
    const data = { link: `${publicUrl}/login-link#token=${token}${returnParameter}`, ...locateClient(client) }
    await notifications.mail(tx, { to: { email, userId: owner.id }, template: 'log_in', data })
  })
}

export async function sendVerification(
  ctx: IdentityContext,
  pool: pg.Pool,
  { email, client }: LinkRequest,
): Promise<void> {
  const { notifications, publicUrl } = ctx
  await transact(pool, async (tx) => {
    const grant = await grantLinkMail(ctx, tx, { kind: 'verify_email', email, client })
    if (!grant) return
    const { owner, at } = grant
    const unprovenOwner = owner?.isProven === false ? owner : undefined
    const token = await issueLink(tx, { purpose: 'verify_email', userId: unprovenOwner?.id, email, at })
    if (!owner) return mailNoAccount(ctx, tx, email)
    const link = unprovenOwner ? `${publicUrl}/verify-email?token=${token}` : `${publicUrl}/login`
    const template = unprovenOwner ? 'verify_email' : 'email_already_verified'
    await notifications.mail(tx, { to: { email, userId: owner.id }, template, data: { link } })
  })
}

export async function sendPasswordReset(
  ctx: IdentityContext,
  pool: pg.Pool,
  { email, client }: LinkRequest,
): Promise<void> {
  await transact(pool, async (tx) => {
    const grant = await grantLinkMail(ctx, tx, { kind: 'reset_password', email, client })
    if (!grant) return
    const { owner, at } = grant
    const token = await issueLink(tx, { purpose: 'reset_password', userId: owner?.id, email, at })
    if (!owner) return mailNoAccount(ctx, tx, email)
    const data = { link: `${ctx.publicUrl}/reset-password#token=${token}` }
    await ctx.notifications.mail(tx, { to: { email, userId: owner.id }, template: 'reset_password', data })
  })
}

const mailNoAccount = ({ notifications, publicUrl }: IdentityContext, tx: Tx, email: string) =>
  notifications.mail(tx, { to: { email }, template: 'no_account', data: { link: `${publicUrl}/signup` } })

/**
 * Returns the account with an address, if any; undefined if too many mails were requested. Browsers in which the
 * account was used have a limit of their own, so that strangers cannot exhaust the owner's.
 */
async function grantLinkMail(
  ctx: IdentityContext,
  tx: Tx,
  { kind, email, client }: LinkRequest & { kind: 'log_in' | 'verify_email' | 'reset_password' },
): Promise<{ owner: Owner | undefined; at: Date } | undefined> {
  const device = (await isOwnDevice(tx, { email, client })) ? ` ${client.browser?.toString('hex')}` : ''
  if (!(await grantMail(ctx, tx, { kind: `${kind}${device}`, email }))) return undefined
  return { owner: await lockOwner(tx, email), at: ctx.realNow() }
}

/** Locks and returns the account with an address, in the lock order of `consumeLink`. */
async function lockOwner(tx: Tx, email: string): Promise<Owner | undefined> {
  const { rows } = await tx.query<{ id: bigint; is_proven: boolean }>(
    `select id, email_proven_at is not null as is_proven
       from app_user where lower(email) = lower($1) for no key update`,
    [email],
  )
  return rows[0] && { id: rows[0].id, isProven: rows[0].is_proven }
}

/**
 * True if the account was used in this browser and its mailbox is proven. An unproven account gets no extra mails, so
 * that registering a stranger's address cannot be used to flood it.
 */
async function isOwnDevice(tx: Tx, { email, client }: LinkRequest): Promise<boolean> {
  const { rows } = await tx.query<{ own: boolean }>(
    `select exists (select from app_user join session on session.user_id = app_user.id
                     where lower(email) = lower($1) and email_proven_at is not null and device = $2) as own`,
    [email, client.browser ?? null],
  )
  return onlyRow(rows).own
}

/** Returns `from` if it is a path on our origin. Refuses `invalid_request` otherwise. */
function requireOwnPath(from: string, publicUrl: string): string {
  const { origin } = new URL(publicUrl)
  const parsedUrl = URL.canParse(from, origin) ? new URL(from, origin) : undefined
  const isPath = /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(from)
  if (!isPath || parsedUrl?.origin !== origin) refuseField('invalid_request', 'from', 'not_our_page')
  return from
}
