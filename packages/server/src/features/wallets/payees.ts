import { type Db, onceCommitted } from '../../platform/database/db.ts'
import { createJointReads } from '../../platform/database/joint-reads.ts'

const rememberedPairs = 50_000

/** When the money of a completed transaction `t` arrived; `f` is its transfer, if it was held. */
const arrivedAtSql = 'coalesce(f.decided_at, t.changed_at, t.created_at)'

/** SQL: when money of a sender reached a recipient before a time, by the earliest send that had; null if none had. */
export const arrivalSql = (sender: string, recipient: string, before: string): string =>
  `(select ${arrivedAtSql} from transaction t left join transfer f on f.id = t.id and f.state = 'settled'
    where t.user_id = ${sender} and t.recipient_id = ${recipient} and t.kind = 'SEND' and t.status = 'COMPLETED'
      and t.created_at < ${before} and ${arrivedAtSql} < ${before} order by t.created_at limit 1)`

/** A payment's two ends. */
interface Ends {
  readonly senderId: bigint
  readonly recipientId: bigint
}

/** A payment's two ends, and the time before which it must have arrived. */
export interface Pair extends Ends {
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

/** When a payment of each sender reached a recipient, in milliseconds: permanent once true, and checked by every send. */
export type KnownArrivals = Map<string, number>

const readArrival = createJointReads(readArrivals)

const nameOf = ({ senderId, recipientId }: Ends): string => `${senderId} ${recipientId}`

/**
 * Whether a payment of the sender reached the recipient before this time. Held and bank-funded payments count from their arrival,
 * not from their order: until then the recipient is unproven. Calls of one turn of the event loop share a query.
 */
export async function hasPaid(known: KnownArrivals, db: Db, pair: Pair): Promise<boolean> {
  const remembered = knownPaidAt(known, pair)
  if (remembered !== undefined && remembered < pair.before.getTime()) return true
  const atMs = await readArrival(db, pair)
  if (atMs === undefined) return false
  onceCommitted(db, () => notePaid(known, { ...pair, atMs }))
  return true
}

/** Remembers that money of the sender had reached the recipient at this time, in milliseconds. */
export function notePaid(known: KnownArrivals, paid: Ends & { readonly atMs: number }): void {
  if (known.size >= rememberedPairs) known.clear()
  known.set(nameOf(paid), paid.atMs)
}

/** When money of the sender had reached the recipient, in milliseconds, as far as this process remembers. */
export const knownPaidAt = (known: KnownArrivals, ends: Ends): number | undefined => known.get(nameOf(ends))
