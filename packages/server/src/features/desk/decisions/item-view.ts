import type { DeskItem, DeskOpenItem } from '@tern/contract/desk/queues'
import { money, toDecimal } from '@tern/money/money'
import { transact } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { DeskContext, Operator } from '../context.ts'
import { readTimeline, writeLine } from '../log.ts'
import { fourEyes } from '../evidence/fired-rules.ts'
import type { Queue, QueueEntry } from '../queues/queue.ts'
import { type ReadingContext, recordReadings } from '../readings.ts'
import { findEntry } from './decide.ts'
import { listFor, ownAmong, requireNotOwn } from './involved.ts'
import { needsTwo, readItems, readThreshold, standingOf, visibleDecisions } from './item-rows.ts'
import { stateOf, whyBarred } from './steps.ts'

type Read = ReturnType<Awaited<ReturnType<typeof readItems>>>

function itemView(entry: QueueEntry, { row, decisions }: Read, threshold: bigint | null, reader: Operator): DeskItem {
  const { id, kind, who, amount, openedAt, dueAt } = entry
  const two = needsTwo(entry, threshold)
  const standing = standingOf(row, decisions, two)
  const isLead = reader.roles.includes('lead')
  return {
    ...{ id, kind, who, state: stateOf(standing), needs_two: two, for_lead: row.for_lead },
    amount: amount === null ? null : { amount: toDecimal(amount), currency: amount.currency },
    opened_at: openedAt.toISOString(),
    due_at: dueAt?.toISOString() ?? null,
    claimed_by: row.claimed_name,
    is_mine: row.claimed_by === reader.id,
    barred: whyBarred(standing, { id: reader.id, isLead }) ?? null,
  }
}

/** View of an entry that concerns an account of the operator's own: only that it is open and that others decide. */
const ownView = (view: DeskItem): DeskItem => ({
  ...{ id: view.id, kind: view.kind, opened_at: view.opened_at, due_at: view.due_at, needs_two: view.needs_two },
  ...{ who: null, amount: null, state: 'open', for_lead: false, claimed_by: null, is_mine: false, barred: 'involved' },
})

export const countItems = async ({ pool }: DeskContext, queue: Queue, reader: Operator): Promise<number> =>
  (await listFor(pool, queue, reader)).entries.length

/** Returns the open entries visible to an operator. Logged as data access, since lists name people. */
export async function listItems(
  context: ReadingContext,
  queue: Queue,
  reader: Operator,
): Promise<{ two_people_above: string | null; items: DeskItem[] }> {
  const { pool, realNow } = context
  const { entries, own } = await listFor(pool, queue, reader)
  const threshold = await readThreshold(pool, queue.name)
  const itemOf = await readItems(
    pool,
    queue.name,
    entries.map(({ id }) => id),
  )
  await transact(pool, async (tx) => {
    const people = entries.flatMap((entry) => (own.has(entry.id) ? [] : entry.people))
    await recordReadings(context, tx, reader, people, queue.reading)
    await writeLine(tx, reader, { act: 'listed', queue: queue.name }, realNow())
  })
  return {
    two_people_above: threshold === null ? null : toDecimal(money('USD', threshold)),
    items: entries.map((entry) => {
      const view = itemView(entry, itemOf(entry.id), threshold, reader)
      return own.has(entry.id) ? ownView(view) : view
    }),
  }
}

/**
 * Returns an entry with all its details, or none if it concerns an account of the reader's own. Logged before anything
 * is shown. Refuses `not_found`.
 */
export async function openItem(
  context: ReadingContext,
  queue: Queue,
  reader: Operator,
  id: string,
): Promise<DeskOpenItem> {
  const { pool, realNow } = context
  const entry = await findEntry(queue, id)
  const about = { queue: queue.name, subject: id }
  if ((await ownAmong(pool, queue, [entry], reader)).has(id)) return refusedItem(context, queue, reader, entry)
  await transact(pool, async (tx) => {
    await recordReadings(context, tx, reader, entry.people, queue.reading)
    await writeLine(tx, reader, { act: 'opened', ...about }, realNow())
  })
  const itemOf = await readItems(pool, queue.name, [id])
  const { row, decisions } = itemOf(id)
  const threshold = await readThreshold(pool, queue.name)
  const view = itemView(entry, itemOf(id), threshold, reader)
  return {
    ...view,
    ...((await queue.isInvolved?.(entry, reader.id)) ? { barred: 'involved' as const } : {}),
    sections: [...(await queue.sectionsOf(entry)), ...(view.needs_two ? [fourEyes(entry.usdMinor, threshold)] : [])],
    verdicts: [...queue.verdicts],
    can_ask_provider: queue.ask !== undefined,
    decisions: visibleDecisions(decisions, reader.id, row.verdict !== null),
    timeline: await readTimeline(pool, reader.id, about),
  }
}

/**
 * Returns the reduced view of an entry to an operator it concerns. The attempt is logged. Refuses `not_found` for
 * secret entries.
 */
async function refusedItem(
  { pool, realNow }: ReadingContext,
  queue: Queue,
  reader: Operator,
  entry: QueueEntry,
): Promise<DeskOpenItem> {
  await writeLine(pool, reader, { act: 'refused', queue: queue.name, subject: entry.id }, realNow())
  if (queue.isUntold) refuse('not_found')
  const itemOf = await readItems(pool, queue.name, [entry.id])
  const view = itemView(entry, itemOf(entry.id), await readThreshold(pool, queue.name), reader)
  const nothing = { sections: [], verdicts: [], can_ask_provider: false, decisions: [], timeline: [] }
  return { ...ownView(view), ...nothing }
}

/** Returns a file of an entry. Logged before it is returned. Refuses `not_found`, `desk_involved`. */
export async function readFileOf(
  context: ReadingContext,
  queue: Queue,
  reader: Operator,
  { id, fileId }: { id: string; fileId: string },
): Promise<{ contentType: string; bytes: Buffer }> {
  const { pool, realNow } = context
  const entry = await findEntry(queue, id)
  await requireNotOwn(context, queue, entry, reader)
  if (!queue.file) return refuse('not_found')
  const file = await queue.file(entry, fileId)
  await transact(pool, async (tx) => {
    await recordReadings(context, tx, reader, entry.people, { ...queue.reading, what: ['documents'] })
    await writeLine(tx, reader, { act: 'read_file', queue: queue.name, subject: id, after: fileId }, realNow())
  })
  return file
}
