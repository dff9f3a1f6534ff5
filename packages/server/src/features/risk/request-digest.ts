import { createHash } from 'node:crypto'
import type { Money } from '@tern/money/money'

/** Facts of a payment request that a decision or confirmation covers. */
export interface RequestFacts {
  readonly kind: string
  /** Payee: a user or bank account; undefined for incoming money. */
  readonly payee?: string | undefined
  /** Amount in the requested currency, without the fee: unlike the value in dollars it does not depend on rates. */
  readonly amount: Money
  /** Funding source: the wallet, or a method with its saved card or bank account. */
  readonly source: string
}

/** SHA-256 of the facts: equal for a retry of the same request, different for any other under its key. */
export const requestDigest = ({ kind, payee, amount, source }: RequestFacts): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([kind, payee ?? null, amount.currency, amount.minor.toString(), source]))
    .digest()

/** Name of a funding source: the wallet, or a method and its saved instrument, if any. */
export const sourceName = (method: string, instrumentId: string | null | undefined): string =>
  instrumentId === null || instrumentId === undefined ? method : `${method} ${instrumentId}`
