import { ApiError, fingerprint, newId, requireFound, requireSameRequest } from '../server/api.ts'
import { type BankAccounts, toAccountReply } from './bank-accounts.ts'
import { buildAccounts, type Bank, findBankBySlug, type HeldAccount } from './banks.ts'
import { type Services, transact } from '../server/services.ts'

export interface Link {
  id: string
  reference: string
  user_reference: string
  holder_name: string
  country: string
  return_url: string
  status: 'open' | 'linked' | 'canceled' | 'failed' | 'expired'
  account_token: string | null
  expires_at: string
}

export interface NewLink {
  /** The product's identifier for this link. */
  reference: string
  /** The product's user; one user has the same accounts in every link. */
  userReference: string
  holderName: string
  email: string
  country: string
  returnUrl: string
}

const lifetimeMs = 60 * 60 * 1000

const secretParameter = 'link_secret'

/** Adds the link's secret to the return address; `linkReturnAddress` removes it unless the holder has consented. */
export function addReturnSecret(returnUrl: string, secret: string): string {
  if (secret === '' || !URL.canParse(returnUrl)) return returnUrl
  const url = new URL(returnUrl)
  url.searchParams.set(secretParameter, secret)
  return url.href
}

/**
 * Returns the product's return address with the outcome of the link. Contains the secret only for the browser that
 * consented.
 */
export function linkReturnAddress({ return_url: returnUrl, status, reference }: Link, hasConsented = false): string {
  const url = new URL(returnUrl)
  const secret = url.searchParams.get(secretParameter)
  url.searchParams.delete(secretParameter)
  url.searchParams.set('linkStatus', status === 'linked' ? 'success' : 'canceled')
  url.searchParams.set('link_id', reference)
  if (secret !== null && hasConsented && status === 'linked') url.searchParams.set(secretParameter, secret)
  return url.href
}

/** Returns the chosen bank and account; each is absent if it does not exist. */
export function findChoice(link: Link, bankSlug: string, currency: string): { bank?: Bank; account?: HeldAccount } {
  const bank = findBankBySlug(bankSlug)
  if (!bank) return {}
  const heldAccount = buildAccounts(bank, link.user_reference, link.country).find(
    (account) => account.currency === currency,
  )
  return heldAccount ? { bank, account: heldAccount } : { bank }
}

interface Dependencies extends Services {
  accounts: BankAccounts
}

const toLinkReply = (accounts: BankAccounts, { id, reference, status, account_token: token }: Link): object => ({
  session_id: id,
  reference,
  status: status === 'expired' ? 'canceled' : status,
  ...(token === null ? {} : { account: toAccountReply(accounts.find(token)) }),
})

/** Ends an open link and queues its event. Call in a transaction. */
function endLink(
  { store, clock, accounts, webhooks }: Dependencies,
  link: Link,
  end: Pick<Link, 'status' | 'account_token'>,
) {
  const endedLink = { ...link, ...end }
  const now = clock.now()
  store.update('bank_link', link.id, { ...end, ended_at: now.toISOString() })
  const type = `bank_link.${endedLink.status === 'expired' ? 'canceled' : endedLink.status}`
  webhooks.enqueue({ type, createdAt: now, data: { ...toLinkReply(accounts, endedLink) } })
  return endedLink
}

export type Links = ReturnType<typeof createLinks>

export function createLinks(parts: Dependencies) {
  const { store, clock, accounts } = parts

  /** Expires open links that are an hour old by the sandbox clock. */
  function executeDue(): void {
    const now = clock.now().toISOString()
    const dueLinks = store.all<Link>(`select * from bank_link where status = 'open' and expires_at <= ?`, now)
    if (dueLinks.length === 0) return
    transact(parts, () => dueLinks.forEach((link) => endLink(parts, link, { status: 'expired', account_token: null })))
  }

  /** Returns a link after expiring due links. Throws ApiError 404 if unknown. */
  function find(id: string): Link {
    executeDue()
    return requireFound(store.get<Link>('select * from bank_link where id = ?', id), 'bank link')
  }

  function end(link: Link, outcome: () => Pick<Link, 'status' | 'account_token'>): Link {
    return link.status === 'open' ? transact(parts, () => endLink(parts, link, outcome())) : link
  }

  return {
    find,
    executeDue,
    /**
     * Starts a link and returns its id, idempotently by key. Throws ApiError 422 if the key was used for another
     * request.
     */
    start(link: NewLink, key: string): string {
      const { reference, userReference, holderName, email, country, returnUrl } = link
      const hash = fingerprint(reference, userReference, holderName, email, country, returnUrl)
      const existing = store.get<{ id: string; request_hash: string }>(
        'select id, request_hash from bank_link where idempotency_key = ?',
        key,
      )
      requireSameRequest(existing, hash, 'bank link')
      if (existing) return existing.id
      const id = newId('bl')
      const now = clock.now()
      store.insert('bank_link', {
        id,
        idempotency_key: key,
        request_hash: hash,
        reference,
        user_reference: userReference,
        holder_name: holderName,
        email,
        country,
        return_url: returnUrl,
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + lifetimeMs).toISOString(),
      })
      return id
    },
    /** Returns a link as in the API's reply. Throws ApiError 404 if unknown. */
    show: (id: string): object => toLinkReply(accounts, find(id)),
    /** Cancels an open link; has no effect on an ended one. Throws ApiError 404 if unknown. */
    cancel: (id: string): Link => end(find(id), () => ({ status: 'canceled', account_token: null })),
    /**
     * Records the holder's consent, after which the account is linked or, at some banks, the link fails. Has no effect
     * on an ended link. Throws ApiError 404 if the link or the account is unknown.
     */
    consent(id: string, bankSlug: string, currency: string): Link {
      const link = find(id)
      const { bank, account } = findChoice(link, bankSlug, currency)
      if (!bank || !account) throw new ApiError(404, 'not_found', 'There is no such account at this bank.')
      const { holder_name: name, country } = link
      return end(link, () =>
        bank.refusesLinks
          ? { status: 'failed', account_token: null }
          : { status: 'linked', account_token: accounts.link(bank, account, { name, country }) },
      )
    },
  }
}
