import { ApiError, newId } from '../server/api.ts'
import { recordLine } from '../reports/books.ts'
import type { Clock } from '../control/clock.ts'
import { type SavedCards, shownCard } from './saved-cards.ts'
import type { Store } from '../server/store.ts'
import type { Webhooks } from '../server/webhooks.ts'

/** `open` waits for the payer, `processing` for the bank; all others are final. */
export type SessionStatus = 'open' | 'processing' | 'paid' | 'declined' | 'canceled' | 'expired' | 'failed'

export type SessionEnd = Exclude<SessionStatus, 'open' | 'processing'>

/** The automatic step at `due_at`. */
type DueAction = 'fail' | 'settle' | 'dispute'

/** A card payment, hosted or from a saved card. `amount_minor` is in the currency's minor units. */
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
  /** 1 when the product asked to save the card. */
  save_card: number
  /** 1 for a saved card's payment. */
  is_charge: number
  /** Why it ended without money. */
  reason: string | null
  /** The card used or pending. */
  last_four: string | null
  exp_month: number | null
  exp_year: number | null
  /** 1 when the payer agreed to save the card. */
  keeps_card: number
  /** 1 while the card's bank asks for confirmation. */
  is_challenged: number
  /** The card saved by this payment. */
  card_token: string | null
  due_at: string | null
  due_action: DueAction | null
  refund_id: string | null
  dispute_id: string | null
  won_id: string | null
}

const columns = `id, amount_minor, currency, reference, description, return_url, status, capture_id, created_at,
  expires_at, save_card, is_charge, reason, last_four, exp_month, exp_year, keeps_card, is_challenged, card_token,
  due_at, due_action, refund_id, dispute_id, won_id`

export interface SessionRequest {
  amountMinor: string
  currency: string
  reference: string
  description: string
  returnUrl: string
}

/** Mutable columns, apart from its end. */
type SessionChanges = Partial<
  Pick<
    Session,
    | 'status'
    | 'last_four'
    | 'exp_month'
    | 'exp_year'
    | 'keeps_card'
    | 'is_challenged'
    | 'due_at'
    | 'due_action'
    | 'refund_id'
    | 'dispute_id'
    | 'won_id'
  >
>

const lifetimeMs = 60 * 60 * 1000

const eventTypes: Readonly<Record<SessionEnd, string>> = {
  paid: 'checkout.paid',
  declined: 'checkout.declined',
  canceled: 'checkout.canceled',
  failed: 'checkout.failed',
  expired: 'checkout.failed',
}

export const hasEnded = ({ status }: Session): boolean => status !== 'open' && status !== 'processing'

/**
 * The merchant's return address with the result, which is no proof: processing may say success and then fail, or the
 * reverse.
 */
export function returnAddress(session: Session): string {
  const isGood = session.status === 'paid' || (session.status === 'processing' && session.due_action === 'fail')
  const url = new URL(session.return_url)
  url.searchParams.set(isGood ? 'payment_success' : 'payment_canceled', 'true')
  url.searchParams.set('payment_id', session.reference)
  return url.href
}

function keptCardOf({ status, card_token, last_four, exp_month, exp_year }: Session): object {
  if (status !== 'paid' || card_token === null || last_four === null || !exp_month || !exp_year) return {}
  return { card: shownCard(card_token, last_four, exp_month, exp_year) }
}

/** A session for the product's GET. */
export function shownSession(session: Session): object {
  const { id, status, amount_minor, currency, reference, capture_id, reason } = session
  return {
    session_id: id,
    status,
    amount_minor,
    currency,
    reference,
    ...(reason === null ? {} : { reason }),
    ...(capture_id === null ? {} : { capture_id }),
    ...keptCardOf(session),
  }
}

interface OpenOptions {
  key: string
  /** Identifies the request. */
  hash: string
  saveCard?: boolean
  isCharge?: boolean
}

