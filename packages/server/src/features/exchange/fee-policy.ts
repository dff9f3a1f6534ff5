import { onlyRow, type Db } from '../../platform/database/db.ts'
import { buildFirstId } from '../../platform/ids.ts'

const dayMs = 86_400_000

/**
 * Returns the smallest fee of a user's next send or exchange, in minor units of the source currency: zero until the
 * free movements of the day (UTC) are used up. Counts today's free sends and exchanges that are completed or pending,
 * and free sends with a pending payment. Quotes keep their fee, so free quotes opened within the same five minutes
 * can exceed the number.
 */
export async function readSmallestFee(
  db: Db,
  { userId, at }: { readonly userId: bigint; readonly at: Date },
): Promise<bigint> {
  const since = new Date(at.getTime() - (at.getTime() % dayMs))
  const { rows } = await db.query<{ smallest_fee: bigint }>(
    `select case when free.used < p.free_movements_per_day then 0 else p.smallest_fee_minor end::bigint as smallest_fee
       from fee_policy p, lateral (
         select count(*) as used from (
           select from transaction
            where user_id = $1 and id >= $3 and created_at >= $2 and kind in ('SEND', 'EXCHANGE')
              and status <> 'FAILED' and fee_amount = 0
           union all
           select from payment
            where user_id = $1 and created_at >= $2 and purpose = 'send' and status = 'pending' and not is_listed
              and (locked_price ->> 'fee')::numeric = 0
           limit p.free_movements_per_day) as movements) as free`,
    [userId, since, buildFirstId(since)],
  )
  return onlyRow(rows).smallest_fee
}
