import { isPermitted } from '@tern/contract/desk/roles'
import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Product } from '../../../product.ts'
import type { Operator } from '../context.ts'
import { writeLine } from '../log.ts'
import { findOperator } from '../operators/operators.ts'
import { lockInvolved } from '../operators/own-accounts.ts'
import type { Queue } from '../../../manifests/desk-queue.ts'
import { requireEntry } from './decide-item.ts'
import { requireNotOwn, requireUninvolved, restartIfInvolved } from './involvement.ts'
import { type ItemKey, type ItemRow, lockItem } from './item-rows.ts'

// Actions on an entry other than decisions.

interface ItemAct {
  readonly queue: Queue
  readonly operator: Operator
  readonly id: string
}

/** Refuses `not_found`, and like `requireUninvolved`. */
async function requireActor(product: Product, pool: pg.Pool, { queue, operator, id }: ItemAct): Promise<void> {
  const entry = await requireEntry(product, pool, { queue, id })
  await requireUninvolved(product, pool, { queue, entry, operator })
}

/** Locks an open entry and returns its row. Refuses `desk_item_closed`, and like `restartIfInvolved`. */
async function lockOpenItem(product: Product, tx: Tx, { queue, operator, id }: ItemAct): Promise<ItemRow> {
  const item = { queue: queue.name, subject: id }
  const row = await lockItem(tx, item)
  if (row.verdict !== null || !(await queue.find(product, tx, id))) refuse('desk_item_closed')
  return restartIfInvolved(tx, { queue, item, row, operator, at: product.desk.context.realNow() })
}

/** Refuses `desk_taken` if another operator has claimed the entry, unless the operator is a lead. */
function requireUnclaimed({ claimed_by: claimedBy }: ItemRow, { id, roles }: Operator): void {
  if (claimedBy !== null && claimedBy !== id && !roles.includes('lead')) refuse('desk_taken')
}

const storeClaim = (tx: Tx, { queue, subject, operatorId }: ItemKey & { readonly operatorId: string | null }) =>
  tx.query('update desk_item set claimed_by = $3 where queue = $1 and subject = $2', [queue, subject, operatorId])

/**
 * Claims an entry, which bars other operators from deciding it. Refuses `not_found`, `desk_item_closed`, `desk_taken`,
 * `desk_involved`.
 */
export async function claimItem(product: Product, pool: pg.Pool, itemAct: ItemAct): Promise<void> {
  const { queue, operator, id } = itemAct
  const item = { queue: queue.name, subject: id }
  await requireActor(product, pool, itemAct)
  await transact(pool, async (tx) => {
    const row = await lockOpenItem(product, tx, itemAct)
    requireUnclaimed(row, operator)
    if (row.claimed_by === operator.id) return
    await storeClaim(tx, { ...item, operatorId: operator.id })
    const line = { act: 'claimed', ...item, before: row.claimed_name ?? undefined, after: operator.name } as const
    await writeLine(tx, operator, line, product.desk.context.realNow())
  })
}

/**
 * Assigns an entry to an operator by name, or to none. Refuses like `claimItem`, and `desk_not_permitted` if the
 * receiver lacks the role or owns an account that the entry concerns.
 */
export async function handOverItem(
  product: Product,
  pool: pg.Pool,
  { to, reason, ...itemAct }: ItemAct & { readonly to: string | null; readonly reason: string },
): Promise<void> {
  const { queue, operator, id } = itemAct
  const item = { queue: queue.name, subject: id }
  await requireActor(product, pool, itemAct)
  await transact(pool, async (tx) => {
    const row = await lockOpenItem(product, tx, itemAct)
    requireUnclaimed(row, operator)
    const receiver = to === null ? null : await findOperator(tx, to)
    if (receiver !== null && !isPermitted(receiver.roles, queue.name)) refuse('desk_not_permitted')
    const isInvolved = receiver !== null && (await lockInvolved(tx, { operatorIds: [receiver.id], ...item })).size > 0
    if (isInvolved) refuse('desk_not_permitted')
    await storeClaim(tx, { ...item, operatorId: receiver?.id ?? null })
    const line = { act: 'handed_over', ...item, reason, before: row.claimed_name ?? undefined } as const
    await writeLine(tx, operator, { ...line, after: receiver?.name }, product.desk.context.realNow())
  })
}

/** Reserves the next decision for a lead and releases the claim. Refuses like `claimItem`. */
export async function escalateItem(
  product: Product,
  pool: pg.Pool,
  { reason, ...itemAct }: ItemAct & { readonly reason: string },
): Promise<void> {
  const { queue, operator, id } = itemAct
  await requireActor(product, pool, itemAct)
  await transact(pool, async (tx) => {
    requireUnclaimed(await lockOpenItem(product, tx, itemAct), operator)
    await tx.query('update desk_item set for_lead = true, claimed_by = null where queue = $1 and subject = $2', [
      queue.name,
      id,
    ])
    await writeLine(
      tx,
      operator,
      { act: 'escalated', queue: queue.name, subject: id, reason },
      product.desk.context.realNow(),
    )
  })
}

/** Logs a note about an entry. Refuses `not_found`, `desk_involved`. */
export async function addNote(
  product: Product,
  pool: pg.Pool,
  { queue, operator, id, text }: ItemAct & { readonly text: string },
): Promise<void> {
  const entry = await requireEntry(product, pool, { queue, id })
  await requireNotOwn(product, pool, { queue, entry, operator })
  const line = { act: 'noted', queue: queue.name, subject: id, reason: text } as const
  await writeLine(pool, operator, line, product.desk.context.realNow())
}

/** Polls the provider about an entry. Refuses `not_found`, also in a queue without a provider, and `desk_involved`. */
export async function pollProviderOfItem(
  product: Product,
  pool: pg.Pool,
  { queue, operator, id }: ItemAct,
): Promise<void> {
  const entry = await requireEntry(product, pool, { queue, id })
  await requireNotOwn(product, pool, { queue, entry, operator })
  if (!queue.askProvider) return refuse('not_found')
  await queue.askProvider(product, pool, id)
  const line = { act: 'asked_provider', queue: queue.name, subject: id } as const
  await writeLine(pool, operator, line, product.desk.context.realNow())
}
