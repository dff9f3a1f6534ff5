import type { DocumentType } from '@tern/contract/countries'
import { type IdentityDocument, maxDocumentsPerDay } from '@tern/contract/kyc/documents'
import type { IdentityFile } from '@tern/providers/verify/port'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import { lockKycStatus, type UserAndTime } from '../../identity/identity.ts'
import type { KycContext } from '../context.ts'
import { cleanFile } from './clean-file.ts'
import type { KycDocumentRow } from '../row-types.ts'

const dayMs = 86_400_000

export const documentSealPurpose = 'kyc/documents'

type DocumentRow = Pick<KycDocumentRow, 'id' | 'document_type' | 'content_type' | 'size_bytes' | 'created_at'> & {
  readonly side: IdentityDocument['side']
}

const toDocument = ({ size_bytes: size, created_at: at, ...row }: DocumentRow): IdentityDocument => ({
  ...row,
  size,
  created_at: at.toISOString(),
})

const columns = 'id, document_type, side, content_type, size_bytes, created_at'

export interface Upload {
  readonly userId: bigint
  readonly documentType: DocumentType
  readonly side?: IdentityDocument['side'] | undefined
  readonly file: Buffer
}

interface OwnDocument {
  readonly userId: bigint
  readonly id: string
}

/** Deletes a file's content. Returns whether it contributed to a verification; undefined if there is no such file. */
async function deleteContent(tx: Tx, { userId, id, at }: OwnDocument & { at: Date }) {
  const { rows } = await tx.query<{ verified_them: boolean }>(
    `update kyc_document set content = null, deleted_at = $3
      where id = $1 and user_id = $2 and deleted_at is null
     returning exists (select from kyc_submission form where form.user_id = $2 and form.status = 'verified'
                         and coalesce(form.decided_at, form.submitted_at) >= created_at) as verified_them`,
    [id, userId, at],
  )
  return rows[0]
}

async function requireDailyQuota(db: Db, { userId, at }: UserAndTime): Promise<void> {
  const { rows } = await db.query<{ count: bigint }>(
    'select count(*) as count from kyc_document where user_id = $1 and created_at > $2',
    [userId, new Date(at.getTime() - dayMs)],
  )
  if ((rows[0]?.count ?? 0n) >= BigInt(maxDocumentsPerDay)) refuse('too_many_documents')
}

/**
 * Cleans a file and stores it sealed, bound to its row. Refuses like `cleanFile`, and `too_many_documents` after 20
 * uploads within 24 hours.
 */
export async function uploadDocument(
  { fileSeal, now }: Pick<KycContext, 'fileSeal' | 'now'>,
  pool: pg.Pool,
  { userId, documentType, side = null, file }: Upload,
): Promise<IdentityDocument> {
  await requireDailyQuota(pool, { userId, at: now() })
  const { bytes, contentType } = await cleanFile(userId, file)
  const at = now()
  const row: DocumentRow = {
    id: newId(at),
    document_type: documentType,
    side,
    content_type: contentType,
    size_bytes: bytes.byteLength,
    created_at: at,
  }
  const content = fileSeal.seal(Buffer.from(bytes), row.id)
  await transact(pool, async (tx) => {
    // Locks the user, so that concurrent uploads are counted one after another.
    await lockKycStatus(tx, userId)
    await requireDailyQuota(tx, { userId, at: now() })
    await insertRow(tx, 'kyc_document', { ...row, user_id: userId, content })
  })
  return toDocument(row)
}

/** Lists a user's documents, newest first. */
export async function listDocuments(db: Db, userId: bigint): Promise<IdentityDocument[]> {
  const { rows } = await db.query<DocumentRow>(
    `select ${columns} from kyc_document where user_id = $1 and deleted_at is null order by created_at desc, id desc`,
    [userId],
  )
  return rows.map(toDocument)
}

/** Returns a user's own document, decrypted. Refuses `not_found`. */
export async function readDocument(
  { fileSeal }: Pick<KycContext, 'fileSeal'>,
  db: Db,
  { userId, id }: OwnDocument,
): Promise<{ contentType: string; bytes: Buffer }> {
  const { rows } = await db.query<{ content: Buffer; content_type: string }>(
    'select content, content_type from kyc_document where id = $1 and user_id = $2 and deleted_at is null',
    [id, userId],
  )
  const row = rows[0] ?? refuse('not_found')
  return { contentType: row.content_type, bytes: fileSeal.openBytes(row.content, id) }
}

/**
 * Returns the user's files for a document type, oldest first. `read` decrypts a file when it is sent to the provider.
 */
export async function readFiles(
  ctx: Pick<KycContext, 'fileSeal'>,
  db: Db,
  { userId, documentType }: { userId: bigint; documentType: DocumentType },
): Promise<IdentityFile[]> {
  const { rows } = await db.query<DocumentRow>(
    `select ${columns} from kyc_document where user_id = $1 and document_type = $2 and deleted_at is null
      order by created_at, id`,
    [userId, documentType],
  )
  return rows.map(({ id, side, content_type: contentType }) => ({
    documentType,
    side,
    contentType,
    read: async () => (await readDocument(ctx, db, { userId, id })).bytes,
  }))
}

/**
 * Deletes the file; its row remains and counts against the daily limit. Refuses `not_found`, `verification_running`,
 * `already_verified`, the last also for a file that contributed to a revoked verification, because the law requires
 * keeping it.
 */
export async function removeDocument(
  { now }: Pick<KycContext, 'now'>,
  pool: pg.Pool,
  { userId, id }: OwnDocument,
): Promise<void> {
  await transact(pool, async (tx) => {
    const status = await lockKycStatus(tx, userId)
    const removedFile = await deleteContent(tx, { userId, id, at: now() })
    if (!removedFile) refuse('not_found')
    if (status === 'verified') refuse('already_verified')
    if (removedFile.verified_them) refuse('already_verified', { reason: 'file_is_kept' })
    if (status === 'pending' || status === 'in_review') refuse('verification_running')
  })
}
