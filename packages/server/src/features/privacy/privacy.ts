import type { LegalDocument } from '@tern/contract/site/legal-documents'
import type pg from 'pg'
import type { Db, WorkInput } from '../../platform/database/db.ts'
import { createSeal, type Secret } from '../../platform/seal.ts'
import { giveConsent } from './consents/consents.ts'
import type { PrivacyContext } from './context.ts'
import {
  type NewCorrection,
  requestCorrection,
  decideCorrection,
  type CorrectionDecision,
  readOpenCorrections,
} from './corrections.ts'
import { readDataAccesses } from './data-access.ts'
import {
  begin,
  type DeletionCall,
  confirmAndBegin,
  type ConfirmedDeletionCall,
  finish,
  finishDue,
  readDeletionState,
  readWaiting,
} from './deletion/delete-account.ts'
import { readRetained, retainedIdentityPurpose } from './deletion/retained-identity.ts'
import { exportData, type ExportOrder, openOwnDocument, recordExport, requireExport } from './own-data.ts'
import { readOverview } from './overview.ts'

export type { CorrectionForOperator } from './corrections.ts'
export { type DataAccessEntry, recordDataAccess } from './data-access.ts'
export { createOperatorPseudonyms, type OperatorPseudonym, pseudonymKeyPurpose } from './pseudonyms.ts'

export interface PrivacyOptions extends Omit<PrivacyContext, 'seal'> {
  readonly pool: pg.Pool
  readonly secret: Secret
}

export type Privacy = ReturnType<typeof createPrivacy>

/** Users' rights regarding the data held about them, such as access, correction and deletion. */
export function createPrivacy({ pool, secret, ...options }: PrivacyOptions) {
  const ctx: PrivacyContext = { ...options, seal: createSeal(secret, retainedIdentityPurpose) }
  return {
    overview: (userId: bigint) => readOverview(pool, userId),
    accesses: (db: Db, page: { userId: bigint; before: string | undefined }) => readDataAccesses(db, page),
    giveConsent: (consent: { userId: bigint; document: LegalDocument; version: number }) =>
      giveConsent(pool, { ...consent, at: ctx.now() }),
    corrections: {
      ask: (input: NewCorrection) => requestCorrection(ctx, pool, input),
      open: () => readOpenCorrections(pool),
      decide: (decision: CorrectionDecision) => decideCorrection(ctx, pool, decision),
    },
    deletion: {
      state: (userId: bigint) => readDeletionState(ctx, pool, userId),
      confirmAndBegin: (order: ConfirmedDeletionCall) => confirmAndBegin(ctx, pool, order),
      begin: (order: DeletionCall) => begin(ctx, pool, order),
      finish: (userId: bigint) => finish(ctx, pool, userId),
      finishDue: () => finishDue(ctx, pool),
      waiting: () => readWaiting(pool),
    },
    readRetained: (access: { userId: bigint; operator: string }) => readRetained(ctx, pool, access),
    openOwnDocument: (order: Parameters<typeof openOwnDocument>[2]) => openOwnDocument(ctx, pool, order),
    requireExport: (order: Parameters<typeof requireExport>[1]) => requireExport(ctx, order),
    recordExport: (input: WorkInput<typeof recordExport>) => recordExport(ctx, pool, input),
    export: (db: Db, order: ExportOrder) => exportData(ctx, db, order),
  }
}
