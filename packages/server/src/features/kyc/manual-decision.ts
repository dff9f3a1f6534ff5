import { isFiatCode } from '@tern/money/currency'
import type { IdentityReason } from '@tern/providers/verify/port'
import type pg from 'pg'
import { type Db, retryOnConflict, type Tx } from '../../platform/database/db.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Seal } from '../../platform/seal.ts'
import { lockKycStatus, setKycStatus } from '../identity/identity.ts'
import type { KycContext } from './context.ts'
import { type NumberHolder, readHolders, releaseNumber } from './records/number-holders.ts'
import { openLocalName, recordResult } from './records/submission.ts'

/** Form that an operator must decide. Its numbers stay sealed, except for their last characters. */
export interface SubmissionInReview {
  readonly id: string
  readonly userId: bigint
  readonly provider: string
  /** Empty for a person with a single name. */
  readonly firstName: string
  readonly lastName: string
  /** Name in its original script. */
  readonly localName?: string | undefined
  /** ISO 8601 date, such as `2026-11-21`. */
  readonly dateOfBirth: string
  readonly country: string
  readonly nationality: string
  readonly documentType: string
  readonly issuingCountry: string | null
  readonly address: string
  readonly currency: string
  readonly reasons: readonly IdentityReason[]
  readonly numbers: Readonly<Record<string, string>>
  /** Count of other users' forms that share a number with this one. */
  readonly sharedNumbers: bigint
  readonly submittedAt: Date
}

/**
 * Verdicts of operators. `ask_document` and `ask_id_number` request a document or number again. `give_number` verifies
 * the user by a number that other users lose.
 */
export const manualVerdicts = ['verify', 'reject', 'ask_document', 'ask_id_number', 'give_number'] as const
export type ManualVerdict = (typeof manualVerdicts)[number]

const requestedReasons: Partial<Record<ManualVerdict, IdentityReason>> = {
  ask_document: { field: 'documentNumber', code: 'document_unreadable' },
  ask_id_number: { field: 'idNumber', code: 'not_confirmed' },
}

function toStatus(verdict: ManualVerdict): 'verified' | 'rejected' | 'needs_information' {
  if (verdict === 'verify' || verdict === 'give_number') return 'verified'
  return verdict === 'reject' ? 'rejected' : 'needs_information'
}

const formsInReviewSql = `
  select id, user_id as "userId", provider, first_name as "firstName", last_name as "lastName", local_name as "localName", date_of_birth as "dateOfBirth",
      country, nationality, document_type as "documentType", issuing_country as "issuingCountry",
      concat_ws(', ', street_address, postal_code || ' ' || city, state) as address, currency_preference as currency, reasons,
      submitted_at as "submittedAt",
      (select coalesce(jsonb_object_agg(kind, last_characters), '{}') from kyc_number where submission_id = s.id) as numbers,
      (select count(distinct o.submission_id) from kyc_number n join kyc_number o using (fingerprint)
        join kyc_submission f on f.id = o.submission_id
        where n.submission_id = s.id and f.user_id <> s.user_id) as "sharedNumbers"
    from kyc_submission s where status = 'in_review'`

type StoredReview = Omit<SubmissionInReview, 'localName'> & { readonly localName: Buffer | null }

const decryptReview = (seal: Seal, row: StoredReview): SubmissionInReview => ({
  ...row,
  localName: openLocalName(seal, row),
})

/** Returns the forms that an operator must decide, oldest first. */
export async function listReviews({ seal }: Pick<KycContext, 'seal'>, db: Db): Promise<SubmissionInReview[]> {
  const { rows } = await db.query<StoredReview>(`${formsInReviewSql} order by submitted_at, id`)
  return rows.map((row) => decryptReview(seal, row))
}

export async function findReview(
  { seal }: Pick<KycContext, 'seal'>,
  db: Db,
  id: string,
): Promise<SubmissionInReview | undefined> {
  const { rows } = await db.query<StoredReview>(`${formsInReviewSql} and id = $1`, [id])
  return rows[0] && decryptReview(seal, rows[0])
}

