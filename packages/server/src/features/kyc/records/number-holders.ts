import type { Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import type { Seal } from '../../../platform/seal.ts'
import type { KycContext } from '../context.ts'
import { fingerprintText, type Submission } from './submission.ts'
import type { KycSubmissionRow } from '../row-types.ts'

/** Another user whose form has the same national number. */
export interface NumberHolder {
  readonly submissionId: string
  readonly userId: bigint
  readonly status: string
}

// Under every secret of the key ring, because another process may already use a newer one.
const computeFingerprints = (seal: Seal, country: string, idNumber: string): Buffer[] =>
  seal.fingerprints(fingerprintText(country, 'idNumber', idNumber)).toSorted((a, b) => a.compare(b))

/** Serializes verifications with the same number until the transaction ends. */
async function lockNumber(tx: Tx, fingerprints: readonly Buffer[]): Promise<void> {
  for (const fingerprint of fingerprints) await lockName(tx, `kyc number ${fingerprint.toString('hex')}`)
}

/**
 * True if another user is verified by the form's national number, or gave it in an earlier form that is pending, in
 * review or incomplete. Serializes verifications with the same number until the transaction ends.
 */
export async function isNumberTaken(
  { seal }: Pick<KycContext, 'seal'>,
  tx: Tx,
  { id, userId, form }: Submission,
): Promise<boolean> {
  const fingerprints = computeFingerprints(seal, form.country, form.idNumber)
  await lockNumber(tx, fingerprints)
  const { rowCount } = await tx.query(
    `select from kyc_number
       join kyc_submission other on other.id = submission_id
       join kyc_submission own on own.id = $2
      where fingerprint = any ($1) and kind = 'idNumber' and released_at is null and other.user_id <> $3
        and (other.status = 'verified'
             or other.status in ('pending', 'in_review', 'needs_information')
                and (other.submitted_at, other.id) < (own.submitted_at, own.id))
      limit 1`,
    [fingerprints, id, userId],
  )
  return rowCount === 1
}

/**
 * Returns other users' forms with the national number of a form, except rejected ones. Serializes verifications with
 * the same number until the transaction ends.
 */
export async function readHolders(
  { seal }: Pick<KycContext, 'seal'>,
  tx: Tx,
  submissionId: string,
): Promise<NumberHolder[]> {
  const { rows: ownRows } = await tx.query<Pick<KycSubmissionRow, 'country' | 'numbers'>>(
    'select country, numbers from kyc_submission where id = $1',
    [submissionId],
  )
  const [form] = ownRows
  if (!form) return []
  const { idNumber } = JSON.parse(seal.open(form.numbers, submissionId)) as { idNumber: string }
  const fingerprints = computeFingerprints(seal, form.country, idNumber)
  await lockNumber(tx, fingerprints)
  const { rows } = await tx.query<NumberHolder>(
    `select other.id as "submissionId", other.user_id as "userId", other.status
       from kyc_number
       join kyc_submission other on other.id = submission_id
       join kyc_submission own on own.id = $2
      where fingerprint = any ($1) and kind = 'idNumber' and released_at is null
        and other.user_id <> own.user_id and other.status <> 'rejected'
      order by other.user_id, other.id`,
    [fingerprints, submissionId],
  )
  return rows
}

/** Releases the national number of forms, so that another user can have it. Stores the reason in verified forms. */
export async function releaseNumber(
  tx: Tx,
  { holders, at }: { holders: readonly NumberHolder[]; at: Date },
): Promise<void> {
  const ids = holders.map(({ submissionId }) => submissionId)
  await tx.query(`update kyc_number set released_at = $2 where submission_id = any ($1) and kind = 'idNumber'`, [
    ids,
    at,
  ])
  await tx.query(`update kyc_submission set reasons = $2 where id = any ($1) and status = 'verified'`, [
    ids,
    JSON.stringify([{ field: 'idNumber', code: 'number_of_another' }]),
  ])
}
