import { newId, requireFound, requireSameRequest } from '../server/api.ts'
import { recordLine } from '../reports/books.ts'
import { deriveFingerprint, type SavedCards, toCardReply } from './saved-cards.ts'
import type { Services } from '../server/services.ts'

/**
 * `open`: waiting for the payer. `processing`: waiting for the bank. `authorized`: reserved by the issuing bank until
 * the product captures it. All others are final, unless the control page settles a payment that ended without money.
 */
export type SessionStatus =
  | 'open'
  | 'processing'
  | 'authorized'
  | 'paid'
  | 'declined'
  | 'canceled'
  | 'expired'
  | 'failed'

export type SessionEnd = Exclude<SessionStatus, 'open' | 'processing' | 'authorized'>

/** Automatic action at `due_at`. */
type DueAction = 'fail' | 'settle' | 'dispute' | 'lapse'

/**
 * Payment by a card entered on the hosted page, or by a saved card. `amount_minor` is in the currency's minor units.
 */
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
  /** 1 if the product asked to save the card. SQLite has no booleans. */
  save_card: number
  /** 1 if the product captures the payment later. */
  captures_later: number
  /** 1 for a payment from a saved card. */
  is_charge: number
  /** Reason for ending without a payment, otherwise null. */
  reason: string | null
  /** Last four digits of the card last used. */
  last_four: string | null
  exp_month: number | null
  exp_year: number | null
  /** 1 if the payer consented to saving the card. */
  keeps_card: number
  /** 1 while the issuing bank waits for the payer's confirmation. */
  is_challenged: number
  card_token: string | null
  due_at: string | null
  due_action: DueAction | null
  /** Refund of the whole amount or, after a half refund, of the rest. */
  refund_id: string | null
  /** Refund of half of the amount. */
  part_refund_id: string | null
  /** Failure of the refund, which returned its money to the product. */
  refund_failed_id: string | null
  dispute_id: string | null
  won_id: string | null
  lost_at: string | null
  fee_id: string | null
}

export interface SessionRequest {
  amountMinor: string
  currency: string
  reference: string
  description: string
  returnUrl: string
}

const lifetimeMs = 60 * 60 * 1000
/** Time for which issuing banks reserve authorized money. */
const authorizationMs = 7 * 24 * 60 * 60 * 1000

const eventTypes: Readonly<Record<SessionEnd, string>> = {
  paid: 'checkout.paid',
  declined: 'checkout.declined',
  canceled: 'checkout.canceled',
  failed: 'checkout.failed',
  expired: 'checkout.failed',
}

export const hasEnded = ({ status }: Session): boolean =>
  status !== 'open' && status !== 'processing' && status !== 'authorized'

/**
 * Returns the product's return address with the result. The result proves nothing: a session in processing can show
 * success and then fail, or the reverse.
 */
export function returnAddress(session: Session): string {
  const { status, due_action } = session
  const isSuccessful =
    status === 'paid' || status === 'authorized' || (status === 'processing' && due_action === 'fail')
  const url = new URL(session.return_url)
  url.searchParams.set(isSuccessful ? 'payment_success' : 'payment_canceled', 'true')
  url.searchParams.set('payment_id', session.reference)
  return url.href
}

function readSavedCard({ status, card_token, last_four, exp_month, exp_year }: Session): object {
  if (status !== 'paid' || card_token === null || last_four === null || !exp_month || !exp_year) return {}
  return { card: toCardReply(card_token, last_four, exp_month, exp_year) }
}

/** Returns a session as in the API's reply. */
export function toSessionReply(session: Session): object {
  const { id, status, amount_minor, currency, reference, capture_id, reason, last_four } = session
  return {
    session_id: id,
    status,
    amount_minor,
    currency,
    reference,
    ...(reason === null ? {} : { reason }),
    ...(capture_id === null ? {} : { capture_id }),
    ...(status === 'authorized' && last_four !== null ? { card_fingerprint: deriveFingerprint(last_four) } : {}),
    ...readSavedCard(session),
  }
}

interface OpenOptions {
  key: string
  hash: string
  saveCard?: boolean
  capturesLater?: boolean
  isCharge?: boolean
}

interface Dependencies extends Services {
  cards: SavedCards
}

interface End {
  status: SessionEnd
  reason: string
  at: Date
}

