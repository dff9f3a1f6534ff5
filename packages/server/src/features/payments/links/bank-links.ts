import { timingSafeEqual } from 'node:crypto'
import type { linkBankAccount } from '@tern/contract/banking'
import { countryOf } from '@tern/contract/countries'
import { pages } from '@tern/contract/pages'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { LinkState } from '@tern/providers/bank/port'
import type * as z from 'zod/mini'
import { only, type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow, updateRow } from '../../../platform/database/rows.ts'
import { refuse } from '../../../platform/refuse.ts'
import { confirmed } from '../../../platform/subjects.ts'
import { type Caller, requireCaller } from '../../../platform/http/serve.ts'
import { derivedId, isUuid } from '../../../platform/ids.ts'
import type { SensitiveAction } from '../../identity/identity.ts'
import { readResidence } from '../../kyc/kyc.ts'
import { apply, chooseProvider, markPolled, type PaymentContext, providerOf } from '../context.ts'
import { columnsOf, stateWithdrawal, type StatedWithdrawal, subjectOf } from './stated-withdrawals.ts'
import { isSameHolder } from '../instruments/account-holder.ts'
import {
  bankAccountView,
  findBankAccount,
  instrumentsOf,
  keepBankAccount,
  mostBankAccounts,
  noteDetach,
} from '../instruments/instruments.ts'

// Bank accounts are linked on the provider's pages, where their owners choose and consent.

type Certain = Exclude<LinkState, { status: 'unknown' }>

/** One attempt to link a bank account, as stored. */
export interface LinkRow {
  readonly id: string
  readonly user_id: bigint
  readonly provider: string
  /** The provider's. */
  readonly session_id: string | null
  /** The session that began it, and when its browser came back from the bank's page. */
  readonly login_session_id: string | null
  readonly returned_at: Date | null
  readonly failed_because: 'holder_differs' | null
  readonly status: 'pending' | 'linked' | 'canceled' | 'failed'
  readonly bank_account_id: string | null
  readonly created_at: Date
  readonly last_polled_at: Date
}

// A browser that waits asks often; the provider's event is usually quicker than its answer.
const pollAgainMs = 2000
// Nobody stays on the bank's page for longer. An account linked later is still accepted.
const expiresAfterMs = 24 * 3_600_000

/**
 * What is confirmed before money can go to a new account, with the first withdrawal to it if that is stated. One confirmation
 * begins one link, also when repeated.
 */
const actOf = (withdrawal: StatedWithdrawal | undefined): SensitiveAction => ({
  action: 'link_bank_account',
  subject: {
    account: confirmed('account_chosen_at_bank'),
    allows: confirmed('withdrawals_and_deposits'),
    ...(withdrawal && subjectOf(withdrawal)),
  },
  hidden: { idempotencyKey: 'named_by_confirmation' },
})

/** Begins to link a bank account, with a step-up confirmation. Refuses what the contract lists. */
export async function startBankLink(
  context: PaymentContext,
  caller: Caller,
  { userId, returnTo = 'withdraw', withdrawal }: z.output<(typeof linkBankAccount)['body']>,
  confirmation: string | undefined,
): Promise<Reply<typeof linkBankAccount>> {
  requireCaller(caller, userId)
  if (!caller.verified) refuse('verification_required')
  if ((await instrumentsOf(context, 'bank_account', caller.userId)).length >= mostBankAccounts) {
    refuse('invalid_request', { reason: { code: 'too_many_bank_accounts', params: { max: mostBankAccounts } } })
  }
  const linkId = derivedId('bank link', caller.userId, confirmation ?? '')
  const earlier = await findLink(context.pool, linkId)
  const isUsed = earlier !== undefined && earlier.status !== 'pending'
  const stated = withdrawal && (await stateWithdrawal(context, caller, withdrawal))
  const confirmedAt = await context.identity.requireStepUp({
    caller,
    act: actOf(stated),
    confirmation: isUsed ? undefined : confirmation,
  })
  const provider = earlier?.provider ?? (await chooseProvider(context, caller.userId, { method: 'bank' }))
  const link = {
    ...{ id: linkId, provider, user_id: caller.userId, login_session_id: caller.sessionId },
    ...(stated && columnsOf(stated, confirmedAt)),
  }
  const page = pages[returnTo === 'settings' ? 'connectionSettings' : returnTo]
  return { redirectUrl: await openLink(context, link, context.publicUrl + page.path), link_id: linkId }
}