/**
 * Records an operator's final verdict and notifies the user; later answers of the provider have no effect. Refuses
 * `desk_item_closed` if the form is already decided. Refuses to verify with `desk_not_carried_out` while the user may
 * be on a list or the lists are stale, or if `verify` would use another user's number.
 */
export async function decideReview(
  ctx: KycContext,
  pool: pg.Pool,
  { id, verdict }: { id: string; verdict: ManualVerdict },
): Promise<void> {
  const { userId } = (await findReview(ctx, pool, id)) ?? refuse('desk_item_closed')
  const status = toStatus(verdict)
  const affectedHolders = await retryOnConflict(pool, async (tx) => {
    await lockKycStatus(tx, userId)
    const holders = status === 'verified' ? await readHolders(ctx, tx, id) : []
    const form = (await findReview(ctx, tx, id)) ?? refuse('desk_item_closed')
    await closeReview(ctx, tx, { id, verdict })
    if (status === 'verified') await verifyPerson(ctx, tx, { form, verdict, holders })
    await setKycStatus(tx, { userId, status })
    await notifyResult(ctx, tx, { userId, status, submissionId: id })
    return verdict === 'give_number' ? holders : []
  })
  for (const holderId of [userId, ...affectedHolders.map((holder) => holder.userId)]) ctx.identity.forgetUser(holderId)
}

/** Records the verdict on the form. Refuses `desk_item_closed`. */
async function closeReview(
  { now }: KycContext,
  tx: Tx,
  { id, verdict }: { id: string; verdict: ManualVerdict },
): Promise<void> {
  const { rows } = await tx.query<{ checkId: string | null }>(
    'select provider_check_id as "checkId" from kyc_submission where id = $1',
    [id],
  )
  const { checkId = null } = rows[0] ?? {}
  const reason = requestedReasons[verdict]
  const result = { status: toStatus(verdict), checkId, reasons: reason ? [reason] : [], isHosted: false }
  if (!(await recordResult(tx, { id, result, by: 'operator', at: now() }))) refuse('desk_item_closed')
}

/** Verifies the user of a form. Refuses `desk_not_carried_out`. */
async function verifyPerson(
  ctx: KycContext,
  tx: Tx,
  { form, verdict, holders }: { form: SubmissionInReview; verdict: ManualVerdict; holders: readonly NumberHolder[] },
): Promise<void> {
  const { id, userId, firstName, lastName, localName, currency: baseCurrency } = form
  if (verdict === 'give_number') await reassignNumber(ctx, tx, holders)
  else if (holders.length > 0) refuse('desk_not_carried_out', { reason: 'number_is_anothers' })
  if ((await ctx.lists?.areTooOld(tx)) === true) refuse('desk_not_carried_out', { reason: 'lists_not_current' })
  const isStopped = await ctx.stopsVerification?.(tx, userId)
  if (isStopped === true) refuse('desk_not_carried_out', { reason: 'name_case_is_open' })
  if (!isFiatCode(baseCurrency)) throw new Error(`submission ${id} names no base currency`)
  await ctx.identity.setLegalName(tx, { userId, firstName, lastName, localName })
  for (const { verified } of ctx.accountEvents) await verified?.(tx, { userId, baseCurrency, at: ctx.now() })
}

/** Releases a number from other users' forms. Users verified by it must verify again, and are notified. */
async function reassignNumber(ctx: KycContext, tx: Tx, holders: readonly NumberHolder[]): Promise<void> {
  await releaseNumber(tx, { holders, at: ctx.now() })
  const status = 'needs_information'
  for (const { userId, submissionId } of holders.filter((holder) => holder.status === 'verified')) {
    if ((await lockKycStatus(tx, userId)) !== 'verified') continue
    await setKycStatus(tx, { userId, status })
    await notifyResult(ctx, tx, { userId, status, submissionId })
  }
}

const notifyResult = (
  { notifications }: KycContext,
  tx: Tx,
  { userId, status, submissionId }: { userId: bigint; status: ReturnType<typeof toStatus>; submissionId: string },
) => notifications.notify(tx, { userId, code: 'verification_result', params: { status }, subjectId: submissionId })
