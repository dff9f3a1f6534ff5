import type pg from 'pg'
import type { Queryable } from '../../platform/database/db.ts'
import { createJointReads } from '../../platform/database/joint-reads.ts'

const rememberedPairs = 50_000

/** When the money of a completed transaction `t` arrived; `f` is its transfer, if it was held. */
const arrivedAtSql = 'coalesce(f.decided_at, t.changed_at, t.created_at)'

/** A payment's two ends, and the time before which it must have arrived. */
interface Pair {
  readonly senderId: bigint
  readonly recipientId: bigint
  readonly before: Date
}

/** For each pair that has one, when a payment arrived. */
async function readArrivals(db: Queryable, pairs: readonly Pair[]): Promise<Map<Pair, number>> {
  const { rows } = await db.query<{ place: bigint; arrived_at: Date }>({
    name: 'arrivals_at_payees',
    text: `select pair.place, arrival.arrived_at
       from unnest($1::bigint[], $2::bigint[], $3::timestamptz[])
              with ordinality as pair (sender_id, recipient_id, before, place),
            lateral (
              select ${arrivedAtSql} as arrived_at
                from transaction t left join transfer f on f.id = t.id and f.state = 'settled'
               where t.user_id = pair.sender_id and t.recipient_id = pair.recipient_id and t.kind = 'SEND'
                 and t.status = 'COMPLETED' and t.created_at < pair.before and ${arrivedAtSql} < pair.before
               limit 1) as arrival`,
    values: [
      pairs.map(({ senderId }) => senderId),
      pairs.map(({ recipientId }) => recipientId),
      pairs.map(({ before }) => before),
    ],
  })
  const arrivals = new Map<Pair, number>()
  for (const { place, arrived_at: at } of rows) {
    const pair = pairs[Number(place) - 1] // not money: a position
    if (pair) arrivals.set(pair, at.getTime())
  }
  return arrivals
}

/** Payments that reached their recipients. */
export function createPayees(pool: pg.Pool) {
  /** When a payment of each sender reached a recipient: permanent once true, and checked by every send. */
  const paidAt = new Map<string, number>()
  const readArrival = createJointReads((pairs: readonly Pair[]) => readArrivals(pool, pairs))

  /**
   * Whether a payment of the sender reached the recipient before this time. Held and bank-funded payments count from their arrival,
   * not from their order: until then the recipient is unproven. Without `db`, calls of one turn of the event loop share a query.
   */
  async function hasPaid(senderId: bigint, recipientId: bigint, before: Date, db?: Queryable): Promise<boolean> {
    const name = `${senderId} ${recipientId}`
    const known = paidAt.get(name)
    if (known !== undefined && known < before.getTime()) return true
    const pair = { senderId, recipientId, before }
    const arrivedAt = db ? (await readArrivals(db, [pair])).get(pair) : await readArrival(pair)
    if (arrivedAt === undefined) return false
    if (paidAt.size >= rememberedPairs) paidAt.clear()
    paidAt.set(name, arrivedAt)
    return true
  }

  return { hasPaid }
}

export type Payees = ReturnType<typeof createPayees>