type NewLink = Pick<LinkRow, 'id' | 'provider' | 'user_id' | 'login_session_id'>

const returned = (linkId: string): string => `returned from ${linkId}`

async function openLink(context: PaymentContext, link: NewLink, returnUrl: string): Promise<string> {
  const { pool, identity, now, log } = context
  const { id: linkId, user_id: userId } = link
  const person = (await identity.usersById(pool, [userId])).get(userId) ?? refuse('unauthenticated')
  const country = countryOf((await readResidence(pool, userId)) ?? '') ?? refuse('verification_required')
  const at = now()
  const row = { ...link, status: 'pending', created_at: at, updated_at: at, last_polled_at: at }
  await insertRow(pool, 'bank_link', row, 'on conflict (id) do nothing')
  const result = await providerOf(context, link).bank.beginLink({
    linkId,
    userReference: String(userId),
    holderName: person.name ?? person.username,
    email: person.email,
    country: country.code,
    returnUrl,
    returnSecret: context.linkSeal.fingerprint(returned(linkId)).toString('base64url'),
    idempotencyKey: linkId,
  })
  if (result.status === 'unknown') return refuse('provider_unavailable')
  if (result.status === 'refused') {
    log.warn({ linkId, reason: result.reason }, 'the provider refuses to link a bank account')
    await endLink(context, linkId, 'failed')
    return refuse('provider_unavailable')
  }
  await updateRow(pool, 'bank_link', linkId, { session_id: result.sessionId, updated_at: now() })
  return result.url
}

/** What became of a linking, polling the provider now and then while it is pending. Refuses `not_found`. */
export async function readBankLink(context: PaymentContext, userId: bigint, linkId: string) {
  const { pool, now } = context
  const link = await findLink(pool, linkId)
  if (!link || link.user_id !== userId) return refuse('not_found')
  const isDue = now().getTime() - link.last_polled_at.getTime() >= pollAgainMs
  if (link.status === 'pending' && isDue) await checkLink(context, link)
  const { status, failed_because: reason, bank_account_id: accountId } = (await findLink(pool, linkId)) ?? link
  const account = await findBankAccount(pool, accountId)
  return { status, reason, bank_account: account ? bankAccountView(account) : null }
}

/**
 * Back from the bank's page. Only the browser in which the person consented knows the secret, and only the session that
 * began may bring it: an account that somebody else consented to, or began, is never linked. Refuses `not_found`,
 * `link_of_other_browser`.
 */
export async function finishBankLink(
  context: PaymentContext,
  { userId, sessionId }: Caller,
  linkId: string,
  secret: string,
): Promise<void> {
  const link = await findLink(context.pool, linkId)
  if (!link || link.user_id !== userId) return refuse('not_found')
  const given = Buffer.from(secret, 'base64url')
  const isRight =
    // Node ignores foreign characters and unused bits: only one text stands for these bytes.
    given.toString('base64url') === secret &&
    context.linkSeal
      .fingerprints(returned(linkId))
      .some((own) => own.length === given.length && timingSafeEqual(own, given))
  if (!isRight || link.login_session_id !== sessionId) {
    context.log.warn({ linkId }, 'a bank link was brought back by another browser or session: refused')
    refuse('link_of_other_browser', { reason: 'bank_link_of_other_browser' })
  }
  await context.pool.query('update bank_link set returned_at = coalesce(returned_at, $2) where id = $1', [
    linkId,
    context.now(),
  ])
  const now = await findLink(context.pool, linkId)
  if (now?.status === 'pending' || now?.status === 'canceled') await checkLink(context, now)
}

/** Polls the provider about a pending linking, and ends one that is a day old. */
export async function checkLink(context: PaymentContext, link: LinkRow): Promise<void> {
  await markPolled(context, 'bank_link', link.id)
  const state = link.session_id === null ? undefined : await providerOf(context, link).bank.lookupLink(link.session_id)
  if (state?.status === 'unknown') return
  const transition = state && (await linkTransition(context, link.provider, state))
  if (transition) await apply(context, transition)
  if (context.now().getTime() - link.created_at.getTime() > expiresAfterMs) await expireLink(context, link, state)
}

