// Runs in a thread of `platform/threads/paper-threads.ts`: reading, writing and packing many rows takes long.

import { open } from 'node:fs/promises'
import { isDatabaseUnavailable, describeError } from '../../../platform/database/database-errors.ts'
import { connect } from '../../../platform/database/db.ts'
import { connectThread, ReplicaFault, type ReplicaSource } from '../../../platform/database/replicas/replica-pool.ts'
import { streamArchive, type RowsFile } from './archive.ts'
import type { ExportFormat } from './rows-as-files.ts'

export interface ExportTask {
  /** Database to read: the primary's address, or a replica. */
  readonly source: { readonly url: string } | ReplicaSource
  readonly userId: bigint
  readonly format: ExportFormat
  /** Files whose rows are already read. */
  readonly read: readonly RowsFile[]
  /** Path of the file to write, which must not exist. */
  readonly file: string
}

/** A database outage is a status, because errors keep only their message between threads. */
export type ExportOutcome = { readonly status: 'written' } | { readonly status: 'unavailable'; readonly reason: string }

export async function work({ source, userId, format, read, file: name }: ExportTask): Promise<ExportOutcome> {
  const pool = 'run' in source ? connectThread(source) : connect(source.url, 1)
  try {
    const file = await open(name, 'wx', 0o600)
    try {
      for await (const piece of streamArchive({ pool, read }, userId, format)) await file.write(piece)
    } finally {
      await file.close()
    }
    return { status: 'written' }
  } catch (error) {
    if (isDatabaseUnavailable(error) || error instanceof ReplicaFault)
      return { status: 'unavailable', reason: describeError(error) }
    throw error
  } finally {
    await pool.end()
  }
}
