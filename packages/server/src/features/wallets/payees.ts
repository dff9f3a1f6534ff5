import type pg from 'pg'
import type { Db } from '../../platform/database/db.ts'
import { createJointReads } from '../../platform/database/joint-reads.ts'

const rememberedPairs = 50_000

/** When the money of a completed transaction `t` arrived; `f` is its transfer, if it was held. */
const arrivedAtSql = 'coalesce(f.decided_at, t.changed_at, t.created_at)'

/** SQL: when money of a sender reached a recipient before a time, by the earliest send that had; null if none had. */
export const arrivalSql = (sender: string, recipient: string, before: string): string =>
  `(select ${arrivedAtSql} from transaction t left join transfer f on f.id = t.id and f.state = 'settled'
    where t.user_id = ${sender} and t.recipient_id = ${recipient} and t.kind = 'SEND' and t.status = 'COMPLETED'
      and t.created_at < ${before} and ${arrivedAtSql} < ${before} order by t.created_at limit 1)`

/** A payment's two ends, and the time before which it must have arrived. */
interface Pair {
  readonly senderId: bigint
  readonly recipientId: bigint
  readonly before: Date
}

/** For each pair that has one, when a payment arrived. */
async function readArrivals(db: Db, pairs: readonly Pair[]): Promise<Map<Pair, number>> {
  const { rows } = await db.query<{ place: bigint; arrived_at: Date }>({
    name: 'arrivals_at_payees',
    text: `select pair.place, arrival.arrived_at
       from unnest($1::bigint[], $2::bigint[], $3::timestamptz[])
              with ordinality as pair (sender_id, recipient_id, before, place)
       cross join lateral (
         select ${arrivalSql('pair.sender_id', 'pair.recipient_id', 'pair.before')} as arrived_at) as arrival
      where arrival.arrived_at is not null`,
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
  async function hasPaid(senderId: bigint, recipientId: bigint, before: Date, db?: Db): Promise<boolean> {
    const name = `${senderId} ${recipientId}`
    const known = paidAt.get(name)
    if (known !== undefined && known < before.getTime()) return true
    const pair = { senderId, recipientId, before }
    const arrivedAt = db ? (await readArrivals(db, [pair])).get(pair) : await readArrival(pair)
    if (arrivedAt !== undefined) notePaid(senderId, recipientId, arrivedAt)
    return arrivedAt !== undefined
  }

  /** Remembers that money of the sender had reached the recipient at this time, in milliseconds. */
  function notePaid(senderId: bigint, recipientId: bigint, atMs: number): void {
    if (paidAt.size >= rememberedPairs) paidAt.clear()
    paidAt.set(`${senderId} ${recipientId}`, atMs)
  }

  /** When money of the sender had reached the recipient, in milliseconds, as far as this process remembers. */
  const knownPaidAt = (senderId: bigint, recipientId: bigint): number | undefined =>
    paidAt.get(`${senderId} ${recipientId}`)

  return { hasPaid, notePaid, knownPaidAt }
}

export type Payees = ReturnType<typeof createPayees>
