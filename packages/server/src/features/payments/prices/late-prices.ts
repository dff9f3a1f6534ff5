import { money } from '@tern/money/money'
import { type Db, only } from '../../../platform/database/db.ts'
import { Refusal } from '../../../platform/refuse.ts'
import { keepsPromise, priceFrom, type PriceText, priceText, type QuotedPrice } from '../../exchange/exchange.ts'
import type { PaymentContext } from '../context.ts'
import type { KeptReason, PaymentRow } from '../records/payment-rows.ts'

// At which price the money of a payment is taken now that it is there.

type MovedReason = Exclude<KeptReason, 'late' | 'in_check' | 'account_stopped'>

/** A payment with the price that counts for it now, and its quote if that is the price of this moment, to be stored. */
export type Priced =
  /** What was promised; of a send that is priced when its money comes, the price of this moment. */
  | { readonly status: 'kept'; readonly payment: PaymentRow; readonly quoted?: QuotedPrice }
  | Moved
  /** Nobody can say as long as there are no rates. */
  | { readonly status: 'unknown' }

/** The promise does not hold any more: the payment at the price of this moment, and why. A send is not made at it. */
export interface Moved {
  readonly status: 'moved'
  readonly payment: PaymentRow
  readonly quoted?: QuotedPrice
  readonly reason: MovedReason
}

/**
 * Money that comes while the price is held is taken at it. Later, the promise is kept if the market has moved against us by
 * no more than the table `late_price_policy` allows, so that waiting for a better market is worth no more than that. A send
 * with a minimum was promised no price: it is made at the price of this moment, unless that gives its recipient less.
 */
export async function priceArrival(
  ctx: Pick<PaymentContext, 'exchange' | 'now'>,
  db: Db,
  payment: PaymentRow,
): Promise<Priced> {
  const kept = asPromised(payment)
  const { locked_price: locked, minimum_target_minor: minimum, price_held_until: heldUntil } = payment
  // A send that failed is not made: its money is its sender's as it comes.
  if (locked === null || (payment.purpose === 'send' && payment.status === 'failed')) return kept
  if (minimum === null && (heldUntil === null || ctx.now() <= heldUntil)) return kept
  const now = priceNow(ctx, payment, locked)
  if (now === undefined) return { status: 'unknown' }
  const repriced = { ...payment, locked_price: priceText(now.price) }
  const taken = { payment: { ...repriced, quote_id: now.id }, quoted: now }
  if (minimum !== null) {
    const isEnough = now.price.target.minor >= minimum
    return isEnough ? { status: 'kept', ...taken } : { status: 'moved', payment: repriced, reason: 'below_minimum' }
  }
  if (keepsPromise(priceFrom(locked), now.price, await readMostAdverse(db))) return kept
  return { status: 'moved', ...(payment.purpose === 'send' ? { payment: repriced } : taken), reason: 'price_moved' }
}

/** At the price that the payment has. */
export const asPromised = (payment: PaymentRow): Priced & { readonly status: 'kept' } => ({ status: 'kept', payment })

/** Undefined while there are no rates. */
function priceNow(
  { exchange }: Pick<PaymentContext, 'exchange'>,
  { user_id: userId, purpose, recipient_id: recipient }: PaymentRow,
  locked: PriceText,
): QuotedPrice | undefined {
  const recipientId = purpose === 'send' && recipient !== null ? recipient : undefined
  try {
    return exchange.pricedAgain({ promised: priceFrom(locked), userId, recipientId })
  } catch (error) {
    if (error instanceof Refusal && error.code === 'rates_unavailable') return undefined
    throw error
  }
}

async function readMostAdverse(db: Db): Promise<bigint> {
  const { rows } = await db.query<{ most: bigint }>(
    'select max_adverse_parts_per_million::bigint as most from late_price_policy',
  )
  return only(rows).most
}

/** What was promised to arrive, and what would arrive now. */
export const targetsOf = (promised: PaymentRow, now: PaymentRow) => ({
  promised: targetOf(promised),
  now: targetOf(now),
})

function targetOf({ locked_price: price, currency, amount_minor: minor }: PaymentRow) {
  return price === null ? money(currency, minor) : priceFrom(price).target
}
