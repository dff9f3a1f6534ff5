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

/** The provider's books, for reconciliation with ours. */
export interface ReportProvider {
  /** Returns every movement with `from <= occurredAt < until`, oldest first; all pages of them, or `unknown`. */
  lines(from: Date, until: Date): Promise<{ status: 'known'; lines: ReportLine[] } | UnknownOutcome>
}
