import { ApiError, fingerprint, newId } from '../server/api.ts'
import { recordReversal } from '../reports/books.ts'
import { type CardDetails, declineMessages, hasExpired, isDecline } from './cards.ts'
import type { Clock } from '../control/clock.ts'
import type { KeptCards } from './saved-cards.ts'
import { returnAddress, type Session, type SessionRequest, type Sessions } from './sessions.ts'
import type { Store } from '../server/store.ts'
import type { Webhooks } from '../server/webhooks.ts'

export interface NewSession extends SessionRequest {
  /** Ask the payer whether the card may be kept. */
  saveCard: boolean
}

export interface NewCharge extends SessionRequest {
  cardToken: string
}

/** A card that somebody tries. `keep` is the payer's answer to whether it may be kept; undefined takes what was asked. */
export interface Attempt {
  details: CardDetails
  keep: boolean | undefined
}

/** `challenge`: the card's bank wants an answer from the payer, on the same page. */
export type PayResult =
  | { status: 'paid' | 'processing' | 'declined'; returnUrl: string }
  | { status: 'challenge' }
  | { status: 'failed'; message: string }

const minuteMs = 60 * 1000
const dayMs = 24 * 60 * minuteMs

/** What happens by itself after a card with such an outcome was tried, and how long after. */
const sequels = {
  timeout: { action: 'fail', afterMs: 15 * minuteMs },
  late_success: { action: 'settle', afterMs: 10 * minuteMs },
  dispute: { action: 'dispute', afterMs: dayMs },
} as const

const unconfirmed = 'Your bank did not confirm this payment. No money was taken. Try again, or try another card.'

function refuseEnded({ status }: Session): never {
  throw status === 'expired'
    ? new ApiError(409, 'session_expired', 'The time for this payment is over. No money was taken.')
    : new ApiError(409, 'session_ended', 'This payment has ended. No money was taken.')
}

/** What a session answers to whoever tries to pay it once more; undefined while it is open. */
function standing(session: Session): PayResult | undefined {
  const { status } = session
  if (status === 'paid' || status === 'processing') return { status, returnUrl: returnAddress(session) }
  if (status !== 'open') refuseEnded(session)
  return undefined
}

interface Parts {
  store: Store
  clock: Clock
  webhooks: Webhooks
  sessions: Sessions
  cards: KeptCards
}

/** Payments by card: what is tried on them, and how they end. */
export class Checkout {
  readonly #store: Store
  readonly #clock: Clock
  readonly #webhooks: Webhooks
  readonly #sessions: Sessions
  readonly #cards: KeptCards

  constructor({ store, clock, webhooks, sessions, cards }: Parts) {
    this.#store = store
    this.#clock = clock
    this.#webhooks = webhooks
    this.#sessions = sessions
    this.#cards = cards
  }

  /** The same key again gives the same session. Throws ApiError 422 when the request is another. */
  create({ saveCard, ...request }: NewSession, key: string): Session {
    const { amountMinor, currency, reference, description, returnUrl } = request
    const parts = [amountMinor, currency, reference, description, returnUrl, ...(saveCard ? ['save_card'] : [])]
    return this.#sessions.open(request, { key, hash: fingerprint(...parts), saveCard }).session
  }

