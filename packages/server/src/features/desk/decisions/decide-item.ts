import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import type { Product } from '../../../product.ts'
import type { Operator } from '../context.ts'
import { writeLine } from '../log.ts'
import type { Queue, QueueEntry } from '../../../manifests/desk-queue.ts'
import {
  type ItemKey,
  type ItemRow,
  lockItem,
  needsTwo,
  readDecisions,
  readThreshold,
  toStanding,
} from './item-rows.ts'
import { requireNotOwn, requireUninvolved, restartIfInvolved } from './involvement.ts'
import { determineOutcome, findObstacle } from './item-standing.ts'

/** Result of a decision. `verdict` is null until the decision is final. */
export interface Outcome {
  readonly outcome: 'proposed' | 'carried_out' | 'disputed'
  readonly verdict: string | null
}

/** Time after which an operator may retry a final decision that was not carried out. */
const retryAfterMs = 60_000

const obstacleCodes = {
  decided: 'desk_item_closed',
  decided_already: 'desk_decided_already',
  lead_needed: 'desk_lead_needed',
  taken: 'desk_taken',
  involved: 'desk_involved',
} as const

/** Returns an open entry. Refuses `not_found`. */
export const requireEntry = async (
  product: Product,
  db: Db,
  { queue, id }: { readonly queue: Queue; readonly id: string },
): Promise<QueueEntry> => (await queue.find(product, db, id)) ?? refuse('not_found')

interface Decision {
  readonly queue: Queue
  readonly operator: Operator
  readonly id: string
  readonly verdict: string
  readonly reason: string
}

/**
 * Records a decision and carries it out if it is final: one operator decided where one suffices, two agreed, or a lead
 * decided after a disagreement. Locks the entry while it records. Refuses `not_found`, `desk_item_closed`,
 * `desk_decided_already`, `desk_lead_needed`, `desk_taken`, `desk_involved`, `desk_not_carried_out`, and
 * `invalid_request` for an unknown verdict.
 */
export async function decideItem(
  product: Product,
  pool: pg.Pool,
  { queue, operator, id, verdict, reason }: Decision,
): Promise<Outcome> {
  if (!queue.verdicts.includes(verdict)) refuse('invalid_request', { errors: [{ field: 'verdict', code: 'invalid' }] })
  const entryBeforeLock = await requireEntry(product, pool, { queue, id })
  await requireUninvolved(product, pool, { queue, entry: entryBeforeLock, operator })
  const item = { queue: queue.name, subject: id }
  const at = product.desk.context.realNow()
  const isSole = queue.soleVerdicts?.includes(verdict) === true
  const outcome = await transact(pool, async (tx) => {
    const lockedRow = await lockItem(tx, item)
    // Read again after locking: a concurrent decision may have closed the entry or changed its value.
    const entry = (await queue.find(product, tx, id)) ?? refuse('desk_item_closed')
    // A final verdict is being carried out or can be retried, so its round must not restart.
    const isDecided = lockedRow.verdict !== null
    const row = isDecided ? lockedRow : await restartIfInvolved(tx, { queue, item, row: lockedRow, operator, at })
    return storeDecision(tx, { entry, item, row, operator, verdict, isSole, reason, at })
  })
  if (outcome !== 'carry_out') return { outcome, verdict: null }
  await applyOutcome(product, pool, { queue, id, since: at })
  return { outcome: 'carried_out', verdict }
}

interface NewDecision {
  readonly entry: QueueEntry
  readonly item: ItemKey
  readonly row: ItemRow
  readonly operator: Operator
  readonly verdict: string
  readonly isSole: boolean
  readonly reason: string
  readonly at: Date
}

async function storeDecision(
  tx: Tx,
  { entry, item, row, operator, verdict, isSole, reason, at }: NewDecision,
): Promise<'proposed' | 'disputed' | 'carry_out'> {
  const decisions = await readDecisions(tx, { ...item, round: row.round })
  const itemStanding = toStanding(row, decisions, needsTwo(entry, await readThreshold(tx, item.queue), isSole))
  const obstacle = findObstacle(itemStanding, { id: operator.id, isLead: operator.roles.includes('lead') })
  if (obstacle) refuse(obstacleCodes[obstacle])
  const { seat, outcome } = determineOutcome(itemStanding, verdict)
  const decisionId = newId(at)
  await insertRow(tx, 'desk_decision', {
    id: decisionId,
    queue: item.queue,
    subject: item.subject,
    round: row.round,
    seat,
    operator_id: operator.id,
    verdict,
    reason,
    decided_at: at,
  })
  const isCarriedOut = outcome === 'carry_out'
  await tx.query(
    `update desk_item set claimed_by = null, for_lead = false, verdict = $3, carrying_out_since = $4
      where queue = $1 and subject = $2`,
    [item.queue, item.subject, isCarriedOut ? verdict : null, isCarriedOut ? at : null],
  )
  const itemKey = { queue: item.queue, subject: item.subject }
  await writeLine(tx, operator, { act: 'decided', ...itemKey, reason, after: verdict, decisionId }, at)
  const agreement = seat === 'second' ? (isCarriedOut ? 'agreed' : 'disagreed') : undefined
  if (agreement) {
    const first = decisions[0]
    await writeLine(tx, operator, { act: agreement, ...itemKey, before: first?.verdict, after: verdict }, at)
  }
  return outcome
}

