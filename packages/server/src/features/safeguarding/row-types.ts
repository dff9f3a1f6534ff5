// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode } from '@tern/money/currency'

export interface SafeguardingDayRow {
  readonly day: string
  readonly bank: string
  readonly currency: CurrencyCode
  readonly requirement_minor: bigint
  readonly records_minor: bigint
  readonly opening_minor: bigint
  readonly closing_minor: bigint
  readonly compared_at: Date
}

export interface SafeguardingEntryRow {
  readonly bank: string
  readonly id: string
  readonly currency: CurrencyCode
  readonly amount_minor: bigint
  readonly reference: string | null
  readonly booked_on: string
  readonly value_on: string
}

export interface SafeguardingFindingRow {
  readonly id: string
  readonly day: string
  readonly bank: string
  readonly currency: CurrencyCode | null
  readonly kind: 'shortfall' | 'excess' | 'late_posting' | 'not_compared'
  readonly cause:
    | 'unknown_entry'
    | 'duplicate'
    | 'wrong_currency'
    | 'amount_differs'
    | 'balance'
    | 'opening'
    | 'no_account'
    | 'posted_late'
    | 'no_statement'
    | 'no_answer'
    | 'account_missing'
    | 'not_reconciled'
  readonly subject: string
  readonly amount_minor: bigint | null
  readonly found_at: Date
  readonly due_at: Date
  readonly notifiable_at: Date | null
  readonly ended_on: string | null
  readonly ended_at: Date | null
}

export interface SafeguardingTransferRow {
  readonly id: string
  readonly bank: string
  readonly currency: CurrencyCode
  readonly amount_minor: bigint
  readonly day: string
  readonly finding_id: string | null
  readonly ordered_by: string | null
  readonly because: string | null
  readonly ordered_on: string
  readonly ordered_at: Date
  readonly accepted_at: Date | null
}
