import type { Db } from '../../../platform/database/db.ts'
import { type UploadedFile, uploadedFileColumns } from '../../kyc/kyc.ts'

interface AnswerFile extends UploadedFile {
  /** Last question before the upload. */
  readonly question_id: string
}

/** Returns the files uploaded after a question of the case, oldest first, deleted ones included. */
export async function readCaseFiles(db: Db, caseId: string): Promise<AnswerFile[]> {
  const { rows } = await db.query<AnswerFile>(
    `select q.id as question_id, ${uploadedFileColumns}
       from compliance_question q join compliance_case c on c.id = q.case_id
       join kyc_document d on d.user_id = c.user_id and d.created_at >= q.requested_at
      where c.id = $1 and not exists (select from compliance_question later
          where later.case_id = c.id and later.requested_at > q.requested_at and later.requested_at <= d.created_at)
      order by d.created_at, d.id`,
    [caseId],
  )
  return rows
}
