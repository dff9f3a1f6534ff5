import { transact, type Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { DeskContext, Operator } from '../context.ts'
import { writeLine } from '../log.ts'
import { isPermitted } from '@tern/contract/desk/roles'
import { operatorNamed } from '../operators/operators.ts'
import { lockInvolved } from '../operators/own-accounts.ts'
import type { Queue } from '../queues/queue.ts'
import { findEntry } from './decide.ts'
import { requireNotOwn, requireUninvolved, setAsideInvolved } from './involved.ts'
import { type ItemOf, type ItemRow, lockItem } from './item-rows.ts'

// Actions on an entry other than decisions.

/** Runs `work` under the lock of an open entry. Refuses `not_found`, `desk_item_closed`, `desk_involved`. */
async function onItem(
  context: DeskContext,
  queue: Queue,
  { operator, id }: { operator: Operator; id: string },
  work: (tx: Tx, item: ItemOf, row: ItemRow) => Promise<void>,
): Promise<void> {
  await requireUninvolved(context, queue, await findEntry(queue, id), operator)
  const item = { queue: queue.name, subject: id }
  await transact(context.pool, async (tx) => {
    const row = await lockItem(tx, item)
    if (row.verdict !== null || !(await queue.find(id))) refuse('desk_item_closed')
    await work(tx, item, await setAsideInvolved(tx, queue, { item, row, operator, at: context.realNow() }))
  })
}

/** Refuses `desk_taken` when another operator has claimed the entry; a lead may override a claim. */
function requireFree({ claimed_by: claimedBy }: ItemRow, { id, roles }: Operator): void {
  if (claimedBy !== null && claimedBy !== id && !roles.includes('lead')) refuse('desk_taken')
}

const claim = (tx: Tx, { queue, subject }: ItemOf, operatorId: string | null) =>
  tx.query('update desk_item set claimed_by = $3 where queue = $1 and subject = $2', [queue, subject, operatorId])

/** Claims an entry, so that other operators do not decide about it. Refuses `desk_taken`, `desk_involved`. */
export const claimItem = (context: DeskContext, queue: Queue, operator: Operator, id: string): Promise<void> =>
  onItem(context, queue, { operator, id }, async (tx, item, row) => {
    requireFree(row, operator)
    if (row.claimed_by === operator.id) return
    await claim(tx, item, operator.id)
    const line = { act: 'claimed', ...item, before: row.claimed_name ?? undefined, after: operator.name } as const
    await writeLine(tx, operator, line, context.realNow())
  })

/**
 * Hands an entry over to an operator of the queue, or unclaims it. Refuses `desk_taken`, `desk_involved`, and
 * `desk_not_permitted` for a receiver without the role or with a conflict of interest.
 */
export const handOverItem = (
  context: DeskContext,
  queue: Queue,
  operator: Operator,
  { id, to, reason }: { id: string; to: string | null; reason: string },
): Promise<void> =>
  onItem(context, queue, { operator, id }, async (tx, item, row) => {
    requireFree(row, operator)
    const receiver = to === null ? null : await operatorNamed(tx, to)
    if (receiver !== null && !isPermitted(receiver.roles, queue.name)) refuse('desk_not_permitted')
    if (receiver !== null && (await lockInvolved(tx, [receiver.id], item)).size > 0) refuse('desk_not_permitted')
    await claim(tx, item, receiver?.id ?? null)
    const line = { act: 'handed_over', ...item, reason, before: row.claimed_name ?? undefined } as const
    await writeLine(tx, operator, { ...line, after: receiver?.name }, context.realNow())
  })

/** Reserves the next decision for a lead. Refuses `desk_taken`, `desk_involved`. */
export const escalateItem = (
  context: DeskContext,
  queue: Queue,
  operator: Operator,
  { id, reason }: { id: string; reason: string },
): Promise<void> =>
  onItem(context, queue, { operator, id }, async (tx, item, row) => {
    requireFree(row, operator)
    await tx.query('update desk_item set for_lead = true, claimed_by = null where queue = $1 and subject = $2', [
      item.queue,
      item.subject,
    ])
    await writeLine(tx, operator, { act: 'escalated', ...item, reason }, context.realNow())
  })

/** Adds a note. Refuses `desk_involved` for an operator whose own account it concerns. */
export async function noteOnItem(
  context: DeskContext,
  queue: Queue,
  operator: Operator,
  { id, text }: { id: string; text: string },
): Promise<void> {
  await requireNotOwn(context, queue, await findEntry(queue, id), operator)
  const line = { act: 'noted', queue: queue.name, subject: id, reason: text } as const
  await writeLine(context.pool, operator, line, context.realNow())
}

/**
 * Polls the provider about an entry. Refuses `not_found` where there is no provider, and `desk_involved` for an
 * operator whose own account it concerns.
 */
export async function askAboutItem(context: DeskContext, queue: Queue, operator: Operator, id: string): Promise<void> {
  const entry = await findEntry(queue, id)
  await requireNotOwn(context, queue, entry, operator)
  if (!queue.ask) return refuse('not_found')
  await queue.ask(entry)
  const line = { act: 'asked_provider', queue: queue.name, subject: id } as const
  await writeLine(context.pool, operator, line, context.realNow())
}
