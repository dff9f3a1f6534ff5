import type { payLink, quoteForLink } from '@tern/contract/requests/payment-links'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { toDecimal } from '@tern/money/money'
import type * as z from 'zod/mini'
import type { Tx } from '../../platform/database/db.ts'
import { updateRow } from '../../platform/database/rows.ts'
import { amountText, parseAmount } from '../../platform/http/amount.ts'
import { requestHash } from '../../platform/http/idempotency.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { wireId } from '../../platform/ids.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import type { Price } from '../exchange/exchange.ts'
import type { Purpose, Send } from '../transfers/transfers.ts'
import { holdsCurrency } from '../wallets/wallets.ts'
import type { RequestContext } from './context.ts'
import {
  findRequest,
  inCurrencyOf,
  lockRequest,
  type RequestPaymentRow,
  type RequestRow,
} from './records/request-rows.ts'
import { afterPayment, isPossible, leftOf, type RequestEvent, stateAt } from './records/request-states.ts'
import { linkView } from './records/request-views.ts'
import { type Other, tellPaid, touchRequest } from './telling.ts'

/** The request a link names. Refuses `link_changed`. */
export async function requestOfLink({ links, pool }: RequestContext, data: string): Promise<RequestRow> {
  const id = links.read(data)
  return (id === undefined ? undefined : await findRequest(pool, id)) ?? refuse('link_changed')
}

const reasons = {
  paid: 'request_paid',
  expired: 'request_expired',
  cancelled: 'request_cancelled',
  declined: 'request_declined',
  processing: 'request_processing',
} as const

/** Refuses `request_closed`, saying why, unless this may happen to the request now. */
export function requirePossible(request: RequestRow, event: RequestEvent, now: Date): void {
  const state = stateAt(request, now)
  if (isPossible(state, event)) return
  refuse('request_closed', Object.hasOwn(reasons, state) ? { reason: reasons[state as keyof typeof reasons] } : {})
}

/** Refuses `recipient_is_sender` and `request_not_for_you`. */
export function requirePayer({ userId }: Caller, { requester_id: requesterId, payer_id: payerId }: RequestRow): void {
  if (userId === requesterId) refuse('recipient_is_sender')
  if (payerId !== null && payerId !== userId) refuse('request_not_for_you')
}

/** Refuses what cannot be paid now: too late, more than is left, or a part where all is asked for. */
export function requirePayable(request: RequestRow, minor: bigint, now: Date): void {
  requirePossible(request, 'pay', now)
  const left = leftOf(request)
  if (minor > left) {
    const params = { left: amountText(inCurrencyOf(request, left)) }
    refuseField('invalid_request', 'amount', { code: 'more_than_is_left', params })
  }
  if (minor < left && !request.allows_parts) refuseField('parts_not_allowed', 'amount')
}

/** A quote by which the requester gets exactly what is left, or the part that is named. Refuses what the contract lists. */
export async function quoteLink(
  context: RequestContext,
  caller: Caller,
  data: string,
  asked: z.output<(typeof quoteForLink)['body']>,
): Promise<Reply<typeof quoteForLink>> {
  const { pool, wallets, exchange, now } = context
  const request = await requestOfLink(context, data)
  requirePayer(caller, request)
  const [sender, recipient] = await Promise.all([
    wallets.findParty(pool, caller.userId),
    wallets.findParty(pool, request.requester_id),
  ])
  if (!recipient?.verified) refuse('recipient_not_found')
  const { source_currency: sourceCurrency, use_stablecoin: useStablecoin = true } = asked
  if (!sender || !holdsCurrency(sender.wallet, sourceCurrency)) refuseField('currency_not_held', 'source_currency')
  const { currency: targetCurrency } = request
  const part = asked.amount === undefined ? undefined : parseAmount('amount', targetCurrency, asked.amount)
  const amount = part ?? inCurrencyOf(request, leftOf(request))
  requirePayable(request, amount.minor, now())
  const wanted = { amount, side: 'target', sourceCurrency, targetCurrency, useStablecoin } as const
  return exchange.quote(caller.userId, wanted, request.requester_id)
}

/** Pays a request, or a part of it, from the caller's wallet, once per key. Refuses what the contract lists. */
export async function payRequest(
  context: RequestContext,
  caller: Caller,
  order: { readonly data: string; readonly quoteId: string },
  { idempotencyKey, confirmation }: { readonly idempotencyKey: string; readonly confirmation: string | undefined },
): Promise<Reply<typeof payLink>> {
  const { transfers } = context
  const request = await requestOfLink(context, order.data)
  requirePayer(caller, request)
  const { userId } = caller
  const hash = requestHash({ request: request.id, quote: order.quoteId })
  const keyed = { userId, idempotencyKey, hash, kind: 'transfer' } as const
  const transaction = await transfers.walletTransfers.run(keyed, async () => {
    // Said before anything about the quote, which may have expired with the request.
    requirePossible(request, 'pay', context.now())
    const send = await prepare(context, caller, request, order.quoteId)
    const { sender, recipient, price, quoteId, description } = send
    requirePayable(request, price.target.minor, context.now())
    return {
      candidate: transfers.candidateOf('wallet_send', send),
      from: sender.wallet,
      to: recipient.wallet,
      price,
      quoteId,
      description,
      rows: transfers.rowsOf(send, { source: 'wallet' }),
      counterparty: recipient,
      stepUp: transfers.walletStepUpFor(caller, send, { idempotencyKey, confirmation }),
      purpose: await purposeOf(context, caller, request, price),
    }
  })
  const link = await linkView(context, await requestOfLink(context, order.data))
  return { transaction_id: transaction.id, status: transaction.status, transaction, link }
}

