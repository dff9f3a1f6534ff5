import type pg from 'pg'
import type { Queryable } from '../../platform/database/db.ts'

const rememberedPairs = 50_000

/** When the money of a completed transaction `t` arrived; `f` is its transfer, if it was held. */
const arrivedAtSql = 'coalesce(f.decided_at, t.changed_at, t.created_at)'

/** What someone has sent to one person. */
export function createPayees(pool: pg.Pool) {
  /** When money of each sender reached a recipient: permanent once true, and checked by every send. */
  const paidAt = new Map<string, number>()

  /**
   * Whether money of the sender reached the recipient before this time. What is held or paid by a bank counts from when it
   * arrived, not from when it was ordered: until then nobody has seen that the right person has it.
   */
  async function hasPaid(senderId: bigint, recipientId: bigint, before: Date, db: Queryable = pool): Promise<boolean> {
    const pair = `${senderId} ${recipientId}`
    const known = paidAt.get(pair)
    if (known !== undefined && known < before.getTime()) return true
    const { rows } = await db.query<{ arrived_at: Date }>({
      name: 'first_arrival_at_payee',
      text: `select ${arrivedAtSql} as arrived_at
         from transaction t left join transfer f on f.id = t.id and f.state = 'settled'
        where t.user_id = $1 and t.recipient_id = $2 and t.kind = 'SEND' and t.status = 'COMPLETED' and t.created_at < $3
          and ${arrivedAtSql} < $3 limit 1`,
      values: [senderId, recipientId, before],
    })
    const [row] = rows
    if (!row) return false
    if (paidAt.size >= rememberedPairs) paidAt.clear()
    paidAt.set(pair, row.arrived_at.getTime())
    return true
  }

  return { hasPaid }
}

export type Payees = ReturnType<typeof createPayees>
