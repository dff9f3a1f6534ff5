import { depositRequest } from '@tern/contract/payments'
import type { FiatCode } from '@tern/money/currency'
import { type Money, toDecimal } from '@tern/money/money'
import * as z from 'zod/mini'
import { tabOrderStore } from '../../../app/orders/persisted-order.ts'
import { type DatedQuote, datedQuote } from '../../../app/orders/dated-quote.ts'

const orderShape = z.object({ priced: z.optional(datedQuote), body: depositRequest })

/** Deposit request. `priced`: its quote, if the wallet has another currency. */
export type DepositOrder = z.input<typeof orderShape>

/** Store of the user's unanswered deposit. */
export const depositStore = (userId: number) =>
  tabOrderStore<DepositOrder>('deposit', (order) => orderShape.safeParse(order).data?.body.userId === userId)

interface DepositInput {
  readonly userId: number
  /** At most `largestPayment`. */
  readonly amount: Money & { readonly currency: FiatCode }
  readonly priced: DatedQuote | undefined
  readonly source:
    | { readonly method: 'card'; readonly cardId: string | undefined; readonly keepsCard: boolean }
    | { readonly method: 'bank'; readonly accountId: string }
}

/** Order paid by a new card, a saved card or a bank account. */
export function toDepositOrder({ userId, amount, priced, source }: DepositInput): DepositOrder {
  const sharedFields = {
    userId,
    amount: toDecimal(amount),
    currency: amount.currency,
    method: source.method,
    ...(priced && { quote_id: priced.quote.quote_id }),
  }
  if (source.method === 'bank') return { priced, body: { ...sharedFields, bankAccountId: source.accountId } }
  const card = source.cardId === undefined ? { saveCard: source.keepsCard } : { paymentMethodId: source.cardId }
  return { priced, body: { ...sharedFields, ...card } }
}
