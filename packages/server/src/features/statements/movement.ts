// History of a wallet as its owner sees it: the source of statements, exports and tax summaries.

import type { CurrencyCode } from '@tern/money/currency'
import type { EntryRow, PostingRow } from '@tern/ledger/row-types'
import type { TransactionRow } from '../wallets/row-types.ts'

/** Money that can be spent, or money of the same wallet that awaits a decision. */
export type BalancePart = 'available' | 'on_hold'

/**
 * Change of one of the wallet's balances by a posting. Amounts are in minor units of `currency`. Money that only passes
 * through a balance, such as a card payment that is sent on at once, makes two changes: in, then out.
 */
export interface BalanceChange {
  readonly part: BalancePart
  readonly currency: CurrencyCode
  /** Signed for the wallet's owner. */
  readonly amount: bigint
  /**
   * Share of `amount` that is a fee, or a returned fee; zero or of the same sign. The fee of a withdrawal is part of its
   * reservation; money held for a send or an exchange contains no fee until the money moves.
   */
  readonly fee: bigint
  /** Share of `amount` that comes from or goes to the wallet's other part; it contains the fee of a withdrawal. */
  readonly internal: bigint
  /** Balance of this part after the change. */
  readonly balance: bigint
  /** Version of the account's last entry of the posting. */
  readonly version: EntryRow['version']
}

/** Other party of a send, as the wallet's owner may see them. */
export interface Counterparty {
  readonly id: bigint
  readonly username: string
  readonly name: string | null
}

/**
 * Transaction that a posting belongs to, from the owner's row as it is now. While it is pending its status may change,
 * and an order's amounts and price too; of postings that only hold or release money, show neither.
 */
export type MovementTransaction = Pick<
  TransactionRow,
  | 'id'
  | 'kind'
  | 'status'
  | 'description'
  | 'source_amount'
  | 'source_currency'
  | 'target_amount'
  | 'target_currency'
  | 'rate_numerator'
  | 'rate_denominator'
  | 'fee_amount'
  | 'fee_currency'
  | 'payment_source'
  | 'changed_at'
> & { readonly counterparty: Counterparty | null }

/** One posting of the ledger with its effect on the wallet. */
export interface Movement {
  readonly postingId: PostingRow['id']
  readonly at: Date
  /** Ledger movement kind, such as `wallet_send`. */
  readonly postingKind: PostingRow['kind']
  /** True if the posting only moves money between the two parts of the wallet. */
  readonly isInternal: boolean
  /** Null for postings that belong to no transaction of the owner. */
  readonly transaction: MovementTransaction | null
  /** At most two per part and currency; never empty. */
  readonly changes: readonly BalanceChange[]
}
