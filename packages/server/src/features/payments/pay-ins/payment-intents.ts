import type { cancelPayment, paymentStatus } from '@tern/contract/payments'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { reserveToken } from '@tern/ledger/ledger'
import { type Money, money, toDecimal } from '@tern/money/money'
import { retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { requireTime } from '../../../platform/http/deadline.ts'
import { newId } from '../../../platform/ids.ts'
import { Refusal, refuse, refuseField } from '../../../platform/refuse.ts'
import { type Price, priceText } from '../../exchange/exchange.ts'
import { type Candidate, type Guard, type Hold, recordHold, type Send } from '../../transfers/transfers.ts'
import { usageDayOf } from '../../limits/limits.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import type { PaymentContext } from '../context.ts'
import { refuseManyOpenPrices } from '../records/open-prices.ts'
import { authorizationPostings } from '../records/payment-postings.ts'
import { findPayment, type PaymentRow, transactionIdOf } from '../records/payment-rows.ts'
import { countPayment, pulledUsdMinor } from '../records/payment-usage.ts'
import { failureReason, failureSentence, hasArrived, refuseUnanswered, stateOf, type Submission } from './submission.ts'
import { findByKey, keepPaymentRefusal, lockKey, refuseAsBefore, type Request } from '../records/refused-payments.ts'
import type { Settlement } from './settlement.ts'

interface HeldSend {
  readonly candidate: Candidate
  readonly decided: Hold
}

/** A payment that is decided on, before anybody is asked for money. */
export interface Order {
  readonly purpose: PaymentRow['purpose']
  readonly method: PaymentRow['method']
  /** What the card or the bank account pays. */
  readonly charged: Money
  /** The payer's wallet. */
  readonly wallet: Wallet
  /** Only where money goes to somebody else. */
  readonly send?: Send | undefined
  /** Of every send, and of a deposit that is converted. */
  readonly price?: Price | undefined
  readonly quoteId?: string | undefined
  /** What the wallet gives to a send, in minor units of the same currency. */
  readonly walletPartMinor?: bigint
  readonly bankAccountId?: string | undefined
  readonly savedCardId?: string | undefined
  readonly saveCard?: boolean | undefined
  /** Of a send that is to wait for a decision once its money has come. */
  readonly hold?: HeldSend | undefined
  readonly guard?: Guard | undefined
}

/** Payments on their way to the provider: begun once for each key, asked about, given up. */
export interface PaymentIntents {
  /**
   * Begins a payment, or tells again how the one stands that this key began. Only a new one is prepared and, where that is
   * asked for, authorised. The provider is never asked twice: our row comes first, and its id is the provider's key.
   * Refuses `idempotency_key_reused`, `quote_used`, `insufficient_funds`, `limit_exceeded`, `payment_refused`, `provider_unavailable`, and
   * `rate_limited` when too many payments at a promised price are open.
   */
  begin<O extends Order>(
    request: Request,
    prepare: () => Promise<O>,
    authorize?: (order: O, create: (order: Order) => Promise<PaymentRow>) => Promise<PaymentRow>,
  ): Promise<PaymentRow>
  /** How a payment of this user stands. Refuses `not_found`. */
  status(userId: bigint, paymentId: string): Promise<Reply<typeof paymentStatus>>
  /** Gives up a payment that has not been made. Refuses `not_found`, `not_cancelable`, `provider_unavailable`. */
  cancel(userId: bigint, paymentId: string): Promise<Reply<typeof cancelPayment>>
  /** Asks the provider about one payment now; nothing happens while the provider does not know. */
  check(paymentId: string): Promise<void>
  /** Asks about a payment whose payer is waiting, unless that was done a moment ago, and gives it as it stands then. */
  checkFor(payment: PaymentRow): Promise<PaymentRow>
}

const pollAgainMs = 2000

interface FundingParts {
  readonly settlement: Settlement
  readonly submission: Submission
}

export function createPaymentIntents(context: PaymentContext, parts: FundingParts): PaymentIntents {
  const { pool, now } = context
  const { settlement, submission } = parts

  async function ownPayment(userId: bigint, paymentId: string): Promise<PaymentRow> {
    const payment = await findPayment(pool, paymentId)
    return payment?.user_id === userId ? payment : refuse('not_found')
  }

  async function confirmIntent(payment: PaymentRow): Promise<PaymentRow> {
    const begun =
      payment.status === 'pending' && payment.session_id === null ? await submission.submit(payment) : payment
    return begun.status === 'failed' ? refuseField('payment_refused', 'amount', failureReason(begun.reason)) : begun
  }

  async function check(paymentId: string): Promise<void> {
    const payment = await findPayment(pool, paymentId)
    if (payment?.status !== 'pending') return
    await (payment.session_id === null ? submission.resume(payment) : settlement.check(paymentId))
  }

  return {
    async begin(request, prepare, authorize) {
      const earlier = await findByKey(context, request)
      if (earlier) return confirmIntent(earlier)
      const create = (order: Order) => createIntent(context, request, order)
      const created = await prepare()
        .then((order) => (authorize ? authorize(order, create) : create(order)))
        .catch((error: unknown) => keepPaymentRefusal(context, request, error))
      return confirmIntent(created)
    },

    async status(userId, paymentId) {
      const payment = await ownPayment(userId, paymentId)
      return {
        status: stateOf(payment),
        transaction_id: payment.transaction_id,
        purpose: payment.purpose,
        method: payment.method,
        amount: toDecimal(money(payment.currency, payment.amount_minor)),
        currency: payment.currency,
        captured: hasArrived(payment),
        reason: payment.status === 'failed' ? failureSentence(payment.reason) : null,
        redirectUrl: payment.status === 'pending' ? payment.redirect_url : null,
      }
    },

    async cancel(userId, paymentId) {
      const payment = await ownPayment(userId, paymentId)
      if (payment.status !== 'failed') await cancelIntent(context, parts, payment)
      const { status } = await ownPayment(userId, paymentId)
      return status === 'failed' ? { status } : refuse('not_cancelable')
    },

    check,

    async checkFor(payment) {
      const isDue = now().getTime() - payment.last_polled_at.getTime() >= pollAgainMs
      if (payment.status !== 'pending' || !isDue) return payment
      try {
        await check(payment.id)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
      }
      return ownPayment(payment.user_id, payment.id)
    },
  }
}

/** Ends a payment at the provider first, and takes in what became of it there. */
async function cancelIntent(context: PaymentContext, { settlement }: FundingParts, payment: PaymentRow) {
  const { provider } = context
  if (payment.status !== 'pending') refuse('not_cancelable')
  const sessionId = payment.session_id ?? (await stopUnanswered(context, settlement, payment.id))
  if (sessionId === null) return
  const { card, bank } = provider
  const state = await (payment.method === 'bank' ? bank.cancelDebit(sessionId) : card.cancel(sessionId))
  if (state.status === 'unknown') refuse('provider_unavailable')
  else await settlement.applyOutcome(sessionId, state)
}

/**
 * Stops a payment that the provider has given no session for: from now on nobody asks for it. Gives the session that came
 * meanwhile; null when the payment has ended. Refuses `provider_unavailable` when it was asked for without an answer:
 * nobody knows then whether it was made, and asking again would make it.
 */
async function stopUnanswered(
  { pool, now }: PaymentContext,
  settlement: Settlement,
  id: string,
): Promise<string | null> {
  const { rows } = await pool.query<Pick<PaymentRow, 'submitted_token'>>(
    `update payment set cancel_requested_at = coalesce(cancel_requested_at, $2)
      where id = $1 and status = 'pending' and session_id is null returning submitted_token`,
    [id, now()],
  )
  if (rows[0] && rows[0].submitted_token !== null) refuseUnanswered()
  // Nobody was asked, or nobody got the address of the page to pay on.
  if (rows[0] && (await settlement.cancelIntent(id, 'canceled'))) return null
  return (await findPayment(pool, id))?.session_id ?? null
}

const columns = `id, user_id, purpose, method, status, amount_minor, currency, provider, idempotency_key, request_hash,
  transaction_id, created_at, updated_at, last_polled_at, recipient_id, wallet_part_minor, locked_price, quote_id, description,
  bank_account_id, saved_card_id, save_card, counted_on, pulled_usd_minor, sent_usd_minor, holds_transfer`

/** Writes a payment down, with what is set aside and announced for it, unless a request with its key was quicker. */
async function createIntent(context: PaymentContext, request: Request, order: Order): Promise<PaymentRow> {
  const { pool, now } = context
  const at = now()
  const payment = paymentOf(context, request, order, at)
  const open = await authorizationPostings(context, payment, { wallet: order.wallet, send: order.send })
  try {
    await retryOnConflict(pool, async (tx) => {
      await lockKey(tx, request)
      await refuseAsBefore(tx, request)
      requireTime()
      await order.guard?.(tx)
      await refuseManyOpenPrices(tx, payment)
      const { rowCount } = await tx.query(
        `insert into payment (${columns})
         values ($1, $2, $3, $4, 'pending', $5, $6, $7, $8, $9, $10, $11, $11, $11, $12, $13, $14, $15, $16, $17, $18, $19,
           $20, $21, $22, $23)
         on conflict (user_id, idempotency_key) do nothing`,
        [
          payment.id,
          payment.user_id,
          payment.purpose,
          payment.method,
          payment.amount_minor,
          payment.currency,
          payment.provider,
          payment.idempotency_key,
          payment.request_hash,
          payment.transaction_id,
          at,
          payment.recipient_id,
          payment.wallet_part_minor,
          payment.locked_price,
          payment.quote_id,
          payment.description,
          payment.bank_account_id,
          payment.saved_card_id,
          payment.save_card,
          payment.counted_on,
          payment.pulled_usd_minor,
          payment.sent_usd_minor,
          payment.holds_transfer,
        ],
      )
      if (rowCount !== 1) return
      if (order.hold && order.price) await recordSend(tx, payment, order.hold, order.price)
      await countPayment(tx, payment, at)
      await open?.(tx, at)
      if (payment.quote_id !== null && !(await reserveToken(tx, payment.quote_id, payment.id))) {
        refuseField('quote_used', 'quote_id')
      }
    })
  } catch (error) {
    if (!isQuoteTaken(error)) throw error
    // Two requests with one key may meet here too.
    return (await findByKey(context, request)) ?? refuseField('quote_used', 'quote_id')
  }
  return (await findByKey(context, request)) ?? refuse('not_found')
}

const paymentOf = (context: PaymentContext, request: Request, order: Order, at: Date): PaymentRow => ({
  id: newId(at),
  user_id: request.userId,
  purpose: order.purpose,
  method: order.method,
  status: 'pending',
  amount_minor: order.charged.minor,
  currency: order.charged.currency,
  provider: context.provider.name,
  session_id: null,
  redirect_url: null,
  capture_id: null,
  idempotency_key: request.idempotencyKey,
  request_hash: request.hash,
  transaction_id: newId(at),
  created_at: at,
  last_polled_at: at,
  recipient_id: order.send?.recipient.userId ?? null,
  wallet_part_minor: order.walletPartMinor ?? 0n,
  counted_on: usageDayOf(at),
  pulled_usd_minor: pulledUsdMinor(context, order.charged, order.price),
  sent_usd_minor: order.send?.price.usdMinor ?? null,
  locked_price: order.price ? priceText(order.price) : null,
  quote_id: order.quoteId ?? null,
  description: order.send?.description ?? '',
  bank_account_id: order.bankAccountId ?? null,
  saved_card_id: order.savedCardId ?? null,
  save_card: order.saveCard ?? false,
  holds_transfer: order.hold !== undefined,
  reason: null,
  submitted_token: null,
  cancel_requested_at: null,
})

const recordSend = (tx: Tx, payment: PaymentRow, { candidate, decided }: HeldSend, price: Price): Promise<void> => {
  const { quote_id: quoteId, id: paymentId, description, request_hash: requestHash, created_at: at } = payment
  const id = transactionIdOf(payment)
  const held = { id, candidate, amount: price.total, price, quoteId: quoteId ?? undefined, paymentId }
  return recordHold(tx, { ...held, description, requestHash, at }, decided)
}

const isQuoteTaken = (error: unknown): boolean =>
  error instanceof Error && 'constraint' in error && error.constraint === 'payment_quote'
