import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Product } from '../../../product.ts'
import type { Operator } from '../context.ts'
import { writeLine } from '../log.ts'
import { lockInvolved, findOwnSubjects } from '../operators/own-accounts.ts'
import type { Queue, QueueEntry } from '../../../manifests/desk-queue.ts'
import { readDecisions, type ItemKey, type ItemRow } from './item-rows.ts'

// Conflicts of interest. An operator may not handle entries that concern their own account, nor objections to decisions
// in which they took part, if the queue checks that.

/** Log actor of a round that restarts because the entry concerns the own account of an operator who decided it. */
const ownAccountActor = { id: null, name: 'own account' }

/** Secret queues answer `not_found` to operators whose own account an entry concerns. */
const chooseRefusal = ({ isSecret = false }: Queue): RefusalCode => (isSecret ? 'not_found' : 'desk_involved')

/** Returns the ids of the entries that concern the reader's own account. */
export const findOwnEntries = (
  db: Db,
  { queue, entries, reader }: { readonly queue: Queue; entries: readonly QueueEntry[]; reader: Operator },
): Promise<ReadonlySet<string>> =>
  findOwnSubjects(db, { operatorId: reader.id, queue: queue.name, subjects: entries.map((entry) => entry.id) })

/** Returns the entries that an operator may see, and the ids of those that concern their own account. */
export async function listVisible(
  product: Product,
  db: Db,
  { queue, reader }: { readonly queue: Queue; readonly reader: Operator },
) {
  const entries = await queue.list(product, db)
  const ownIds = await findOwnEntries(db, { queue, entries, reader })
  return { entries: queue.isSecret ? entries.filter(({ id }) => !ownIds.has(id)) : entries, ownIds }
}

interface HandledEntry {
  readonly queue: Queue
  readonly entry: QueueEntry
  readonly operator: Operator
}

/**
 * Refuses an entry that concerns the operator's own account, and logs the attempt: `not_found` in a secret queue, else
 * `desk_involved`.
 */
export async function requireNotOwn(
  { desk }: Product,
  db: Db,
  { queue, entry, operator }: HandledEntry,
): Promise<void> {
  if (!(await findOwnEntries(db, { queue, entries: [entry], reader: operator })).has(entry.id)) return
  await writeLine(db, operator, { act: 'refused', queue: queue.name, subject: entry.id }, desk.context.realNow())
  refuse(chooseRefusal(queue))
}

/**
 * Refuses like `requireNotOwn`, and `desk_involved` for an operator who took part in the decision that an objection
 * contests.
 */
export async function requireUninvolved(product: Product, db: Db, handledEntry: HandledEntry): Promise<void> {
  const { queue, entry, operator } = handledEntry
  await requireNotOwn(product, db, handledEntry)
  if (await queue.isInvolved?.(product, db, { id: entry.id, operatorId: operator.id })) refuse('desk_involved')
}

interface LockedItem {
  readonly queue: Queue
  readonly item: ItemKey
  readonly row: ItemRow
  readonly operator: Operator
  readonly at: Date
}

/**
 * Checks a locked entry for operators whose own account it concerns. Refuses `desk_involved` or `not_found` for the
 * acting operator. If an earlier decider is one, begins a new round without a verdict. Returns the resulting row. Until
 * the transaction ends, none of these operators can be linked to an account.
 */
export async function restartIfInvolved(tx: Tx, { queue, item, row, operator, at }: LockedItem): Promise<ItemRow> {
  const decisions = await readDecisions(tx, { ...item, round: row.round })
  const deciders = decisions.map(({ operatorId }) => operatorId)
  const involvedOperators = await lockInvolved(tx, { operatorIds: [operator.id, ...deciders], ...item })
  if (involvedOperators.has(operator.id)) refuse(chooseRefusal(queue))
  if (!deciders.some((id) => involvedOperators.has(id))) return row
  await tx.query(
    'update desk_item set round = round + 1, verdict = null, carrying_out_since = null where queue = $1 and subject = $2',
    [item.queue, item.subject],
  )
  await writeLine(tx, ownAccountActor, { act: 'set_aside', ...item }, at)
  return { ...row, round: row.round + 1, verdict: null, carrying_out_since: null }
}
