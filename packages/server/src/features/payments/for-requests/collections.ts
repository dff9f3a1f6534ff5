import type pg from 'pg'
import type { Db } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { findWallet } from '../../wallets/wallets.ts'
import { chooseProvider, type GuestPaymentInput, type PaymentContext } from '../context.ts'
import { findPayment, type PaymentTerms, postingIds, deriveTransactionId } from '../records/payment-rows.ts'
import { findByKey, storePaymentRefusal, type Request } from '../records/refused-payments.ts'
import { cancelIntent, checkForPayer, createIntent, submitBegun } from '../pay-ins/payment-intents.ts'
import type { PaymentRow } from '../row-types.ts'

export { toProgress } from '../pay-ins/submission.ts'

// Card payments by guests, who pay a payment request without an account. The requester receives the money, converted at
// the price that the guest agreed to. The card is authorized first, and charged only once the request's amount is
// reserved.

export interface CollectionOrder extends GuestPaymentInput {
  /** Guest's name. */
  readonly name: string
  readonly email: string
  readonly requesterId: bigint
  readonly idempotencyKey: string
  readonly hash: Buffer
}

/**
 * Begins a guest's payment by card, once per key. Refuses `payment_refused`, `provider_unavailable`, and what
 * `priceGuest` and `recordGuest` of requests refuse.
 */
export async function beginCollection(ctx: PaymentContext, pool: pg.Pool, order: CollectionOrder): Promise<PaymentRow> {
  const request = { userId: order.requesterId, idempotencyKey: order.idempotencyKey, hash: order.hash }
  const existingPayment = await findByKey(pool, request)
  const payment =
    existingPayment ??
    (await createCollection(ctx, pool, { order, request }).catch((error: unknown) =>
      storePaymentRefusal(ctx, pool, { request, error }),
    ))
  return submitBegun(ctx, pool, { payment, isNew: existingPayment === undefined })
}

async function createCollection(
  ctx: PaymentContext,
  pool: pg.Pool,
  { order, request }: { readonly order: CollectionOrder; readonly request: Request },
): Promise<PaymentRow> {
  const { name, email, requestId, requesterId: userId } = order
  const wallet = (await findWallet(pool, userId)) ?? refuse('not_found')
  const { price, quoteId } = await ctx.requestPurpose.priceGuest(pool, order)
  const provider = await chooseProvider(ctx, pool, { userId, method: 'card', currency: price.total.currency })
  const terms = { purpose: 'request', method: 'card', provider, quote_id: quoteId ?? null } as const
  const guest = { name, email, requestId, minor: price.target.minor }
  return createIntent(ctx, pool, { request, order: { terms, charged: price.total, wallet, price, guest } })
}

/** Guest's payment, after polling its provider if that is due. Refuses `not_found`. */
export async function readCollection(ctx: PaymentContext, pool: pg.Pool, paymentId: string): Promise<PaymentRow> {
  return checkForPayer(ctx, pool, await findCollection(pool, paymentId))
}

/** Cancels a guest's payment before it is made. Refuses `not_found`, `not_cancelable`, `provider_unavailable`. */
export async function cancelCollection(ctx: PaymentContext, pool: pg.Pool, paymentId: string): Promise<PaymentRow> {
  const payment = await findCollection(pool, paymentId)
  if (payment.status !== 'failed') await cancelIntent(ctx, pool, payment)
  return findCollection(pool, paymentId)
}

/** Ids of a payment's arrival posting and of its transaction. */
export const collectionIds = (payment: PaymentTerms) => ({
  postingId: postingIds.arrival(payment.id),
  transactionId: deriveTransactionId(payment),
})

async function findCollection(db: Db, paymentId: string): Promise<PaymentRow> {
  const payment = await findPayment(db, paymentId)
  return payment?.purpose === 'request' ? payment : refuse('not_found')
}
