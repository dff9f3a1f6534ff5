import type { Money } from '@tern/money/money'
import type { RefusedOutcome, UnknownOutcome } from '../outcome.ts'

/** Entry on a statement of a designated account. */
export interface BankEntry {
  /** Unique at the bank. */
  readonly id: string
  /** Change of the account: above zero for money that came in. Never zero. */
  readonly amount: Money
  /** Id of the payment provider's transfer, of our transfer, or of the entry that it corrects; null without one. */
  readonly reference: string | null
  /** Days such as 2026-11-30: of booking, and from which the money counts. */
  readonly bookedOn: string
  readonly valueOn: string
}

/** One designated account on one day. */
export interface AccountStatement {
  /** Balance at the end of the day. */
  readonly closing: Money
  /** Balance at its start. */
  readonly opening: Money
  /** Entries booked on the day. */
  readonly entries: readonly BankEntry[]
}

/** Transfer between the operator's own account and a designated account. */
export interface SafeguardingTransfer {
  /** Repeating an order with the same id transfers nothing more. */
  readonly id: string
  /** Above zero: into the designated account, in its currency. */
  readonly amount: Money
}

/** Bank that keeps designated accounts, one for each currency. */
export interface SafeguardingBank {
  /** Stored with every day and finding; never changes once used. */
  readonly name: string
  /** Returns the statement of a finished day (UTC); `missing` if the bank says that it has none. */
  statement(
    day: string,
  ): Promise<
    | { readonly status: 'known'; readonly accounts: readonly AccountStatement[] }
    | { status: 'missing' }
    | UnknownOutcome
  >
  /** Orders a transfer. An order that is not booked on the same day counts as posted late. */
  transfer(order: SafeguardingTransfer): Promise<{ readonly status: 'accepted' } | RefusedOutcome | UnknownOutcome>
}
