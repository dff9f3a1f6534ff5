import { quoteShape } from '@tern/contract/exchange'
import { cardDeposit, depositRequest } from '@tern/contract/payments'
import type { CurrencyCode, FiatCode } from '@tern/money/currency'
import { type Money, toDecimal } from '@tern/money/money'
import * as z from 'zod/mini'
import { tabOrderStore } from '../../../app/orders/persisted-order.ts'
import type { DatedQuote } from '../../../app/orders/quotes.ts'

/** A deposit as the server gets it. `priced`: its price, where the wallet has another currency. */
export type DepositOrder = { readonly priced: DatedQuote | undefined } & (
  | { readonly method: 'card'; readonly body: z.input<typeof cardDeposit> }
  | { readonly method: 'bank'; readonly body: z.input<typeof depositRequest> }
)

const priced = z.optional(z.object({ quote: quoteShape, holdsUntilMs: z.number() }))
const orderShape = z.discriminatedUnion('method', [
  z.object({ method: z.literal('card'), priced, body: cardDeposit }),
  z.object({ method: z.literal('bank'), priced, body: depositRequest }),
])

/** The deposit of this person that has no answer. */
export const depositStore = (userId: number) =>
  tabOrderStore<DepositOrder>('deposit', (order) => {
    const read = orderShape.safeParse(order)
    return read.success && read.data.body.userId === userId
  })

interface Wish {
  readonly userId: number
  /** At most `largestPayment`. */
  readonly amount: Money & { readonly currency: FiatCode }
  readonly priced: DatedQuote | undefined
  readonly source:
    | { readonly method: 'card'; readonly cardId: string | undefined; readonly isKept: boolean }
    | { readonly method: 'bank'; readonly accountId: string }
}

/** The order for a new card, a saved one, or a bank account. */
export function orderOf({ userId, amount, priced: price, source }: Wish): DepositOrder {
  const { currency, minor } = amount
  const shared = { userId, ...(price && { quote_id: price.quote.quote_id }) }
  if (source.method === 'bank') {
    const body = {
      ...shared,
      amount: toDecimal(amount),
      currency,
      method: 'bank',
      bankAccountId: source.accountId,
    } as const
    return { method: 'bank', priced: price, body }
  }
  const card = source.cardId === undefined ? { saveCard: source.isKept } : { paymentMethodId: source.cardId }
  const body = {
    ...shared,
    ...card,
    amount: Number(minor), // not money: the call's whole minor units, which a double holds exactly
    currency: currency.toLowerCase(),
    depositToWallet: true,
  }
  return { method: 'card', priced: price, body }
}

interface Sum {
  /** A decimal string. */
  readonly amount: string
  readonly currency: CurrencyCode
}

/** What a deposit charges, and what the wallet gets for it. */
export interface Gain {
  readonly charged: Sum
  readonly gained: Sum
}

/** By its price; without one both are the amount. */
export function gainOf(order: DepositOrder): Gain {
  if (!order.priced) return { charged: typedOf(order), gained: typedOf(order) }
  const { total, source_currency: source, target_amount: gained, target_currency: target } = order.priced.quote
  return { charged: { amount: total, currency: source }, gained: { amount: gained, currency: target } }
}

/** What was typed for it. */
export function typedOf({ method, body }: DepositOrder): Sum & { readonly currency: FiatCode } {
  const currency = body.currency.toUpperCase() as FiatCode
  // not money: whole minor units
  const amount = method === 'bank' ? String(body.amount) : toDecimal({ currency, minor: BigInt(body.amount) })
  return { amount, currency }
}
