import type { Db } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { confirmedSubject, type SubjectText } from '../../../platform/subjects.ts'
import type { PaymentContext } from '../context.ts'
import type { PayeeCheckRow, PayoutRow } from '../row-types.ts'
import {
  findOrCheckPayee,
  isAbout,
  isFresh,
  markTold,
  type PayeeSubject,
  readKnownName,
  readPayeeSubject,
  toPayeeView,
  verifyPayee,
} from './payee-checks.ts'

// A mismatch never sends silently: the account holder answers it, and the answer holds for that outcome only.

// The account holder may take so long from being told of an outcome to the withdrawal.
const shownMs = 30 * 60_000

interface PayeeRequest {
  readonly account: PayeeSubject['account']
  readonly userId: bigint
  /** Check that the request names as shown and accepted. */
  readonly accepted: string | undefined
}

export const isMismatch = ({ result }: Pick<PayeeCheckRow, 'result'>): boolean =>
  result === 'close_match' || result === 'no_match'

/**
 * Returns the check for a withdrawal. Refuses `payee_not_confirmed`, with the outcome, for a mismatch unless the request
 * names a check that told the account holder the same; and `provider_unavailable` if the bank does not answer.
 */
export async function requirePayee(
  ctx: PaymentContext,
  db: Db,
  { account, userId, accepted }: PayeeRequest,
): Promise<PayeeCheckRow> {
  const subject = await readPayeeSubject(ctx, db, { account, userId })
  const check = await findOrCheckPayee(ctx, db, subject)
  if (check === 'unknown') return refuse('provider_unavailable', { reason: 'payee_not_known' })
  if (isMismatch(check)) {
    const shown = await findShown(ctx, db, { subject, id: accepted })
    const isShown = shown?.result === check.result && readKnownName(ctx, shown) === readKnownName(ctx, check)
    await markTold(ctx, db, check)
    if (!isShown) return refuse('payee_not_confirmed', { extra: { payee: toPayeeView(ctx, check) } })
  }
  return check
}

/** Finds a check that was shown to the account holder recently, about this account and name. */
async function findShown(
  ctx: PaymentContext,
  db: Db,
  { subject, id }: { readonly subject: PayeeSubject; readonly id: string | undefined },
): Promise<PayeeCheckRow | undefined> {
  if (id === undefined) return undefined
  const { rows } = await db.query<PayeeCheckRow>(
    'select * from payee_check where id = $1 and user_id = $2 and bank_account_id = $3 and told_at > $4',
    [id, subject.userId, subject.account.id, new Date(ctx.now().getTime() - shownMs)],
  )
  return rows.find((check) => isAbout(ctx, check, subject))
}

/** Mismatch as a detail of the step-up confirmation, without the bank's name for the holder; undefined if none. */
export function payeeSubjectText({ result }: PayeeCheckRow): SubjectText | undefined {
  if (result === 'no_match') return confirmedSubject('payee_no_match')
  return result === 'close_match' ? confirmedSubject('payee_close_match') : undefined
}

/** Columns of a payout that record its check and the answer to it. */
export const payeeColumns = (check: PayeeCheckRow, at: Date) =>
  ({
    payee_check_id: check.id,
    payee_result: check.result,
    payee_answer: answers[check.result],
    payee_answered_at: at,
  }) as const

const answers = {
  match: 'not_needed',
  not_possible: 'not_needed',
  close_match: 'accepted',
  no_match: 'proven',
} as const

/**
 * Checks the payee of an unsubmitted payout again if its outcome is stale. `differs`: the new outcome is a mismatch to
 * which the account holder has not agreed, so no money may leave. `unknown`: the bank does not answer.
 */
export async function recheckPayee(
  ctx: PaymentContext,
  db: Db,
  payout: PayoutRow & { readonly account: PayeeSubject['account'] },
): Promise<'agreed' | 'differs' | 'unknown'> {
  const { account, user_id: userId } = payout
  const subject = await readPayeeSubject(ctx, db, { account, userId })
  const before = await findPayeeCheck(db, payout.payee_check_id)
  if (before && isFresh(ctx, before, subject)) return 'agreed'
  const check = await verifyPayee(ctx, db, subject)
  if (check === 'unknown') return 'unknown'
  if (!isAgreed(ctx, { check, before })) return 'differs'
  await db.query(
    `update payout set payee_check_id = $2, payee_result = $3, payee_answer = coalesce(payee_answer, 'not_needed'),
         payee_answered_at = coalesce(payee_answered_at, $4)
      where id = $1 and status = 'pending' and provider_payout_id is null`,
    [payout.id, check.id, check.result, ctx.now()],
  )
  return 'agreed'
}

/** True if the account holder agreed to this outcome, or to a worse one, before. */
function isAgreed(
  ctx: PaymentContext,
  { check, before }: { readonly check: PayeeCheckRow; readonly before: PayeeCheckRow | undefined },
): boolean {
  if (!isMismatch(check) || before?.result === 'no_match') return true
  return (
    check.result === 'close_match' &&
    before?.result === 'close_match' &&
    readKnownName(ctx, check) === readKnownName(ctx, before)
  )
}

/** Check of a payout; undefined if it has none, or it was deleted. */
export async function findPayeeCheck(db: Db, id: string | null): Promise<PayeeCheckRow | undefined> {
  if (id === null) return undefined
  return (await db.query<PayeeCheckRow>('select * from payee_check where id = $1', [id])).rows[0]
}
