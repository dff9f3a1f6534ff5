import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type pg from 'pg'
import type { Queryable } from '../../platform/database/db.ts'

const rememberedPairs = 50_000

/** What someone has sent to one person. */
export function createPayees(pool: pg.Pool) {
  /** When each sender paid a recipient: permanent once true, and checked by every send. */
  const paidAt = new Map<string, number>()

  /** Whether the sender paid the recipient, and the money arrived, before this time. */
  async function hasPaid(senderId: bigint, recipientId: bigint, before: Date, db: Queryable = pool): Promise<boolean> {
    const pair = `${senderId} ${recipientId}`
    const known = paidAt.get(pair)
    if (known !== undefined && known < before.getTime()) return true
    const { rows } = await db.query<{ created_at: Date }>(
      `select created_at from transaction
        where user_id = $1 and recipient_id = $2 and kind = 'SEND' and status = 'COMPLETED' and created_at < $3 limit 1`,
      [senderId, recipientId, before],
    )
    const [row] = rows
    if (!row) return false
    if (paidAt.size >= rememberedPairs) paidAt.clear()
    paidAt.set(pair, row.created_at.getTime())
    return true
  }

  /** What the sender has sent the recipient since, pending included, per currency, without fees. */
  async function sentSince(db: Queryable, senderId: bigint, recipientId: bigint, since: Date): Promise<Money[]> {
    // Card payments have no list row before the charge; their terms keep the amount.
    const { rows } = await db.query<{ currency: CurrencyCode; minor: bigint }>(
      `select currency, sum(minor) as minor from (
          select source_currency as currency, source_amount as minor from transaction
           where user_id = $1 and recipient_id = $2 and kind = 'SEND' and status in ('COMPLETED', 'PENDING')
             and created_at >= $3
          union all
          select 'USD', (locked_price ->> 'usdMinor')::numeric from payment
           where user_id = $1 and recipient_id = $2 and status = 'pending' and created_at >= $3
             and not exists (select from transaction t where t.user_id = $1 and t.id = payment.transaction_id)
        ) as sent group by currency`,
      [senderId, recipientId, since],
    )
    return rows.map(({ currency, minor }) => money(currency, minor))
  }

  return { hasPaid, sentSince }
}

export type Payees = ReturnType<typeof createPayees>
