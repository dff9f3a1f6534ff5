import type { Check } from '@tern/contract/compliance/checks'
import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { CaseContext } from '../context.ts'
import { addHours, lockCase, findPolicy } from './case-rows.ts'
import { readCheck } from './checks.ts'
import { beginReview } from './open-case.ts'
import type { ComplianceCaseRow, ComplianceQuestionRow } from '../row-types.ts'

// Answers and objections of account holders and senders.

type Ctx = Pick<CaseContext, 'now'>

interface PersonText {
  readonly userId: bigint
  /** Id of the case. */
  readonly id: string
  readonly text: string
}

/**
 * Stores the account holder's answer and queues the case for review. Refuses `not_found`, `nothing_asked`,
 * `file_missing`.
 */
export const answerCheck = (ctx: Ctx, pool: pg.Pool, { userId, id, text }: PersonText): Promise<Check> =>
  transact(pool, async (tx) => {
    const { need } = await readCheck(ctx, tx, { userId, id })
    // Only the account holder of a case sees its question.
    if (need === 'nothing') refuse('nothing_asked')
    await storeAnswer(tx, { caseId: id, text, at: ctx.now() })
    return readCheck(ctx, tx, { userId, id })
  })

interface PersonAnswer {
  readonly caseId: string
  readonly text: string
  readonly at: Date
}

async function storeAnswer(tx: Tx, { caseId, text, at }: PersonAnswer): Promise<void> {
  const complianceCase = (await lockCase(tx, caseId)) ?? refuse('not_found')
  const { rows } = await tx.query<Pick<ComplianceQuestionRow, 'id' | 'need' | 'requested_at'>>(
    `select id, need, requested_at from compliance_question where case_id = $1 and answered_at is null
      order by requested_at desc limit 1`,
    [caseId],
  )
  const [question] = rows
  if (!question || complianceCase.need === 'nothing') return refuse('nothing_asked')
  if (question.need === 'document') await requireNewDocument(tx, complianceCase.user_id, question.requested_at)
  await tx.query('update compliance_question set answer = $2, answered_at = $3 where id = $1', [question.id, text, at])
  await returnToOperators(tx, complianceCase, 'answered', at)
}

async function requireNewDocument(tx: Tx, userId: bigint, since: Date): Promise<void> {
  const { rowCount } = await tx.query(
    'select from kyc_document where user_id = $1 and deleted_at is null and created_at >= $2 limit 1',
    [userId, since],
  )
  if (rowCount === 0) refuse('file_missing')
}

/** Closes the question and queues the case for review with a new deadline. */
export async function returnToOperators(
  tx: Tx,
  complianceCase: ComplianceCaseRow,
  cause: 'answered' | 'not_answered',
  at: Date,
): Promise<void> {
  const { decide_hours: hours } = await findPolicy(tx, complianceCase)
  await tx.query(`update compliance_case set need = 'nothing', need_by = null, decide_by = $2 where id = $1`, [
    complianceCase.id,
    addHours(at, hours),
  ])
  await beginReview(tx, complianceCase.id, cause, at)
}

/** Stores an objection; the case cannot be decided while it is open. Refuses `not_found`, `objection_not_possible`. */
export const objectToCheck = (ctx: Ctx, pool: pg.Pool, { userId, id, text }: PersonText): Promise<Check> =>
  transact(pool, async (tx) => {
    await readCheck(ctx, tx, { userId, id })
    await storeObjection(tx, { caseId: id, userId, text, at: ctx.now() })
    return readCheck(ctx, tx, { userId, id })
  })

async function storeObjection(
  tx: Tx,
  { caseId, userId, text, at }: PersonAnswer & { readonly userId: bigint },
): Promise<void> {
  const complianceCase = (await lockCase(tx, caseId)) ?? refuse('not_found')
  const { rowCount } = await tx.query(
    `select from compliance_objection
      where case_id = $1 and (state = 'open' or user_id = $2 and made_at >= coalesce($3::timestamptz, '-infinity'))`,
    [caseId, userId, complianceCase.decided_at],
  )
  if (complianceCase.state === 'cleared' || rowCount !== 0) refuse('objection_not_possible')
  const { objection_hours: hours } = await findPolicy(tx, complianceCase)
  const until = addHours(at, hours)
  await insertRow(tx, 'compliance_objection', {
    id: newId(at),
    case_id: caseId,
    user_id: userId,
    text,
    made_at: at,
    decide_by: until,
  })
  await tx.query('update compliance_case set decide_by = greatest(decide_by, $2) where id = $1', [caseId, until])
}