/** The send that a quote for this request means. Refuses `quote_mismatch` of any other, and what sends refuse. */
async function prepare(
  { exchange, transfers }: RequestContext,
  caller: Caller,
  request: RequestRow,
  quoteId: string,
): Promise<Send> {
  const { price, recipientId } = await exchange.accept(caller.userId, quoteId)
  const { source, target } = price
  if (recipientId !== request.requester_id || target.currency !== request.currency) {
    refuseField('quote_mismatch', 'quote_id')
  }
  const send = await transfers.prepare(caller, {
    recipient_id: wireId(request.requester_id),
    amount: toDecimal(source),
    source_currency: source.currency,
    target_currency: target.currency,
    quote_id: quoteId,
    description: request.description ?? '',
  })
  return send.isPaidFromOutside ? refuseField('quote_used', 'quote_id') : send
}

/** Checks and marks the request in the transaction that moves the money: of many payers at once, one pays. */
async function purposeOf(
  context: RequestContext,
  caller: Caller,
  { id }: RequestRow,
  { target, total }: Price,
): Promise<Purpose> {
  const { now } = context
  const payer = await payerOf(context, caller.userId)
  return {
    async check(tx, postingId) {
      const request = await lockRequest(tx, id)
      const { rowCount } = await tx.query('select from request_payment where posting_id = $1', [postingId])
      if (rowCount === 0) requirePayable(request, target.minor, now())
    },
    async record(tx, { postingId, transactionId, isHeld, at }) {
      const status: RequestPaymentRow['status'] = isHeld ? 'processing' : 'settled'
      await tx.query(
        `insert into request_payment (posting_id, request_id, transaction_id, payer_id, amount_minor, paid_minor,
             paid_currency, status, created_at, updated_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
        [postingId, id, transactionId, caller.userId, target.minor, total.minor, total.currency, status, at],
      )
      const event = isHeld ? 'reserve' : 'pay'
      const { minor } = target
      await applyPayment(context, tx, await lockRequest(tx, id), { event, at, minor, postingId, payer })
    },
  }
}

interface Paid {
  readonly event: 'pay' | 'reserve' | 'settle' | 'release'
  readonly at: Date
  readonly minor: bigint
  readonly postingId: string
  /** Their whole name: once they have paid, the requester sees it. */
  readonly payer: Other
}

/** Writes down what a payment changed, and tells the requester. The request is locked. */
export async function applyPayment(context: RequestContext, tx: Tx, request: RequestRow, paid: Paid): Promise<void> {
  const { event, at, minor } = paid
  const change = afterPayment(request, event, minor)
  const closed_at = change.status === 'open' ? null : at
  await updateRow(tx, 'payment_request', request.id, { ...change, closed_at })
  const changed = { ...request, ...change }
  await touchRequest(context, tx, changed)
  if (event === 'pay' || event === 'settle') await tellPaid(context, tx, changed, paid)
}

/** The payer as the requester is told of them. */
async function payerOf({ pool, wallets }: RequestContext, userId: bigint): Promise<Other> {
  const party = await wallets.findParty(pool, userId)
  if (!party) throw new Error(`user ${userId} pays without a wallet`)
  return { id: wireId(userId), username: party.username, name: party.name ?? party.username }
}

/** What follows for a request when the held transfer that was to pay it is decided; nothing when it was for none. */
export const heldPaymentStep = (context: RequestContext, transactionId: string) =>
  requestPaymentStep(context, 'transaction_id', transactionId)

/**
 * What follows for a request when a member's payment that was set aside for it settles or is released; undefined when there is
 * none. Looked up before the transaction begins.
 */
export async function requestPaymentStep(context: RequestContext, by: 'transaction_id' | 'payment_id', id: string) {
  const { rows } = await context.pool.query<RequestPaymentRow>(
    `select * from request_payment where ${by} = $1 and status = 'processing' and payer_id is not null`,
    [id],
  )
  const [payment] = rows
  if (!payment || payment.payer_id === null) return undefined
  const payer = await payerOf(context, payment.payer_id)
  return async (tx: Tx, event: 'settle' | 'release', at: Date): Promise<void> => {
    const request = await lockRequest(tx, payment.request_id)
    const status: RequestPaymentRow['status'] = event === 'settle' ? 'settled' : 'released'
    await tx.query('update request_payment set status = $2, updated_at = $3 where posting_id = $1', [
      payment.posting_id,
      status,
      at,
    ])
    const { amount_minor: minor, posting_id: postingId } = payment
    await applyPayment(context, tx, request, { event, at, minor, postingId, payer })
  }
}
