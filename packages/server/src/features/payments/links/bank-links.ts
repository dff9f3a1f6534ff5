import type pg from 'pg'
import { timingSafeEqual } from 'node:crypto'
import type { linkBankAccount } from '@tern/contract/banking'
import { findCountry } from '@tern/contract/countries'
import { pages } from '@tern/contract/pages'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { LinkState } from '@tern/providers/link/port'
import type * as z from 'zod/mini'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow, updateRow } from '../../../platform/database/rows.ts'
import { refuse } from '../../../platform/refuse.ts'
import { confirmedSubject } from '../../../platform/subjects.ts'
import { type Caller, requireCaller } from '../../../platform/http/serve.ts'
import { derivedId, isUuid } from '../../../platform/ids.ts'
import type { SensitiveAction } from '../../identity/identity.ts'
import { readResidence } from '../../kyc/kyc.ts'
import { chooseProvider, requireLinks, markPolled, type PaymentContext, transactWithRetry } from '../context.ts'
import { toColumns, prepareLinkedWithdrawal, type LinkedWithdrawal, toSubject } from './linked-withdrawals.ts'
import { isLinkedAlready } from './linked-already.ts'
import { isSameHolder } from '../instruments/account-holder.ts'
import {
  bankAccountView,
  findBankAccount,
  loadInstruments,
  storeBankAccount,
  maxBankAccounts,
  recordDetach,
} from '../instruments/instruments.ts'
import type { BankLinkRow } from '../row-types.ts'

// Users link bank accounts on the provider's pages, where they choose an account and consent.

type CertainState = Exclude<LinkState, { status: 'unknown' }>

// Minimum time between polls of the provider. Browsers poll more often, and the provider's event usually comes first.
const pollAgainMs = 2000
// Pending links end after this; a consent given later is still accepted.
const expiresAfterMs = 24 * 3_600_000

/**
 * Step-up action that begins a link, and covers the withdrawal requested with it, if any. A confirmation begins one
 * link; repeating the request returns the same one.
 */
const sensitiveAction = (withdrawal: LinkedWithdrawal | undefined): SensitiveAction => ({
  action: 'link_bank_account',
  subject: {
    account: confirmedSubject('account_chosen_at_bank'),
    allows: confirmedSubject('withdrawals_and_deposits'),
    ...(withdrawal && toSubject(withdrawal)),
  },
  hidden: { idempotencyKey: 'named_by_confirmation' },
})

interface LinkOrder {
  readonly caller: Caller
  readonly body: z.output<(typeof linkBankAccount)['body']>
  readonly confirmation: string | undefined
}

/** Begins to link a bank account, with a step-up confirmation. Refusals: see the contract. */
export async function startBankLink(
  ctx: PaymentContext,
  pool: pg.Pool,
  { caller, body, confirmation }: LinkOrder,
): Promise<Reply<typeof linkBankAccount>> {
  const { userId, returnTo = 'withdraw', withdrawal } = body
  requireCaller(caller, userId)
  if (!caller.verified) refuse('verification_required')
  if ((await loadInstruments(ctx, pool, { table: 'bank_account', userId: caller.userId })).length >= maxBankAccounts) {
    refuse('invalid_request', { reason: { code: 'too_many_bank_accounts', params: { max: maxBankAccounts } } })
  }
  const linkId = derivedId('bank link', caller.userId, confirmation ?? '')
  const existingLink = await findLink(pool, linkId)
  const isUsed = existingLink !== undefined && existingLink.status !== 'pending'
  const linkedWithdrawal = withdrawal && (await prepareLinkedWithdrawal(ctx, pool, { caller, terms: withdrawal }))
  const confirmedAt = await ctx.identity.requireStepUp({
    caller,
    act: sensitiveAction(linkedWithdrawal),
    confirmation: isUsed ? undefined : confirmation,
  })
  const provider =
    existingLink?.provider ?? (await chooseProvider(ctx, pool, { userId: caller.userId, method: 'bank' }))
  const link = {
    ...{ id: linkId, provider, user_id: caller.userId, login_session_id: caller.sessionId },
    ...(linkedWithdrawal && toColumns(linkedWithdrawal, confirmedAt)),
  }
  const page = pages[returnTo === 'settings' ? 'connectionSettings' : returnTo]
  const returnUrl = ctx.publicUrl + page.path
  return { redirectUrl: await openLink(ctx, pool, { link, returnUrl }), link_id: linkId }
}

type NewLink = Pick<BankLinkRow, 'id' | 'provider' | 'user_id' | 'login_session_id'>

const returnSealText = (linkId: string): string => `returned from ${linkId}`

