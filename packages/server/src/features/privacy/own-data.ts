import type { Readable } from 'node:stream'
import type pg from 'pg'
import { type Db, transact } from '../../platform/database/db.ts'
import { findReplicaSource } from '../../platform/database/replicas/replica-pool.ts'
import type { Caller } from '../../platform/http/serve.ts'
import type { Client } from '../identity/identity.ts'
import type { PrivacyContext } from './context.ts'
import { recordDataAccess } from './data-access.ts'
import type { ExportFormat } from './export/rows-as-files.ts'
import { writeExport } from './export/write-export.ts'

/**
 * Returns the file of one of the caller's documents, and records the access before answering. Refuses `not_found`,
 * then `step_up_required` unless a fresh confirmation of this document is given.
 */
export async function openOwnDocument(
  { kyc, identity, now }: PrivacyContext,
  db: Db,
  { caller, documentId, confirmation }: { caller: Caller; documentId: string; confirmation: string | undefined },
): Promise<{ contentType: string; bytes: Buffer }> {
  const { userId } = caller
  const content = await kyc.documents.content({ userId, id: documentId })
  const act = { action: 'open_document', subject: {}, hidden: { document: documentId } } as const
  await identity.requireStepUp({ caller, act, confirmation })
  const access = { userId, role: 'you', purpose: 'own_document', what: ['documents'], at: now() } as const
  await recordDataAccess(db, access)
  return content
}

/** Refuses `step_up_required` unless a fresh confirmation of an export in this format is given. */
export async function requireExport(
  { identity }: PrivacyContext,
  { caller, format, confirmation }: { caller: Caller; format: ExportFormat; confirmation: string | undefined },
): Promise<void> {
  const act = { action: 'export_data', subject: {}, hidden: { format } } as const
  await identity.requireStepUp({ caller, act, confirmation })
}

export interface ExportOrder {
  readonly userId: bigint
  readonly format: ExportFormat
}

/** Records an export and alerts the caller, before `exportData`. */
export async function recordExport(
  { identity, now }: PrivacyContext,
  pool: pg.Pool,
  { caller, client }: { readonly caller: Caller; readonly client: Client },
): Promise<void> {
  const { userId } = caller
  await transact(pool, async (tx) => {
    await recordDataAccess(tx, { userId, role: 'you', purpose: 'export', what: ['everything'], at: now() })
    await identity.alertChange(tx, { ...caller, change: 'data_exported', client, at: new Date() })
  })
}

/** ZIP archive of everything held about a user. */
export async function exportData(
  { kyc, databaseUrl }: PrivacyContext,
  db: Db,
  { userId, format }: ExportOrder,
): Promise<Readable> {
  const [numbers, localNames] = await Promise.all([kyc.numbersOf(db, userId), kyc.localNamesOf(db, userId)])
  const read = [
    { category: 'identity', file: 'full_number', rows: numbers },
    { category: 'identity', file: 'local_name', rows: localNames },
  ] as const
  return writeExport(findReplicaSource(db) ?? { url: databaseUrl }, { userId, format, read })
}
