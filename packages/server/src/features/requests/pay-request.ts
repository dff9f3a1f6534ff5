import type pg from 'pg'
import type { payLink, quoteForLink } from '@tern/contract/requests/payment-links'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { toDecimal } from '@tern/money/money'
import type * as z from 'zod/mini'
import { type Db, retryOnConflict, type Tx } from '../../platform/database/db.ts'
import { updateRow } from '../../platform/database/rows.ts'
import { amountText, parseAmount } from '../../platform/http/amount.ts'
import { requestHash } from '../../platform/http/idempotency.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { wireId } from '../../platform/ids.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import {
  type Attempt,
  type OrderKey,
  keyRequest,
  type AttemptResult,
  toOrderPosting,
  buildOrder,
  type Send,
  sendStepUp,
} from '../transfers/transfers.ts'
import type { MoveOutcome } from '../wallets/move.ts'
import { holdsCurrency } from '../wallets/wallets.ts'
import type { RequestContext } from './context.ts'
import { findRequest, toRequestMoney, lockRequest } from './records/request-rows.ts'
import {
  applyPaymentEvent,
  isPossible,
  computeRemaining,
  type RequestEvent,
  determineRequestState,
} from './records/request-states.ts'
import { linkView } from './records/request-views.ts'
import { type OtherPerson, notifyPaid, notifyRequestPages } from './request-notices.ts'
import type { PaymentRequestRow, RequestPaymentRow } from './row-types.ts'

/** Request that a link identifies. Refuses `link_changed`. */
export async function requireLinkedRequest(
  { links }: RequestContext,
  db: Db,
  data: string,
): Promise<PaymentRequestRow> {
  const id = links.read(data)
  return (id === undefined ? undefined : await findRequest(db, id)) ?? refuse('link_changed')
}

const reasons = {
  paid: 'request_paid',
  expired: 'request_expired',
  cancelled: 'request_cancelled',
  declined: 'request_declined',
  processing: 'request_processing',
} as const

/** Refuses `request_closed` with its reason unless the request allows this event now. */
export function requirePossible(request: PaymentRequestRow, event: RequestEvent, now: Date): void {
  const state = determineRequestState(request, now)
  if (isPossible(state, event)) return
  refuse('request_closed', Object.hasOwn(reasons, state) ? { reason: reasons[state as keyof typeof reasons] } : {})
}

/** Requires that the caller may pay the request. Refuses `recipient_is_sender` and `request_not_for_you`. */
export function requirePayer(
  { userId }: Caller,
  { requester_id: requesterId, payer_id: payerId }: PaymentRequestRow,
): void {
  if (userId === requesterId) refuse('recipient_is_sender')
  if (payerId !== null && payerId !== userId) refuse('request_not_for_you')
}

/** Refuses a payment if the request is closed, if it exceeds the rest, or if it is partial without `allows_parts`. */
export function requirePayable(request: PaymentRequestRow, minor: bigint, now: Date): void {
  requirePossible(request, 'pay', now)
  const remainingMinor = computeRemaining(request)
  if (minor > remainingMinor) {
    const params = { left: amountText(toRequestMoney(request, remainingMinor)) }
    refuseField('invalid_request', 'amount', { code: 'more_than_is_left', params })
  }
  if (minor < remainingMinor && !request.allows_parts) refuseField('parts_not_allowed', 'amount')
}

interface QuoteOrder {
  readonly caller: Caller
  readonly data: string
  readonly body: z.output<(typeof quoteForLink)['body']>
}

/** Quotes a payment that credits exactly the remaining amount, or the stated part. Refusals: see the contract. */
export async function quoteLink(
  ctx: RequestContext,
  pool: pg.Pool,
  { caller, data, body: quoteInput }: QuoteOrder,
): Promise<Reply<typeof quoteForLink>> {
  const { wallets, exchange, now } = ctx
  const request = await requireLinkedRequest(ctx, pool, data)
  requirePayer(caller, request)
  const [sender, recipient] = await Promise.all([
    wallets.findParty(pool, caller.userId),
    wallets.findParty(pool, request.requester_id),
  ])
  if (!recipient?.verified) refuse('recipient_not_found')
  const { source_currency: sourceCurrency, use_stablecoin: useStablecoin = true } = quoteInput
  if (!sender || !holdsCurrency(sender.wallet, sourceCurrency)) refuseField('currency_not_held', 'source_currency')
  const { currency: targetCurrency } = request
  const part = quoteInput.amount === undefined ? undefined : parseAmount('amount', targetCurrency, quoteInput.amount)
  const amount = part ?? toRequestMoney(request, computeRemaining(request))
  requirePayable(request, amount.minor, now())
  const priceQuery = { amount, side: 'target', sourceCurrency, targetCurrency, useStablecoin } as const
  return exchange.quote({ userId: caller.userId, request: priceQuery, recipientId: request.requester_id })
}

