import type { Money } from '@tern/money/money'
import type { UnknownOutcome } from '../outcome.ts'

export type LineKind =
  | 'capture'
  | 'debit'
  | 'refund'
  | 'chargeback'
  | 'chargeback_reversal'
  | 'debit_return'
  | 'payout'
  | 'payout_return'

/** Movement in the provider's own books. */
export interface ReportLine {
  /** Id of the capture, refund, dispute or payout, identical to that in events and lookups. */
  readonly id: string
  readonly kind: LineKind
  /** Positive; the direction follows from `kind` (`isIncoming`). */
  readonly amount: Money
  /** Our payment or payout id; null if the provider has none. */
  readonly reference: string | null
  readonly occurredAt: Date
  /** Id of the payment's capture, by which the payment is found if `reference` does not name it. */
  readonly captureId?: string
  /** Only for returned money: the id of the refund or dispute that took it, if the provider reports it. */
  readonly undoes?: string
}

/** True for kinds that bring money in, from our point of view. */
export const isIncoming: Readonly<Record<LineKind, boolean>> = {
  capture: true,
  debit: true,
  refund: false,
  chargeback: false,
  chargeback_reversal: true,
  debit_return: false,
  payout: false,
  payout_return: true,
}

/** Balances that a provider keeps for us: of money that it collected, and of money that it pays out. */
export const balanceNames = ['payments', 'payouts'] as const
export type BalanceName = (typeof balanceNames)[number]

/** Balance in which a movement of account holders' money is contained. */
export const balanceOfKind = (kind: LineKind): BalanceName =>
  kind === 'payout' || kind === 'payout_return' ? 'payouts' : 'payments'

/**
 * Kinds of movements of the operator's own money at a provider. `bank_transfer`: to or from the operator's bank
 * account. `conversion`: one side of an exchange by the provider. `unknown`: a kind that the adapter does not know.
 */
export const ownKinds = ['fee', 'bank_transfer', 'reserve', 'conversion', 'adjustment', 'unknown'] as const
export type OwnKind = (typeof ownKinds)[number]

/** Movement of the operator's own money in the provider's books. */
export interface OwnLine {
  readonly id: string
  readonly kind: OwnKind
  readonly balance: BalanceName
  /** Change of the balance: below zero for a fee, above zero for its return. Never zero. */
  readonly amount: Money
  readonly occurredAt: Date
}

/** One balance of ours at the provider; below zero if we owe the provider. */
export interface ProviderBalance {
  readonly balance: BalanceName
  readonly amount: Money
}

/** Money that a balance contains and that may still fail, such as a debit before its bank's answer. */
export interface PendingMoney extends ProviderBalance {
  /** Id of the line that the money will have once it is certain. */
  readonly id: string
  readonly occurredAt: Date
}

/** Complete list of movements in a period. */
export interface Report {
  readonly status: 'known'
  /** Movements of account holders' money, oldest first. */
  readonly lines: readonly ReportLine[]
  /** Movements of the operator's own money, oldest first. */
  readonly own: readonly OwnLine[]
  readonly pending: readonly PendingMoney[]
}

/** The provider's books, for reconciliation with ours. */
export interface ReportProvider {
  /** Returns every movement with `from <= occurredAt < until`; all pages of them, or `unknown`. */
  lines(from: Date, until: Date): Promise<Report | UnknownOutcome>
  /** Returns the balances now. A balance that is not listed is zero. */
  balances(): Promise<{ readonly status: 'known'; readonly balances: readonly ProviderBalance[] } | UnknownOutcome>
}
