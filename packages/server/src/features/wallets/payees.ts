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

  return { hasPaid }
}

export type Payees = ReturnType<typeof createPayees>
