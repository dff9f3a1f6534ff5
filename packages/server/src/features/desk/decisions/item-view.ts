import type { DeskItem, DeskOpenItem } from '@tern/contract/desk/queues'
import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { type Db, transact } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Product } from '../../../product.ts'
import type { Operator } from '../context.ts'
import { readTimeline, writeLine } from '../log.ts'
import { buildFourEyesSection } from './four-eyes-section.ts'
import type { DeskFile, Queue, QueueEntry } from '../../../manifests/desk-queue.ts'
import { recordReadings } from '../record-readings.ts'
import { requireEntry } from './decide-item.ts'
import { findOwnEntries, listVisible, requireNotOwn } from './involvement.ts'
import {
  type DecidedItem,
  needsTwo,
  readItem,
  readItems,
  readThreshold,
  toStanding,
  visibleDecisions,
} from './item-rows.ts'
import { determineState, findObstacle } from './item-standing.ts'

interface ShownItem {
  readonly entry: QueueEntry
  readonly item: DecidedItem
  readonly threshold: bigint | null
  readonly reader: Operator
}

function toItemView({ entry, item: { row, decisions }, threshold, reader }: ShownItem): DeskItem {
  const { id, kind, who, amount, openedAt, dueAt } = entry
  const needsTwoPeople = needsTwo(entry, threshold)
  const itemStanding = toStanding(row, decisions, needsTwoPeople)
  const isLead = reader.roles.includes('lead')
  return {
    id,
    kind,
    who,
    state: determineState(itemStanding),
    needs_two: needsTwoPeople,
    for_lead: row.for_lead,
    amount: amount === null ? null : { amount: toDecimal(amount), currency: amount.currency },
    opened_at: openedAt.toISOString(),
    due_at: dueAt?.toISOString() ?? null,
    claimed_by: row.claimed_name,
    is_mine: row.claimed_by === reader.id,
    barred: findObstacle(itemStanding, { id: reader.id, isLead }) ?? null,
  }
}

/**
 * Removes all but id, kind, times and `needs_two` from the view of an entry that concerns the operator's own account.
 */
const removeDetails = (view: DeskItem): DeskItem => ({
  id: view.id,
  kind: view.kind,
  opened_at: view.opened_at,
  due_at: view.due_at,
  needs_two: view.needs_two,
  who: null,
  amount: null,
  state: 'open',
  for_lead: false,
  claimed_by: null,
  is_mine: false,
  barred: 'involved',
})

interface QueueAccess {
  readonly queue: Queue
  readonly reader: Operator
}

export const countItems = async (product: Product, db: Db, input: QueueAccess): Promise<number> =>
  (await listVisible(product, db, input)).entries.length

/** Returns the open entries visible to an operator. The list names people, so it is logged as data access. */
export async function listItems(
  product: Product,
  pool: pg.Pool,
  { queue, reader }: QueueAccess,
): Promise<{ two_people_above: string | null; items: DeskItem[] }> {
  const { entries, ownIds } = await listVisible(product, pool, { queue, reader })
  const threshold = await readThreshold(pool, queue.name)
  const subjects = entries.map(({ id }) => id)
  const items = await readItems(pool, { queue: queue.name, subjects })
  await transact(pool, async (tx) => {
    const people = entries.flatMap((entry) => (ownIds.has(entry.id) ? [] : entry.people))
    await recordReadings(product, tx, { reader, people, ...queue.reading })
    await writeLine(tx, reader, { act: 'listed', queue: queue.name }, product.desk.context.realNow())
  })
  return {
    two_people_above: threshold === null ? null : toDecimal(money('USD', threshold)),
    items: entries.flatMap((entry, index) => {
      const item = items[index]
      if (!item) return []
      const view = toItemView({ entry, item, threshold, reader })
      return [ownIds.has(entry.id) ? removeDetails(view) : view]
    }),
  }
}

/**
 * Returns an entry with its details, after logging the access; without details if it concerns the reader's own account.
 * Refuses `not_found`.
 */
export async function openItem(
  product: Product,
  pool: pg.Pool,
  { queue, reader, id }: QueueAccess & { readonly id: string },
): Promise<DeskOpenItem> {
  const entry = await requireEntry(product, pool, { queue, id })
  const itemKey = { queue: queue.name, subject: id }
  if ((await findOwnEntries(pool, { queue, entries: [entry], reader })).has(id)) {
    return refuseItem(product, pool, { queue, reader, entry })
  }
  await transact(pool, async (tx) => {
    await recordReadings(product, tx, { reader, people: entry.people, ...queue.reading })
    await writeLine(tx, reader, { act: 'opened', ...itemKey }, product.desk.context.realNow())
  })
  const item = await readItem(pool, itemKey)
  const { row, decisions } = item
  const threshold = await readThreshold(pool, queue.name)
  const view = toItemView({ entry, item, threshold, reader })
  const isInvolved = await queue.isInvolved?.(product, pool, { id, operatorId: reader.id })
  const sections = await queue.readSections(product, pool, id)
  return {
    ...view,
    ...(isInvolved ? { barred: 'involved' as const } : {}),
    sections: [...sections, ...(view.needs_two ? [buildFourEyesSection(entry.usdMinor, threshold)] : [])],
    verdicts: [...queue.verdicts],
    can_ask_provider: queue.askProvider !== undefined,
    decisions: visibleDecisions(decisions, reader.id, row.verdict !== null),
    timeline: await readTimeline(pool, reader.id, itemKey),
  }
}

/**
 * Returns an entry without details to an operator whose own account it concerns, after logging the attempt. Refuses
 * `not_found` in a secret queue.
 */
async function refuseItem(
  { desk }: Product,
  db: Db,
  { queue, reader, entry }: QueueAccess & { readonly entry: QueueEntry },
): Promise<DeskOpenItem> {
  const itemKey = { queue: queue.name, subject: entry.id }
  await writeLine(db, reader, { act: 'refused', ...itemKey }, desk.context.realNow())
  if (queue.isSecret) refuse('not_found')
  const item = await readItem(db, itemKey)
  const view = toItemView({ entry, item, threshold: await readThreshold(db, queue.name), reader })
  const emptyDetails = { sections: [], verdicts: [], can_ask_provider: false, decisions: [], timeline: [] }
  return { ...removeDetails(view), ...emptyDetails }
}

/** Returns a file of an entry, after logging the access. Refuses `not_found`, `desk_involved`. */
export async function readItemFile(
  product: Product,
  pool: pg.Pool,
  { queue, reader, id, fileId }: QueueAccess & { readonly id: string; readonly fileId: string },
): Promise<DeskFile> {
  const entry = await requireEntry(product, pool, { queue, id })
  await requireNotOwn(product, pool, { queue, entry, operator: reader })
  if (!queue.readFile) return refuse('not_found')
  const file = await queue.readFile(product, pool, { id, fileId })
  await transact(pool, async (tx) => {
    await recordReadings(product, tx, { reader, people: entry.people, ...queue.reading, what: ['documents'] })
    await writeLine(
      tx,
      reader,
      { act: 'read_file', queue: queue.name, subject: id, after: fileId },
      product.desk.context.realNow(),
    )
  })
  return file
}
