// Generated from the schema by tools/row-types.ts, and compared with it by a test.

export interface RateLimitRow {
  readonly key: string
  readonly counted: number
  readonly held: number
  readonly granted: number
  readonly ends_at: Date
}

export interface DatabaseClusterRow {
  readonly only_one: boolean
  readonly identifier: bigint
}

export interface RetainedHashKeyRow {
  readonly purpose: string
  readonly key_id: string
  readonly key: Buffer
  readonly created_at: Date
}

export interface AuditRunRow {
  readonly id: string
  readonly finished_at: Date
  readonly checks: number
  readonly broken: number
  readonly started_at: Date | null
  readonly since: string | null
}

export interface DemoSeedRow {
  readonly only_one: boolean
  readonly started_at: Date
  readonly finished_at: Date | null
}

export interface RowSealRow {
  readonly relation: string
  readonly row_key: string
  readonly hash: Buffer
  readonly key_id: string | null
  readonly signature: Buffer | null
  readonly sealed_at: Date
}

export interface RowAcceptanceRow {
  readonly relation: string
  readonly row_key: string
  readonly accepted_at: Date
  readonly accepted_by: string
  readonly because: string
}
