import type { DeskDecision } from '@tern/contract/desk/queues'
import type { DeskQueue } from '@tern/contract/desk/roles'
import { onlyRow, type Db, type Tx } from '../../../platform/database/db.ts'
import type { QueueEntry } from '../../../manifests/desk-queue.ts'
import type { SeatDecision, DecisionSeat, ItemStanding } from './item-standing.ts'
import type { DeskDecisionRow, DeskItemRow, DeskOperatorRow } from '../row-types.ts'

export interface ItemKey {
  readonly queue: DeskQueue
  readonly subject: string
}

export type ItemRow = Omit<DeskItemRow, 'queue'> & { readonly claimed_name: string | null }

type DecisionRow = SeatDecision &
  Pick<DeskDecisionRow, 'subject' | 'round' | 'reason'> &
  Pick<DeskOperatorRow, 'name'> & { readonly at: Date }

/** Row of an entry that no operator has acted on yet. */
const newItemRow = (subject: string): ItemRow => ({
  subject,
  round: 1,
  claimed_by: null,
  claimed_name: null,
  for_lead: false,
  verdict: null,
  carrying_out_since: null,
  carried_out_at: null,
})

const itemsSql = `select i.*, o.name as claimed_name from desk_item i left join desk_operator o on o.id = i.claimed_by`

/** Locks an entry until the transaction ends; creates its row if there is none. */
export async function lockItem(tx: Tx, { queue, subject }: ItemKey): Promise<ItemRow> {
  await tx.query('insert into desk_item (queue, subject) values ($1, $2) on conflict do nothing', [queue, subject])
  const sql = `${itemsSql} where queue = $1 and subject = $2 for update of i`
  return onlyRow((await tx.query<ItemRow>(sql, [queue, subject])).rows)
}

const decisionsSql = `
  select d.subject, d.round, seat, d.operator_id as "operatorId", d.verdict, d.reason, o.name, decided_at as at
    from desk_decision d join desk_operator o on o.id = d.operator_id
   where d.queue = $1 and d.subject = any($2) order by decided_at, d.id`

/** Returns the decisions of one round of an entry, oldest first. */
export async function readDecisions(
  db: Db,
  { queue, subject, round }: ItemKey & { readonly round: number },
): Promise<readonly DecisionRow[]> {
  const { rows } = await db.query<DecisionRow>(decisionsSql, [queue, [subject]])
  return rows.filter((row) => row.round === round)
}

export interface DecidedItem {
  readonly row: ItemRow
  readonly decisions: readonly DecisionRow[]
}

/** Returns the row of each entry with the decisions of its current round, in the order of `subjects`. */
export async function readItems(
  db: Db,
  { queue, subjects }: { readonly queue: DeskQueue; readonly subjects: readonly string[] },
): Promise<DecidedItem[]> {
  const itemRows = await db.query<ItemRow>(`${itemsSql} where queue = $1 and subject = any($2)`, [queue, subjects])
  const decisionRows = await db.query<DecisionRow>(decisionsSql, [queue, subjects])
  const rows = new Map(itemRows.rows.map((row) => [row.subject, row]))
  return subjects.map((subject) => {
    const row = rows.get(subject) ?? newItemRow(subject)
    return {
      row,
      decisions: decisionRows.rows.filter((decision) => decision.subject === subject && decision.round === row.round),
    }
  })
}

export const readItem = async (db: Db, { queue, subject }: ItemKey): Promise<DecidedItem> =>
  onlyRow(await readItems(db, { queue, subjects: [subject] }))

/** Returns the value in US dollar cents above which two operators decide; null if one always suffices. */
export async function readThreshold(db: Db, queue: DeskQueue): Promise<bigint | null> {
  const { rows } = await db.query<{ above: bigint | null }>(
    'select two_people_above_usd_minor as above from desk_policy where queue = $1',
    [queue],
  )
  return onlyRow(rows).above
}

/**
 * Returns whether two operators must decide; a verdict with `isSole` never needs two. An unknown value counts as above
 * the threshold.
 */
export function needsTwo(
  { usdMinor, isForTwo = false }: Pick<QueueEntry, 'usdMinor' | 'isForTwo'>,
  threshold: bigint | null,
  isSole = false,
): boolean {
  if (isForTwo && !isSole) return true
  if (isSole || threshold === null || usdMinor === null) return false
  return usdMinor === undefined || usdMinor > threshold
}

export const toStanding = (
  row: ItemRow,
  decisions: readonly SeatDecision[],
  needsTwoPeople: boolean,
): ItemStanding => ({
  needsTwo: needsTwoPeople,
  decisions,
  forLead: row.for_lead,
  claimedBy: row.claimed_by,
  verdict: row.verdict,
})

/**
 * Returns the decisions of a round as a reader may see them. The verdict and reason of the first decision are hidden
 * from other operators until there is a second decision or a final verdict.
 */
export function visibleDecisions(
  decisions: readonly DecisionRow[],
  readerId: string,
  isSettled: boolean,
): DeskDecision[] {
  const isOpen = isSettled || decisions.length > 1
  return decisions.map(({ seat, name, operatorId, verdict, reason, at }: DecisionRow & { seat: DecisionSeat }) => {
    const isOwn = operatorId === readerId
    const visibleVerdict = isOpen || isOwn ? { verdict, reason } : { verdict: null, reason: null }
    return { seat, by: name, is_own: isOwn, at: at.toISOString(), ...visibleVerdict }
  })
}
