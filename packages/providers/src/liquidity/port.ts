import type { CurrencyCode } from '@tern/money/currency'
import type { Money } from '@tern/money/money'
import type { UnknownOutcome } from '../outcome.ts'
import type { ProviderSetup } from '../setup.ts'

/** Order to sell all of `sell` for another currency at the market rate. */
export interface LiquidityOrder {
  /** Our order id, a UUID: placing it again under this id never trades twice. */
  readonly id: string
  readonly sell: Money
  readonly buy: CurrencyCode
}

/**
 * State of an order; `reference` is the provider's id. `filled`: traded, with the amounts sold and bought. `working`:
 * query again. `rejected`: not traded, and never will be. `unknown`: no certain reply; repeat it under the same id, or
 * find it.
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
  | UnknownOutcome

/** Exchange or trading desk at which the operator of this installation trades currencies held for users. */
export interface LiquidityProvider {
  readonly name: string
  place(order: LiquidityOrder): Promise<LiquidityResult>
  /** Returns the order placed under our `id`; `not_found` if the provider has none. */
  find(id: string): Promise<LiquidityResult | { readonly status: 'not_found' }>
  readonly setup?: ProviderSetup
}
