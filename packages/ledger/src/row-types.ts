// Generated from the schema by tools/row-types.ts, and compared with it by a test.

import type { CurrencyCode } from '@tern/money/currency'

export interface CurrencyRow {
  readonly code: string
  readonly kind: 'fiat' | 'stablecoin' | 'crypto'
  readonly scale: number
}

export interface AccountRow {
  readonly id: bigint
  readonly name: string
  readonly kind: string
  readonly currency: CurrencyCode
  readonly floor: bigint | null
  readonly balance: bigint
  readonly version: bigint
  readonly stripe_of: bigint | null
  readonly closed: boolean
}

export interface PostingRow {
  readonly id: string
  readonly request_hash: Buffer
  readonly kind: string
  readonly reference: string
  readonly created_at: Date
  readonly refusal: string | null
  readonly refusal_details: unknown
  readonly quota_amount: bigint | null
  readonly xid: bigint | null
}

export interface EntryRow {
  readonly account_id: bigint
  readonly version: bigint
  readonly posting_id: string
  readonly leg: number
  readonly amount: bigint
  readonly balance: bigint
  readonly created_at: Date
}

export interface TokenRow {
  readonly id: string
  readonly holder: string
  readonly posting_id: string | null
}

export interface PermittedMoveRow {
  readonly from_kind: string
  readonly to_kind: string
  readonly code: string
  readonly same_owner: boolean
}
