import type { Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { CaseNotices } from './case-notices.ts'
import { type CaseRow, hoursAfter, lockCase, policyOf } from './case-rows.ts'
import { closeReview, linkHeld, usualStops } from './open-case.ts'

export const caseVerdicts = ['clear', 'confirm', 'ask_explanation', 'ask_document'] as const
export type CaseVerdict = (typeof caseVerdicts)[number]

export const objectionVerdicts = ['uphold', 'dismiss'] as const
export type ObjectionVerdict = (typeof objectionVerdicts)[number]

/** Decision maker and time; the name is recorded. */
export interface DecidedHow {
  readonly by: string
  readonly at: Date
  readonly notices: CaseNotices
}

/** Carries out a review decision. Refuses `desk_item_closed` when the review has been closed or replaced. */
export async function decideReview(tx: Tx, reviewId: string, verdict: CaseVerdict, how: DecidedHow): Promise<void> {
  const found = await tx.query<{ case_id: string }>('select case_id from compliance_review where id = $1', [reviewId])
  const { case_id: caseId } = found.rows[0] ?? refuse('desk_item_closed')
  const known = (await lockCase(tx, caseId)) ?? refuse('desk_item_closed')
  const { rowCount } = await tx.query(
    `select from compliance_review r where r.id = $1 and r.closed_at is null
        and not exists (select from compliance_objection o where o.case_id = r.case_id and o.state = 'open')`,
    [reviewId],
  )
  if (rowCount === 0 || known.state !== 'open') refuse('desk_item_closed')
  if (verdict === 'clear' || verdict === 'confirm') return end(tx, known, verdict, how)
  await ask(tx, known, verdict === 'ask_document' ? 'document' : 'explanation', how)
}

/** Closes a case. Its state decides the transfers it holds. */
async function end(
  tx: Tx,
  known: CaseRow,
  verdict: 'clear' | 'confirm',
  { by, at, notices }: DecidedHow,
): Promise<void> {
  const state = verdict === 'clear' ? 'cleared' : 'confirmed'
  // A possible match stopped nothing until it was confirmed.
  const stops = state === 'confirmed' && known.stops === 'nothing' ? usualStops[known.kind] : known.stops
  await tx.query(
    `update compliance_case set state = $2, stops = $3, need = 'nothing', need_by = null, decided_at = $4, decided_by = $5
      where id = $1`,
    [known.id, state, stops, at, by],
  )
  await closeReview(tx, known.id, at)
  if (stops === 'person' && known.stops === 'nothing') await linkHeld(tx, known.id, known.user_id, at)
  if (state === 'cleared') {
    await tx.query(
      `update screening_match set status = 'cleared', closed_at = $2, cleared_by = $3 where case_id = $1 and status = 'open'`,
      [known.id, at, by],
    )
  }
  await notices.decided(tx, { ...known, stops }, state)
}

/** Requests an answer from the account holder. */
async function ask(
  tx: Tx,
  known: CaseRow,
  need: 'explanation' | 'document',
  { at, notices }: DecidedHow,
): Promise<void> {
  const { answer_hours: hours } = await policyOf(tx, known)
  const by = hoursAfter(at, hours)
  await insertRow(tx, 'compliance_question', {
    ...{ id: newId(at), case_id: known.id, need, requested_at: at, answer_by: by },
  })
  await tx.query('update compliance_case set need = $2, need_by = $3 where id = $1', [known.id, need, by])
  await closeReview(tx, known.id, at)
  await notices.asked(tx, known, need, by)
}

/**
 * Carries out a decision about an objection: `uphold` clears the case, even a confirmed one; `dismiss` leaves it
 * unchanged. Refuses `desk_item_closed`.
 */
export async function decideObjection(
  tx: Tx,
  objectionId: string,
  verdict: ObjectionVerdict,
  how: DecidedHow,
): Promise<void> {
  const found = await tx.query<{ case_id: string; user_id: bigint }>(
    'select case_id, user_id from compliance_objection where id = $1',
    [objectionId],
  )
  const [objection] = found.rows
  if (!objection) return refuse('desk_item_closed')
  const known = (await lockCase(tx, objection.case_id)) ?? refuse('desk_item_closed')
  const state = verdict === 'uphold' ? 'upheld' : 'dismissed'
  const { rowCount } = await tx.query(
    `update compliance_objection set state = $2, decided_at = $3, decided_by = $4 where id = $1 and state = 'open'`,
    [objectionId, state, how.at, how.by],
  )
  if (rowCount === 0) refuse('desk_item_closed')
  await how.notices.objectionDecided(tx, objection.user_id, objectionId, state)
  if (state === 'upheld') return end(tx, known, 'clear', how)
  // The time an objection took does not shorten the deadline of the case.
  if (known.state === 'open' && known.need === 'nothing') {
    const { decide_hours: hours } = await policyOf(tx, known)
    await tx.query('update compliance_case set decide_by = greatest(decide_by, $2) where id = $1', [
      known.id,
      hoursAfter(how.at, hours),
    ])
  }
}
