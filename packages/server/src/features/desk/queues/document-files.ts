import type { DeskFact } from '@tern/contract/desk/queues'
import { isUuid } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { QueueContext } from '../context.ts'
import { fileFact, fileSize, textFact } from '../facts.ts'
import type { DeskFile } from './queue.ts'

// Uploads that operators may open: a form's own photos, and a case's uploads after a question.

interface UploadedFile {
  readonly id: string
  readonly user_id: bigint
  readonly side: string | null
  readonly content_type: string
  readonly size_bytes: number
  readonly is_deleted: boolean
}

interface AnswerFile extends UploadedFile {
  /** Latest question before the upload. */
  readonly question_id: string
}

const columns = 'd.id, d.user_id, d.side, d.content_type, d.size_bytes, d.deleted_at is not null as is_deleted'

/** Returns files uploaded after a question of the case, oldest first, including deleted ones. */
export async function filesOfCase(db: Db, caseId: string): Promise<AnswerFile[]> {
  const { rows } = await db.query<AnswerFile>(
    `select q.id as question_id, ${columns}
       from compliance_question q join compliance_case c on c.id = q.case_id
       join kyc_document d on d.user_id = c.user_id and d.created_at >= q.requested_at
      where c.id = $1 and not exists (select from compliance_question later
          where later.case_id = c.id and later.requested_at > q.requested_at and later.requested_at <= d.created_at)
      order by d.created_at, d.id`,
    [caseId],
  )
  return rows
}

/** Returns photos of the form's document, oldest first. */
export async function filesOfForm(
  db: Db,
  { userId, documentType }: { userId: bigint; documentType: string },
): Promise<UploadedFile[]> {
  const { rows } = await db.query<UploadedFile>(
    `select ${columns} from kyc_document d where user_id = $1 and document_type = $2 and deleted_at is null
      order by created_at, id`,
    [userId, documentType],
  )
  return rows
}

/** Returns a fact for each file that can be opened, and the number of deleted ones. */
export function documentFacts(files: readonly UploadedFile[]): DeskFact[] {
  const deleted = files.filter((file) => file.is_deleted).length
  return [
    ...files
      .filter((file) => !file.is_deleted)
      .map(({ id, side, content_type: type, size_bytes: bytes }) =>
        fileFact(side === null ? 'file' : `file_${side}`, id, fileSize(type, bytes)),
      ),
    ...(deleted === 0 ? [] : [textFact('files_deleted', String(deleted))]),
  ]
}

/** Returns one of these files, decrypted. Refuses `not_found` for any other. */
export async function openDocument(
  { kyc }: QueueContext,
  { files, fileId }: { readonly files: readonly UploadedFile[]; readonly fileId: string },
): Promise<DeskFile> {
  const file = (isUuid(fileId) && files.find(({ id }) => id === fileId)) || refuse('not_found')
  return kyc.documents.content({ userId: file.user_id, id: file.id })
}