async function openLink(
  ctx: PaymentContext,
  pool: pg.Pool,
  { link, returnUrl }: { readonly link: NewLink; readonly returnUrl: string },
): Promise<string> {
  const { identity, now, log } = ctx
  const { id: linkId, user_id: userId } = link
  const person = (await identity.usersById(pool, [userId])).get(userId) ?? refuse('unauthenticated')
  const country = findCountry((await readResidence(pool, userId)) ?? '') ?? refuse('verification_required')
  const at = now()
  const row = { ...link, status: 'pending', created_at: at, updated_at: at, last_polled_at: at }
  await insertRow(pool, 'bank_link', row, 'on conflict (id) do nothing')
  const result = await requireLinks(ctx, link).beginLink({
    linkId,
    userReference: String(userId),
    holderName: person.name ?? person.username,
    email: person.email,
    country: country.code,
    returnUrl,
    returnSecret: ctx.linkSeal.fingerprint(returnSealText(linkId)).toString('base64url'),
    idempotencyKey: linkId,
  })
  if (result.status === 'unknown') return refuse('provider_unavailable')
  if (result.status === 'refused') {
    log.warn({ linkId, reason: result.reason }, 'the provider refuses to link a bank account')
    await failLink(ctx, pool, linkId)
    return refuse('provider_unavailable')
  }
  await updateRow(pool, 'bank_link', linkId, { session_id: result.sessionId, updated_at: now() })
  return result.url
}

/** Status of a link, after polling the provider if that is due. Refuses `not_found`. */
export async function readBankLink(
  ctx: PaymentContext,
  pool: pg.Pool,
  { userId, linkId }: { readonly userId: bigint; readonly linkId: string },
) {
  const { now } = ctx
  const link = await findLink(pool, linkId)
  if (!link || link.user_id !== userId) return refuse('not_found')
  const isDue = now().getTime() - link.last_polled_at.getTime() >= pollAgainMs
  if (link.status === 'pending' && isDue) await checkLink(ctx, pool, link)
  const { status, failed_because: reason, bank_account_id: accountId } = (await findLink(pool, linkId)) ?? link
  const account = await findBankAccount(pool, accountId)
  return { status, reason, bank_account: account ? bankAccountView(account) : null }
}

interface ReturnedLink {
  readonly caller: Caller
  readonly linkId: string
  readonly secret: string
}

/**
 * Completes the return from the bank's page. Only the browser that consented has the secret, and only the login session
 * that began the link may present it: an account that another person consented to, or began to link, is never linked.
 * Refuses `not_found`, `link_of_other_browser`.
 */
export async function finishBankLink(
  ctx: PaymentContext,
  pool: pg.Pool,
  { caller: { userId, sessionId }, linkId, secret }: ReturnedLink,
): Promise<void> {
  const link = await findLink(pool, linkId)
  if (!link || link.user_id !== userId) return refuse('not_found')
  const givenSecret = Buffer.from(secret, 'base64url')
  const isSecretValid =
    // Node ignores foreign characters and unused bits when decoding, so other texts could decode to the same bytes.
    givenSecret.toString('base64url') === secret &&
    ctx.linkSeal
      .fingerprints(returnSealText(linkId))
      .some((expectedHash) => expectedHash.length === givenSecret.length && timingSafeEqual(expectedHash, givenSecret))
  if (!isSecretValid || link.login_session_id !== sessionId) {
    ctx.log.warn({ linkId }, 'a bank link was brought back by another browser or session: refused')
    refuse('link_of_other_browser', { reason: 'bank_link_of_other_browser' })
  }
  await pool.query('update bank_link set returned_at = coalesce(returned_at, $2) where id = $1', [linkId, ctx.now()])
  const returnedLink = await findLink(pool, linkId)
  if (returnedLink?.status === 'pending' || returnedLink?.status === 'canceled')
    await checkLink(ctx, pool, returnedLink)
}

/** Polls the provider about a pending link, and ends one that is a day old. */
export async function checkLink(ctx: PaymentContext, pool: pg.Pool, link: BankLinkRow): Promise<void> {
  await markPolled(ctx, pool, { table: 'bank_link', id: link.id })
  const state = link.session_id === null ? undefined : await requireLinks(ctx, link).lookupLink(link.session_id)
  if (state?.status === 'unknown') return
  const { provider } = link
  if (state) await transactWithRetry(pool, (tx) => applyLinkState(ctx, tx, { provider, state }))
  if (ctx.now().getTime() - link.created_at.getTime() > expiresAfterMs) await expireLink(ctx, pool, { link, state })
}

