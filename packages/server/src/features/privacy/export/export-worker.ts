// Runs in a thread of `platform/threads/paper-threads.ts`: reading, writing and packing many rows takes long.

import { open } from 'node:fs/promises'
import { isDatabaseUnavailable, describeError } from '../../../platform/database/database-errors.ts'
import { connect } from '../../../platform/database/db.ts'
import { streamArchive, type RowsFile } from './archive.ts'
import type { ExportFormat } from './rows-as-files.ts'

export interface ExportTask {
  readonly databaseUrl: string
  readonly userId: bigint
  readonly format: ExportFormat
  /** Files whose rows are already read. */
  readonly read: readonly RowsFile[]
  /** Path of the file to write, which must not exist. */
  readonly file: string
}

/** A database outage is a status, because errors keep only their message between threads. */
export type ExportOutcome = { readonly status: 'written' } | { readonly status: 'unavailable'; readonly reason: string }

export async function work({ databaseUrl, userId, format, read, file: name }: ExportTask): Promise<ExportOutcome> {
  const pool = connect(databaseUrl, 1)
  try {
    const file = await open(name, 'wx', 0o600)
    try {
      for await (const piece of streamArchive({ pool, read }, userId, format)) await file.write(piece)
    } finally {
      await file.close()
    }
    return { status: 'written' }
  } catch (error) {
    if (isDatabaseUnavailable(error)) return { status: 'unavailable', reason: describeError(error) }
    throw error
  } finally {
    await pool.end()
  }
}
