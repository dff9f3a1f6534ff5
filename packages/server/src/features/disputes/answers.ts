import { createHash } from 'node:crypto'
import { type DisputeFile, mostDisputeFiles } from '@tern/contract/disputes/disputes'
import { transact, type Tx } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import { createSeal } from '../../platform/seal.ts'
import { cleanFile } from '../kyc/kyc.ts'
import { businessDaysLater } from '../payments/payments.ts'
import type { DisputeContext } from './context.ts'
import { type DisputeRow, findOwn, lockDispute, noteEvent, openReview, readObjection } from './records/dispute-rows.ts'
import { fileView } from './records/dispute-view.ts'
import { daysLater, policyOf } from './policy.ts'

// Additions of the account holder to a dispute: explanations, files, and an objection.

export const disputeFilePurpose = 'disputes/files'

/** Returns the caller's dispute, locked and open. Refuses `not_found`, `dispute_closed`. */
async function lockOpen(tx: Tx, userId: bigint, id: string): Promise<DisputeRow> {
  const own = (await findOwn(tx, userId, id)) ?? refuse('not_found')
  const row = await lockDispute(tx, own.id)
  return row.state === 'open' ? row : refuse('dispute_closed')
}

/** Closes the question if this answers it, and returns the dispute to operators. */
async function answered(tx: Tx, { id, need }: DisputeRow, given: 'explanation' | 'document', at: Date): Promise<void> {
  if (need !== given) return
  await tx.query('update dispute set need = null, need_by = null where id = $1', [id])
  await openReview(tx, id, 'answered', at)
}

/** Adds an explanation to an open dispute. Refuses `not_found`, `dispute_closed`. */
export const answerDispute = (context: DisputeContext, userId: bigint, id: string, text: string): Promise<void> =>
  transact(context.pool, async (tx) => {
    const row = await lockOpen(tx, userId, id)
    const at = context.now()
    await noteEvent(tx, row.id, 'answered', at, text)
    await answered(tx, row, 'explanation', at)
  })

/**
 * Stores an objection to a decision. Refuses `not_found`, and `dispute_no_objection` when there is no decision to
 * object to, or no longer.
 */
export const objectToDispute = (context: DisputeContext, userId: bigint, id: string, text: string): Promise<void> =>
  transact(context.pool, async (tx) => {
    const own = (await findOwn(tx, userId, id)) ?? refuse('not_found')
    const row = await lockDispute(tx, own.id)
    const at = context.now()
    const policy = await policyOf(tx, row)
    const isInTime = row.decided_at !== null && at <= daysLater(row.decided_at, policy.object_within_days)
    if (row.state !== 'dismissed' || !isInTime || (await readObjection(tx, row.id))) refuse('dispute_no_objection')
    const decideBy = businessDaysLater(policy.country, at, policy.objection_within_days)
    const objection = { id: newId(at), dispute_id: row.id, text, made_at: at, decide_by: decideBy }
    await insertRow(tx, 'dispute_objection', objection)
    await noteEvent(tx, row.id, 'objected', at, text)
    await openReview(tx, row.id, 'objected', at)
  })

/**
 * Stores a file of the caller's dispute, cleaned and encrypted. Refuses `not_found`, `dispute_closed`,
 * `too_many_documents` and what `cleanFile` refuses.
 */
export async function addFile(context: DisputeContext, userId: bigint, id: string, file: Buffer): Promise<DisputeFile> {
  const { pool, secret, now } = context
  const own = (await findOwn(pool, userId, id)) ?? refuse('not_found')
  if (own.state !== 'open') refuse('dispute_closed')
  const { bytes, contentType } = await cleanFile(userId, file)
  const at = now()
  const row = {
    ...{ id: newId(at), dispute_id: own.id, content_type: contentType, size_bytes: bytes.byteLength, created_at: at },
  }
  const content = createSeal(secret, disputeFilePurpose).seal(Buffer.from(bytes), row.id)
  const sha256 = createHash('sha256').update(bytes).digest()
  await transact(pool, async (tx) => {
    const locked = await lockOpen(tx, userId, id)
    const { rows } = await tx.query<{ count: bigint }>('select count(*) from dispute_file where dispute_id = $1', [id])
    if ((rows[0]?.count ?? 0n) >= BigInt(mostDisputeFiles)) {
      refuse('too_many_documents', { reason: { code: 'too_many_dispute_files', params: { max: mostDisputeFiles } } })
    }
    await insertRow(tx, 'dispute_file', { ...row, sha256, content })
    await noteEvent(tx, id, 'file_added', at)
    await answered(tx, locked, 'document', at)
  })
  return fileView(row)
}

/** Returns a decrypted file of a dispute. Refuses `not_found`. */
export async function readFile(
  { pool, secret }: Pick<DisputeContext, 'pool' | 'secret'>,
  disputeId: string,
  fileId: string,
): Promise<{ contentType: string; bytes: Buffer }> {
  const { rows } = await pool.query<{ content: Buffer; content_type: string }>(
    'select content, content_type from dispute_file where id = $1 and dispute_id = $2 and content is not null',
    [fileId, disputeId],
  )
  const row = rows[0] ?? refuse('not_found')
  return { contentType: row.content_type, bytes: createSeal(secret, disputeFilePurpose).openBytes(row.content, fileId) }
}
