// Generated from the schema by tools/row-types.ts, and compared with it by a test.

export interface BalanceCertificateRow {
  readonly id: string
  readonly user_id: bigint
  readonly code_hash: Buffer
  readonly facts: Buffer
  readonly created_at: Date
}

export interface StatementMailRow {
  readonly user_id: bigint
  readonly time_zone: string
  readonly next_month: string
  readonly due_at: Date
  readonly created_at: Date
}