/** Ends an abandoned link, and the consent at the provider if one was given. */
async function expireLink(
  ctx: PaymentContext,
  pool: pg.Pool,
  { link, state }: { readonly link: BankLinkRow; readonly state: CertainState | undefined },
): Promise<void> {
  const at = ctx.now()
  await transact(pool, async (tx) => {
    const { rowCount } = await tx.query(
      `update bank_link set status = $3, updated_at = $2 where id = $1 and status = 'pending'`,
      [link.id, at, state?.status === 'linked' ? 'failed' : 'canceled'],
    )
    if (rowCount === 1 && state?.status === 'linked') await endConsent(tx, { link, state, at })
  })
}

type LinkedState = Extract<CertainState, { status: 'linked' }>

/** Ends the consent at the provider after the commit, unless the user has linked the same account meanwhile. */
async function endConsent(
  tx: Tx,
  { link, state: { account }, at }: { readonly link: BankLinkRow; readonly state: LinkedState; readonly at: Date },
): Promise<void> {
  const { user_id: userId, provider } = link
  const { rowCount } = await tx.query(
    'select from bank_account where user_id = $1 and provider = $2 and token = $3 and removed_at is null',
    [userId, provider, account.token],
  )
  if (rowCount === 0) await recordDetach(tx, 'bank_account', { provider, token: account.token }, at)
}

/**
 * Applies a link's state at its provider. Returns the outcome; undefined if the link is not ours or there is no effect.
 */
export async function applyLinkState(
  ctx: PaymentContext,
  tx: Tx,
  { provider, state }: { readonly provider: string; readonly state: CertainState },
): Promise<string | undefined> {
  if (state.status === 'open' || !isUuid(state.linkId)) return undefined
  const { rows } = await tx.query<BankLinkRow>('select * from bank_link where id = $1 for update', [state.linkId])
  const [link] = rows
  if (link?.provider !== provider) return undefined
  const { id, status } = link
  if (status === 'linked') return 'already_linked'
  if (state.status === 'linked') return completeLink(ctx, tx, { link, state })
  if (status !== 'pending') return `already_${status}`
  await updateRow(tx, 'bank_link', id, { status: state.status, updated_at: ctx.now() })
  return state.status
}

/** Stores the linked account once the user has returned from the bank. Fails the link if the holder's name differs. */
async function completeLink(
  ctx: PaymentContext,
  tx: Tx,
  { link, state }: { readonly link: BankLinkRow; readonly state: LinkedState },
): Promise<string> {
  const { id, user_id: userId, provider, status } = link
  const { account } = state
  const at = ctx.now()
  if (!link.returned_at) return 'awaits_return'
  if (status === 'failed') return 'already_failed'
  const person = (await ctx.identity.usersById(tx, [userId])).get(userId)
  if (account.holderName !== undefined && !isSameHolder(account.holderName, person?.name ?? '')) {
    await updateRow(tx, 'bank_link', id, { status: 'failed', failed_because: 'holder_differs', updated_at: at })
    await endConsent(tx, { link, state, at })
    return 'holder_differs'
  }
  if (await isLinkedAlready(tx, { userId, provider, account })) {
    await updateRow(tx, 'bank_link', id, { status: 'failed', failed_because: 'linked_already', updated_at: at })
    await endConsent(tx, { link, state, at })
    return 'linked_already'
  }
  const storeResult = await storeBankAccount(tx, { userId, provider }, account, at)
  if (storeResult.status === 'full') {
    await updateRow(tx, 'bank_link', id, { status: 'failed', updated_at: at })
    return 'too_many_accounts'
  }
  await updateRow(tx, 'bank_link', id, { status: 'linked', bank_account_id: storeResult.id, updated_at: at })
  const holder = account.holderName?.trim()
  if (holder) await ctx.counterparties.check(tx, { id: storeResult.id, kind: 'account_holder', userId, name: holder })
  if (storeResult.status === 'known') return 'was_linked_already'
  // Lets the owner notice a link that an intruder made.
  if (person) {
    const { bankName, last4 } = account
    const to = { userId: person.id, email: person.email }
    const data = { bankName, last4, at, link: ctx.publicUrl + pages.connectionSettings.path }
    await ctx.notifications.mail(tx, { to, template: 'bank_account_linked', data })
  }
  return 'linked'
}

async function findLink(db: Db, id: string): Promise<BankLinkRow | undefined> {
  return (await db.query<BankLinkRow>('select * from bank_link where id = $1', [id])).rows[0]
}

async function failLink({ now }: PaymentContext, db: Db, id: string): Promise<void> {
  await db.query(`update bank_link set status = 'failed', updated_at = $2 where id = $1 and status = 'pending'`, [
    id,
    now(),
  ])
}
