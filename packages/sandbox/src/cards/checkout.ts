import { ApiError, fingerprint, newId } from '../server/api.ts'
import { recordReversal } from '../reports/books.ts'
import { type CardDetails, declineMessages, isDisputedLater, hasExpired, isDecline } from './cards.ts'
import type { SavedCards } from './saved-cards.ts'
import { returnAddress, type Session, type SessionRequest, type Sessions, type SessionStatus } from './sessions.ts'
import { type Services, transact } from '../server/services.ts'

export interface NewSession extends SessionRequest {
  saveCard: boolean
  /** True to only authorize the card; `capture` then takes the money. */
  capturesLater: boolean
}

export interface NewCharge extends SessionRequest {
  cardToken: string
  capturesLater: boolean
}

/**
 * Card entered by the payer. `wantsSaving`: the payer's choice to save it; undefined saves it if the product asked for
 * that.
 */
export interface Attempt {
  details: CardDetails
  wantsSaving: boolean | undefined
}

/** `challenge`: the issuing bank requires confirmation by the payer, on the same page. */
export type PayResult =
  | { status: 'paid' | 'authorized' | 'processing' | 'declined'; returnUrl: string }
  | { status: 'challenge' }
  | { status: 'failed'; message: string }

const minuteMs = 60 * 1000
const dayMs = 24 * 60 * minuteMs

/** Delayed action after an outcome, and the delay. */
const delayedOutcomes = {
  timeout: { action: 'fail', delayMs: 15 * minuteMs },
  late_success: { action: 'settle', delayMs: 10 * minuteMs },
  dispute: { action: 'dispute', delayMs: dayMs },
} as const

const unconfirmedText = 'Your bank did not confirm this payment. No money was taken. Try again, or try another card.'

function throwEnded({ status }: Session): never {
  throw status === 'expired'
    ? new ApiError(409, 'session_expired', 'This payment has expired. No money was taken.')
    : new ApiError(409, 'session_ended', 'This payment has ended. No money was taken.')
}

const hasSucceeded = (status: SessionStatus): status is 'paid' | 'authorized' | 'processing' =>
  status === 'paid' || status === 'authorized' || status === 'processing'

/**
 * Returns the result of another attempt on a paid, authorized or processing session; undefined for an open one. Throws
 * ApiError 409 if it ended without payment.
 */
function endedResult(session: Session): PayResult | undefined {
  const { status } = session
  if (hasSucceeded(status)) return { status, returnUrl: returnAddress(session) }
  if (status !== 'open') throwEnded(session)
  return undefined
}

interface Dependencies extends Services {
  sessions: Sessions
  cards: SavedCards
}

/** Attempts to pay by card, and their results. */
export class Checkout {
  readonly #parts: Dependencies

  constructor(parts: Dependencies) {
    this.#parts = parts
  }

  /** Opens a session, idempotently by key. Throws ApiError 422 if the key was used for another request. */
  create({ saveCard, capturesLater, ...request }: NewSession, key: string): Session {
    const { amountMinor, currency, reference, description, returnUrl } = request
    const options = [...(saveCard ? ['save_card'] : []), ...(capturesLater ? ['captures_later'] : [])]
    const hash = fingerprint(amountMinor, currency, reference, description, returnUrl, ...options)
    return this.#parts.sessions.open(request, { key, hash, saveCard, capturesLater }).session
  }

