// Generated from the schema by tools/row-types.ts, and compared with it by a test.

export interface WaitlistRow {
  readonly id: string
  readonly email: string
  readonly joined_at: Date
  readonly forwarded_at: Date | null
  readonly country: string | null
}