/**
 * Carries out the final verdict and records it. If the queue refuses it, the entry reopens in a new round. Records
 * nothing if another operator has taken over since `since`.
 */
async function applyOutcome(
  product: Product,
  pool: pg.Pool,
  { queue, id, since }: { readonly queue: Queue; readonly id: string; readonly since: Date },
): Promise<string> {
  const { realNow } = product.desk.context
  const item = { queue: queue.name, subject: id }
  const { verdict, by } = await readFinalVerdict(pool, item)
  const actor = { id: null, name: by.name }
  try {
    await queue.perform(product, pool, { id, verdict, by })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const changes = 'round = round + 1, verdict = null, carrying_out_since = null'
    await transact(pool, async (tx) => {
      if (!(await completeDecision(tx, { ...item, since, changes }))) return
      await writeLine(tx, actor, { act: 'not_carried_out', ...item, after: error.code }, realNow())
    })
    return refuse('desk_not_carried_out', { ...error.details, extra: { cause: error.code, ...error.details.extra } })
  }
  await transact(pool, async (tx) => {
    if (!(await completeDecision(tx, { ...item, since, changes: 'carried_out_at = now()' }))) return
    await writeLine(tx, actor, { act: 'carried_out', ...item, after: verdict }, realNow())
  })
  return verdict
}

/** Stores `changes` at the end of carrying out. Returns false if another operator has taken over or finished. */
async function completeDecision(
  tx: Tx,
  { queue, subject, since, changes }: ItemKey & { readonly since: Date; readonly changes: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update desk_item set ${changes}
      where queue = $1 and subject = $2 and carrying_out_since = $3 and carried_out_at is null`,
    [queue, subject, since],
  )
  return rowCount === 1
}

/** Returns the final verdict, with the names and reasons of all operators who chose it. */
async function readFinalVerdict(db: Db, item: ItemKey) {
  const { rows } = await db.query<{ verdict: string; names: string; notes: string }>(
    `select i.verdict, string_agg(o.name, ', ' order by d.decided_at) as names, string_agg(d.reason, ' / ' order by d.decided_at) as notes
       from desk_item i
       join desk_decision d on d.queue = i.queue and d.subject = i.subject and d.round = i.round and d.verdict = i.verdict
       join desk_operator o on o.id = d.operator_id
      where i.queue = $1 and i.subject = $2 and i.verdict is not null and i.carried_out_at is null group by i.verdict`,
    [item.queue, item.subject],
  )
  const [row] = rows
  if (!row) return refuse('desk_item_closed')
  return { verdict: row.verdict, by: { name: row.names, note: row.notes } }
}

/**
 * Retries a final decision that was interrupted. Refuses `not_found`, `desk_item_closed` if nothing is left to carry
 * out or another operator is carrying it out, and `desk_involved` if it concerns the operator's own account. Refuses
 * `desk_not_carried_out` if the queue refuses, or if it concerns a decider's own account; the entry then needs a new
 * decision.
 */
export async function retryOutcome(
  product: Product,
  pool: pg.Pool,
  { queue, operator, id }: { readonly queue: Queue; readonly operator: Operator; readonly id: string },
): Promise<string> {
  const entry = await requireEntry(product, pool, { queue, id })
  await requireNotOwn(product, pool, { queue, entry, operator })
  const item = { queue: queue.name, subject: id }
  const at = product.desk.context.realNow()
  const isDecided = await transact(pool, async (tx) => {
    const row = await lockItem(tx, item)
    const { verdict, carrying_out_since: since, carried_out_at: carriedOutAt } = row
    if (verdict === null || carriedOutAt !== null || since === null || since.getTime() >= at.getTime() - retryAfterMs) {
      return refuse('desk_item_closed')
    }
    if ((await restartIfInvolved(tx, { queue, item, row, operator, at })).verdict === null) return false
    const sql = 'update desk_item set carrying_out_since = $3 where queue = $1 and subject = $2'
    await tx.query(sql, [queue.name, id, at])
    return true
  })
  if (!isDecided) refuse('desk_not_carried_out', { extra: { cause: 'desk_involved' } })
  return applyOutcome(product, pool, { queue, id, since: at })
}