  /**
   * Charges a saved card, idempotently by key; the outcome may be a decline or a challenge. Throws ApiError 404 for an
   * unknown card, and 422 if the key was used for another request.
   */
  charge({ cardToken, capturesLater, ...request }: NewCharge, key: string): Session {
    const { amountMinor, currency, reference, description, returnUrl } = request
    const terms = [amountMinor, currency, reference, description, returnUrl, cardToken]
    const hash = fingerprint('charge', ...terms, ...(capturesLater ? ['captures_later'] : []))
    const chargedSession = transact(this.#parts, () => {
      const { session, isNew } = this.#parts.sessions.open(request, { key, hash, capturesLater, isCharge: true })
      return isNew ? this.#try(session, this.#parts.cards.find(cardToken), false) : session
    })
    return chargedSession
  }

  /** Returns a session after processing due steps. Throws ApiError 404 if unknown. */
  find(id: string): Session {
    this.executeDue()
    return this.#parts.sessions.find(id)
  }

  /**
   * Attempts a card payment. A decline leaves the session open. For a paid, authorized or processing session, returns
   * its result without calling `readAttempt`. Throws ApiError 409 if it ended without payment or has a saved card.
   */
  pay(id: string, readAttempt: (session: Session) => Attempt): PayResult {
    const session = this.find(id)
    const endResult = endedResult(session)
    if (endResult) return endResult
    if (session.is_charge) throw new ApiError(409, 'card_fixed', 'This payment is made with a card that was kept.')
    const { details, wantsSaving } = readAttempt(session)
    const keepsCard = session.save_card === 1 && (wantsSaving ?? true)
    const attempted = transact(this.#parts, () => this.#try(session, details, keepsCard))
    const { outcome } = details.card
    return isDecline(outcome) ? { status: 'failed', message: declineMessages[outcome] } : this.#result(attempted)
  }

  /**
   * Answers a challenge. If refused, a hosted session stays open for another card, and a payment by saved card ends.
   * Throws ApiError 409 without a challenge.
   */
  answerChallenge(id: string, isApproved: boolean): PayResult {
    const session = this.find(id)
    if (session.status === 'declined') return { status: 'declined', returnUrl: returnAddress(session) }
    const endResult = endedResult(session)
    if (endResult) return endResult
    if (!session.is_challenged) throw new ApiError(409, 'not_asked', 'The bank has asked nothing about this payment.')
    const attempted = transact(this.#parts, () => {
      if (isApproved) return this.#parts.sessions.approve(session)
      if (session.is_charge) return this.#parts.sessions.end(session, 'declined')
      return this.#parts.sessions.change(session, { is_challenged: 0 })
    })
    return this.#result(attempted)
  }

  /** Captures an authorized session, idempotently. Throws ApiError 409 if it is not authorized. */
  capture(id: string): Session {
    const session = this.find(id)
    if (session.status === 'paid') return session
    if (session.status !== 'authorized') throw new ApiError(409, 'not_authorized', 'No money is kept ready for this.')
    return transact(this.#parts, () => this.#captured(session, this.#parts.clock.now()))
  }

  /** Cancels an open or authorized session; has no effect on others. */
  cancel(id: string): Session {
    const session = this.find(id)
    if (session.status !== 'open' && session.status !== 'authorized') return session
    const canceled = transact(this.#parts, () => this.#parts.sessions.end(session, 'canceled'))
    return canceled
  }

  /** Processes expired sessions and due delayed actions, by the sandbox clock. */
  executeDue(): void {
    const overdueSessions = this.#parts.sessions.overdue()
    const dueSessions = this.#parts.sessions.due()
    if (overdueSessions.length === 0 && dueSessions.length === 0) return
    transact(this.#parts, () => {
      for (const session of overdueSessions)
        this.#parts.sessions.end(session, 'expired', { at: new Date(session.expires_at) })
      for (const session of dueSessions) this.#execute(session)
    })
  }

  /** Charges back a paid session. Call in a transaction. */
  dispute(session: Session, at: Date): Session {
    const { amount_minor, currency, reference } = session
    const id = newId('dp')
    const line = { id, amount_minor, currency, reference, occurred_at: at.toISOString() }
    recordReversal(this.#parts.store, this.#parts.webhooks, { ...line, kind: 'chargeback' })
    return this.#parts.sessions.change(session, { dispute_id: id, due_at: null, due_action: null })
  }

  #execute(session: Session): void {
    const at = new Date(session.due_at ?? this.#parts.clock.now())
    if (session.due_action === 'dispute') this.dispute(session, at)
    else if (session.due_action === 'settle') this.#parts.sessions.approve(session, at)
    else if (session.due_action === 'lapse') this.#parts.sessions.end(session, 'expired', { at })
    else this.#parts.sessions.end(session, 'failed', { reason: 'timed_out', at })
  }

  /** Captures an authorized session. Schedules the chargeback if the card disputes payments. Call in a transaction. */
  #captured(session: Session, at: Date): Session {
    const paidSession = this.#parts.sessions.end(session, 'paid', { at })
    const { action: due_action, delayMs } = delayedOutcomes.dispute
    if (!isDisputedLater(session.last_four)) return paidSession
    return this.#parts.sessions.change(paidSession, {
      due_action,
      due_at: new Date(at.getTime() + delayMs).toISOString(),
    })
  }

  /** Attempts to pay an open session with a card; returns the updated session. Call in a transaction. */
  #try(session: Session, { card, expMonth, expYear }: CardDetails, keepsCard: boolean): Session {
    const now = this.#parts.clock.now()
    const outcome = hasExpired(expMonth, expYear, now) ? 'expired_card' : card.outcome
    const lastFour = card.number.slice(-4)
    const attempt = { session_id: session.id, last_four: lastFour, outcome, created_at: now.toISOString() }
    this.#parts.store.insert('card_attempt', attempt)
    const attemptedSession = this.#parts.sessions.change(session, {
      last_four: lastFour,
      exp_month: expMonth,
      exp_year: expYear,
      keeps_card: keepsCard ? 1 : 0,
      is_challenged: outcome === 'challenge' ? 1 : 0,
    })
    if (isDecline(outcome))
      return session.is_charge
        ? this.#parts.sessions.end(attemptedSession, 'declined', { reason: outcome })
        : attemptedSession
    if (outcome === 'challenge') return attemptedSession
    if (outcome === 'approved' || (outcome === 'dispute' && attemptedSession.captures_later === 1)) {
      return this.#parts.sessions.approve(attemptedSession, now)
    }
    const { action: due_action, delayMs } = delayedOutcomes[outcome]
    const dueFields = { due_action, due_at: new Date(now.getTime() + delayMs).toISOString() }
    if (outcome === 'dispute')
      return this.#parts.sessions.change(this.#parts.sessions.end(attemptedSession, 'paid'), dueFields)
    return this.#parts.sessions.change(attemptedSession, { status: 'processing', ...dueFields })
  }

  #result(session: Session): PayResult {
    const { status } = session
    if (session.is_challenged) return { status: 'challenge' }
    if (status === 'open') return { status: 'failed', message: unconfirmedText }
    return { status: hasSucceeded(status) ? status : 'declined', returnUrl: returnAddress(session) }
  }
}
