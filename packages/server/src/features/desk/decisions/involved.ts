import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { DeskContext, Operator } from '../context.ts'
import { writeLine } from '../log.ts'
import { lockInvolved, ownEntries } from '../operators/own-accounts.ts'
import type { Queue, QueueEntry } from '../queues/queue.ts'
import { decisionsOf, type ItemOf, type ItemRow } from './item-rows.ts'

// Who may have nothing to do with an entry: whoever holds an account that it concerns, and, where the queue says so, whoever has
// had to do with what an objection is against.

/** In the log, of what follows from a link between an operator and an account. */
const ownAccount = { id: null, name: 'own account' }

/** Of what its people are told nothing, nobody of them learns here that it waits. */
const refusalOf = ({ isUntold = false }: Queue): RefusalCode => (isUntold ? 'not_found' : 'desk_involved')

/** Which of these entries concern an account of the reader's own. */
export async function ownAmong(
  db: Db,
  queue: Queue,
  entries: readonly QueueEntry[],
  { id }: Pick<Operator, 'id'>,
): Promise<ReadonlySet<string>> {
  return ownEntries(db, id, { queue: queue.name, subjects: entries.map((entry) => entry.id) })
}

/** What waits as one operator may know of it. */
export async function listFor(db: Db, queue: Queue, reader: Operator) {
  const all = await queue.list()
  const own = await ownAmong(db, queue, all, reader)
  return { entries: queue.isUntold ? all.filter(({ id }) => !own.has(id)) : all, own }
}

/**
 * Refuses `desk_involved`, which goes on record, when an entry concerns an account of the operator's own; `not_found` where nobody may
 * learn that it waits.
 */
export async function requireNotOwn(
  { pool, realNow }: DeskContext,
  queue: Queue,
  entry: QueueEntry,
  operator: Operator,
): Promise<void> {
  if (!(await ownAmong(pool, queue, [entry], operator)).has(entry.id)) return
  await writeLine(pool, operator, { act: 'refused', queue: queue.name, subject: entry.id }, realNow())
  refuse(refusalOf(queue))
}

/** The same, and `desk_involved` for whoever has had to do with what an objection is against. */
export async function requireUninvolved(
  context: DeskContext,
  queue: Queue,
  entry: QueueEntry,
  operator: Operator,
): Promise<void> {
  await requireNotOwn(context, queue, entry, operator)
  if (await queue.isInvolved?.(entry, operator.id)) refuse('desk_involved')
}

/**
 * Makes sure, under the lock of an entry, that no decision of somebody counts whose own account it concerns: refuses `desk_involved` or
 * `not_found` for the operator who acts now, and begins a new round where one of those who have decided is involved by now. Gives how
 * the entry stands then. Nobody of them can be linked to an account until the transaction ends.
 */
export async function setAsideInvolved(
  tx: Tx,
  queue: Queue,
  { item, row, operator, at }: { item: ItemOf; row: ItemRow; operator: Operator; at: Date },
): Promise<ItemRow> {
  const decisions = await decisionsOf(tx, item, row.round)
  const deciders = decisions.map(({ operatorId }) => operatorId)
  const involved = await lockInvolved(tx, [operator.id, ...deciders], item)
  if (involved.has(operator.id)) refuse(refusalOf(queue))
  if (!deciders.some((id) => involved.has(id))) return row
  await tx.query(
    'update desk_item set round = round + 1, verdict = null, carrying_out_since = null where queue = $1 and subject = $2',
    [item.queue, item.subject],
  )
  await writeLine(tx, ownAccount, { act: 'set_aside', ...item }, at)
  return { ...row, round: row.round + 1, verdict: null, carrying_out_since: null }
}
