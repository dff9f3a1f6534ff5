import { ApiError, fingerprint, newId } from '../server/api.ts'
import { type BankAccounts, shownAccount } from './bank-accounts.ts'
import { accountsAt, type Bank, bankBySlug, type HeldAccount } from './banks.ts'
import type { Clock } from '../control/clock.ts'
import type { Store } from '../server/store.ts'
import type { Webhooks } from '../server/webhooks.ts'

export type LinkStatus = 'open' | 'linked' | 'canceled' | 'failed' | 'expired'

/** One linking of a bank account on the hosted pages. */
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
  /** The product's own name for the linking. */
  reference: string
  /** The product's user: the same person has the same accounts every time. */
  userReference: string
  holderName: string
  email: string
  country: string
  returnUrl: string
}

export interface Links {
  /** The same key again gives the same linking. Throws ApiError 422 when the request is another. */
  begin(link: NewLink, idempotencyKey: string): Link
  /** Throws ApiError 404. */
  find(id: string): Link
  /** What the product's GET answers. Throws ApiError 404. */
  show(id: string): object
  /**
   * The person agrees to share an account: it is linked, or the linking fails, as the bank has it. A linking that has
   * ended stays as it is. Throws ApiError 404, also for an account the person does not have.
   */
  consent(id: string, bankSlug: string, currency: string): Link
  /** Ends an open linking. Throws ApiError 404. */
  cancel(id: string): Link
  /** Ends the linkings whose hour is over by the clock of the sandbox. */
  carryOutDue(): void
}

const lifetimeMs = 60 * 60 * 1000

const columns = 'id, reference, user_reference, holder_name, country, return_url, status, account_token, expires_at'

/** The product's address with what became of the linking, for the browser to go back to. It proves nothing. */
export function linkReturnAddress({ return_url: returnUrl, status, reference }: Link): string {
  const url = new URL(returnUrl)
  url.searchParams.set('linkStatus', status === 'linked' ? 'success' : 'canceled')
  url.searchParams.set('link_id', reference)
  return url.href
}

/** The bank and the account that a person's choice names, as far as they exist. */
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

/** Ends an open linking and queues its event; must run in a transaction, so that it is both or neither. */
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

/** The linking of bank accounts. */
export function createLinks(parts: Parts): Links {
  const { store, clock, accounts, webhooks } = parts

  function carryOutDue(): void {
    const due = store.all<Link>(
      `select ${columns} from bank_link where status = 'open' and expires_at <= ?`,
      clock.now().toISOString(),
    )
    if (due.length === 0) return
    store.transact(() => due.forEach((link) => endLink(parts, link, { status: 'expired', account_token: null })))
    webhooks.wake()
  }

  function find(id: string): Link {
    carryOutDue()
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
    carryOutDue,
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
