import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { businessDaysLater } from '../../payments/payments.ts'
import type { DisputeContext } from '../context.ts'
import { creditProvisionally } from './provisional-credit.ts'
import { claimedAmount, lockDispute, addEvent, openReview, readObjection } from '../records/dispute-rows.ts'
import { daysLater, extendedDays, readPolicy } from '../policy.ts'
import { notifyHolder } from '../notices.ts'
import type { DisputeReviewRow, DisputeRow } from '../row-types.ts'

// Scheduled work on disputes. No deadline decides a dispute; only an operator does.

const batchSize = 200
/** Business days a lead gets for an objection, and for a dispute whose extended deadline has passed too. */
const extensionDays = 5

/** SQL: undecided disputes and objections that were escalated at a missed deadline. */
const overdueSql = `
  select d.id from dispute d left join dispute_objection o on o.dispute_id = d.id and o.state = 'open'
   where (d.state = 'open' and d.escalated_at is not null) or o.escalated_at is not null`

/** Queues disputes whose question was not answered in time, and posts provisional credits that are due. */
export async function runDueDisputes(ctx: DisputeContext, pool: pg.Pool): Promise<void> {
  const at = ctx.now()
  for (const id of await findDue(pool, { at, condition: unansweredSql })) {
    await endUnanswered(ctx, pool, id).catch((error: unknown) => logFailure(ctx, id, error))
  }
  for (const id of await findDue(pool, { at, condition: creditDueSql })) {
    await creditProvisionally(ctx, pool, id).catch((error: unknown) => logFailure(ctx, id, error))
  }
}

const unansweredSql = `d.state = 'open' and d.need_by <= $1`
const creditDueSql = `d.state = 'open' and d.credit_by <= $1 and not exists (select from open_losses_of(d.user_id))`

// Unlimited, because credits that wait for room or for a pending payment stay due: a limit would starve newer ones.
async function findDue(
  db: Db,
  { at, condition }: { readonly at: Date; readonly condition: string },
): Promise<string[]> {
  const sql = `select d.id from dispute d where ${condition} order by d.id`
  return (await db.query<Pick<DisputeRow, 'id'>>(sql, [at])).rows.map(({ id }) => id)
}

const logFailure = ({ log }: Pick<DisputeContext, 'log'>, id: string, error: unknown): void =>
  log.error({ err: error, id }, 'a due dispute could not be moved on')

/** Closes an expired question and queues the dispute for review. */
const endUnanswered = ({ now }: Pick<DisputeContext, 'now'>, pool: pg.Pool, id: string): Promise<void> =>
  transact(pool, async (tx) => {
    const row = await lockDispute(tx, id)
    const at = now()
    if (row?.state !== 'open' || row.need_by === null || row.need_by > at) return
    await tx.query('update dispute set need = null, need_by = null where id = $1', [id])
    await openReview(tx, id, 'not_answered', at)
  })

/**
 * Escalates overdue disputes and objections to a lead with a new deadline. Notifies account holders of a dispute's new
 * deadline. Returns the ids of the queue entries.
 */
export async function escalateOverdueDisputes(ctx: DisputeContext, tx: Tx): Promise<readonly string[]> {
  const at = ctx.now()
  const { rows } = await tx.query<Pick<DisputeRow, 'id'>>(
    `select d.id from dispute d
      where (d.state = 'open' and d.decide_by <= $1)
         or exists (select from dispute_objection o where o.dispute_id = d.id and o.state = 'open' and o.decide_by <= $1)
      order by d.id limit ${batchSize} for update of d skip locked`,
    [at],
  )
  const escalatedIds = []
  for (const { id } of rows) {
    await escalate(ctx, tx, { id, at })
    escalatedIds.push(id)
  }
  const reviews = await tx.query<Pick<DisputeReviewRow, 'id'>>(
    'select id from dispute_review where dispute_id = any($1::uuid[]) and closed_at is null',
    [escalatedIds],
  )
  return reviews.rows.map(({ id }) => id)
}

async function escalate(
  ctx: DisputeContext,
  tx: Tx,
  { id, at }: { readonly id: string; readonly at: Date },
): Promise<void> {
  const row = (await lockDispute(tx, id)) ?? refuse('not_found')
  const policy = await readPolicy(tx, row)
  const furtherDeadline = businessDaysLater(policy.country, at, extensionDays)
  const objection = await readObjection(tx, id)
  if (row.state === 'open') {
    const extendedDeadline = daysLater(row.opened_at, extendedDays(policy, row.is_new_account))
    const decideBy = extendedDeadline > at ? extendedDeadline : furtherDeadline
    await tx.query('update dispute set escalated_at = $2, decide_by = $3 where id = $1', [id, at, decideBy])
    if (row.need === null) await openReview(tx, id, 'not_answered', at)
    await addEvent(tx, id, 'extended', at)
    await notifyHolder(ctx, tx, { row, step: 'extended', amount: claimedAmount(row), by: decideBy })
  } else if (objection) {
    const sql = 'update dispute_objection set escalated_at = $2, decide_by = $3 where id = $1'
    await tx.query(sql, [objection.id, at, furtherDeadline])
  }
  ctx.log.error({ id }, 'a dispute was not decided in time, and waits for a lead')
}

/** Returns the number of undecided disputes and objections that missed a deadline. */
export async function countOverdue(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>(`select count(*) from (${overdueSql}) overdue`)
  return Number(rows[0]?.count ?? 0n) // not money: a count
}
