import type { Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { PriceToMove } from '../../exchange/exchange.ts'
import { chooseProvider, type PaymentContext } from '../context.ts'
import { findPayment, type PaymentRow, type PaymentTerms, postingOf, transactionIdOf } from '../records/payment-rows.ts'
import { usdMinorOf } from '../records/payment-usage.ts'
import { beginPayment, cancelIntent, checkForPayer } from '../pay-ins/payment-intents.ts'
import { findWallet } from '../../wallets/wallets.ts'

export { progressOf } from '../pay-ins/submission.ts'

// Cards of guests, who pay a payment request without an account. The money becomes the requester's, converted at the price
// that the guest agreed to. The card is authorized first, and charged only once the request's amount is set aside for it.

export interface CollectionOrder {
  /** Of the guest. */
  readonly name: string
  readonly requesterId: bigint
  readonly idempotencyKey: string
  readonly hash: Buffer
  /** Its total is what the card pays, its target what the requester gets. */
  price(): Promise<PriceToMove>
  /** Refuses, in the transaction that begins the payment, what must not be begun. */
  guard(tx: Tx, begun: Begun): Promise<void>
  /** Writes down, with the payment, what it is for. */
  record(tx: Tx, begun: Begun): Promise<void>
}

interface Begun {
  readonly paymentId: string
  /** What the card pays, in US dollar cents. */
  readonly usdMinor: bigint
  readonly at: Date
}

/** Begins a guest's payment by card, once per key. Refuses `payment_refused`, `provider_unavailable`, and what the guard does. */
export async function beginCollection(context: PaymentContext, order: CollectionOrder): Promise<PaymentRow> {
  const { requesterId: userId, idempotencyKey, hash, name } = order
  return beginPayment(context, { userId, idempotencyKey, hash }, async (create) => {
    const wallet = (await findWallet(context.pool, userId)) ?? refuse('not_found')
    const { price, quoteId } = await order.price()
    const provider = await chooseProvider(context, userId, { method: 'card', currency: price.total.currency })
    const usdMinor = usdMinorOf(context, price.total)
    return create({
      terms: { purpose: 'request', method: 'card', provider, quote_id: quoteId ?? null },
      ...{ charged: price.total, wallet, price },
      guest: {
        name,
        guard: (tx, begun) => order.guard(tx, { ...begun, usdMinor }),
        record: (tx, begun) => order.record(tx, { ...begun, usdMinor }),
      },
    })
  })
}

/** How a guest's payment stands; its provider was asked if that was due. Refuses `not_found`. */
export async function readCollection(context: PaymentContext, paymentId: string): Promise<PaymentRow> {
  return checkForPayer(context, await collectionOf(context, paymentId))
}

/** Cancels a guest's payment that is not made yet. Refuses `not_found`, `not_cancelable`, `provider_unavailable`. */
export async function cancelCollection(context: PaymentContext, paymentId: string): Promise<PaymentRow> {
  const payment = await collectionOf(context, paymentId)
  if (payment.status !== 'failed') await cancelIntent(context, payment)
  return collectionOf(context, paymentId)
}

/** What a payment posts when its money comes, and its transaction. */
export const collectionIds = (payment: PaymentTerms) => ({
  postingId: postingOf.arrival(payment.id),
  transactionId: transactionIdOf(payment),
})

async function collectionOf({ pool }: PaymentContext, paymentId: string): Promise<PaymentRow> {
  const payment = await findPayment(pool, paymentId)
  return payment?.purpose === 'request' ? payment : refuse('not_found')
}
