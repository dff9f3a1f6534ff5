import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Product } from '../../../product.ts'
import type { Operator } from '../context.ts'
import { writeLine } from '../log.ts'
import { lockInvolved, findOwnSubjects } from '../operators/own-accounts.ts'
import type { Queue, QueueEntry } from '../../../manifests/desk-queue.ts'
import { readDecisions, type ItemKey, type ItemRow } from './item-rows.ts'

// Conflicts of interest: an operator may not handle entries about their own account, nor, where the queue says so,
// objections to decisions they took part in.

/** Log actor for consequences of a link between an operator and an account. */
const ownAccountActor = { id: null, name: 'own account' }

/** Secret cases answer `not_found` to operators who are a party to them. */
const chooseRefusal = ({ isSecret = false }: Queue): RefusalCode => (isSecret ? 'not_found' : 'desk_involved')

/** Returns the entries that concern an account of the reader's own. */
export const findOwnEntries = (
  db: Db,
  { queue, entries, reader }: { readonly queue: Queue; entries: readonly QueueEntry[]; reader: Operator },
): Promise<ReadonlySet<string>> =>
  findOwnSubjects(db, { operatorId: reader.id, queue: queue.name, subjects: entries.map((entry) => entry.id) })

/** Returns the entries an operator may see, and which of them concern their own account. */
export async function listVisible(
  product: Product,
  db: Db,
  { queue, reader }: { readonly queue: Queue; readonly reader: Operator },
) {
  const entries = await queue.list(product, db)
  const ownIds = await findOwnEntries(db, { queue, entries, reader })
  return { entries: queue.isSecret ? entries.filter(({ id }) => !ownIds.has(id)) : entries, ownIds }
}

/** Operator who acts on an entry. */
interface HandledEntry {
  readonly queue: Queue
  readonly entry: QueueEntry
  readonly operator: Operator
}

/**
 * Refuses an entry that concerns an account of the operator's own with `desk_involved`, or `not_found` where it is
 * secret. The attempt is logged.
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
 * Refuses like `requireNotOwn`, and with `desk_involved` for an operator who took part in the decision an objection is
 * against.
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
 * Voids decisions of operators whose own account an entry concerns, under its lock: refuses `desk_involved` or
 * `not_found` for the acting operator, and begins a new round if an earlier decider is involved by now. Returns the
 * resulting row. No operator concerned can be linked to an account until the transaction ends.
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
