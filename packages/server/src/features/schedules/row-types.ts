// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode } from '@tern/money/currency'

export interface ScheduleRow {
  readonly id: string
  readonly user_id: bigint
  readonly payee_id: bigint
  readonly wallet_id: string
  readonly source_currency: CurrencyCode
  readonly target_currency: CurrencyCode
  readonly side: 'source' | 'target'
  readonly amount_minor: bigint
  readonly note: string
  readonly recurrence: 'once' | 'weekly' | 'biweekly' | 'monthly' | 'month_end'
  readonly anchor_on: string
  readonly time_zone: string
  readonly ceiling_minor: bigint
  readonly has_rate_guard: boolean
  readonly wait_days: number
  readonly confirmed_at: Date | null
  readonly state: 'active' | 'paused' | 'stopped' | 'finished'
  readonly next_on: string | null
  readonly next_at: Date | null
  readonly warn_at: Date | null
  readonly paused_until: string | null
  readonly resume_at: Date | null
  readonly request_hash: Buffer
  readonly created_at: Date
  readonly updated_at: Date
  readonly ended_at: Date | null
  readonly confirmed_recurrence: 'once' | 'weekly' | 'biweekly' | 'monthly' | 'month_end'
  readonly confirmed_ceiling_minor: bigint
  readonly confirmed_from: string
}

export interface ScheduleOccurrenceRow {
  readonly id: string
  readonly schedule_id: string
  readonly on_date: string
  readonly due_at: Date
  readonly state: 'waiting' | 'sent' | 'skipped' | 'failed' | 'missed'
  readonly reason: string | null
  readonly tries: number
  readonly try_at: Date | null
  readonly retry_until: Date | null
  readonly transaction_id: string | null
  readonly total_minor: bigint | null
  readonly ceiling_minor: bigint | null
  readonly closed_at: Date | null
}
