// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode } from '@tern/money/currency'

export interface LiabilityDayRow {
  readonly day: string
  readonly seed: Buffer
  readonly depth: number
  readonly root_hash: Buffer
  readonly built_at: Date
  readonly leaf_index: bigint | null
}

export interface LiabilityTotalRow {
  readonly day: string
  readonly currency: CurrencyCode
  readonly amount: bigint
}

export interface LiabilityTileRow {
  readonly day: string
  readonly tile_index: number
  readonly leaves: Buffer
  readonly node: Buffer
}

export interface LiabilityHolderRow {
  readonly day: string
  readonly user_id: bigint
  readonly position: bigint
}
