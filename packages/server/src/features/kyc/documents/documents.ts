import type { DocumentType } from '@tern/contract/countries'
import { type IdentityDocument, mostDocumentsADay } from '@tern/contract/kyc/documents'
import type { IdentityFile } from '@tern/providers/kyc/port'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import { createSeal, type Secret } from '../../../platform/seal.ts'
import { lockKycStatus } from '../../identity/identity.ts'
import { clean } from './cleaning.ts'

const dayMs = 86_400_000

/** What the content is encrypted for. */
export const documentPurpose = 'kyc/documents'

interface DocumentRow {
  readonly id: string
  readonly document_type: DocumentType
  readonly side: IdentityDocument['side']
  readonly content_type: IdentityDocument['content_type']
  readonly size_bytes: number
  readonly created_at: Date
}

const shown = ({ size_bytes: size, created_at: at, ...row }: DocumentRow): IdentityDocument => ({
  ...row,
  size,
  created_at: at.toISOString(),
})

const columns = 'id, document_type, side, content_type, size_bytes, created_at'

export interface DocumentOptions {
  readonly pool: pg.Pool
  readonly secret: Secret
  readonly now: () => Date
}

/** What somebody uploads for their verification. */
export interface Upload {
  readonly documentType: DocumentType
  readonly side?: IdentityDocument['side'] | undefined
  readonly file: Buffer
}

/** Deletes a file. Says whether it verified its owner; undefined when there is none. */
async function deleteContent(tx: Tx, userId: bigint, id: string, at: Date) {
  const { rows } = await tx.query<{ verified_them: boolean }>(
    `update kyc_document set content = null, deleted_at = $3
      where id = $1 and user_id = $2 and deleted_at is null
     returning exists (select from kyc_submission form where form.user_id = $2 and form.status = 'verified'
                         and coalesce(form.decided_at, form.submitted_at) >= created_at) as verified_them`,
    [id, userId, at],
  )
  return rows[0]
}

/** Files for verification: cleaned, then stored encrypted, each under the id of its row. */
export function createDocuments({ pool, secret, now }: DocumentOptions) {
  const seal = createSeal(secret, documentPurpose)

  async function requireRoom(db: Db, userId: bigint): Promise<void> {
    const { rows } = await db.query<{ count: bigint }>(
      'select count(*) as count from kyc_document where user_id = $1 and created_at > $2',
      [userId, new Date(now().getTime() - dayMs)],
    )
    if ((rows[0]?.count ?? 0n) >= BigInt(mostDocumentsADay)) refuse('too_many_documents')
  }

  async function readContent(userId: bigint, id: string): Promise<{ contentType: string; bytes: Buffer }> {
    const { rows } = await pool.query<{ content: Buffer; content_type: string }>(
      'select content, content_type from kyc_document where id = $1 and user_id = $2 and deleted_at is null',
      [id, userId],
    )
    const row = rows[0] ?? refuse('not_found')
    return { contentType: row.content_type, bytes: seal.openBytes(row.content, id) }
  }

  return {
    /** Keeps a file. Refuses what `clean` refuses, and `too_many_documents` after 20 within 24 hours. */
    async upload(userId: bigint, { documentType, side, file }: Upload): Promise<IdentityDocument> {
      await requireRoom(pool, userId)
      const { bytes, contentType } = await clean(userId, file)
      const at = now()
      const row: DocumentRow = {
        ...{ id: newId(at), document_type: documentType, side: side ?? null, content_type: contentType },
        ...{ size_bytes: bytes.byteLength, created_at: at },
      }
      const content = seal.seal(Buffer.from(bytes), row.id)
      await transact(pool, async (tx) => {
        // Uploads of one person at once are counted one after another.
        await lockKycStatus(tx, userId)
        await requireRoom(tx, userId)
        await insertRow(tx, 'kyc_document', { ...row, user_id: userId, content })
      })
      return shown(row)
    },

    /** Newest first. */
    async list(userId: bigint): Promise<IdentityDocument[]> {
      const { rows } = await pool.query<DocumentRow>(
        `select ${columns} from kyc_document where user_id = $1 and deleted_at is null order by created_at desc, id desc`,
        [userId],
      )
      return rows.map(shown)
    },

    /** The file of one's own document. Refuses `not_found`. */
    content: readContent,

    /** The files of one kind of document, oldest first; each is decrypted when its provider is sent it. */
    async filesOf(userId: bigint, documentType: DocumentType): Promise<IdentityFile[]> {
      const { rows } = await pool.query<DocumentRow>(
        `select ${columns} from kyc_document where user_id = $1 and document_type = $2 and deleted_at is null
          order by created_at, id`,
        [userId, documentType],
      )
      const read = async (id: string) => (await readContent(userId, id)).bytes
      return rows.map(({ id, side, content_type: contentType }) => {
        return { documentType, side, contentType, read: () => read(id) }
      })
    },

    /**
     * Deletes the file; the row is counted on. Refuses `not_found`, `verification_running` and `already_verified`, also of a file with
     * which they were verified before that was taken back: the law demands that it is kept.
     */
    async remove(userId: bigint, id: string): Promise<void> {
      await transact(pool, async (tx) => {
        const status = await lockKycStatus(tx, userId)
        const removed = await deleteContent(tx, userId, id, now())
        if (!removed) refuse('not_found')
        if (status === 'verified') refuse('already_verified')
        if (removed.verified_them) refuse('already_verified', { reason: 'file_is_kept' })
        if (status === 'pending' || status === 'in_review') refuse('verification_running')
      })
    },
  }
}

export type Documents = ReturnType<typeof createDocuments>
