import type { Db } from '../../../platform/database/db.ts'
import type { PaymentRequestRow, SplitRow } from '../row-types.ts'

export type SplitRequestRow = PaymentRequestRow & { readonly shares: number | null }

export interface OwnSplit {
  readonly userId: bigint
  readonly id: string
}

export async function findOwnSplit(db: Db, { userId, id }: OwnSplit): Promise<SplitRow | undefined> {
  const { rows } = await db.query<SplitRow>('select * from split where id = $1 and user_id = $2', [id, userId])
  return rows[0]
}

/** Requests of a split, in list order. */
export async function listSplitRequests(db: Db, id: string): Promise<SplitRequestRow[]> {
  const { rows } = await db.query<SplitRequestRow>(
    `select r.*, p.shares from split_part p join payment_request r on r.id = p.request_id
      where p.split_id = $1 order by p.position`,
    [id],
  )
  return rows
}