export interface Sessions {
  /** Idempotent by key. Throws ApiError 422 when the request's `hash` differs. */
  open(request: SessionRequest, options: OpenOptions): { session: Session; isNew: boolean }
  /** Throws ApiError 404. */
  find(id: string): Session
  /** Newest first, at most `limit`. */
  list(limit: number): Session[]
  /** Open sessions past their hour. */
  overdue(): Session[]
  /** Sessions with a step due. */
  due(): Session[]
  /** Updates a session and returns it. */
  change(session: Session, changes: SessionChanges): Session
  /**
   * Ends a session and queues its event; a payment adds its capture to the books. Call in a transaction. `at` defaults
   * to now by the sandbox clock.
   */
  end(session: Session, status: SessionEnd, options?: { reason?: string; at?: Date }): Session
}

interface Parts {
  store: Store
  clock: Clock
  webhooks: Webhooks
  cards: SavedCards
}

const select = `select ${columns} from checkout_session`

function insertSession({ store, clock }: Parts, request: SessionRequest, options: OpenOptions): void {
  const now = clock.now()
  store.run(
    `insert into checkout_session (id, idempotency_key, request_hash, amount_minor, currency, reference,
       description, return_url, save_card, is_charge, created_at, expires_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    newId('cs'),
    options.key,
    options.hash,
    request.amountMinor,
    request.currency,
    request.reference,
    request.description,
    request.returnUrl,
    options.saveCard ? 1 : 0,
    options.isCharge ? 1 : 0,
    now.toISOString(),
    new Date(now.getTime() + lifetimeMs).toISOString(),
  )
}

interface End {
  status: SessionEnd
  reason: string
  at: Date
}

function endSession({ store, webhooks, cards }: Parts, session: Session, { status, reason, at }: End): Session {
  const { last_four, exp_month, exp_year, keeps_card } = session
  const isPaid = status === 'paid'
  const isKept = isPaid && keeps_card === 1 && last_four !== null && exp_month !== null && exp_year !== null
  const ended: Session = {
    ...session,
    status,
    reason: isPaid ? null : reason,
    capture_id: isPaid ? newId('cap') : null,
    card_token: isKept ? cards.keep(last_four, exp_month, exp_year) : null,
    is_challenged: 0,
    due_at: null,
    due_action: null,
  }
  store.run(
    `update checkout_session set status = ?, reason = ?, capture_id = ?, card_token = ?, is_challenged = 0,
       due_at = null, due_action = null, ended_at = ? where id = ?`,
    ended.status,
    ended.reason,
    ended.capture_id,
    ended.card_token,
    at.toISOString(),
    ended.id,
  )
  const { capture_id, amount_minor, currency, reference } = ended
  if (capture_id !== null) {
    const occurred_at = at.toISOString()
    recordLine(store, { id: capture_id, kind: 'capture', amount_minor, currency, reference, occurred_at })
  }
  webhooks.enqueue({
    type: eventTypes[status],
    createdAt: at,
    data: { ...shownSession(ended), capture_id, reason: ended.reason },
  })
  return ended
}

export function createSessions(parts: Parts): Sessions {
  const { store, clock } = parts
  const now = () => clock.now().toISOString()
  return {
    open(request, options) {
      const known = () =>
        store.all<Session & { request_hash: string }>(
          `select ${columns}, request_hash from checkout_session where idempotency_key = ?`,
          options.key,
        )[0]
      const earlier = known()
      if (!earlier) insertSession(parts, request, options)
      const session = earlier ?? known()
      if (session?.request_hash !== options.hash) {
        throw new ApiError(422, 'idempotency_key_reused', 'This Idempotency-Key was used for another payment.')
      }
      return { session, isNew: !earlier }
    },
    find(id) {
      const [session] = store.all<Session>(`${select} where id = ?`, id)
      if (!session) throw new ApiError(404, 'not_found', 'There is no such checkout.')
      return session
    },
    list: (limit) => store.all<Session>(`${select} order by created_at desc, rowid desc limit ?`, limit),
    overdue: () => store.all<Session>(`${select} where status = 'open' and expires_at <= ?`, now()),
    due: () => store.all<Session>(`${select} where due_at is not null and due_at <= ? order by due_at`, now()),
    change(session, changes) {
      const names = Object.keys(changes)
      const values = Object.values(changes)
      store.run(
        `update checkout_session set ${names.map((name) => `${name} = ?`).join(', ')} where id = ?`,
        ...values,
        session.id,
      )
      return { ...session, ...changes }
    },
    end: (session, status, { reason = status, at = clock.now() } = {}) =>
      endSession(parts, session, { status, reason, at }),
  }
}