interface LinkPayment {
  readonly caller: Caller
  readonly data: string
  readonly quoteId: string
  readonly idempotencyKey: string
  readonly confirmation: string | undefined
}

/** Pays a request, or a part of it, from the caller's wallet, once per key. Refusals: see the contract. */
export async function payRequest(
  ctx: RequestContext,
  pool: pg.Pool,
  payment: LinkPayment,
): Promise<Reply<typeof payLink>> {
  const { transfers } = ctx
  const { caller, data, quoteId, idempotencyKey } = payment
  const request = await requireLinkedRequest(ctx, pool, data)
  requirePayer(caller, request)
  const hash = requestHash({ request: request.id, quote: quoteId })
  const orderKey = keyRequest({ kind: 'transfer', userId: caller.userId, idempotencyKey, hash })
  const transaction = await transfers.runOrderOnce(orderKey, () =>
    transfers.readResult({ orderKey, pendingResult: makePayment(ctx, pool, { payment, request, orderKey }) }),
  )
  const link = await linkView(ctx, pool, await requireLinkedRequest(ctx, pool, data))
  return { transaction_id: transaction.id, status: transaction.status, transaction, link }
}

interface PaymentAttempt {
  readonly payment: LinkPayment
  readonly request: PaymentRequestRow
  readonly orderKey: OrderKey
}

/** Updates the request in the transaction that moves the money, so that concurrent payers never overpay it. */
async function makePayment(
  ctx: RequestContext,
  pool: pg.Pool,
  { payment, request, orderKey }: PaymentAttempt,
): Promise<AttemptResult> {
  const { transfers, now } = ctx
  const { caller, quoteId, idempotencyKey, confirmation } = payment
  // Checked before the quote, so that an expired request is not refused as an expired quote.
  requirePossible(request, 'pay', now())
  const send = await prepare(ctx, { caller, request, quoteId })
  requirePayable(request, send.price.target.minor, now())
  const stepUp = sendStepUp(caller, send, { source: 'wallet', idempotencyKey, confirmation })
  const payer = await findPayer(ctx, pool, caller.userId)
  let next: Attempt | AttemptResult = await transfers.begin({ orderKey, order: { ...buildOrder(send), stepUp } })
  while (!('outcome' in next)) {
    const attempt: Attempt = next
    const pendingMove = retryOnConflict(pool, (tx) =>
      payWithinTransaction(ctx, tx, { attempt, requestId: request.id, payer }),
    )
    next = await transfers.nextAttempt({ attempt, pendingMove })
  }
  return next
}

/**
 * Prepares a wallet send at the quoted price. Refuses `quote_mismatch` if the quote has another recipient or currency,
 * `quote_used` if a card or bank payment uses it, and like other sends.
 */
async function prepare(
  { exchange, transfers }: RequestContext,
  {
    caller,
    request,
    quoteId,
  }: { readonly caller: Caller; readonly request: PaymentRequestRow; readonly quoteId: string },
): Promise<Send> {
  const { price, recipientId } = await exchange.accept({ userId: caller.userId, quoteId })
  const { source, target } = price
  if (recipientId !== request.requester_id || target.currency !== request.currency) {
    refuseField('quote_mismatch', 'quote_id')
  }
  const paymentInput = {
    recipient_id: wireId(request.requester_id),
    amount: toDecimal(source),
    source_currency: source.currency,
    target_currency: target.currency,
    quote_id: quoteId,
    description: request.description ?? '',
  }
  const send = await transfers.prepareSend({ sender: caller, request: paymentInput })
  return send.isPaidFromOutside ? refuseField('quote_used', 'quote_id') : send
}

interface RequestPaymentAttempt {
  readonly attempt: Attempt
  readonly requestId: string
  readonly payer: OtherPerson
}