/** Ends a linking nobody came back for; a consent that was given is ended at the provider, too. */
async function expireLink(context: PaymentContext, link: LinkRow, state: Certain | undefined): Promise<void> {
  const at = context.now()
  await transact(context.pool, async (tx) => {
    const { rowCount } = await tx.query(
      `update bank_link set status = $3, updated_at = $2 where id = $1 and status = 'pending'`,
      [link.id, at, state?.status === 'linked' ? 'failed' : 'canceled'],
    )
    if (rowCount === 1 && state?.status === 'linked') await endConsent(tx, link, state, at)
  })
}

type Linked = Extract<Certain, { status: 'linked' }>

/** Has the provider told, after the commit, that an account is not linked after all, unless the person has it already. */
async function endConsent(
  tx: Tx,
  { user_id: userId, provider }: LinkRow,
  { account }: Linked,
  at: Date,
): Promise<void> {
  const { rowCount } = await tx.query(
    'select from bank_account where user_id = $1 and provider = $2 and token = $3 and removed_at is null',
    [userId, provider, account.token],
  )
  if (rowCount === 0) await noteDetach(tx, 'bank_account', { provider, token: account.token }, at)
}

/** What follows from the state of a linking at a provider; undefined when it is none of ours, or nothing follows. */
export async function linkTransition(context: PaymentContext, provider: string, state: Certain) {
  if (state.status === 'open' || !isUuid(state.linkId)) return undefined
  const link = await findLink(context.pool, state.linkId)
  if (link?.provider !== provider) return undefined
  const person = (await context.identity.usersById(context.pool, [link.user_id])).get(link.user_id)
  const mailbox = person && { userId: person.id, email: person.email }
  return async (tx: Tx) => {
    const { rows } = await tx.query<LinkRow>('select * from bank_link where id = $1 for update', [link.id])
    const row = only(rows)
    const { id, status, user_id: userId } = row
    const at = context.now()
    if (status === 'linked') return 'already_linked'
    if (state.status !== 'linked') {
      if (status !== 'pending') return `already_${status}`
      await updateRow(tx, 'bank_link', id, { status: state.status, updated_at: at })
      return state.status
    }
    const { account } = state
    if (!row.returned_at) return 'awaits_return'
    if (status === 'failed') return 'already_failed'
    if (account.holderName !== undefined && !isSameHolder(account.holderName, person?.name ?? '')) {
      await updateRow(tx, 'bank_link', id, { status: 'failed', failed_because: 'holder_differs', updated_at: at })
      await endConsent(tx, row, state, at)
      return 'holder_differs'
    }
    const kept = await keepBankAccount(tx, { userId, provider }, account, at)
    if (kept.status === 'full') {
      await updateRow(tx, 'bank_link', id, { status: 'failed', updated_at: at })
      return 'too_many_accounts'
    }
    await updateRow(tx, 'bank_link', id, { status: 'linked', bank_account_id: kept.id, updated_at: at })
    const holder = account.holderName?.trim()
    if (holder) await context.counterparties.check(tx, { id: kept.id, kind: 'account_holder', userId, name: holder })
    if (kept.status === 'known') return 'was_linked_already'
    // Its owner is told, in case it was not them who linked it.
    if (mailbox) {
      const { bankName, last4 } = account
      const mail = { bankName, last4, at, link: context.publicUrl + pages.connectionSettings.path }
      await context.notifications.mail(tx, { to: mailbox, template: 'bank_account_linked', data: mail })
    }
    return 'linked'
  }
}

async function findLink(db: Db, id: string): Promise<LinkRow | undefined> {
  return (await db.query<LinkRow>('select * from bank_link where id = $1', [id])).rows[0]
}

async function endLink({ pool, now }: PaymentContext, id: string, status: 'canceled' | 'failed'): Promise<void> {
  await pool.query(`update bank_link set status = $2, updated_at = $3 where id = $1 and status = 'pending'`, [
    id,
    status,
    now(),
  ])
}
