import { ApiError, fingerprint, newId } from './api.ts'
import { declineMessages, type TestCard } from './cards.ts'
import type { Clock } from './clock.ts'
import type { Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

export type SessionStatus = 'open' | 'paid' | 'failed' | 'canceled' | 'expired'

/** One payment on the hosted page. `amount_minor` counts the currency's smallest unit. */
export interface Session {
  id: string
  amount_minor: string
  currency: string
  reference: string
  description: string
  return_url: string
  status: SessionStatus
  capture_id: string | null
  created_at: string
  expires_at: string
}

export interface NewSession {
  amountMinor: string
  currency: string
  reference: string
  description: string
  returnUrl: string
}

export type PayResult = { status: 'paid'; returnUrl: string } | { status: 'failed'; message: string }

const sessionLifetimeMs = 60 * 60 * 1000

const columns =
  'id, amount_minor, currency, reference, description, return_url, status, capture_id, created_at, expires_at'

const eventTypes: Record<Exclude<SessionStatus, 'open'>, string> = {
  paid: 'checkout.paid',
  canceled: 'checkout.canceled',
  failed: 'checkout.failed',
  expired: 'checkout.failed',
}

/** The merchant's address with what became of the payment, for the browser to go back to. It proves nothing. */
export function returnAddress(session: Session): string {
  const url = new URL(session.return_url)
  url.searchParams.set(session.status === 'paid' ? 'payment_success' : 'payment_canceled', 'true')
  url.searchParams.set('payment_id', session.reference)
  return url.href
}

function refuseEnded({ status }: Session): never {
  throw status === 'expired'
    ? new ApiError(409, 'session_expired', 'The time for this payment is over. No money was taken.')
    : new ApiError(409, 'session_ended', 'This payment was canceled. No money was taken.')
}

/** The hosted checkout: sessions, what is tried on them, and how they end. */
export class Checkout {
  readonly #store: Store
  readonly #clock: Clock
  readonly #webhooks: Webhooks

  constructor(store: Store, clock: Clock, webhooks: Webhooks) {
    this.#store = store
    this.#clock = clock
    this.#webhooks = webhooks
  }

  /** The same key again gives the same session. Throws ApiError 422 when the request is another. */
  create({ amountMinor, currency, reference, description, returnUrl }: NewSession, idempotencyKey: string): Session {
    const hash = fingerprint(amountMinor, currency, reference, description, returnUrl)
    const now = this.#clock.now()
    this.#store.run(
      `insert into checkout_session (id, idempotency_key, request_hash, amount_minor, currency, reference,
         description, return_url, created_at, expires_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (idempotency_key) do nothing`,
      newId('cs'),
      idempotencyKey,
      hash,
      amountMinor,
      currency,
      reference,
      description,
      returnUrl,
      now.toISOString(),
      new Date(now.getTime() + sessionLifetimeMs).toISOString(),
    )
    const [session] = this.#store.all<Session & { request_hash: string }>(
      `select ${columns}, request_hash from checkout_session where idempotency_key = ?`,
      idempotencyKey,
    )
    if (session?.request_hash !== hash) {
      throw new ApiError(422, 'idempotency_key_reused', 'This Idempotency-Key was used for another checkout.')
    }
    return session
  }

  /** Throws ApiError 404. */
  find(id: string): Session {
    this.expireDue()
    const [session] = this.#store.all<Session>(`select ${columns} from checkout_session where id = ?`, id)
    if (!session) throw new ApiError(404, 'not_found', 'There is no such checkout.')
    return session
  }

  /**
   * Tries a card. A declined card leaves the session open. A session that is paid stays paid by its one capture,
   * and `readCard` is not asked. Throws ApiError 409 when the session is canceled or expired.
   */
  pay(id: string, readCard: () => TestCard): PayResult {
    const session = this.find(id)
    if (session.status === 'paid') return { status: 'paid', returnUrl: returnAddress(session) }
    if (session.status !== 'open') refuseEnded(session)
    const { number, outcome } = readCard()
    const after = this.#store.transact(() => {
      this.#store.run(
        'insert into card_attempt (session_id, last_four, outcome, created_at) values (?, ?, ?, ?)',
        id,
        number.slice(-4),
        outcome,
        this.#clock.now().toISOString(),
      )
      return outcome === 'approved' ? this.#end(session, 'paid') : session
    })
    if (outcome !== 'approved') return { status: 'failed', message: declineMessages[outcome] }
    this.#webhooks.wake()
    return { status: 'paid', returnUrl: returnAddress(after) }
  }

  /** Ends an open session; gives the address to return to. A session that has ended stays as it is. */
  cancel(id: string): { returnUrl: string } {
    const session = this.find(id)
    if (session.status !== 'open') return { returnUrl: returnAddress(session) }
    const canceled = this.#store.transact(() => this.#end(session, 'canceled'))
    this.#webhooks.wake()
    return { returnUrl: returnAddress(canceled) }
  }

  /** Ends the sessions whose time is over by the sandbox's clock. */
  expireDue(): void {
    const due = this.#store.all<Session>(
      `select ${columns} from checkout_session where status = 'open' and expires_at <= ?`,
      this.#clock.now().toISOString(),
    )
    if (due.length === 0) return
    this.#store.transact(() => {
      for (const session of due) this.#end(session, 'expired')
    })
    this.#webhooks.wake()
  }

  /** Ends an open session and queues its event; must run in a transaction, so that it is both or neither. */
  #end(session: Session, status: Exclude<SessionStatus, 'open'>): Session {
    const now = this.#clock.now()
    const captureId = status === 'paid' ? newId('cap') : null
    this.#store.run(
      `update checkout_session set status = ?, capture_id = ?, ended_at = ? where id = ? and status = 'open'`,
      status,
      captureId,
      now.toISOString(),
      session.id,
    )
    this.#webhooks.enqueue({
      type: eventTypes[status],
      createdAt: now,
      data: {
        session_id: session.id,
        reference: session.reference,
        amount_minor: session.amount_minor,
        currency: session.currency,
        capture_id: captureId,
        reason: status === 'paid' ? null : status,
      },
    })
    return { ...session, status, capture_id: captureId }
  }
}
