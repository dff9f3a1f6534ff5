// State shared by a run's actors, and helpers that build orders.

import type { Quote } from '@tern/contract/exchange'
import type { Actor } from './actor.ts'
import type { Order, OrderBook } from '../oracle/orders.ts'
import { parseMinor } from '../oracle/pricing.ts'
import type { PlannedMovement } from '../plan.ts'

/** Response to a movement's order. */
export type Answer =
  | { readonly status: 'begun'; readonly id: string; readonly redirectUrl: string | null }
  | { readonly status: 'refused'; readonly code: string }

export interface World {
  readonly seed: string
  readonly people: readonly Actor[]
  readonly orders: OrderBook
  readonly sandboxUrl: string
  readonly sandboxSecret: string
}

/** Returns an order in the person's currency, overridden by `overrides`. */
export const buildOrder = (
  { idempotencyKey }: PlannedMovement,
  { person, currency }: Actor,
  overrides: Pick<Order, 'kind' | 'source'> & Partial<Order>,
): Order => ({
  key: idempotencyKey,
  userId: person.id,
  sourceCurrency: currency,
  targetCurrency: currency,
  viaStablecoin: true,
  ...overrides,
})

/** Returns a quote's id and promised amounts, as fields of an order. */
export const readQuoteTerms = (quote: Quote): Pick<Order, 'quoteId' | 'quoteAmounts'> => ({
  quoteId: quote.quote_id,
  quoteAmounts: {
    target: parseMinor(quote.target_currency, quote.target_amount),
    fee: parseMinor(quote.source_currency, quote.fee),
  },
})
