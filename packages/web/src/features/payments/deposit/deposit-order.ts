import type { CallInput } from '@tern/contract/protocol/endpoint'
import type { deposit, depositByCard } from '@tern/contract/payments'
import type { CurrencyCode, FiatCode } from '@tern/money/currency'
import { toDecimal } from '@tern/money/money'
import type { DatedQuote } from '../../../app/orders/quotes.ts'

type ByCard = CallInput<typeof depositByCard>['body']
type ByBank = CallInput<typeof deposit>['body']

/** A deposit as the server gets it. `priced`: the price it stands on, where the wallet has another currency. */
export type DepositOrder = { readonly priced: DatedQuote | undefined } & (
  | { readonly method: 'card'; readonly body: ByCard }
  | { readonly method: 'bank'; readonly body: ByBank }
)

interface Wish {
  readonly userId: number
  readonly currency: FiatCode
  /** Minor units of `currency`, at most what typedAmount lets pass. */
  readonly minor: bigint
  readonly priced: DatedQuote | undefined
  readonly source:
    | { readonly method: 'card'; readonly cardId: string | undefined; readonly isKept: boolean }
    | { readonly method: 'bank'; readonly accountId: string }
}

/** What is to be asked of the server for a wish: a new card, a saved one, or a bank account. */
export function orderOf({ userId, currency, minor, priced, source }: Wish): DepositOrder {
  const shared = { userId, ...(priced && { quote_id: priced.quote.quote_id }) }
  if (source.method === 'bank') {
    const amount = toDecimal({ currency, minor })
    return {
      method: 'bank',
      priced,
      body: { ...shared, amount, currency, method: 'bank', bankAccountId: source.accountId },
    }
  }
  const card = source.cardId === undefined ? { saveCard: source.isKept } : { paymentMethodId: source.cardId }
  // The call takes a JSON number; typedAmount has made sure that it is a whole one which a double holds exactly.
  const amount = Number(minor)
  return {
    method: 'card',
    priced,
    body: { ...shared, ...card, amount, currency: currency.toLowerCase(), depositToWallet: true },
  }
}

interface Sum {
  /** A decimal string. */
  readonly amount: string
  readonly currency: CurrencyCode
}

/** What a deposit takes, and what the wallet gets for it. */
export interface Gain {
  readonly charged: Sum
  readonly gained: Sum
}

/** By the price it stands on; without one both are the amount. */
export function gainOf(order: DepositOrder): Gain {
  if (!order.priced) return { charged: typedOf(order), gained: typedOf(order) }
  const { total, source_currency: source, target_amount: gained, target_currency: target } = order.priced.quote
  return { charged: { amount: total, currency: source }, gained: { amount: gained, currency: target } }
}

/** What was typed for it. */
export function typedOf({ body }: DepositOrder): Sum & { readonly currency: FiatCode } {
  const currency = body.currency.toUpperCase() as FiatCode
  const amount = typeof body.amount === 'string' ? body.amount : toDecimal({ currency, minor: BigInt(body.amount) })
  return { amount, currency }
}
