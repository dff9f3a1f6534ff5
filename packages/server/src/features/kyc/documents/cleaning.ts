import { Tinypool } from 'tinypool'
import { refuse } from '../../../platform/refuse.ts'
import type { Cleaned, FileKind } from './clean-worker.ts'

const mostWaiting = 8
const timeoutMs = 30_000
const heapMb = 256

let pool: Tinypool | undefined

/** One thread: pictures take memory, and a person waits for one at a time. */
const threads = (): Tinypool =>
  (pool ??= new Tinypool({
    filename: new URL('clean-worker.ts', import.meta.url).href,
    name: 'work',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    maxQueue: mostWaiting,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  }))

/** What a file is, by its first bytes. Neither its name nor what the sender calls it says anything. */
function kindOf(file: Buffer): FileKind | undefined {
  const start = file.toString('latin1', 0, 16)
  if (start.startsWith('%PDF-')) return 'pdf'
  const isImage =
    start.startsWith('\xFF\xD8\xFF') ||
    start.startsWith('\x89PNG\r\n\x1A\n') ||
    (start.startsWith('RIFF') && start.startsWith('WEBP', 8))
  return isImage ? 'image' : undefined
}

/**
 * A file as it may be kept. Refuses `file_empty`, `file_type_not_accepted`, `file_not_readable`, `image_too_large` and
 * `pdf_not_accepted`; `service_unavailable` while too many wait.
 */
export async function clean(file: Buffer): Promise<Exclude<Cleaned, { refusal: string }>> {
  if (file.length === 0) refuse('file_empty')
  const kind = kindOf(file) ?? refuse('file_type_not_accepted')
  const waiting = threads()
  if (waiting.queueSize >= mostWaiting) refuse('service_unavailable')
  const cleaned = await waiting.run({ kind, file }, { signal: AbortSignal.timeout(timeoutMs) }).then(
    (result) => result as Cleaned,
    (): Cleaned => tooMuch(kind),
  )
  if ('refusal' in cleaned) {
    refuse(cleaned.refusal, cleaned.reason === undefined ? {} : { reason: cleaned.reason })
  }
  return cleaned
}

/** The thread ran out of time or memory, and was ended. */
const tooMuch = (kind: FileKind): Cleaned =>
  kind === 'pdf' ? { refusal: 'pdf_not_accepted', reason: 'pdf_too_complex' } : { refusal: 'image_too_large' }
