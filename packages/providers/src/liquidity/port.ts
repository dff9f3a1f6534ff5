import type { CurrencyCode } from '@tern/money/currency'
import type { Money } from '@tern/money/money'
import type { Unknown } from '../outcome.ts'

/** Sells an amount for as much of another currency as the market gives. */
export interface LiquidityOrder {
  /** Ours, and the provider's key: an order is carried out once, however often it is placed. */
  readonly id: string
  readonly sell: Money
  readonly buy: CurrencyCode
}

/** `working`: it was accepted, and how it ends is told by `find`. `rejected`: nothing was or will be traded. */
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

/** A venue on which the desk trades away its positions. */
export interface LiquidityProvider {
  readonly name: string
  place(order: LiquidityOrder): Promise<LiquidityResult>
  /** How an order stands. `not_found`: it never arrived, and may be placed. */
  find(id: string): Promise<LiquidityResult | { readonly status: 'not_found' }>
}
