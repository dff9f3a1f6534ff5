import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { DeskContext, Operator } from '../context.ts'
import { writeLine } from '../log.ts'
import { lockInvolved, ownEntries } from '../operators/own-accounts.ts'
import type { Queue, QueueEntry } from '../queues/queue.ts'
import { decisionsOf, type ItemOf, type ItemRow } from './item-rows.ts'

// Conflicts of interest: an operator may not handle entries about their own account, nor, where the queue says so,
// objections to decisions they took part in.

/** Log actor for consequences of a link between an operator and an account. */
const ownAccount = { id: null, name: 'own account' }

/** Secret cases answer `not_found` to operators who are a party to them. */
const refusalOf = ({ isUntold = false }: Queue): RefusalCode => (isUntold ? 'not_found' : 'desk_involved')

/** Returns the entries that concern an account of the reader's own. */
export async function ownAmong(
  db: Db,
  queue: Queue,
  entries: readonly QueueEntry[],
  { id }: Pick<Operator, 'id'>,
): Promise<ReadonlySet<string>> {
  return ownEntries(db, id, { queue: queue.name, subjects: entries.map((entry) => entry.id) })
}

/** Returns the entries an operator may see, and which of them concern their own account. */
export async function listFor(db: Db, queue: Queue, reader: Operator) {
  const all = await queue.list()
  const own = await ownAmong(db, queue, all, reader)
  return { entries: queue.isUntold ? all.filter(({ id }) => !own.has(id)) : all, own }
}

/**
 * Refuses an entry that concerns an account of the operator's own with `desk_involved`, or `not_found` where it is
 * secret. The attempt is logged.
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

/**
 * Refuses like `requireNotOwn`, and with `desk_involved` for an operator who took part in the decision an objection is
 * against.
 */
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
 * Voids decisions of operators whose own account an entry concerns, under its lock: refuses `desk_involved` or
 * `not_found` for the acting operator, and begins a new round if an earlier decider is involved by now. Returns the
 * resulting row. No operator concerned can be linked to an account until the transaction ends.
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
