import type { DocumentType } from '@tern/contract/countries'
import { documentFileTypes, type IdentityDocument, maxDocumentBytes } from '@tern/contract/kyc/documents'
import { upload } from '#messages/identity/upload.ts'
import { personLocale } from '../../ui/format/locale.ts'

export type Side = 'front' | 'back'

/** Required sides of a document; a passport has only the page with the photo. */
export const requiredSides = (type: DocumentType): readonly Side[] =>
  type === 'passport' ? ['front'] : ['front', 'back']

/** Latest upload of one side, from a list that is newest first. */
export const findLatest = (documents: readonly IdentityDocument[], type: DocumentType, side: Side) =>
  documents.find((document) => document.document_type === type && document.side === side)

/** Reason why the server would refuse a file by its size or type, with advice; undefined if it may accept it. */
export function findRefusal({ size, type, name }: Pick<File, 'size' | 'type' | 'name'>): string | undefined {
  if (size === 0) return upload.isEmpty
  if (size > maxDocumentBytes) return upload.isTooLarge(megabytes(size))
  if (type === 'image/svg+xml' || name.toLowerCase().endsWith('.svg')) return upload.isDrawing
  // Devices do not know the type of every file, so the server decides.
  return type === '' || documentFileTypes.some((acceptedType) => acceptedType === type) ? undefined : upload.isOtherType
}

/** Bytes as megabytes, such as "4.8"; at least 0.1. */
export const megabytes = (bytes: number): string =>
  (Math.max(bytes, 100_000) / 1_000_000).toLocaleString(personLocale(), {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  })

/**
 * Estimated whole seconds until everything is sent; undefined before there is enough data for an estimate, and at the
 * end.
 */
export function secondsLeft(sentBytes: number, total: number, elapsedMs: number): number | undefined {
  if (sentBytes <= 0 || elapsedMs < 500 || sentBytes >= total) return undefined
  return Math.max(1, Math.ceil(((total - sentBytes) * elapsedMs) / sentBytes / 1000))
}
