import type { SplitMethod } from '@tern/contract/requests/splits'
import type { CurrencyCode } from '@tern/money/currency'
import type { Db } from '../../../platform/database/db.ts'
import type { RequestRow } from '../records/request-rows.ts'

/** Split bill, as stored. */
export interface SplitRow {
  readonly id: string
  readonly user_id: bigint
  readonly total_minor: bigint
  readonly currency: CurrencyCode
  readonly description: string | null
  readonly split_by: SplitMethod
  /** Null: the owner has no part. */
  readonly own_minor: bigint | null
  readonly own_shares: number | null
  readonly people: number
  readonly created_at: Date
}

/** Request of a split, with its shares. */
export type SplitRequestRow = RequestRow & { readonly shares: number | null }

export interface OwnSplit {
  readonly userId: bigint
  readonly id: string
}

/** The user's own split with this id. */
export async function findOwnSplit(db: Db, { userId, id }: OwnSplit): Promise<SplitRow | undefined> {
  const { rows } = await db.query<SplitRow>('select * from split where id = $1 and user_id = $2', [id, userId])
  return rows[0]
}

/** Requests of a split, in list order. */
export async function requestsOfSplit(db: Db, id: string): Promise<SplitRequestRow[]> {
  const { rows } = await db.query<SplitRequestRow>(
    `select r.*, p.shares from split_part p join payment_request r on r.id = p.request_id
      where p.split_id = $1 order by p.position`,
    [id],
  )
  return rows
}
