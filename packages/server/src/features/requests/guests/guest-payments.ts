import type pg from 'pg'
import {
  cardCurrencies,
  type guestPayment,
  type GuestReceipt,
  type payAsGuest,
} from '@tern/contract/requests/guest-payments'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import { type CurrencyCode } from '@tern/money/currency'
import { type Money, money, toDecimal } from '@tern/money/money'
import type * as z from 'zod/mini'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { parseAmount } from '../../../platform/http/amount.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { derivedId } from '../../../platform/ids.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { type Price, readPrice, type MovementPrice, priceView } from '../../exchange/exchange.ts'
import { isHeldByCase } from '../../compliance/compliance.ts'
import {
  collectionIds,
  type GuestPaymentInput,
  type GuestOrder as GuestTerms,
  type PaymentTerms,
  toProgress,
} from '../../payments/payments.ts'
import type { OutsideContext, RequestContext } from '../context.ts'
import { requireLinkedRequest, requirePayable } from '../pay-request.ts'
import { findRequest, toRequestMoney } from '../records/request-rows.ts'
import { computeRemaining } from '../records/request-states.ts'
import { linkView } from '../records/request-views.ts'
import { findGuestPayment, fitsGuestLimit, guestLimits } from './guest-rows.ts'
import type { RequestPaymentRow } from '../row-types.ts'
import type { PaymentRow } from '../../payments/row-types.ts'

const cardPayableCurrencies: ReadonlySet<CurrencyCode> = new Set(cardCurrencies)
/** Limit of open guest checkouts per request, since each of them holds a price. */
const maxOpen = 20

interface GuestOrder {
  readonly data: string
  readonly body: z.output<(typeof payAsGuest)['body']>
  readonly idempotencyKey: string
}

/**
 * Begins a card payment of a request, or a part of it, without an account; once per key. Refusals: see the contract.
 */
export async function beginGuestPayment(
  ctx: OutsideContext,
  db: Db,
  { data, body, idempotencyKey }: GuestOrder,
): Promise<Reply<typeof payAsGuest>> {
  const request = await requireLinkedRequest(ctx, db, data)
  if (request.payer_id !== null) refuse('request_not_for_you')
  const payment = await ctx.payments.collect({
    ...body,
    requestId: request.id,
    requesterId: request.requester_id,
    idempotencyKey: derivedId('guest payment', request.id, idempotencyKey),
    hash: requestHash({ ...body, request: request.id }),
  })
  return { receipt: ctx.receipts.issue(payment.id), ...toGuestProgress(payment) }
}

/** Prices the remaining amount of a request, or the stated part, for a card. Refusals: see the contract. */
export async function priceGuestPayment(
  ctx: RequestContext,
  pool: pg.Pool,
  { requestId, currency: sourceCurrency, amount: part, expected_total: expected }: GuestPaymentInput,
): Promise<MovementPrice> {
  const { exchange, wallets, now } = ctx
  const request = (await findRequest(pool, requestId)) ?? refuse('link_changed')
  const { currency: targetCurrency, requester_id: userId } = request
  if (!(await wallets.findParty(pool, userId))?.verified) refuse('recipient_not_found')
  const amount =
    part === undefined
      ? toRequestMoney(request, computeRemaining(request))
      : parseAmount('amount', targetCurrency, part)
  requirePayable(request, amount.minor, now())
  if (!cardPayableCurrencies.has(sourceCurrency) && sourceCurrency !== targetCurrency) {
    refuseField('currency_not_supported', 'currency')
  }
  const priceQuery = { amount, side: 'target', sourceCurrency, targetCurrency, useStablecoin: true } as const
  const expectedTotal = parseAmount('expected_total', sourceCurrency, expected)
  // Refuses most changed prices before a new one is reserved.
  requireAgreed(ctx, exchange.price(priceQuery), expectedTotal)
  const priced = await exchange.priceToMove({ userId, request: priceQuery, recipientId: undefined, isOfGuest: true })
  requireAgreed(ctx, priced.price, expectedTotal)
  return priced
}

/** Refuses `price_changed` with the price, unless its total is the one that the guest agreed to. */
function requireAgreed({ exchange }: RequestContext, price: Price, expectedTotal: Money): void {
  if (price.total.minor === expectedTotal.minor) return
  const rate = exchange.pairRate(price.source.currency, price.target.currency)
  refuse('price_changed', { extra: { price: priceView(price, rate) } })
}

type StartedPayment = GuestTerms & { readonly payment: PaymentTerms; readonly usdMinor: bigint }