/** Moves the money of a payment and records it with its request, which must still be payable. */
async function payWithinTransaction(
  ctx: RequestContext,
  tx: Tx,
  { attempt, requestId, payer }: RequestPaymentAttempt,
): Promise<MoveOutcome> {
  const { price, candidate } = attempt.order
  const { target, total } = price
  const { postingId, transactionId, isHeld, at } = toOrderPosting(attempt)
  const request = await lockRequest(tx, requestId)
  const { rowCount } = await tx.query('select from request_payment where posting_id = $1', [postingId])
  // A retry is answered like the first attempt, even if the request is paid by now.
  if (rowCount === 0) requirePayable(request, target.minor, ctx.now())
  const outcome = await ctx.transfers.moveWithin(tx, attempt)
  if (outcome.status !== 'posted') return outcome
  const status: RequestPaymentRow['status'] = isHeld ? 'processing' : 'settled'
  await tx.query(
    `insert into request_payment (posting_id, request_id, transaction_id, payer_id, amount_minor, paid_minor,
         paid_currency, status, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    [postingId, requestId, transactionId, candidate.senderId, target.minor, total.minor, total.currency, status, at],
  )
  const event = isHeld ? 'reserve' : 'pay'
  const locked = await lockRequest(tx, requestId)
  await applyPayment(ctx, tx, { request: locked, event, at, minor: target.minor, postingId, payer })
  return outcome
}

interface RequestPayment {
  readonly request: PaymentRequestRow
  readonly event: 'pay' | 'reserve' | 'settle' | 'release'
  readonly at: Date
  readonly minor: bigint
  readonly postingId: string
  /** Payer with the full name, which the requester may see after the payment. */
  readonly payer: OtherPerson
}

/** Applies a payment event to a locked request, and notifies the requester of a completed payment. */
export async function applyPayment(ctx: RequestContext, tx: Tx, payment: RequestPayment): Promise<void> {
  const { request, event, at, minor } = payment
  const change = applyPaymentEvent(request, event, minor)
  const closed_at = change.status === 'open' ? null : at
  await updateRow(tx, 'payment_request', request.id, { ...change, closed_at })
  const changed = { ...request, ...change }
  await notifyRequestPages(ctx, tx, changed)
  if (event === 'pay' || event === 'settle') {
    const { payer: person, postingId: dedupe } = payment
    await notifyPaid(ctx, tx, { request: changed, person, minor, dedupe })
  }
}

/** Payer with the full name, as the requester sees it after the payment. */
async function findPayer({ wallets }: RequestContext, db: Db, userId: bigint): Promise<OtherPerson> {
  const party = await wallets.findParty(db, userId)
  if (!party) throw new Error(`user ${userId} pays without a wallet`)
  return { id: wireId(userId), username: party.username, name: party.name ?? party.username }
}

interface ReservationEnd {
  readonly event: 'settle' | 'release'
  readonly at: Date
}

/** Ends a held transfer's reservation on a request. False if it pays no request. */
export const endHeldPayment = (
  ctx: RequestContext,
  tx: Tx,
  { transactionId: id, ...ended }: ReservationEnd & { readonly transactionId: string },
): Promise<boolean> => endPayment(ctx, tx, { ...ended, column: 'transaction_id', id })

/** Settles or releases a member's reservation on a request. False if there is none. */
export async function endPayment(
  ctx: RequestContext,
  tx: Tx,
  { column, id, event, at }: ReservationEnd & { readonly column: 'transaction_id' | 'payment_id'; readonly id: string },
): Promise<boolean> {
  const { rows } = await tx.query<RequestPaymentRow>(
    `select * from request_payment where ${column} = $1 and status = 'processing' and payer_id is not null`,
    [id],
  )
  const [payment] = rows
  if (!payment || payment.payer_id === null) return false
  const { amount_minor: minor, posting_id: postingId } = payment
  const payer = await findPayer(ctx, tx, payment.payer_id)
  const request = await lockRequest(tx, payment.request_id)
  const status: RequestPaymentRow['status'] = event === 'settle' ? 'settled' : 'released'
  await tx.query('update request_payment set status = $2, updated_at = $3 where posting_id = $1', [
    postingId,
    status,
    at,
  ])
  await applyPayment(ctx, tx, { request, event, at, minor, postingId, payer })
  return true
}
