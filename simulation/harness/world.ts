// What everybody who acts in a run shares: who else is there, and how an order is written down.

import type { Quote } from '@tern/contract/exchange'
import type { Actor } from './actor.ts'
import type { Order, OrderBook } from '../oracle/orders.ts'
import { minorOf } from '../oracle/pricing.ts'
import type { PlannedMovement } from '../plan.ts'

/** What a person was told when they ordered a movement. */
export type Answer =
  | { readonly status: 'begun'; readonly id: string; readonly redirectUrl: string | null }
  | { readonly status: 'refused'; readonly code: string }

/** Where people act: who else is there, what they ordered so far, and the provider's own pages. */
export interface World {
  readonly seed: string
  readonly people: readonly Actor[]
  readonly orders: OrderBook
  readonly sandboxUrl: string
  readonly sandboxSecret: string
}

/** An order in the person's own currency; what is different is said by `more`. */
export const orderOf = (
  { idempotencyKey }: PlannedMovement,
  { person, currency }: Actor,
  more: Pick<Order, 'kind' | 'source'> & Partial<Order>,
): Order => ({
  key: idempotencyKey,
  userId: person.id,
  sourceCurrency: currency,
  targetCurrency: currency,
  viaStablecoin: true,
  ...more,
})

/** What a quote promises, as an order names it. */
export const promiseOf = (quote: Quote): Pick<Order, 'quoteId' | 'quoted'> => ({
  quoteId: quote.quote_id,
  quoted: {
    target: minorOf(quote.target_currency, quote.target_amount),
    fee: minorOf(quote.source_currency, quote.fee),
  },
})
