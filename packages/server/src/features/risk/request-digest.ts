import { createHash } from 'node:crypto'
import type { Money } from '@tern/money/money'

/** The facts of a request for money that a right given to it is bound to. */
export interface RequestFacts {
  readonly kind: string
  /** The person or bank account paid; undefined for money that comes in. */
  readonly payee?: string | undefined
  /** In the currency asked for, without the fee: unlike the value in dollars, it does not move with rates. */
  readonly amount: Money
  /** The wallet, or the method with the saved card or bank account that pays. */
  readonly source: string
}

/** Returns the SHA-256 of the facts: equal for a retry of the same request, different for any other under its key. */
export const requestDigest = ({ kind, payee, amount, source }: RequestFacts): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([kind, payee ?? null, amount.currency, amount.minor.toString(), source]))
    .digest()

/** Names what pays: the wallet, or a method and its saved instrument, if any. */
export const sourceOf = (method: string, instrumentId: string | null | undefined): string =>
  instrumentId === null || instrumentId === undefined ? method : `${method} ${instrumentId}`
