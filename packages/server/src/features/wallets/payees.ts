import { type Db, runAfterCommit } from '../../platform/database/db.ts'
import { createJointReads } from '../../platform/database/joint-reads.ts'

const rememberedPairs = 50_000

/** SQL: time of arrival of a completed transaction `t`; `f` is its transfer, if it was held. */
const arrivedAtSql = 'coalesce(f.decided_at, t.changed_at, t.created_at)'

/** SQL: arrival, before a given time, of the earliest of a sender's payments to a recipient; null if none arrived. */
export const arrivalSql = (sender: string, recipient: string, before: string): string =>
  `(select ${arrivedAtSql} from transaction t left join transfer f on f.id = t.id and f.state = 'settled'
    where t.user_id = ${sender} and t.recipient_id = ${recipient} and t.kind = 'SEND' and t.status = 'COMPLETED'
      and t.created_at < ${before} and ${arrivedAtSql} < ${before} order by t.created_at limit 1)`

interface PartyIds {
  readonly senderId: bigint
  readonly recipientId: bigint
}

/** Sender, recipient, and the time before which a payment must have arrived. */
export interface Pair extends PartyIds {
  readonly before: Date
}

/** Reads the arrival of each pair's earliest payment, in milliseconds since 1970. */
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

/** Times of arrival by sender and recipient, in milliseconds. They never change, and every send reads one. */
export type KnownArrivals = Map<string, number>

const readArrival = createJointReads(readArrivals)

const formatPairKey = ({ senderId, recipientId }: PartyIds): string => `${senderId} ${recipientId}`

/**
 * True if a payment of the sender reached the recipient before this time. Held and bank-funded payments count from
 * their arrival, not from their order. Calls in one turn of the event loop share a query.
 */
export async function hasPaid(arrivals: KnownArrivals, db: Db, pair: Pair): Promise<boolean> {
  const rememberedAt = findPaidAt(arrivals, pair)
  if (rememberedAt !== undefined && rememberedAt < pair.before.getTime()) return true
  const atMs = await readArrival(db, pair)
  if (atMs === undefined) return false
  runAfterCommit(db, () => cacheArrival(arrivals, { ...pair, atMs }))
  return true
}

/** Caches the time, in milliseconds, at which the sender's money arrived at the recipient. */
export function cacheArrival(arrivals: KnownArrivals, arrival: PartyIds & { readonly atMs: number }): void {
  if (arrivals.size >= rememberedPairs) arrivals.clear()
  arrivals.set(formatPairKey(arrival), arrival.atMs)
}

/** Cached time of arrival of the sender's money at the recipient, in milliseconds. */
export const findPaidAt = (arrivals: KnownArrivals, ends: PartyIds): number | undefined =>
  arrivals.get(formatPairKey(ends))
