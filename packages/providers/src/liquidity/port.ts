import type { CurrencyCode } from '@tern/money/currency'
import type { Money } from '@tern/money/money'
import type { Unknown } from '../outcome.ts'

/** An order to sell all of `sell` for another currency at the market's rate. */
export interface LiquidityOrder {
  /** Our order, a UUID: placing it again under this id never trades twice. */
  readonly id: string
  readonly sell: Money
  readonly buy: CurrencyCode
}

/**
 * How an order stands; `reference` is the provider's name for it. `filled`: traded, with what was given and received.
 * `working`: ask again. `rejected`: nothing was traded, and nothing will be. `unknown`: no certain answer; place it again
 * under the same id, or find it.
 */
export type LiquidityResult =
  | {
      readonly status: 'filled'
      readonly sold: Money
      readonly bought: Money
      readonly reference: string
      readonly filledAt: Date
    }
  | { readonly status: 'working'; readonly reference: string }
  | { readonly status: 'rejected'; readonly reason: string }
  | Unknown

/** An exchange or a desk where whoever runs this installation trades currencies it holds for others. */
export interface LiquidityProvider {
  readonly name: string
  place(order: LiquidityOrder): Promise<LiquidityResult>
  /** The order placed under our `id`; `not_found` when the provider has none. */
  find(id: string): Promise<LiquidityResult | { readonly status: 'not_found' }>
}
