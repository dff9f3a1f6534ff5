import type pg from 'pg'
import { only } from '../../platform/database/db.ts'

const dayMs = 86_400_000

/** What the smallest movements of a person cost. */
export function createFeePolicy({ pool, now }: { readonly pool: pg.Pool; readonly now: () => Date }) {
  return {
    /**
     * The smallest fee, in minor units of the source currency, of what this user sends or exchanges next: nothing until the
     * free movements of the day (UTC) are used up. Counted are sends and exchanges of today without a fee that are made,
     * pending, or being paid by card, as they stand when the price is made. A quote keeps its price, so as many more can be
     * free as quotes without a fee were open at the same time: at most those of five minutes.
     */
    async smallestFeeFor(userId: bigint): Promise<bigint> {
      const at = now()
      const since = new Date(at.getTime() - (at.getTime() % dayMs))
      const { rows } = await pool.query<{ smallest_fee: bigint }>(
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
        [userId, since, firstIdAt(since)],
      )
      return only(rows).smallest_fee
    },
  }
}

/** The lowest id that something of this moment can have: ids begin with the milliseconds since 1970. */
function firstIdAt(at: Date): string {
  const milliseconds = at.getTime().toString(16).padStart(12, '0')
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-0000-0000-000000000000`
}
