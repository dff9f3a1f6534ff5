import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import type { IdentityResult } from '@tern/providers/verify/port'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../platform/database/db.ts'
import { lockKycStatus, setKycStatus } from '../identity/identity.ts'
import type { KycContext } from './context.ts'
import { readFiles } from './documents/documents.ts'
import { isNumberTaken } from './records/number-holders.ts'
import {
  toIdentityDetails,
  findAwaitedForm,
  listRunningIds,
  recordResult,
  type SubmissionResult,
  type Submission,
  claimForPoll,
  withoutNumbers,
} from './records/submission.ts'

// Checks stored submissions at identity providers.

type PollOutcome = 'changed' | 'unchanged' | 'unknown'

/** Result for a user who may be on a list. A reason would reveal this. */
const stoppedResult = { status: 'in_review', reasons: [] } as const

// Result for a number of another user. Does not reveal that user.
const duplicateResult = { status: 'in_review', reasons: [{ field: 'idNumber', code: 'number_in_review' }] } as const

// An answer under way may still arrive within this time.
const resumeAfterMs = 30_000
const batchSize = 50
// A status request waits no longer for the provider; a later request shows its answer.
const waitForAnswerMs = 1500

/** Sends a form to its provider, or polls the check. Undefined if the provider is not configured. */
async function requestVerification(
  ctx: KycContext,
  db: Db,
  { id, userId, form, provider: name, checkId }: Submission,
): Promise<IdentityResult | undefined> {
  const provider = ctx.providers.find(name)
  const details = toIdentityDetails(form)
  if (checkId !== null) return provider?.lookup(checkId, details)
  const files = await readFiles(ctx, db, { userId, documentType: form.documentType })
  return provider?.create({ reference: id, details, files, returnUrl: `${ctx.publicUrl}/profile` })
}

/** Sends or polls a submission and records the result. */
export async function runCheck(ctx: KycContext, pool: pg.Pool, submission: Submission): Promise<PollOutcome> {
  const { identity, notifications, now, log, accountEvents } = ctx
  const { id, userId, form, provider } = submission
  const answer = await requestVerification(ctx, pool, submission)
  if (!answer) {
    log.error({ submissionId: id, provider }, 'a submission names a provider that is not configured')
    return 'unknown'
  }
  if (answer.status === 'unknown') {
    const reason = withoutNumbers(answer.reason, form)
    log.warn({ submissionId: id, reason }, 'no answer from the identity provider')
    return 'unknown'
  }
  // The status does not change, and the provider is polled again until the lists are fresh.
  if (answer.status === 'verified' && (await ctx.lists?.areTooOld(pool)) === true) return 'unchanged'
  const isNew = await transact(pool, async (tx) => {
    await lockKycStatus(tx, userId)
    const result = await resolveAnswer(ctx, tx, { submission, answer })
    const { status } = result
    if (!(await recordResult(tx, { id, result, by: 'provider', at: now() }))) return false
    if (status === 'verified') {
      const { firstName, lastName, localName, currencyPreference: baseCurrency } = form
      await identity.setLegalName(tx, { userId, firstName, lastName, localName })
      for (const { verified } of accountEvents) await verified?.(tx, { userId, baseCurrency, at: now() })
    }
    await setKycStatus(tx, { userId, status })
    if (isNotified(status))
      await notifications.notify(tx, { userId, code: 'verification_result', params: { status }, subjectId: id })
    return true
  })
  identity.forgetUser(userId)
  return isNew ? 'changed' : 'unchanged'
}

/**
 * Returns the provider's answer. A verification becomes a review if the user may be on a list, or if the number is
 * another user's.
 */
async function resolveAnswer(
  ctx: KycContext,
  tx: Tx,
  { submission, answer }: { submission: Submission; answer: SubmissionResult },
): Promise<SubmissionResult> {
  if (answer.status !== 'verified') return answer
  if ((await ctx.stopsVerification?.(tx, submission.userId)) === true) return { ...answer, ...stoppedResult }
  return (await isNumberTaken(ctx, tx, submission)) ? { ...answer, ...duplicateResult } : answer
}

type NotifiedStatus = NotificationParams['verification_result']['status']

/** True for decisions and requests for information, of which users are notified. */
const isNotified = (status: SubmissionResult['status']): status is NotifiedStatus =>
  status !== 'pending' && status !== 'in_review'

/** Polls a submission unless it is decided or was polled since `polledBefore`, also by another process. */
export async function resumeCheck(
  ctx: KycContext,
  pool: pg.Pool,
  { id, polledBefore }: { id: string; polledBefore: Date },
): Promise<PollOutcome> {
  const submission = await claimForPoll(ctx, pool, { id, polledBefore, at: ctx.now() })
  return submission ? runCheck(ctx, pool, submission) : 'unchanged'
}

/** Sends the form of a user who has confirmed their email. */
export const beginCheck = (ctx: KycContext, pool: pg.Pool, id: string): Promise<PollOutcome> =>
  resumeCheck(ctx, pool, { id, polledBefore: ctx.now() })

/** Polls the submission that the user waits for, at most as often as the provider allows. */
export async function pollAwaitedForm(ctx: KycContext, pool: pg.Pool, userId: bigint): Promise<void> {
  const awaitedForm = await findAwaitedForm(pool, userId)
  const provider = awaitedForm && ctx.providers.find(awaitedForm.provider)
  if (!provider) return
  const { id } = awaitedForm
  const polledBefore = new Date(ctx.now().getTime() - provider.minPauseMs)
  const poll = resumeCheck(ctx, pool, { id, polledBefore }).catch((error: unknown) => logFailure(ctx, { id, error }))
  const delayAbort = new AbortController()
  await Promise.race([poll, delay(waitForAnswerMs, undefined, { signal: delayAbort.signal }).catch(() => {})])
  delayAbort.abort()
}

/**
 * Polls up to 50 pending and in-review forms, longest unpolled first, and returns how many changed. A failure is logged
 * and does not stop the others. Skips forms polled since `polledBefore`, by default within the last 30 seconds.
 */
export async function resumePending(
  ctx: KycContext,
  pool: pg.Pool,
  polledBefore = new Date(ctx.now().getTime() - resumeAfterMs),
): Promise<number> {
  let changed = 0
  for (const id of await listRunningIds(pool, { polledBefore, max: batchSize })) {
    try {
      if ((await resumeCheck(ctx, pool, { id, polledBefore })) === 'changed') changed += 1
    } catch (error) {
      logFailure(ctx, { id, error })
    }
  }
  return changed
}

const logFailure = ({ log }: KycContext, { id, error }: { id: string; error: unknown }): void =>
  log.error({ err: error, submissionId: id }, 'an identity check could not be resumed')
