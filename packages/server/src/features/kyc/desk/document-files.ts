import type { DeskFact } from '@tern/contract/desk/queues'
import { isUuid } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { DeskFile } from '../../../manifests/desk-queue.ts'
import { fileFact, fileSize, textFact } from '../../../platform/operations/desk-facts.ts'
import type { Kyc } from '../kyc.ts'
import type { KycDocumentRow } from '../row-types.ts'

// Uploaded files that operators may open.

export type UploadedFile = Pick<KycDocumentRow, 'id' | 'user_id' | 'side' | 'content_type' | 'size_bytes'> & {
  readonly is_deleted: boolean
}

/** SQL columns of an uploaded file `d`. */
export const uploadedFileColumns =
  'd.id, d.user_id, d.side, d.content_type, d.size_bytes, d.deleted_at is not null as is_deleted'

/** Returns the uploaded files for a form's document type, oldest first. */
export async function readFormFiles(
  db: Db,
  { userId, documentType }: { userId: bigint; documentType: string },
): Promise<UploadedFile[]> {
  const { rows } = await db.query<UploadedFile>(
    `select ${uploadedFileColumns} from kyc_document d where user_id = $1 and document_type = $2 and deleted_at is null
      order by created_at, id`,
    [userId, documentType],
  )
  return rows
}

/** Returns a fact for each file that can be opened, and one with the count of deleted files. */
export function documentFacts(files: readonly UploadedFile[]): DeskFact[] {
  const deletedCount = files.filter((file) => file.is_deleted).length
  return [
    ...files
      .filter((file) => !file.is_deleted)
      .map(({ id, side, content_type: type, size_bytes: bytes }) =>
        fileFact(side === null ? 'file' : `file_${side}`, id, fileSize(type, bytes)),
      ),
    ...(deletedCount === 0 ? [] : [textFact('files_deleted', String(deletedCount))]),
  ]
}

/** Returns one of `files`, decrypted. Refuses `not_found` for any other file. */
export async function openDocument(
  { documents }: Pick<Kyc, 'documents'>,
  { files, fileId }: { readonly files: readonly UploadedFile[]; readonly fileId: string },
): Promise<DeskFile> {
  const file = (isUuid(fileId) && files.find(({ id }) => id === fileId)) || refuse('not_found')
  return documents.content({ userId: file.user_id, id: file.id })
}
