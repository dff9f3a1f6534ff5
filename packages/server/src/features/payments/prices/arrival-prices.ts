import { money } from '@tern/money/money'
import { type Db, onlyRow } from '../../../platform/database/db.ts'
import { Refusal } from '../../../platform/refuse.ts'
import {
  isWithinPriceTolerance,
  readPrice,
  type PriceText,
  priceText,
  type QuotedPrice,
} from '../../exchange/exchange.ts'
import type { PaymentContext } from '../context.ts'
import type { KeptInWalletReason } from '../records/payment-rows.ts'
import type { PaymentRow } from '../row-types.ts'

// Decides the price of a payment when its money arrives.

type PriceMoveReason = Exclude<KeptInWalletReason, 'late' | 'in_check' | 'account_stopped'>

/** Payment with its final price, and the quote to store if that is the current price. */
export type PricingResult =
  /** The promised price; for a send that is priced on arrival, the current price. */
  | { readonly status: 'kept'; readonly payment: PaymentRow; readonly quoted?: QuotedPrice }
  | MovedPrice
  /** No rates are available. */
  | { readonly status: 'unknown' }

/**
 * Payment at the current price: the promised one no longer holds, or this one is below the sender's minimum. A send is
 * not made at this price.
 */
export interface MovedPrice {
  readonly status: 'moved'
  readonly payment: PaymentRow
  readonly quoted?: QuotedPrice
  readonly reason: PriceMoveReason
}

/**
 * Prices arrived money. The promised price applies while it is held, and later if the market has moved against us by no
 * more than `late_price_policy` allows, which bounds the gain from waiting for a better market. A send with a minimum
 * has no promised price: it is made at the current price, unless its recipient would get less than the minimum.
 */
export async function priceArrival(
  ctx: Pick<PaymentContext, 'exchange' | 'now'>,
  db: Db,
  payment: PaymentRow,
): Promise<PricingResult> {
  const keptPrice = keepPromisedPrice(payment)
  const { locked_price: locked, minimum_target_minor: minimum, price_held_until: heldUntil } = payment
  // A failed send is not made: its sender gets the money as captured.
  if (locked === null || (payment.purpose === 'send' && payment.status === 'failed')) return keptPrice
  if (minimum === null && (heldUntil === null || ctx.now() <= heldUntil)) return keptPrice
  const currentQuote = repriceArrival(ctx, payment, locked)
  if (currentQuote === undefined) return { status: 'unknown' }
  const repricedPayment = { ...payment, locked_price: priceText(currentQuote.price) }
  const atCurrentPrice = { payment: { ...repricedPayment, quote_id: currentQuote.id }, quoted: currentQuote }
  if (minimum !== null) {
    const isEnough = currentQuote.price.target.minor >= minimum
    return isEnough
      ? { status: 'kept', ...atCurrentPrice }
      : { status: 'moved', payment: repricedPayment, reason: 'below_minimum' }
  }
  if (isWithinPriceTolerance(readPrice(locked), currentQuote.price, await readMaxAdverseMove(db))) return keptPrice
  return {
    status: 'moved',
    ...(payment.purpose === 'send' ? { payment: repricedPayment } : atCurrentPrice),
    reason: 'price_moved',
  }
}

export const keepPromisedPrice = (payment: PaymentRow): PricingResult & { readonly status: 'kept' } => ({
  status: 'kept',
  payment,
})

/** Current price; undefined without rates. */
function repriceArrival(
  { exchange }: Pick<PaymentContext, 'exchange'>,
  { user_id: userId, purpose, recipient_id: recipient }: PaymentRow,
  locked: PriceText,
): QuotedPrice | undefined {
  const recipientId = purpose === 'send' && recipient !== null ? recipient : undefined
  try {
    return exchange.repricePromise({ promised: readPrice(locked), userId, recipientId })
  } catch (error) {
    if (error instanceof Refusal && error.code === 'rates_unavailable') return undefined
    throw error
  }
}

async function readMaxAdverseMove(db: Db): Promise<bigint> {
  const { rows } = await db.query<{ most: bigint }>(
    'select max_adverse_parts_per_million::bigint as most from late_price_policy',
  )
  return onlyRow(rows).most
}

/** Promised and current amount for the recipient. */
export const compareTargets = (promisedPayment: PaymentRow, currentPayment: PaymentRow) => ({
  promised: computeTarget(promisedPayment),
  now: computeTarget(currentPayment),
})

function computeTarget({ locked_price: price, currency, amount_minor: minor }: PaymentRow) {
  return price === null ? money(currency, minor) : readPrice(price).target
}
