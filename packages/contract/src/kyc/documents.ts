import * as z from 'zod/mini'
import { documentTypes } from '../countries.ts'
import { endpoint } from '../protocol/endpoint.ts'
import { withCode } from '../protocol/field-problems.ts'
import { moment, noContent, userNumberText, uuid } from '../protocol/wire.ts'

/** Maximum upload size in bytes. */
export const maxDocumentBytes = 10 * 1024 * 1024

/** Maximum number of uploads per person within 24 hours, including deleted ones. */
export const maxDocumentsPerDay = 20

/** Accepted types, for file inputs. The server detects the actual type from the content. */
export const documentFileTypes = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const

export const documentSide = z.enum(['front', 'back', 'selfie'])

const documentType = z.enum(documentTypes, withCode('document_type_required'))

const uploadFields = z.object({ documentType, side: z.optional(documentSide) })

/** Stored document; photos are always stored as JPEG. */
export const identityDocumentShape = z.object({
  id: uuid,
  document_type: documentType,
  side: z.nullable(documentSide),
  content_type: z.enum(['image/jpeg', 'application/pdf']),
  /** In bytes. */
  size: z.int(),
  created_at: moment,
})
export type IdentityDocument = z.output<typeof identityDocumentShape>

export function buildDocumentForm(fields: z.output<typeof uploadFields>, file: Blob): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value)
  form.set('file', file)
  return form
}

const userParams = z.object({ id: userNumberText })
const documentParams = z.object({ id: userNumberText, documentId: uuid })

export const uploadDocument = endpoint({
  method: 'POST',
  path: '/kyc/:id/upload-document',
  summary:
    'Upload a photo (JPEG, PNG, WebP) or a PDF of a document, at most 10 MB. Its content is validated, and it is stored without metadata.',
  access: 'session',
  params: userParams,
  form: uploadFields,
  status: 201,
  reply: identityDocumentShape,
  refusals: [
    'not_found',
    'file_missing',
    'file_empty',
    'file_too_large',
    'file_type_not_accepted',
    'file_not_readable',
    'image_too_large',
    'pdf_not_accepted',
    'too_many_documents',
    'rate_limited',
  ],
})

export const listDocuments = endpoint({
  method: 'GET',
  path: '/kyc/:id/documents',
  summary: 'The documents you uploaded, newest first.',
  access: 'session',
  params: userParams,
  reply: z.object({ documents: z.array(identityDocumentShape) }),
  refusals: ['not_found'],
})

export const documentContent = endpoint({
  method: 'GET',
  path: '/kyc/:id/documents/:documentId/content',
  summary:
    'The file of a document you uploaded. Needs a step-up confirmation each time, and is listed among the accesses to your data.',
  access: 'session',
  params: documentParams,
  stepUp: 'accepted',
  file: 'application/octet-stream',
  reply: z.unknown(),
  refusals: ['not_found', 'rate_limited'],
})

export const deleteDocument = endpoint({
  method: 'DELETE',
  path: '/kyc/:id/documents/:documentId',
  summary: 'Delete a document you uploaded, unless an identity check is in progress or has verified you.',
  access: 'session',
  params: documentParams,
  ...noContent,
  refusals: ['not_found', 'verification_running', 'already_verified'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  IdentityDocument: identityDocumentShape,
}