/** Records the start of a guest's payment. Refuses `limit_exceeded` and `rate_limited`. */
export async function recordGuestPayment(
  ctx: RequestContext,
  tx: Tx,
  { payment, requestId, email, minor, usdMinor }: StartedPayment,
): Promise<void> {
  if (usdMinor > guestLimits.perPayment) refuse('limit_exceeded', { reason: 'guest_payment_limit' })
  const { id: paymentId, created_at: at } = payment
  const guestUsage = { by: 'email', value: email, paymentId, usdMinor, at: ctx.now() } as const
  if (!(await fitsGuestLimit(tx, guestUsage))) refuse('limit_exceeded', { reason: 'guest_month_limit' })
  await refuseManyOpen(tx, requestId)
  const columns = { payment_id: paymentId, request_id: requestId, amount_minor: minor }
  await insertRow(tx, 'guest_payment', { ...columns, email, usd_minor: usdMinor, created_at: at })
}

/** Refuses `rate_limited` if too many guests have the request's checkout open. */
async function refuseManyOpen(tx: Tx, id: string): Promise<void> {
  await lockName(tx, `guests of ${id}`)
  const { rowCount } = await tx.query(
    `select from guest_payment g join payment p on p.id = g.payment_id
      where g.request_id = $1 and p.status = 'pending' limit $2`,
    [id, maxOpen],
  )
  if (rowCount === maxOpen) refuse('rate_limited', { reason: 'too_many_guests' })
}

/** Status of a guest's payment, for the holder of its receipt. Refuses `not_found`. */
export async function readGuestPayment(ctx: OutsideContext, db: Db, receipt: string): Promise<GuestReceipt> {
  return receiptView(ctx, db, await ctx.payments.collection(readPaymentId(ctx, receipt)))
}

/** Cancels a guest's payment before it is made. Refuses `not_found`, `not_cancelable`, `provider_unavailable`. */
export async function cancelGuestPayment(ctx: OutsideContext, db: Db, receipt: string): Promise<GuestReceipt> {
  const paymentId = readPaymentId(ctx, receipt)
  // A payment that is held by a case can be cancelled only after the decision.
  if (await isHeldByCase(db, paymentId)) refuse('not_cancelable')
  return receiptView(ctx, db, await ctx.payments.cancelCollection(paymentId))
}

const readPaymentId = ({ receipts }: RequestContext, receipt: string): string =>
  receipts.read(receipt) ?? refuse('not_found')

const toGuestProgress = (payment: PaymentRow): Pick<GuestReceipt, 'state' | 'redirect_url'> => ({
  state: toGuestState(payment),
  redirect_url: toProgress(payment).redirectUrl,
})

function toGuestState({ status, session_id: session, redirect_url: url }: PaymentRow): GuestReceipt['state'] {
  if (status === 'completed') return 'paid'
  if (status === 'reversed') return 'refunded'
  if (status === 'failed') return 'failed'
  return status === 'pending' && (session === null || url !== null) ? 'open' : 'processing'
}

async function receiptView(ctx: RequestContext, db: Db, payment: PaymentRow): Promise<Reply<typeof guestPayment>> {
  const { links } = ctx
  const guest = (await findGuestPayment(db, payment.id)) ?? refuse('not_found')
  const request = await findRequest(db, guest.request_id)
  if (!request || !payment.locked_price) throw new Error(`the payment ${payment.id} is for nothing`)
  const { source, fee, total } = readPrice(payment.locked_price)
  const { requester, description } = await linkView(ctx, db, request)
  const { rows } = await db.query<Pick<RequestPaymentRow, 'updated_at'>>(
    `select updated_at from request_payment where payment_id = $1 and status = 'settled'`,
    [payment.id],
  )
  const { refusals } = currentRequestMessages().activity.requests
  const progress = toGuestProgress(payment)
  const isHeld =
    progress.state === 'processing' && ((await isHeldByCase(db, payment.id)) || (await ctx.lists.areTooOld(db)))
  const state = isHeld ? 'held' : progress.state
  const refusal = guest.refusal === null ? toProgress(payment).reason : refusals[guest.refusal]
  return {
    ...progress,
    state,
    reason: state === 'failed' ? refusal : null,
    data: links.issue(request.id),
    reference: deriveReference(collectionIds(payment).transactionId),
    name: payment.payer_name ?? '',
    requester,
    description,
    amount: toDecimal(money(request.currency, guest.amount_minor)),
    currency: request.currency,
    source_amount: toDecimal(source),
    fee: toDecimal(fee),
    total: toDecimal(total),
    paid_currency: total.currency,
    created_at: payment.created_at.toISOString(),
    paid_at: rows[0]?.updated_at.toISOString() ?? null,
  }
}