  /**
   * Charges a kept card; its bank may decline, or want to see the payer, as for any other payment. The same key again
   * gives the same session. Throws ApiError 404 for an unknown card and 422 when the request is another.
   */
  charge({ cardToken, ...request }: NewCharge, key: string): Session {
    const { amountMinor, currency, reference, description, returnUrl } = request
    const hash = fingerprint('charge', amountMinor, currency, reference, description, returnUrl, cardToken)
    const charged = this.#store.transact(() => {
      const { session, isNew } = this.#sessions.open(request, { key, hash, isCharge: true })
      return isNew ? this.#try(session, this.#cards.find(cardToken), false) : session
    })
    this.#webhooks.wake()
    return charged
  }

  /** Throws ApiError 404. */
  find(id: string): Session {
    this.carryOutDue()
    return this.#sessions.find(id)
  }

  /**
   * Tries a card. A declined card leaves the session open. A session that is paid stays paid by its one capture,
   * and `readAttempt` is not asked. Throws ApiError 409 when the session has ended without money.
   */
  pay(id: string, readAttempt: (session: Session) => Attempt): PayResult {
    const session = this.find(id)
    const known = standing(session)
    if (known) return known
    if (session.is_charge) throw new ApiError(409, 'card_fixed', 'This payment is made with a card that was kept.')
    const { details, keep } = readAttempt(session)
    const keeps = session.save_card === 1 && (keep ?? true)
    const after = this.#store.transact(() => this.#try(session, details, keeps))
    this.#webhooks.wake()
    const { outcome } = details.card
    return isDecline(outcome) ? { status: 'failed', message: declineMessages[outcome] } : this.#result(after)
  }

  /**
   * The payer's answer to the card's bank. Without consent a payment on the hosted page stays open for another card,
   * and one from a kept card has ended. Throws ApiError 409 when nothing is asked.
   */
  answerChallenge(id: string, isApproved: boolean): PayResult {
    const session = this.find(id)
    if (session.status === 'declined') return { status: 'declined', returnUrl: returnAddress(session) }
    const known = standing(session)
    if (known) return known
    if (!session.is_challenged) throw new ApiError(409, 'not_asked', 'The bank has asked nothing about this payment.')
    const after = this.#store.transact(() => {
      if (isApproved) return this.#sessions.end(session, 'paid')
      if (session.is_charge) return this.#sessions.end(session, 'declined')
      return this.#sessions.change(session, { is_challenged: 0 })
    })
    this.#webhooks.wake()
    return this.#result(after)
  }

  /** Ends an open session; one that has ended, or that the bank is working on, stays as it is. */
  cancel(id: string): Session {
    const session = this.find(id)
    if (session.status !== 'open') return session
    const canceled = this.#store.transact(() => this.#sessions.end(session, 'canceled'))
    this.#webhooks.wake()
    return canceled
  }

  /** Carries out what is due by the sandbox's clock: hours that are over, and what test cards do later. */
  carryOutDue(): void {
    const overdue = this.#sessions.overdue()
    const due = this.#sessions.due()
    if (overdue.length === 0 && due.length === 0) return
    this.#store.transact(() => {
      for (const session of overdue) this.#sessions.end(session, 'expired', { at: new Date(session.expires_at) })
      for (const session of due) this.#carryOut(session)
    })
    this.#webhooks.wake()
  }

  /** Charges a paid session back; call it in a transaction. */
  dispute(session: Session, at: Date): Session {
    const { amount_minor, currency, reference } = session
    const id = newId('dp')
    const line = { id, amount_minor, currency, reference, occurred_at: at.toISOString() }
    recordReversal(this.#store, this.#webhooks, { ...line, kind: 'chargeback' })
    return this.#sessions.change(session, { dispute_id: id, due_at: null, due_action: null })
  }

  #carryOut(session: Session): void {
    const at = new Date(session.due_at ?? this.#clock.now())
    if (session.due_action === 'dispute') this.dispute(session, at)
    else if (session.due_action === 'settle') this.#sessions.end(session, 'paid', { at })
    else this.#sessions.end(session, 'failed', { reason: 'timed_out', at })
  }

  /** Tries a card on an open session, in a transaction; gives the session as it is after that. */
  #try(session: Session, { card, expMonth, expYear }: CardDetails, keeps: boolean): Session {
    const now = this.#clock.now()
    const outcome = hasExpired(expMonth, expYear, now) ? 'expired_card' : card.outcome
    const lastFour = card.number.slice(-4)
    this.#store.run(
      'insert into card_attempt (session_id, last_four, outcome, created_at) values (?, ?, ?, ?)',
      session.id,
      lastFour,
      outcome,
      now.toISOString(),
    )
    const tried = this.#sessions.change(session, {
      last_four: lastFour,
      exp_month: expMonth,
      exp_year: expYear,
      keeps_card: keeps ? 1 : 0,
      is_challenged: outcome === 'challenge' ? 1 : 0,
    })
    if (isDecline(outcome))
      return session.is_charge ? this.#sessions.end(tried, 'declined', { reason: outcome }) : tried
    if (outcome === 'challenge') return tried
    if (outcome === 'approved') return this.#sessions.end(tried, 'paid')
    const { action: due_action, afterMs } = sequels[outcome]
    const later = { due_action, due_at: new Date(now.getTime() + afterMs).toISOString() }
    if (outcome === 'dispute') return this.#sessions.change(this.#sessions.end(tried, 'paid'), later)
    return this.#sessions.change(tried, { status: 'processing', ...later })
  }

  #result(session: Session): PayResult {
    if (session.is_challenged) return { status: 'challenge' }
    if (session.status === 'open') return { status: 'failed', message: unconfirmed }
    const status = session.status === 'paid' || session.status === 'processing' ? session.status : 'declined'
    return { status, returnUrl: returnAddress(session) }
  }
}
