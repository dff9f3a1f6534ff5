import type { Dispute } from '@tern/contract/disputes/disputes'
import { money } from '@tern/money/money'
import type pg from 'pg'
import { type Db, retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { DisputeContext } from '../context.ts'
import { findAccounts, postCredit, reverseCredit } from './credits.ts'
import { closeSettledLosses } from './missing-credits.ts'
import { releaseWaitingCredit } from './provisional-credit.ts'
import { lockDue, sumAmounts } from './amount-due.ts'
import { findStoredTransaction } from '../opening/claims.ts'
import {
  claimedAmount,
  closeReview,
  type StoredDispute,
  findDispute,
  lockDispute,
  lockOwnOpen,
  addEvent,
  openReview,
  type OwnDispute,
  readObjection,
} from '../records/dispute-rows.ts'
import { daysLater, readPolicy } from '../policy.ts'
import { readDispute } from '../records/dispute-view.ts'
import { notifyHolder } from '../notices.ts'

// Decisions of operators, and withdrawals, each in one transaction that locks the dispute first.

export const disputeVerdicts = [
  'uphold',
  'dismiss',
  'ask_explanation',
  'ask_document',
  'give_credit',
  'suspect_fraud',
] as const
export type DisputeVerdict = (typeof disputeVerdicts)[number]

interface DisputeStepInput {
  readonly row: StoredDispute
  readonly at: Date
  /** True if the decision is about an objection to a dismissal. */
  readonly isObjection: boolean
}

/**
 * Carries out a verdict on a dispute, or on an objection to its dismissal. Polls the provider before upholding. Refuses
 * `not_found`, `dispute_closed`, `dispute_undecided` while the payment is pending or a missing deposit has not arrived,
 * and `dispute_no_credit_due` if there is no provisional credit to post or to stop.
 */
export async function decideDispute(
  ctx: DisputeContext,
  pool: pg.Pool,
  { id, verdict }: { readonly id: string; readonly verdict: DisputeVerdict },
): Promise<void> {
  if (verdict === 'give_credit') return releaseWaitingCredit(ctx, pool, id)
  if (verdict === 'uphold') await pollProvider(ctx, pool, id)
  await retryOnConflict(pool, async (tx) => {
    const row = (await lockDispute(tx, id)) ?? refuse('not_found')
    const objection = await readObjection(tx, id)
    const isObjection = row.state === 'dismissed' && objection?.state === 'open'
    if (row.state !== 'open' && !isObjection) refuse('dispute_closed')
    const step = { row, at: ctx.now(), isObjection }
    if (verdict === 'uphold') return upholdDispute(ctx, tx, step)
    if (verdict === 'dismiss') return dismissDispute(ctx, tx, step)
    if (isObjection) refuse('dispute_closed')
    if (verdict === 'suspect_fraud') return stopProvisionalCredit(ctx, tx, step)
    return requestAnswer(ctx, tx, { ...step, need: verdict === 'ask_document' ? 'document' : 'explanation' })
  })
}

/** Polls the provider for the payment of a dispute's transaction. Refuses `not_found`. */
async function pollProvider({ payments }: Pick<DisputeContext, 'payments'>, db: Db, id: string): Promise<void> {
  const transaction = await findStoredTransaction(db, (await findDispute(db, id)) ?? refuse('not_found'))
  if (transaction?.payment_id) await payments.askProvider(transaction.payment_id)
}

/** Upholds a dispute and pays the amount still due, if any. */
async function upholdDispute(ctx: DisputeContext, tx: Tx, step: DisputeStepInput): Promise<void> {
  const { row, at, isObjection } = step
  const transaction = (await findStoredTransaction(tx, row)) ?? refuse('not_found')
  const { due, credited, providerStatus } = await lockDue(tx, row, transaction)
  // Read again after locking: a concurrent transaction may have settled it.
  const { status } = (await findStoredTransaction(tx, row)) ?? transaction
  if (status === 'PENDING') refuse('dispute_undecided')
  const isMissing = row.kind === 'not_received' && transaction.kind === 'DEPOSIT'
  const minor = sumAmounts(due)
  const creditedBefore = sumAmounts(credited)
  const outcome = findOutcome({ isMissing, providerStatus, minor, credited: creditedBefore })
  if (outcome === undefined) return refuse('dispute_undecided')
  if (outcome === 'credited' && minor > 0n) {
    const accounts = await findAccounts(ctx, tx, row)
    await postCredit(ctx, tx, { accounts, row, at, kind: 'final', amounts: due })
  }
  await closeDispute(tx, { ...step, state: 'upheld', outcome })
  await closeSettledLosses(tx, { transactionId: row.transaction_id, resolution: 'decided_for_person', at })
  const amount = outcome === 'credited' ? money(row.currency, minor + creditedBefore) : claimedAmount(row)
  await notifyHolder(ctx, tx, { row, step: isObjection ? 'objection_upheld' : 'upheld', amount })
}

/**
 * Returns the outcome of an upheld dispute; undefined while a missing deposit has not arrived. We never pay a missing
 * deposit ourselves, since its late arrival would pay it twice.
 */
function findOutcome({
  isMissing,
  providerStatus,
  minor,
  credited,
}: {
  isMissing: boolean
  providerStatus: string | undefined
  minor: bigint
  credited: bigint
}) {
  if (isMissing) return providerStatus === 'completed' ? 'arrived' : undefined
  return minor > 0n || credited > 0n ? 'credited' : 'already_back'
}

/** Dismisses a dispute and reverses its provisional credit. */
async function dismissDispute(ctx: DisputeContext, tx: Tx, step: DisputeStepInput): Promise<void> {
  const { row, at, isObjection } = step
  // The dismissal that the objection contests has already reversed the credit.
  const missing = isObjection ? 0n : await reverseProvisionalCredit(ctx, tx, { row, at })
  await closeDispute(tx, { ...step, state: 'dismissed', outcome: 'not_founded' })
  const amount = claimedAmount(row)
  if (isObjection) return notifyHolder(ctx, tx, { row, step: 'objection_dismissed', amount })
  const missingAmount = missing > 0n ? { missing: money(row.currency, missing) } : {}
  return notifyHolder(ctx, tx, { row, step: 'dismissed', amount, ...missingAmount })
}

/** Reverses the provisional credit. Returns the missing amount in minor units. */
async function reverseProvisionalCredit(
  ctx: DisputeContext,
  tx: Tx,
  { row, at }: Omit<DisputeStepInput, 'isObjection'>,
): Promise<bigint> {
  const transaction = (await findStoredTransaction(tx, row)) ?? refuse('not_found')
  const { credited } = await lockDue(tx, row, transaction)
  if (sumAmounts(credited) === 0n) return 0n
  const accounts = await findAccounts(ctx, tx, row)
  const { takenMinor, missing } = await reverseCredit(ctx, tx, { accounts, row, at, credited })
  if (takenMinor > 0n) await addEvent(tx, row.id, 'taken_back', at)
  return missing
}

/**
 * Stops the provisional credit on reasonable grounds to suspect fraud, without changing the deadline of the decision.
 * The grounds must be reported to the authority in writing (PSD2, article 73(1)).
 */
async function stopProvisionalCredit(ctx: DisputeContext, tx: Tx, { row, at }: DisputeStepInput): Promise<void> {
  if (row.kind !== 'unauthorized' || row.credit_by === null) refuse('dispute_no_credit_due')
  await tx.query('update dispute set credit_by = null, credit_waits_at = null, suspected_at = $2 where id = $1', [
    row.id,
    at,
  ])
  await closeReview(tx, row.id, at)
  await openReview(tx, row.id, 'suspected', at)
  await addEvent(tx, row.id, 'credit_stopped', at)
  await notifyHolder(ctx, tx, { row, step: 'credit_stopped', amount: claimedAmount(row), by: row.decide_by })
}

/** Asks the account holder a question. The review closes; another opens with the answer or after its deadline. */
async function requestAnswer(
  ctx: DisputeContext,
  tx: Tx,
  { row, at, need }: DisputeStepInput & { readonly need: 'explanation' | 'document' },
): Promise<void> {
  const answerDeadline = daysLater(at, (await readPolicy(tx, row)).answer_within_days)
  // Operators get at least three days after the deadline of the answer.
  const decideBy = new Date(Math.max(row.decide_by.getTime(), daysLater(answerDeadline, 3).getTime()))
  await tx.query('update dispute set need = $2, need_by = $3, decide_by = $4 where id = $1', [
    row.id,
    need,
    answerDeadline,
    decideBy,
  ])
  await closeReview(tx, row.id, at)
  await addEvent(tx, row.id, `asked_${need}`, at)
  await notifyHolder(ctx, tx, { row, step: 'asked', amount: claimedAmount(row), by: answerDeadline })
}

interface DisputeEnd extends DisputeStepInput {
  readonly state: 'upheld' | 'dismissed'
  readonly outcome: StoredDispute['outcome']
}

async function closeDispute(tx: Tx, { row, at, isObjection, state, outcome }: DisputeEnd): Promise<void> {
  await closeReview(tx, row.id, at)
  if (isObjection) {
    await tx.query('update dispute_objection set state = $2, decided_at = $3 where dispute_id = $1', [
      row.id,
      state,
      at,
    ])
    if (state === 'upheld') {
      await tx.query('update dispute set state = $2, outcome = $3 where id = $1', [row.id, state, outcome])
    }
    await addEvent(tx, row.id, `objection_${state}`, at)
    return
  }
  await tx.query(
    'update dispute set state = $2, outcome = $3, decided_at = $4, need = null, need_by = null where id = $1',
    [row.id, state, outcome, at],
  )
  await addEvent(tx, row.id, state, at)
}

/**
 * Withdraws a dispute for its account holder and reverses the provisional credit. Refuses `not_found`,
 * `dispute_closed`.
 */
export async function withdrawDispute(ctx: DisputeContext, pool: pg.Pool, ownDispute: OwnDispute): Promise<Dispute> {
  await retryOnConflict(pool, async (tx) => {
    const row = await lockOwnOpen(tx, ownDispute)
    const at = ctx.now()
    await reverseProvisionalCredit(ctx, tx, { row, at })
    await closeReview(tx, row.id, at)
    await tx.query(
      `update dispute set state = 'withdrawn', outcome = 'withdrawn', decided_at = $2, need = null, need_by = null where id = $1`,
      [row.id, at],
    )
    await addEvent(tx, row.id, 'withdrawn', at)
  })
  return readDispute(ctx, pool, ownDispute)
}
