import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { LedgerError } from '@tern/ledger/ledger'
import { paperThreads } from '../../../platform/threads/paper-threads.ts'
import type { RowsFile } from './archive.ts'
import type { ExportTask, ExportOutcome } from './export-worker.ts'
import type { ExportFormat } from './rows-as-files.ts'

const module = new URL('export-worker.ts', import.meta.url)
const timeLimitMs = 10 * 60_000

interface ExportInput {
  readonly userId: bigint
  readonly format: ExportFormat
  /** Files whose rows are already read. */
  readonly read: readonly RowsFile[]
}

/**
 * Writes a ZIP archive of everything held about a user, with one file per table, and returns it as a stream. A thread
 * reads one snapshot over its own connection, in batches, into a file that is deleted after sending, so that memory and
 * connections do not depend on the size of the data or the speed of the download. Refuses `rate_limited` if too many
 * files of the user are queued, `service_unavailable` if the queue is full or the database is unavailable.
 */
export async function writeExport(
  source: ExportTask['source'],
  { userId, format, read }: ExportInput,
): Promise<Readable> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tern-export-'))
  const removeFolder = () => void rm(folder, { recursive: true, force: true }).catch(() => {})
  try {
    const file = path.join(folder, 'export.zip')
    const input: ExportTask = { source, userId, format, read, file }
    const exportResult = await paperThreads.run<ExportTask, ExportOutcome>(userId, { module, input, timeLimitMs })
    if (exportResult.status === 'unavailable') throw new LedgerError('unavailable', exportResult.reason)
    return createReadStream(file).once('close', removeFolder)
  } catch (error) {
    removeFolder()
    throw error
  }
}
