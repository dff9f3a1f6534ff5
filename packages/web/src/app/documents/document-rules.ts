import type { DocumentType } from '@tern/contract/countries'
import { documentFileTypes, type IdentityDocument, largestDocumentBytes } from '@tern/contract/kyc/documents'
import { upload } from '#messages/identity/upload.ts'
import { personLocale } from '../../ui/format/locale.ts'

export type Side = 'front' | 'back'

/** Which sides of a document are asked for: of a passport the page with the photo. */
export const sidesOf = (type: DocumentType): readonly Side[] => (type === 'passport' ? ['front'] : ['front', 'back'])

/** The latest upload of one side; the list is newest first. */
export const latestOf = (documents: readonly IdentityDocument[], type: DocumentType, side: Side) =>
  documents.find((document) => document.document_type === type && document.side === side)

/** Why the server would refuse a file at a look, and what to do; undefined where it may take it. */
export function refusalOf({ size, type, name }: Pick<File, 'size' | 'type' | 'name'>): string | undefined {
  if (size === 0) return upload.isEmpty
  if (size > largestDocumentBytes) return upload.isTooLarge(megabytes(size))
  if (type === 'image/svg+xml' || name.toLowerCase().endsWith('.svg')) return upload.isDrawing
  // A file whose type the device does not know is for the server to decide.
  return type === '' || documentFileTypes.some((accepted) => accepted === type) ? undefined : upload.isOtherType
}

/** "4.8": bytes in megabytes, as people read them. */
export const megabytes = (bytes: number): string =>
  (Math.max(bytes, 100_000) / 1_000_000).toLocaleString(personLocale(), {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  })

/** Whole seconds until everything is sent, by how it went so far; undefined while that says nothing. */
export function secondsLeft(sent: number, whole: number, elapsedMs: number): number | undefined {
  if (sent <= 0 || elapsedMs < 500 || sent >= whole) return undefined
  return Math.max(1, Math.ceil(((whole - sent) * elapsedMs) / sent / 1000))
}
