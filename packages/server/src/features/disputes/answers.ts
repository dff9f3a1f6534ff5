import { createHash } from 'node:crypto'
import { type Dispute, type DisputeFile, maxDisputeFiles } from '@tern/contract/disputes/disputes'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import { cleanFile } from '../kyc/kyc.ts'
import { businessDaysLater } from '../payments/payments.ts'
import type { DisputeContext } from './context.ts'
import { daysLater, readPolicy } from './policy.ts'
import {
  type StoredDispute,
  findOwn,
  lockOwn,
  lockOwnOpen,
  addEvent,
  openReview,
  type OwnDispute,
  readObjection,
} from './records/dispute-rows.ts'
import { fileView, readDispute } from './records/dispute-view.ts'

// Explanations, files and objections that the account holder adds to a dispute.

/** Purpose of the key that seals files. */
export const disputeFilePurpose = 'disputes/files'

/** Closes an open question of this kind and queues the dispute for review; does nothing without one. */
async function closeQuestion(
  tx: Tx,
  {
    row,
    answerKind,
    at,
  }: { readonly row: StoredDispute; readonly answerKind: 'explanation' | 'document'; readonly at: Date },
): Promise<void> {
  if (row.need !== answerKind) return
  await tx.query('update dispute set need = null, need_by = null where id = $1', [row.id])
  await openReview(tx, row.id, 'answered', at)
}

interface DisputeText extends OwnDispute {
  readonly text: string
}

/** Adds an explanation to an open dispute. Refuses `not_found`, `dispute_closed`. */
export async function answerDispute(
  ctx: DisputeContext,
  pool: pg.Pool,
  { text, ...ownDispute }: DisputeText,
): Promise<Dispute> {
  await transact(pool, async (tx) => {
    const row = await lockOwnOpen(tx, ownDispute)
    const at = ctx.now()
    await addEvent(tx, row.id, 'answered', at, text)
    await closeQuestion(tx, { row, answerKind: 'explanation', at })
  })
  return readDispute(ctx, pool, ownDispute)
}

/**
 * Stores an objection to a dismissal. Refuses `not_found`, and `dispute_no_objection` when the dispute is not
 * dismissed, the deadline has passed or an objection exists.
 */
export async function objectToDispute(
  ctx: DisputeContext,
  pool: pg.Pool,
  { text, ...ownDispute }: DisputeText,
): Promise<Dispute> {
  await transact(pool, async (tx) => {
    const row = await lockOwn(tx, ownDispute)
    const at = ctx.now()
    const policy = await readPolicy(tx, row)
    const isWithinDeadline = row.decided_at !== null && at <= daysLater(row.decided_at, policy.object_within_days)
    if (row.state !== 'dismissed' || !isWithinDeadline || (await readObjection(tx, row.id)))
      refuse('dispute_no_objection')
    const decideBy = businessDaysLater(policy.country, at, policy.objection_within_days)
    const objection = { id: newId(at), dispute_id: row.id, text, made_at: at, decide_by: decideBy }
    await insertRow(tx, 'dispute_objection', objection)
    await addEvent(tx, row.id, 'objected', at, text)
    await openReview(tx, row.id, 'objected', at)
  })
  return readDispute(ctx, pool, ownDispute)
}

/**
 * Sanitizes, encrypts and stores a file of the caller's dispute. Refuses `not_found`, `dispute_closed`,
 * `too_many_documents`, and like `cleanFile`.
 */
export async function addFile(
  { fileSeal, now }: Pick<DisputeContext, 'fileSeal' | 'now'>,
  pool: pg.Pool,
  { file, ...ownDispute }: OwnDispute & { readonly file: Buffer },
): Promise<DisputeFile> {
  const { id, state } = (await findOwn(pool, ownDispute)) ?? refuse('not_found')
  if (state !== 'open') refuse('dispute_closed')
  const { bytes, contentType } = await cleanFile(ownDispute.userId, file)
  const at = now()
  const row = {
    id: newId(at),
    dispute_id: id,
    content_type: contentType,
    size_bytes: bytes.byteLength,
    created_at: at,
  }
  const content = fileSeal.seal(Buffer.from(bytes), row.id)
  const sha256 = createHash('sha256').update(bytes).digest()
  await transact(pool, async (tx) => {
    const lockedRow = await lockOwnOpen(tx, ownDispute)
    const { rows } = await tx.query<{ count: bigint }>('select count(*) from dispute_file where dispute_id = $1', [id])
    if ((rows[0]?.count ?? 0n) >= BigInt(maxDisputeFiles)) {
      refuse('too_many_documents', { reason: { code: 'too_many_dispute_files', params: { max: maxDisputeFiles } } })
    }
    await insertRow(tx, 'dispute_file', { ...row, sha256, content })
    await addEvent(tx, id, 'file_added', at)
    await closeQuestion(tx, { row: lockedRow, answerKind: 'document', at })
  })
  return fileView(row)
}

/** Returns a decrypted file of a dispute. Refuses `not_found`. */
export async function readFile(
  { fileSeal }: Pick<DisputeContext, 'fileSeal'>,
  db: Db,
  { disputeId, fileId }: { readonly disputeId: string; readonly fileId: string },
): Promise<{ contentType: string; bytes: Buffer }> {
  const { rows } = await db.query<{ content: Buffer; content_type: string }>(
    'select content, content_type from dispute_file where id = $1 and dispute_id = $2 and content is not null',
    [fileId, disputeId],
  )
  const row = rows[0] ?? refuse('not_found')
  return { contentType: row.content_type, bytes: fileSeal.openBytes(row.content, fileId) }
}

/** Returns a decrypted file of the caller's dispute. Refuses `not_found`. */
export async function readOwnFile(
  ctx: Pick<DisputeContext, 'fileSeal'>,
  db: Db,
  { fileId, ...ownDispute }: OwnDispute & { readonly fileId: string },
): Promise<{ contentType: string; bytes: Buffer }> {
  const { id } = (await findOwn(db, ownDispute)) ?? refuse('not_found')
  return readFile(ctx, db, { disputeId: id, fileId })
}
