import type { Money } from '@tern/money/money'
import type { Unknown } from '../outcome.ts'

/** What a movement between the provider and us was for. */
export type LineKind =
  | 'capture'
  | 'debit'
  | 'refund'
  | 'chargeback'
  | 'chargeback_reversal'
  | 'debit_return'
  | 'payout'
  | 'payout_return'

/** One movement in the provider's own books. */
export interface ReportLine {
  /** The same id that events and lookups name: a capture's, a refund's, a payout's. */
  readonly id: string
  readonly kind: LineKind
  /** Above zero; which way it went follows from `kind` (`isIncoming`). */
  readonly amount: Money
  /** Our payment or payout; null when the provider knows none of ours. */
  readonly reference: string | null
  readonly occurredAt: Date
  /** For returned money: the id of the refund or dispute that took it, if the provider reports it. */
  readonly undoes?: string
}

/** Whether a movement of this kind brings money in, seen from us. */
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

/** The provider's books, to be compared with ours. */
export interface ReportProvider {
  /** Every movement with `from <= occurredAt < until`, oldest first; all pages of them, or `unknown`. */
  lines(from: Date, until: Date): Promise<{ status: 'known'; lines: ReportLine[] } | Unknown>
}
