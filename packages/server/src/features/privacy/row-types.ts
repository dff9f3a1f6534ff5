// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CorrectableField } from '@tern/contract/privacy/correctable-field'

export interface ConsentRow {
  readonly id: string
  readonly user_id: bigint
  readonly document: 'terms' | 'privacy' | 'mail_payments' | 'mail_requests'
  readonly version: number | null
  readonly given_how: 'sign_up' | 'settings'
  readonly given_at: Date
  readonly withdrawn_at: Date | null
}

export interface DataAccessRow {
  readonly id: string
  readonly user_id: bigint
  readonly at: Date
  readonly role: string
  readonly operator: string | null
  readonly purpose: string
  readonly what: readonly string[]
}

export interface CorrectionRequestRow {
  readonly id: string
  readonly user_id: bigint
  readonly field: CorrectableField
  readonly right_value: string
  readonly note: string
  readonly state: 'open' | 'corrected' | 'declined'
  readonly created_at: Date
  readonly due_at: Date
  readonly decided_at: Date | null
  readonly decided_by: string | null
  readonly answer: string | null
}

export interface RetainedIdentityRow {
  readonly id: string
  readonly user_id: bigint
  readonly content: Buffer
  readonly closed_at: Date
  readonly due_at: Date
}
