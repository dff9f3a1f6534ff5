// Generated from the schema by tools/row-types.ts, and compared with it by a test.

export interface TransparencyKeyRow {
  readonly only_row: boolean
  readonly origin: string
  readonly public_key: Buffer
  readonly private_key: Buffer
  readonly created_at: Date
}

export interface TransparencyPositionRow {
  readonly only_row: boolean
  readonly position: string
  readonly cluster: bigint
  readonly size: bigint
  readonly is_queued: boolean
}

export interface TransparencyQueueRow {
  readonly number: bigint
  readonly posting_id: string
}

export interface TransparencyLeafRow {
  readonly leaf_index: bigint
  readonly posting_id: string | null
  readonly ledger_salt: Buffer | null
  readonly data: Buffer
}

export interface TransparencyViewRow {
  readonly user_id: bigint
  readonly reference: string
  readonly leaf_index: bigint
  readonly place: number
  readonly named_salt: Buffer | null
  readonly from_name: string | null
  readonly to_name: string | null
  readonly other_id: bigint | null
  readonly nameless_salt: Buffer | null
}

export interface TransparencyTileRow {
  readonly level: number
  readonly tile_index: bigint
  readonly hashes: Buffer
}

export interface TransparencyEdgeRow {
  readonly level: number
  readonly tile_index: bigint
  readonly hashes: Buffer
}

export interface TransparencyCheckpointRow {
  readonly size: bigint
  readonly root: Buffer
  readonly note: string
  readonly signed_at: Date
}

export interface TransparencyCosignatureRow {
  readonly size: bigint
  readonly witness: string
  readonly line: string
  readonly cosigned_at: Date
}

export interface TransparencyWitnessRow {
  readonly witness: string
  readonly size: bigint
  readonly cosigned_at: Date | null
  readonly failure: string | null
  readonly failed_at: Date | null
  readonly next_at: Date
  readonly failures: number
}

export interface DaySealRow {
  readonly day: string
  readonly leaf_index: bigint
  readonly content: string
  readonly sealed_at: Date
}

export interface DaySealAccountRow {
  readonly day: string
  readonly account_id: bigint
  readonly version: bigint
  readonly balance: bigint
}
