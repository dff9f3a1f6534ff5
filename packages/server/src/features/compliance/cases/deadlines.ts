import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import type { CaseContext } from '../context.ts'
import { addHours, findPolicy } from './case-rows.ts'
import { returnToOperators } from './person-actions.ts'
import type { ComplianceCaseRow } from '../row-types.ts'

// No deadline closes a case: an undecided case is escalated to a lead with a new deadline, repeatedly if necessary.

type Ctx = Pick<CaseContext, 'now'>

/** SQL: case `c` waits for operators, since no question and no objection is open. */
const awaitsOperatorSql = `c.state = 'open' and c.need = 'nothing'
  and not exists (select from compliance_objection o where o.case_id = c.id and o.state = 'open')`

/** Gives overdue cases a new deadline. Returns the ids of their reviews, which the desk escalates to a lead. */
export async function escalateOverdueCases({ now }: Ctx, tx: Tx): Promise<string[]> {
  const at = now()
  const { rows } = await tx.query<ComplianceCaseRow & { review_id: string }>(
    `select c.*, r.id as review_id from compliance_case c
       join compliance_review r on r.case_id = c.id and r.closed_at is null
      where c.decide_by <= $1 and ${awaitsOperatorSql} order by c.id for update of c skip locked`,
    [at],
  )
  for (const row of rows) {
    const { escalated_hours: hours } = await findPolicy(tx, row)
    await tx.query(
      'update compliance_case set decide_by = $2, escalated_at = $3, escalations = escalations + 1 where id = $1',
      [row.id, addHours(at, hours), at],
    )
  }
  return rows.map(({ review_id: id }) => id)
}

/** Gives overdue objections a new deadline. Returns their ids, which the desk escalates to a lead. */
export async function escalateOverdueObjections({ now }: Ctx, tx: Tx): Promise<string[]> {
  const at = now()
  const { rows } = await tx.query<ComplianceCaseRow & { objection_id: string }>(
    `select c.*, o.id as objection_id from compliance_objection o join compliance_case c on c.id = o.case_id
      where o.state = 'open' and o.decide_by <= $1 order by c.id for update of c skip locked`,
    [at],
  )
  for (const row of rows) {
    const { escalated_hours: hours } = await findPolicy(tx, row)
    const until = addHours(at, hours)
    await tx.query(
      'update compliance_objection set decide_by = $2, escalated_at = $3, escalations = escalations + 1 where id = $1',
      [row.objection_id, until, at],
    )
    await tx.query('update compliance_case set decide_by = greatest(decide_by, $2) where id = $1', [row.id, until])
  }
  return rows.map(({ objection_id: id }) => id)
}

/** Closes expired questions and queues their cases for review. */
export const endUnanswered = ({ now }: Ctx, pool: pg.Pool): Promise<void> =>
  transact(pool, async (tx) => {
    const at = now()
    const { rows } = await tx.query<ComplianceCaseRow>(
      `select * from compliance_case where state = 'open' and need_by <= $1 order by id for update skip locked`,
      [at],
    )
    for (const row of rows) await returnToOperators(tx, row, 'not_answered', at)
  })

/** Returns the number of open cases and objections that were escalated to a lead. */
export async function countEscalated(db: Db): Promise<bigint> {
  const { rows } = await db.query<{ count: bigint }>(
    `select (select count(*) from compliance_case where state = 'open' and escalations > 0)
          + (select count(*) from compliance_objection where state = 'open' and escalations > 0) as count`,
  )
  return rows[0]?.count ?? 0n
}
