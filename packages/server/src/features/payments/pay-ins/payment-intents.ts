import type pg from 'pg'
import { reserveToken } from '@tern/ledger/ledger'
import { type Money, toDecimal } from '@tern/money/money'
import { type Db, retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { requireTime } from '../../../platform/http/deadline.ts'
import { Refusal, refuse, refuseField } from '../../../platform/refuse.ts'
import { newId } from '../../../platform/ids.ts'
import { type Price, priceText, quoteLifetimeMs } from '../../exchange/exchange.ts'
import { type Candidate, type Hold, recordHold, type Send } from '../../transfers/transfers.ts'
import { usageDay } from '../../limits/limits.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import type { GuestOrder, PaymentContext } from '../context.ts'
import type { FundingSource } from '../instruments/funding-source.ts'
import { postAuthorization } from '../records/payment-postings.ts'
import {
  toAmount,
  findPayment,
  computeVisibility,
  type PaymentTerms,
  deriveTransactionId,
} from '../records/payment-rows.ts'
import { countPayment, computePulledUsdMinor, computeUsdMinor } from '../records/payment-usage.ts'
import { findByKey, lockKey, repeatStoredRefusal, type Request } from '../records/refused-payments.ts'
import { checkPayment, failIntent, settleByCall } from './settlement.ts'
import {
  failureReason,
  toProgress,
  refuseUnanswered,
  resume,
  toOwnerStatus,
  submit,
  resubmitPayment,
} from './submission.ts'
import type { PaymentRow } from '../row-types.ts'

export interface PaymentInput extends FundingSource {
  readonly method: PaymentRow['method']
  readonly amount: Money
}

/** Hash of a payment request; `send` holds the fields that only sends have. */
export const hashRequest = (purpose: PaymentRow['purpose'], input: PaymentInput, send: object = {}): Buffer =>
  requestHash({
    purpose,
    method: input.method,
    amount: input.amount.minor.toString(),
    currency: input.amount.currency,
    bankAccountId: input.bankAccountId ?? null,
    paymentMethodId: input.paymentMethodId ?? null,
    saveCard: input.saveCard ?? false,
    quote: input.quote_id ?? null,
    ...send,
  })

type ChosenColumn = 'quote_id' | 'wallet_part_minor' | 'bank_account_id' | 'saved_card_id' | 'save_card'

/** Decided payment, before it is stored and submitted. */
export interface IntentOrder {
  readonly terms: Pick<PaymentTerms, 'purpose' | 'method' | 'provider'> & Partial<Pick<PaymentTerms, ChosenColumn>>
  /** Amount taken from the card or bank account. */
  readonly charged: Money
  readonly wallet: Wallet
  /** Set if the wallet's owner sends the money to another user. */
  readonly send?: Send | undefined
  /** Set for sends, guests' payments and converted deposits. */
  readonly price?: Price | undefined
  /** Time until which the price is promised; defaults to the lifetime of a new quote. */
  readonly priceHeldUntil?: Date | undefined
  /** Minimum credit to the recipient of a send that is priced when its money arrives. */
  readonly minimumTarget?: Money | undefined
  /** Set for a send that is held once its money has arrived. */
  readonly hold?: { readonly candidate: Candidate; readonly decided: Hold } | undefined
  /** Payment request that the send pays. */
  readonly requestId?: string | undefined
  /** Set for a guest who pays a request of the wallet's owner. */
  readonly guest?: GuestOrder | undefined
}

const pollAgainMs = 2000

/**
 * Submits a new payment, or one that an earlier request with the same key began. Its row is already stored and its id
 * is the provider's key, so nothing is charged twice. Refuses `payment_refused` for a failed payment; for other
 * refusals see the contract.
 */
export async function submitBegun(
  ctx: PaymentContext,
  pool: pg.Pool,
  { payment, isNew }: { readonly payment: PaymentRow; readonly isNew: boolean },
): Promise<PaymentRow> {
  const isUnsubmitted = payment.status === 'pending' && payment.session_id === null
  const submittedPayment = isUnsubmitted ? await (isNew ? submit : resubmitPayment)(ctx, pool, payment) : payment
  return submittedPayment.status === 'failed'
    ? refuseField('payment_refused', 'amount', failureReason(submittedPayment.reason))
    : submittedPayment
}

export interface PaymentKey {
  readonly userId: bigint
  readonly paymentId: string
}

/** Status of the user's payment. Refuses `not_found`. */
export async function readPayment(db: Db, paymentKey: PaymentKey) {
  const payment = await findOwnPayment(db, paymentKey)
  const { purpose } = payment
  if (purpose === 'request') return refuse('not_found')
  return {
    status: toOwnerStatus(payment),
    transaction_id: payment.transaction_id,
    purpose,
    method: payment.method,
    amount: toDecimal(toAmount(payment)),
    currency: payment.currency,
    ...toProgress(payment),
  }
}

/** Cancels a payment before it is made. Refuses `not_found`, `not_cancelable`, `provider_unavailable`. */
export async function cancelPayment(ctx: PaymentContext, pool: pg.Pool, paymentKey: PaymentKey) {
  const payment = await findOwnPayment(pool, paymentKey)
  if (payment.purpose === 'request') refuse('not_found')
  if (payment.status !== 'failed') await cancelIntent(ctx, pool, payment)
  const { status } = await findOwnPayment(pool, paymentKey)
  return status === 'failed' ? { status } : refuse('not_cancelable')
}

/** Polls the provider about a pending payment, or resumes one that the provider never answered. */
export async function recheckPayment(ctx: PaymentContext, pool: pg.Pool, paymentId: string): Promise<void> {
  const payment = await findPayment(pool, paymentId)
  if (payment?.status !== 'pending') return
  await (payment.session_id === null ? resume(ctx, pool, payment) : checkPayment(ctx, pool, paymentId))
}

/** Polls about a payment whose payer is waiting, at most every two seconds, and returns it. */
export async function checkForPayer(ctx: PaymentContext, pool: pg.Pool, payment: PaymentRow): Promise<PaymentRow> {
  const isDue = ctx.now().getTime() - payment.last_polled_at.getTime() >= pollAgainMs
  if (payment.status !== 'pending' || !isDue) return payment
  try {
    await recheckPayment(ctx, pool, payment.id)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  return findOwnPayment(pool, { userId: payment.user_id, paymentId: payment.id })
}

async function findOwnPayment(db: Db, { userId, paymentId }: PaymentKey): Promise<PaymentRow> {
  const payment = await findPayment(db, paymentId)
  return payment?.user_id === userId ? payment : refuse('not_found')
}

/** Cancels a payment at its provider. Refuses `not_cancelable` and `provider_unavailable`. */
export async function cancelIntent(ctx: PaymentContext, pool: pg.Pool, payment: PaymentRow): Promise<void> {
  if (payment.status !== 'pending') refuse('not_cancelable')
  const sessionId = payment.session_id ?? (await cancelUnanswered(ctx, pool, payment.id))
  if (sessionId === null) return
  const status = await settleByCall(ctx, pool, { payment, sessionId, call: 'cancel' })
  if (status === 'unknown') refuse('provider_unavailable')
}

/**
 * Prevents any further submission. Returns the session of a payment that was submitted meanwhile, or null if the
 * payment is failed. Refuses if the payment may have been made.
 */
async function cancelUnanswered(ctx: PaymentContext, pool: pg.Pool, id: string): Promise<string | null> {
  const { now } = ctx
  const { rows } = await pool.query<Pick<PaymentRow, 'submitted_token'>>(
    `update payment set cancel_requested_at = coalesce(cancel_requested_at, $2)
      where id = $1 and status = 'pending' and session_id is null returning submitted_token`,
    [id, now()],
  )
  if (rows[0] && rows[0].submitted_token !== null) refuseUnanswered()
  // Never submitted, or the checkout's address never reached a browser.
  if (rows[0] && (await failIntent(ctx, pool, { id, reason: 'canceled' }))) return null
  return (await findPayment(pool, id))?.session_id ?? null
}

/** Stores a payment with its reservations and transactions, or returns the one of a concurrent request with its key. */
export async function createIntent(
  ctx: PaymentContext,
  pool: pg.Pool,
  { request, order }: { readonly request: Request; readonly order: IntentOrder },
): Promise<PaymentRow> {
  const { now } = ctx
  const at = now()
  const { guest, hold, price, requestId, wallet, send } = order
  const payment = buildTerms(ctx, { request, order, at })
  try {
    await retryOnConflict(pool, async (tx) => {
      await lockKey(tx, request)
      await repeatStoredRefusal(tx, request)
      requireTime()
      await refuseManyOpenPrices(tx, payment)
      const row = { ...payment, ...computeVisibility(payment), status: 'pending', updated_at: at, last_polled_at: at }
      if (!(await insertRow(tx, 'payment', row, 'on conflict (user_id, idempotency_key) do nothing'))) return
      if (hold && price) await recordSend(tx, payment, { price, hold })
      if (guest && price) {
        await ctx.requestPurpose.recordGuest(tx, { ...guest, payment, usdMinor: computeUsdMinor(ctx, price.total) })
      }
      if (requestId !== undefined) await ctx.requestPurpose.reserve(tx, { payment, requestId })
      await countPayment(tx, payment, at)
      await postAuthorization(ctx, tx, { payment, wallet, send })
      if (payment.quote_id !== null && !(await reserveToken(tx, payment.quote_id, payment.id))) {
        refuseField('quote_used', 'quote_id')
      }
    })
  } catch (error) {
    if (!isQuoteTaken(error)) throw error
    // A concurrent request with the same key takes the quote too.
    return (await findByKey(pool, request)) ?? refuseField('quote_used', 'quote_id')
  }
  return (await findByKey(pool, request)) ?? refuse('not_found')
}

function buildTerms(
  ctx: PaymentContext,
  { request, order, at }: { readonly request: Request; readonly order: IntentOrder; readonly at: Date },
): PaymentTerms {
  const { terms, charged, send, price, hold, guest, minimumTarget } = order
  // Guests have separate limits; their payments do not count against the requester's.
  const pullUsage = guest ? null : { day: usageDay(at), pulled: computePulledUsdMinor(ctx, charged, price) }
  return {
    quote_id: null,
    wallet_part_minor: 0n,
    bank_account_id: null,
    saved_card_id: null,
    save_card: false,
    ...terms,
    id: newId(at),
    user_id: request.userId,
    amount_minor: charged.minor,
    currency: charged.currency,
    idempotency_key: request.idempotencyKey,
    request_hash: request.hash,
    transaction_id: newId(at),
    created_at: at,
    recipient_id: send?.recipient.userId ?? null,
    locked_price: price ? priceText(price) : null,
    description: send?.description ?? '',
    payer_name: guest?.name ?? null,
    holds_transfer: hold !== undefined,
    price_held_until: computePriceExpiry(order, at),
    minimum_target_minor: minimumTarget?.minor ?? null,
    counted_on: pullUsage?.day ?? null,
    pulled_usd_minor: pullUsage?.pulled ?? null,
    sent_usd_minor: send?.price.usdMinor ?? null,
  }
}

/** End of a promised price; null within one currency, where prices do not move, and for sends priced on arrival. */
function computePriceExpiry({ price, priceHeldUntil, minimumTarget }: IntentOrder, at: Date): Date | null {
  if (!price || minimumTarget || price.source.currency === price.target.currency) return null
  return priceHeldUntil ?? new Date(at.getTime() + quoteLifetimeMs)
}

type PlannedHold = NonNullable<IntentOrder['hold']>

function recordSend(
  tx: Tx,
  payment: PaymentTerms,
  { price, hold: { candidate, decided } }: { readonly price: Price; readonly hold: PlannedHold },
): Promise<void> {
  const { id: paymentId, description, request_hash: requestHash, created_at: at } = payment
  const facts = { candidate, amount: price.total, price, paymentId, description, requestHash, at }
  const newHold = { ...facts, id: deriveTransactionId(payment), quoteId: payment.quote_id ?? undefined }
  return recordHold(tx, newHold, decided)
}

/** Open payments keep their price: with many of them, a payer could complete only the profitable ones. */
const maxOpenPrices = 5

/** Refuses `rate_limited` if the payer has too many open payments with a conversion. Counts under a lock. */
async function refuseManyOpenPrices(tx: Tx, payment: PaymentTerms): Promise<void> {
  const { user_id: userId, idempotency_key: idempotencyKey, locked_price: price } = payment
  // Guests have a separate limit, so that they cannot use up the requester's.
  if (payment.purpose === 'request' || price === null || price.sourceCurrency === price.targetCurrency) return
  await lockName(tx, `open prices of ${userId}`)
  const { rowCount } = await tx.query(
    `select from payment
      where user_id = $1 and status = 'pending' and idempotency_key <> $2 and purpose <> 'request'
        and locked_price ->> 'sourceCurrency' <> locked_price ->> 'targetCurrency' limit $3`,
    [userId, idempotencyKey, maxOpenPrices],
  )
  if (rowCount === maxOpenPrices) refuse('rate_limited', { reason: 'too_many_open_conversions' })
}

const isQuoteTaken = (error: unknown): boolean =>
  error instanceof Error && 'constraint' in error && error.constraint === 'payment_quote'
