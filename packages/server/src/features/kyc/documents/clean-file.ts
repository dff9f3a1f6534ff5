import { Refusal, refuse } from '../../../platform/refuse.ts'
import { createFairThreads } from '../../../platform/threads/fair-threads.ts'
import type { CleanResult, CleanTask, FileKind } from './clean-worker.ts'

const timeLimitMs = 30_000

/** Two threads that parse untrusted files, and never process the product's own data. */
export const fileThreads = createFairThreads({
  threads: 2,
  // Both sides of a document, a selfie and one more file.
  maxWaitingPerLine: 4,
  // Limits memory: a file has up to 10 MB.
  maxWaiting: 24,
  heapMb: 256,
})

const module = new URL('clean-worker.ts', import.meta.url)

/** Detects the file type by the first bytes, ignoring name and declared type. */
function detectKind(file: Buffer): FileKind | undefined {
  const start = file.toString('latin1', 0, 16)
  if (start.startsWith('%PDF-')) return 'pdf'
  const isImage =
    start.startsWith('\xFF\xD8\xFF') ||
    start.startsWith('\x89PNG\r\n\x1A\n') ||
    (start.startsWith('RIFF') && start.startsWith('WEBP', 8))
  return isImage ? 'image' : undefined
}

/**
 * Cleans a user's file. Refuses `file_empty`, `file_type_not_accepted`, `file_not_readable`, `image_too_large`,
 * `pdf_not_accepted`; `rate_limited` while too many files of the user wait; `service_unavailable` while too many wait
 * in total.
 */
export async function cleanFile(personId: bigint, file: Buffer): Promise<Exclude<CleanResult, { refusal: string }>> {
  if (file.length === 0) refuse('file_empty')
  const kind = detectKind(file) ?? refuse('file_type_not_accepted')
  const task = { module, input: { kind, file }, timeLimitMs }
  const result = await fileThreads.run<CleanTask, CleanResult>(personId, task).catch((error: unknown): CleanResult => {
    if (error instanceof Refusal) throw error
    return refuseAsTooLarge(kind)
  })
  if ('refusal' in result) {
    refuse(result.refusal, result.reason === undefined ? {} : { reason: result.reason })
  }
  return result
}

/** Refusal for a file whose thread exceeded its time or memory. */
const refuseAsTooLarge = (kind: FileKind): CleanResult =>
  kind === 'pdf' ? { refusal: 'pdf_not_accepted', reason: 'pdf_too_complex' } : { refusal: 'image_too_large' }
