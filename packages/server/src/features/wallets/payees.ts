import type pg from 'pg'
import type { Queryable } from '../../platform/database/db.ts'

const rememberedPairs = 50_000

/** When the money of a completed transaction `t` arrived; `f` is its transfer, if it was held. */
const arrivedAtSql = 'coalesce(f.decided_at, t.changed_at, t.created_at)'

/** SQL: when money of a sender reached a recipient before a time, by the earliest send that had; null if none had. */
export const arrivalSql = (sender: string, recipient: string, before: string): string =>
  `(select ${arrivedAtSql} from transaction t left join transfer f on f.id = t.id and f.state = 'settled'
    where t.user_id = ${sender} and t.recipient_id = ${recipient} and t.kind = 'SEND' and t.status = 'COMPLETED'
      and t.created_at < ${before} and ${arrivedAtSql} < ${before} order by t.created_at limit 1)`

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
    const { rows } = await db.query<{ arrived_at: Date | null }>({
      name: 'first_arrival_at_payee',
      text: `select ${arrivalSql('$1', '$2', '$3')} as arrived_at`,
      values: [senderId, recipientId, before],
    })
    const arrivedAt = rows[0]?.arrived_at ?? undefined
    if (arrivedAt) notePaid(senderId, recipientId, arrivedAt)
    return arrivedAt !== undefined
  }

  /** Remembers that money of the sender had reached the recipient at this time. */
  function notePaid(senderId: bigint, recipientId: bigint, at: Date): void {
    if (paidAt.size >= rememberedPairs) paidAt.clear()
    paidAt.set(`${senderId} ${recipientId}`, at.getTime())
  }

  /** When money of the sender had reached the recipient, as far as this process remembers. */
  const knownPaidAt = (senderId: bigint, recipientId: bigint): number | undefined =>
    paidAt.get(`${senderId} ${recipientId}`)

  return { hasPaid, notePaid, knownPaidAt }
}

export type Payees = ReturnType<typeof createPayees>
