import {
  cardCurrencies,
  type guestPayment,
  type GuestReceipt,
  type payAsGuest,
} from '@tern/contract/requests/guest-payments'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { referenceOf } from '@tern/contract/protocol/transaction-reference'
import { type CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type * as z from 'zod/mini'
import type { Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { parseAmount } from '../../../platform/http/amount.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { derivedId } from '../../../platform/ids.ts'
import { messagesHere } from '../../../platform/messages.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { type Price, priceFrom, type PriceToMove, priceView } from '../../exchange/exchange.ts'
import { waitsForCase } from '../../compliance/compliance.ts'
import { collectionIds, type PaymentRow, progressOf } from '../../payments/payments.ts'
import type { RequestContext } from '../context.ts'
import { requestOfLink, requirePayable } from '../pay-request.ts'
import { findRequest, inCurrencyOf, type RequestRow } from '../records/request-rows.ts'
import { leftOf } from '../records/request-states.ts'
import { linkView } from '../records/request-views.ts'
import { findGuestPayment, fitsGuestLimit, guestLimits } from './guest-rows.ts'

type Asked = z.output<(typeof payAsGuest)['body']>

const paidByCard: ReadonlySet<CurrencyCode> = new Set(cardCurrencies)
/** Each holds its price until its checkout ends. */
const mostOpen = 20

/** Begins to pay a request, or a part of it, by card without an account; once per key. Refuses what the contract lists. */
export async function beginGuestPayment(
  context: RequestContext,
  data: string,
  asked: Asked,
  idempotencyKey: string,
): Promise<Reply<typeof payAsGuest>> {
  const { payments, receipts, now } = context
  const request = await requestOfLink(context, data)
  if (request.payer_id !== null) refuse('request_not_for_you')
  const { name, email } = asked
  let target = inCurrencyOf(request, 0n)
  const payment = await payments.collect({
    name,
    requesterId: request.requester_id,
    idempotencyKey: derivedId('guest payment', request.id, idempotencyKey),
    hash: requestHash({ ...asked, request: request.id }),
    async price() {
      const priced = await priceFor(context, request, asked)
      target = priced.price.target
      return priced
    },
    async guard(tx, { usdMinor, paymentId }) {
      if (usdMinor > guestLimits.perPayment) refuse('limit_exceeded', { reason: 'guest_payment_limit' })
      const counted = { by: 'email', value: email, paymentId, usdMinor, at: now() } as const
      if (!(await fitsGuestLimit(tx, counted))) refuse('limit_exceeded', { reason: 'guest_month_limit' })
      await refuseManyOpen(tx, request)
    },
    record: async (tx, { paymentId, usdMinor, at }) => {
      const columns = { payment_id: paymentId, request_id: request.id, amount_minor: target.minor }
      await insertRow(tx, 'guest_payment', { ...columns, email, usd_minor: usdMinor, created_at: at })
    },
  })
  return { receipt: receipts.dataOf(payment.id), ...progressFor(payment) }
}

/** What the card pays for what is left, or for the part that is named. */
async function priceFor(context: RequestContext, request: RequestRow, asked: Asked): Promise<PriceToMove> {
  const { pool, exchange, wallets, now } = context
  const { currency: sourceCurrency, expected_total: expected } = asked
  const { currency: targetCurrency } = request
  if (!(await wallets.findParty(pool, request.requester_id))?.verified) refuse('recipient_not_found')
  const part = asked.amount === undefined ? undefined : parseAmount('amount', targetCurrency, asked.amount)
  const amount = part ?? inCurrencyOf(request, leftOf(request))
  requirePayable(request, amount.minor, now())
  if (!paidByCard.has(sourceCurrency) && sourceCurrency !== targetCurrency) {
    refuseField('currency_not_supported', 'currency')
  }
  const wanted = { amount, side: 'target', sourceCurrency, targetCurrency, useStablecoin: true } as const
  const agreed = parseAmount('expected_total', sourceCurrency, expected)
  const requireAgreed = (price: Price) => {
    if (price.total.minor === agreed.minor) return
    refuse('price_changed', { extra: { price: priceView(price, exchange.pairRate(sourceCurrency, targetCurrency)) } })
  }
  // Most prices that have changed are found without promising another.
  requireAgreed(exchange.price(wanted))
  const { requester_id: userId } = request
  const priced = await exchange.priceToMove({ userId, request: wanted, recipientId: undefined, isOfGuest: true })
  requireAgreed(priced.price)
  return priced
}

/** Refuses `rate_limited` when too many guests have the request's checkout open. */
async function refuseManyOpen(tx: Tx, { id }: RequestRow): Promise<void> {
  await lockName(tx, `guests of ${id}`)
  const { rowCount } = await tx.query(
    `select from guest_payment g join payment p on p.id = g.payment_id
      where g.request_id = $1 and p.status = 'pending' limit $2`,
    [id, mostOpen],
  )
  if (rowCount === mostOpen) refuse('rate_limited', { reason: 'too_many_guests' })
}

/** How a guest's payment stands, for whoever has its receipt. Refuses `not_found`. */
export async function readGuestPayment(context: RequestContext, receipt: string): Promise<GuestReceipt> {
  return receiptView(context, await context.payments.collection(paymentIdOf(context, receipt)))
}

/** Cancels a guest's payment that is not made yet. Refuses `not_found`, `not_cancelable`, `provider_unavailable`. */
export async function cancelGuestPayment(context: RequestContext, receipt: string): Promise<GuestReceipt> {
  const paymentId = paymentIdOf(context, receipt)
  // What waits for a case is not given back before it is decided.
  if (await waitsForCase(context.pool, paymentId)) refuse('not_cancelable')
  return receiptView(context, await context.payments.cancelCollection(paymentId))
}

const paymentIdOf = ({ receipts }: RequestContext, receipt: string): string =>
  receipts.read(receipt) ?? refuse('not_found')

const progressFor = (payment: PaymentRow): Pick<GuestReceipt, 'state' | 'redirect_url'> => ({
  state: stateOf(payment),
  redirect_url: progressOf(payment).redirectUrl,
})

function stateOf({ status, session_id: session, redirect_url: url }: PaymentRow): GuestReceipt['state'] {
  if (status === 'completed') return 'paid'
  if (status === 'reversed') return 'refunded'
  if (status === 'failed') return 'failed'
  return status === 'pending' && (session === null || url !== null) ? 'open' : 'processing'
}

async function receiptView(context: RequestContext, payment: PaymentRow): Promise<Reply<typeof guestPayment>> {
  const { pool, links } = context
  const guest = (await findGuestPayment(pool, payment.id)) ?? refuse('not_found')
  const request = await findRequest(pool, guest.request_id)
  if (!request || !payment.locked_price) throw new Error(`the payment ${payment.id} is for nothing`)
  const { source, fee, total } = priceFrom(payment.locked_price)
  const { requester, description } = await linkView(context, request)
  const { rows } = await pool.query<{ updated_at: Date }>(
    `select updated_at from request_payment where payment_id = $1 and status = 'settled'`,
    [payment.id],
  )
  const { refusals } = messagesHere().activity.requests
  const progress = progressFor(payment)
  const isHeld =
    progress.state === 'processing' && ((await waitsForCase(pool, payment.id)) || (await context.lists.areTooOld()))
  const state = isHeld ? 'held' : progress.state
  const refusal = guest.refusal === null ? progressOf(payment).reason : refusals[guest.refusal]
  return {
    ...progress,
    state,
    reason: state === 'failed' ? refusal : null,
    data: links.dataOf(request.id),
    reference: referenceOf(collectionIds(payment).transactionId),
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
