import { ApiError, fingerprint, newId } from '../server/api.ts'
import { type BankAccounts, shownAccount } from './bank-accounts.ts'
import { accountsAt, type Bank, bankBySlug, type HeldAccount } from './banks.ts'
import type { Clock } from '../control/clock.ts'
import type { Store } from '../server/store.ts'
import type { Webhooks } from '../server/webhooks.ts'

export type LinkStatus = 'open' | 'linked' | 'canceled' | 'failed' | 'expired'

/** A bank link in progress. */
export interface Link {
  id: string
  reference: string
  user_reference: string
  holder_name: string
  country: string
  return_url: string
  status: LinkStatus
  account_token: string | null
  expires_at: string
}

export interface NewLink {
  /** The product's name for it. */
  reference: string
  /** The product's user: the same person always has the same accounts. */
  userReference: string
  holderName: string
  email: string
  country: string
  returnUrl: string
}

export interface Links {
  /** Idempotent by key. Throws ApiError 422 for a different request. */
  begin(link: NewLink, idempotencyKey: string): Link
  /** Throws ApiError 404. */
  find(id: string): Link
  /** What the product's GET answers. Throws ApiError 404. */
  show(id: string): object
  /**
   * The person shares an account: it is linked, or fails, depending on the bank. Ended links are unchanged. Throws
   * ApiError 404, also for an account the person does not have.
   */
  consent(id: string, bankSlug: string, currency: string): Link
  /** Ends an open link. Throws ApiError 404. */
  cancel(id: string): Link
  /** Expires links after an hour by the sandbox clock. */
  executeDue(): void
}

const lifetimeMs = 60 * 60 * 1000

const columns = 'id, reference, user_reference, holder_name, country, return_url, status, account_token, expires_at'

/** The product's return address with the result, which is no proof. */
export function linkReturnAddress({ return_url: returnUrl, status, reference }: Link): string {
  const url = new URL(returnUrl)
  url.searchParams.set('linkStatus', status === 'linked' ? 'success' : 'canceled')
  url.searchParams.set('link_id', reference)
  return url.href
}

/** The chosen bank and account, if they exist. */
export function choiceOf(link: Link, bankSlug: string, currency: string): { bank?: Bank; held?: HeldAccount } {
  const bank = bankBySlug(bankSlug)
  if (!bank) return {}
  const held = accountsAt(bank, link.user_reference, link.country).find((account) => account.currency === currency)
  return held ? { bank, held } : { bank }
}

interface Parts {
  store: Store
  clock: Clock
  accounts: BankAccounts
  webhooks: Webhooks
}

const shownLink = (accounts: BankAccounts, { id, reference, status, account_token: token }: Link): object => ({
  session_id: id,
  reference,
  status: status === 'expired' ? 'canceled' : status,
  ...(token === null ? {} : { account: shownAccount(accounts.find(token)) }),
})

function beginLink({ store, clock }: Parts, link: NewLink, idempotencyKey: string): Link {
  const { reference, userReference, holderName, email, country, returnUrl } = link
  const hash = fingerprint(reference, userReference, holderName, email, country, returnUrl)
  const now = clock.now()
  store.run(
    `insert into bank_link (id, idempotency_key, request_hash, reference, user_reference, holder_name, email, country,
       return_url, created_at, expires_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (idempotency_key) do nothing`,
    newId('bl'),
    idempotencyKey,
    hash,
    reference,
    userReference,
    holderName,
    email,
    country,
    returnUrl,
    now.toISOString(),
    new Date(now.getTime() + lifetimeMs).toISOString(),
  )
  const [kept] = store.all<Link & { request_hash: string }>(
    `select ${columns}, request_hash from bank_link where idempotency_key = ?`,
    idempotencyKey,
  )
  if (kept?.request_hash !== hash) {
    throw new ApiError(422, 'idempotency_key_reused', 'This Idempotency-Key was used for another bank link.')
  }
  return kept
}

/** Ends an open link and queues its event; requires a transaction. */
function endLink({ store, clock, accounts, webhooks }: Parts, link: Link, end: Pick<Link, 'status' | 'account_token'>) {
  const ended = { ...link, ...end }
  const now = clock.now()
  store.run(
    'update bank_link set status = ?, account_token = ?, ended_at = ? where id = ?',
    ended.status,
    ended.account_token,
    now.toISOString(),
    ended.id,
  )
  const type = `bank_link.${ended.status === 'expired' ? 'canceled' : ended.status}`
  webhooks.enqueue({ type, createdAt: now, data: { ...shownLink(accounts, ended) } })
  return ended
}

export function createLinks(parts: Parts): Links {
  const { store, clock, accounts, webhooks } = parts

  function executeDue(): void {
    const due = store.all<Link>(
      `select ${columns} from bank_link where status = 'open' and expires_at <= ?`,
      clock.now().toISOString(),
    )
    if (due.length === 0) return
    store.transact(() => due.forEach((link) => endLink(parts, link, { status: 'expired', account_token: null })))
    webhooks.wake()
  }

  function find(id: string): Link {
    executeDue()
    const [link] = store.all<Link>(`select ${columns} from bank_link where id = ?`, id)
    if (!link) throw new ApiError(404, 'not_found', 'There is no such bank link.')
    return link
  }

  function end(link: Link, outcome: () => Pick<Link, 'status' | 'account_token'>): Link {
    if (link.status !== 'open') return link
    const ended = store.transact(() => endLink(parts, link, outcome()))
    webhooks.wake()
    return ended
  }

  return {
    find,
    executeDue,
    begin: (link, key) => beginLink(parts, link, key),
    show: (id) => shownLink(accounts, find(id)),
    cancel: (id) => end(find(id), () => ({ status: 'canceled', account_token: null })),
    consent(id, bankSlug, currency) {
      const link = find(id)
      const { bank, held } = choiceOf(link, bankSlug, currency)
      if (!bank || !held) throw new ApiError(404, 'not_found', 'There is no such account at this bank.')
      const { holder_name: name, country } = link
      return end(link, () =>
        bank.linksAccounts
          ? { status: 'linked', account_token: accounts.link(bank, held, { name, country }) }
          : { status: 'failed', account_token: null },
      )
    },
  }
}
