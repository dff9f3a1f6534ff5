import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type pg from 'pg'

/** What somebody has sent to one person. */
export interface Payees {
  /** Whether the sender has paid the recipient, and the money arrived, before this moment. */
  hasPaid(senderId: bigint, recipientId: bigint, before: Date): Promise<boolean>
  /** What the sender has sent to the recipient, or begun to send, since this moment: one sum for each currency, without fees. */
  sentSince(senderId: bigint, recipientId: bigint, since: Date): Promise<Money[]>
}

export function createPayees(pool: pg.Pool): Payees {
  async function hasPaid(senderId: bigint, recipientId: bigint, before: Date): Promise<boolean> {
    const { rowCount } = await pool.query(
      `select from transaction
        where user_id = $1 and recipient_id = $2 and kind = 'SEND' and status = 'COMPLETED' and created_at < $3 limit 1`,
      [senderId, recipientId, before],
    )
    return rowCount === 1
  }

  async function sentSince(senderId: bigint, recipientId: bigint, since: Date): Promise<Money[]> {
    // A payment by card has no row in the list before the card is charged; its terms keep what it is worth.
    const { rows } = await pool.query<{ currency: CurrencyCode; minor: bigint }>(
      `select currency, sum(minor) as minor from (
          select source_currency as currency, source_amount as minor from transaction
           where user_id = $1 and recipient_id = $2 and kind = 'SEND' and status in ('COMPLETED', 'PENDING')
             and created_at >= $3
          union all
          select 'USD', (terms ->> 'usdMinor')::numeric from payment
           where user_id = $1 and recipient_id = $2 and status = 'pending' and created_at >= $3
             and not exists (select from transaction t where t.user_id = $1 and t.id = payment.transaction_id)
        ) as sent group by currency`,
      [senderId, recipientId, since],
    )
    return rows.map(({ currency, minor }) => money(currency, minor))
  }

  return { hasPaid, sentSince }
}
