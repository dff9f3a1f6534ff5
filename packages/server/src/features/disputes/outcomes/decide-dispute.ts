import { retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { money } from '@tern/money/money'
import type { DisputeContext } from '../context.ts'
import { type Accounts, accountsOf, giveBack, takeBack } from './credits.ts'
import { closeSettled } from './missing-credits.ts'
import { giveWaitingCredit } from './provisional-credit.ts'
import { lockDue, totalOf } from './still-due.ts'
import { findStored } from '../opening/disputable.ts'
import {
  claimedOf,
  closeReview,
  type DisputeRow,
  findDispute,
  lockDispute,
  noteEvent,
  openReview,
  readObjection,
} from '../records/dispute-rows.ts'
import { daysLater, policyOf } from '../policy.ts'
import { tell } from '../telling.ts'

// Decisions of operators and their postings. Each is one transaction under the lock of the dispute.

export const disputeVerdicts = [
  'uphold',
  'dismiss',
  'ask_explanation',
  'ask_document',
  'give_credit',
  'suspect_fraud',
] as const
export type DisputeVerdict = (typeof disputeVerdicts)[number]

interface Step {
  readonly tx: Tx
  readonly row: DisputeRow
  readonly accounts: Accounts
  readonly at: Date
  /** Decides an objection to an earlier dismissal. */
  readonly isObjection: boolean
}

/**
 * Carries out a verdict on a dispute, or on the objection to its decision. Polls the provider before upholding. Refuses
 * `not_found`, `dispute_closed`, `dispute_undecided` while the payment itself is undecided, and `dispute_no_credit_due`
 * when no provisional credit is to be stopped or waits.
 */
export async function decideDispute(context: DisputeContext, id: string, verdict: DisputeVerdict): Promise<void> {
  if (verdict === 'give_credit') return giveWaitingCredit(context, id)
  const found = (await findDispute(context.pool, id)) ?? refuse('not_found')
  const accounts = await accountsOf(context, found)
  const before = await findStored(context.pool, found.user_id, found.transaction_id)
  if (verdict === 'uphold' && before?.payment_id) await context.payments.askProvider(before.payment_id)
  await retryOnConflict(context.pool, async (tx) => {
    const row = await lockDispute(tx, id)
    const objection = await readObjection(tx, id)
    const isObjection = row.state === 'dismissed' && objection?.state === 'open'
    if (row.state !== 'open' && !isObjection) refuse('dispute_closed')
    const step = { tx, row, accounts, at: context.now(), isObjection }
    if (verdict === 'uphold') return uphold(context, step)
    if (verdict === 'dismiss') return dismiss(context, step)
    if (isObjection) refuse('dispute_closed')
    if (verdict === 'suspect_fraud') return stopCredit(context, step)
    return ask(context, step, verdict === 'ask_document' ? 'document' : 'explanation')
  })
}

/** Upholds a dispute: pays what is due, or finds that it has arrived already. */
async function uphold(context: DisputeContext, step: Step): Promise<void> {
  const { tx, row, accounts, at, isObjection } = step
  const transaction = (await findStored(tx, row.user_id, row.transaction_id)) ?? refuse('not_found')
  const { due, credited, outside } = await lockDue(tx, row, transaction)
  // Read again under the lock, whose previous holder may have ended the transaction.
  const { status } = (await findStored(tx, row.user_id, row.transaction_id)) ?? transaction
  if (status === 'PENDING') refuse('dispute_undecided')
  const isMissing = row.kind === 'not_received' && transaction.kind === 'DEPOSIT'
  const [minor, before] = [totalOf(due), totalOf(credited)]
  const outcome = outcomeOf({ isMissing, outside, minor, credited: before })
  if (outcome === undefined) return refuse('dispute_undecided')
  if (outcome === 'credited' && minor > 0n) await giveBack(context, tx, { accounts, row, at }, 'final', due)
  await end(step, 'upheld', outcome)
  await closeSettled(tx, row.transaction_id, 'decided_for_person', at)
  const amount = outcome === 'credited' ? money(row.currency, minor + before) : claimedOf(row)
  await tell(context, tx, row, { step: isObjection ? 'objection_upheld' : 'upheld', amount })
}

/**
 * Returns the outcome of an upheld dispute; undefined while a missing deposit has not arrived. We never pay one: it
 * comes from the provider or not at all, so that a late arrival is not paid twice.
 */
function outcomeOf({
  isMissing,
  outside,
  minor,
  credited,
}: {
  isMissing: boolean
  outside: string | undefined
  minor: bigint
  credited: bigint
}) {
  if (isMissing) return outside === 'completed' ? 'arrived' : undefined
  return minor > 0n || credited > 0n ? 'credited' : 'already_back'
}

/** Dismisses a dispute, which reverses its provisional credit. */
async function dismiss(context: DisputeContext, step: Step): Promise<void> {
  const { tx, row, isObjection } = step
  // A shortfall of the first dismissal is already recorded as a loss.
  const missing = isObjection ? 0n : await endCredit(context, step)
  await end(step, 'dismissed', 'not_founded')
  const amount = claimedOf(row)
  if (isObjection) return tell(context, tx, row, { step: 'objection_dismissed', amount })
  const lack = missing > 0n ? { missing: money(row.currency, missing) } : {}
  return tell(context, tx, row, { step: 'dismissed', amount, ...lack })
}

/** Reverses the provisional credit. Returns the missing amount in minor units. */
async function endCredit(
  context: DisputeContext,
  { tx, row, accounts, at }: Omit<Step, 'isObjection'>,
): Promise<bigint> {
  const transaction = (await findStored(tx, row.user_id, row.transaction_id)) ?? refuse('not_found')
  const { credited } = await lockDue(tx, row, transaction)
  if (totalOf(credited) === 0n) return 0n
  const { taken, missing } = await takeBack(context, tx, { accounts, row, at }, credited)
  if (taken > 0n) await noteEvent(tx, row.id, 'taken_back', at)
  return missing
}

/**
 * Stops the provisional credit on reasonable grounds to suspect fraud, which are reported to the authority in writing
 * (PSD2, article 73(1)). An operator still decides by the same date.
 */
async function stopCredit(context: DisputeContext, { tx, row, at }: Step): Promise<void> {
  if (row.kind !== 'unauthorized' || row.credit_by === null) refuse('dispute_no_credit_due')
  await tx.query('update dispute set credit_by = null, credit_waits_at = null, suspected_at = $2 where id = $1', [
    row.id,
    at,
  ])
  await closeReview(tx, row.id, at)
  await openReview(tx, row.id, 'suspected', at)
  await noteEvent(tx, row.id, 'credit_stopped', at)
  await tell(context, tx, row, { step: 'credit_stopped', amount: claimedOf(row), by: row.decide_by })
}

/** Asks the account holder; the review continues with the answer or after its deadline. */
async function ask(context: DisputeContext, { tx, row, at }: Step, need: 'explanation' | 'document'): Promise<void> {
  const needBy = daysLater(at, (await policyOf(tx, row)).answer_within_days)
  // Leaves time to read the answer.
  const decideBy = new Date(Math.max(row.decide_by.getTime(), daysLater(needBy, 3).getTime()))
  await tx.query('update dispute set need = $2, need_by = $3, decide_by = $4 where id = $1', [
    row.id,
    need,
    needBy,
    decideBy,
  ])
  await closeReview(tx, row.id, at)
  await noteEvent(tx, row.id, `asked_${need}`, at)
  await tell(context, tx, row, { step: 'asked', amount: claimedOf(row), by: needBy })
}

async function end({ tx, row, at, isObjection }: Step, state: 'upheld' | 'dismissed', outcome: DisputeRow['outcome']) {
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
    await noteEvent(tx, row.id, `objection_${state}`, at)
    return
  }
  await tx.query(
    'update dispute set state = $2, outcome = $3, decided_at = $4, need = null, need_by = null where id = $1',
    [row.id, state, outcome, at],
  )
  await noteEvent(tx, row.id, state, at)
}

/**
 * Withdraws a dispute for its account holder and reverses the provisional credit. Refuses `not_found`,
 * `dispute_closed`.
 */
export async function withdrawDispute(context: DisputeContext, row: DisputeRow): Promise<void> {
  const accounts = await accountsOf(context, row)
  await retryOnConflict(context.pool, async (tx) => {
    const locked = await lockDispute(tx, row.id)
    if (locked.state !== 'open') refuse('dispute_closed')
    const at = context.now()
    await endCredit(context, { tx, row: locked, accounts, at })
    await closeReview(tx, row.id, at)
    await tx.query(
      `update dispute set state = 'withdrawn', outcome = 'withdrawn', decided_at = $2, need = null, need_by = null where id = $1`,
      [row.id, at],
    )
    await noteEvent(tx, row.id, 'withdrawn', at)
  })
}
