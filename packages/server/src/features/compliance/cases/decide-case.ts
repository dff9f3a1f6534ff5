import type pg from 'pg'
import { type Db, retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { CaseContext } from '../context.ts'
import { notifyDecision, notifyObjectionDecision, notifyQuestion } from './case-notices.ts'
import { addHours, lockCase, findPolicy } from './case-rows.ts'
import { closeReview, linkHeldTransfers, defaultScopes } from './open-case.ts'
import type { ComplianceCaseRow, ComplianceObjectionRow, ComplianceReviewRow } from '../row-types.ts'

export const caseVerdicts = ['clear', 'confirm', 'ask_explanation', 'ask_document'] as const
export type CaseVerdict = (typeof caseVerdicts)[number]

export const objectionVerdicts = ['uphold', 'dismiss'] as const
export type ObjectionVerdict = (typeof objectionVerdicts)[number]

interface Decision<Verdict> {
  /** Id of the review or of the objection. */
  readonly id: string
  readonly verdict: Verdict
  /** Names of the operators who decided, for the record. */
  readonly by: string
}

/**
 * Carries out operators' decision on a review. Retries on conflicts with screening and verification, which lock the
 * same rows in another order. Refuses `desk_item_closed` if the review was closed or replaced, or an objection is open.
 */
export const decideReview = (ctx: CaseContext, pool: pg.Pool, { id, verdict, by }: Decision<CaseVerdict>) =>
  retryOnConflict(pool, async (tx) => {
    const at = ctx.now()
    const result = await tx.query<Pick<ComplianceReviewRow, 'case_id'>>(
      'select case_id from compliance_review where id = $1',
      [id],
    )
    const { case_id: caseId } = result.rows[0] ?? refuse('desk_item_closed')
    const complianceCase = (await lockCase(tx, caseId)) ?? refuse('desk_item_closed')
    const { rowCount } = await tx.query(
      `select from compliance_review r where r.id = $1 and r.closed_at is null
          and not exists (select from compliance_objection o where o.case_id = r.case_id and o.state = 'open')`,
      [id],
    )
    if (rowCount === 0 || complianceCase.state !== 'open') refuse('desk_item_closed')
    if (verdict === 'clear' || verdict === 'confirm') return endCase(ctx, tx, { complianceCase, verdict, by, at })
    await requestAnswer(ctx, tx, { complianceCase, need: verdict === 'ask_document' ? 'document' : 'explanation', at })
  })

interface CaseEnd {
  readonly complianceCase: ComplianceCaseRow
  readonly verdict: 'clear' | 'confirm'
  readonly by: string
  readonly at: Date
}

/** Closes a case and notifies people. The transfers it holds are settled or returned later, by its state. */
async function endCase(ctx: CaseContext, tx: Tx, { complianceCase, verdict, by, at }: CaseEnd): Promise<void> {
  const state = verdict === 'clear' ? 'cleared' : 'confirmed'
  // A confirmed case that stopped nothing takes the default scope of its kind.
  const stops =
    state === 'confirmed' && complianceCase.stops === 'nothing'
      ? defaultScopes[complianceCase.kind]
      : complianceCase.stops
  await tx.query(
    `update compliance_case set state = $2, stops = $3, need = 'nothing', need_by = null, decided_at = $4, decided_by = $5
      where id = $1`,
    [complianceCase.id, state, stops, at, by],
  )
  await closeReview(tx, complianceCase.id, at)
  if (stops === 'person' && complianceCase.stops === 'nothing')
    await linkHeldTransfers(tx, complianceCase.id, complianceCase.user_id, at)
  if (state === 'cleared') {
    await tx.query(
      `update screening_match set status = 'cleared', closed_at = $2, cleared_by = $3 where case_id = $1 and status = 'open'`,
      [complianceCase.id, at, by],
    )
  }
  await notifyDecision(ctx, tx, { complianceCase: { ...complianceCase, stops }, state })
}

interface CaseQuestion {
  readonly complianceCase: ComplianceCaseRow
  readonly need: 'explanation' | 'document'
  readonly at: Date
}

/** Asks the account holder a question and closes the review until the answer or its deadline. */
async function requestAnswer(ctx: CaseContext, tx: Tx, { complianceCase, need, at }: CaseQuestion): Promise<void> {
  const { answer_hours: hours } = await findPolicy(tx, complianceCase)
  const by = addHours(at, hours)
  await insertRow(tx, 'compliance_question', {
    id: newId(at),
    case_id: complianceCase.id,
    need,
    requested_at: at,
    answer_by: by,
  })
  await tx.query('update compliance_case set need = $2, need_by = $3 where id = $1', [complianceCase.id, need, by])
  await closeReview(tx, complianceCase.id, at)
  await notifyQuestion(ctx, tx, { complianceCase, need, by })
}

/**
 * Carries out operators' decision on an objection: `uphold` clears the case, even a confirmed one; `dismiss` changes
 * only the deadline of an open one. Refuses `desk_item_closed`.
 */
export const decideObjection = (ctx: CaseContext, pool: pg.Pool, { id, verdict, by }: Decision<ObjectionVerdict>) =>
  retryOnConflict(pool, async (tx) => {
    const at = ctx.now()
    const result = await tx.query<Pick<ComplianceObjectionRow, 'case_id' | 'user_id'>>(
      'select case_id, user_id from compliance_objection where id = $1',
      [id],
    )
    const objection = result.rows[0] ?? refuse('desk_item_closed')
    const complianceCase = (await lockCase(tx, objection.case_id)) ?? refuse('desk_item_closed')
    const state = verdict === 'uphold' ? 'upheld' : 'dismissed'
    const { rowCount } = await tx.query(
      `update compliance_objection set state = $2, decided_at = $3, decided_by = $4 where id = $1 and state = 'open'`,
      [id, state, at, by],
    )
    if (rowCount === 0) refuse('desk_item_closed')
    await notifyObjectionDecision(ctx, tx, { id, userId: objection.user_id, state })
    if (state === 'upheld') return endCase(ctx, tx, { complianceCase, verdict: 'clear', by, at })
    // Operators get their full time for the case again after the objection.
    if (complianceCase.state === 'open' && complianceCase.need === 'nothing') {
      const { decide_hours: hours } = await findPolicy(tx, complianceCase)
      await tx.query('update compliance_case set decide_by = greatest(decide_by, $2) where id = $1', [
        complianceCase.id,
        addHours(at, hours),
      ])
    }
  })

/** Returns whether an operator decided, claimed or was handed the case of an objection, or another objection to it. */
export async function isInvolved(
  db: Db,
  { objectionId, operatorId }: { readonly objectionId: string; readonly operatorId: string },
): Promise<boolean> {
  const { rows } = await db.query<{ involved: boolean }>('select compliance_is_involved($1, $2) as involved', [
    objectionId,
    operatorId,
  ])
  return rows[0]?.involved === true
}