function endSession({ store, webhooks, cards }: Dependencies, session: Session, { status, reason, at }: End): Session {
  const { last_four, exp_month, exp_year, keeps_card, amount_minor, currency, reference } = session
  const isPaid = status === 'paid'
  const savesCard = isPaid && keeps_card === 1 && last_four !== null && exp_month !== null && exp_year !== null
  const end = {
    status,
    reason: isPaid ? null : reason,
    capture_id: isPaid ? newId('cap') : null,
    card_token: savesCard ? cards.save(last_four, exp_month, exp_year) : null,
    is_challenged: 0,
    due_at: null,
    due_action: null,
  }
  const occurred_at = at.toISOString()
  store.update('checkout_session', session.id, { ...end, ended_at: occurred_at })
  const endedSession: Session = { ...session, ...end }
  const { capture_id } = end
  if (capture_id !== null) {
    recordLine(store, { id: capture_id, kind: 'capture', amount_minor, currency, reference, occurred_at })
  }
  webhooks.enqueue({
    type: eventTypes[status],
    createdAt: at,
    data: { ...toSessionReply(endedSession), capture_id, reason: end.reason },
  })
  return endedSession
}

/** Authorizes a session. The issuing bank reserves the money until it is captured or canceled, or for a week. */
function authorizeSession({ store, webhooks }: Dependencies, session: Session, at: Date): Session {
  const due_at = new Date(at.getTime() + authorizationMs).toISOString()
  const changes = { status: 'authorized', is_challenged: 0, due_at, due_action: 'lapse' } as const
  store.update('checkout_session', session.id, changes)
  const authorizedSession: Session = { ...session, ...changes }
  webhooks.enqueue({ type: 'checkout.authorized', createdAt: at, data: { ...toSessionReply(authorizedSession) } })
  return authorizedSession
}

export type Sessions = ReturnType<typeof createSessions>

export function createSessions(parts: Dependencies) {
  const { store, clock } = parts
  const select = 'select * from checkout_session'
  const now = () => clock.now().toISOString()

  const find = (id: string): Session => requireFound(store.get<Session>(`${select} where id = ?`, id), 'checkout')

  return {
    find,
    /**
     * Opens a session, idempotently by key. Throws ApiError 422 if the key was used for a request with another `hash`.
     */
    open(
      request: SessionRequest,
      { key, hash, saveCard, capturesLater, isCharge }: OpenOptions,
    ): { session: Session; isNew: boolean } {
      const existing = store.get<Session & { request_hash: string }>(`${select} where idempotency_key = ?`, key)
      requireSameRequest(existing, hash, 'payment')
      if (existing) return { session: existing, isNew: false }
      const id = newId('cs')
      const at = clock.now()
      store.insert('checkout_session', {
        id,
        idempotency_key: key,
        request_hash: hash,
        amount_minor: request.amountMinor,
        currency: request.currency,
        reference: request.reference,
        description: request.description,
        return_url: request.returnUrl,
        save_card: saveCard ? 1 : 0,
        captures_later: capturesLater ? 1 : 0,
        is_charge: isCharge ? 1 : 0,
        created_at: at.toISOString(),
        expires_at: new Date(at.getTime() + lifetimeMs).toISOString(),
      })
      return { session: find(id), isNew: true }
    },
    /** Newest first, at most `limit`. */
    list: (limit: number) => store.all<Session>(`${select} order by created_at desc, rowid desc limit ?`, limit),
    /** Open sessions past `expires_at`. */
    overdue: () => store.all<Session>(`${select} where status = 'open' and expires_at <= ?`, now()),
    /** Sessions with a due automatic action. */
    due: () => store.all<Session>(`${select} where due_at is not null and due_at <= ? order by due_at`, now()),
    change<Changes extends Partial<Session>>(session: Session, changes: Changes): Session {
      store.update('checkout_session', session.id, changes)
      return { ...session, ...changes }
    },
    /** Approves a payment: captures it or, if the product captures later, authorizes it. Call in a transaction. */
    approve: (session: Session, at = clock.now()): Session =>
      session.captures_later === 1
        ? authorizeSession(parts, session, at)
        : endSession(parts, session, { status: 'paid', reason: 'paid', at }),
    /**
     * Ends a session and queues its event; for a payment, adds the capture to the books. Call in a transaction. `at`
     * defaults to the current time of the sandbox clock.
     */
    end: (
      session: Session,
      status: SessionEnd,
      { reason = status, at = clock.now() }: Partial<Omit<End, 'status'>> = {},
    ) => endSession(parts, session, { status, reason, at }),
  }
}
