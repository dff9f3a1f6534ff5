// Runs in a thread of its own, because parsing an untrusted file may crash, take long or use up memory.

import { cleanImage } from './clean-image.ts'
import { cleanPdf } from './clean-pdf.ts'

export type FileKind = 'image' | 'pdf'

export type CleanResult =
  | { readonly contentType: 'image/jpeg' | 'application/pdf'; readonly bytes: Uint8Array }
  | {
      readonly refusal: 'file_not_readable' | 'image_too_large' | 'pdf_not_accepted'
      readonly reason?: 'pdf_encrypted' | 'pdf_active' | 'pdf_too_complex'
    }

export interface CleanTask {
  readonly kind: FileKind
  readonly file: Uint8Array
}

export async function work({ kind, file }: CleanTask): Promise<CleanResult> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  return kind === 'pdf' ? cleanPdf(bytes) : cleanImage(bytes)
}
