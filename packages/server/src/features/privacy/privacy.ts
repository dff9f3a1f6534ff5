import type { LegalDocument } from '@tern/contract/site/legal-documents'
import type pg from 'pg'
import { createSeal, type Secret } from '../../platform/seal.ts'
import { agreeTo } from './consents/consents.ts'
import type { PrivacyContext } from './context.ts'
import { type Asked, requestCorrection, decideCorrection, type Decided, readOpenCorrections } from './corrections.ts'
import { readDataAccesses } from './data-access.ts'
import {
  begin,
  type Beginning,
  confirmAndBegin,
  type ConfirmedBeginning,
  finish,
  finishDue,
  readDeletionState,
  readWaiting,
} from './deletion/delete-account.ts'
import { readRetained, retainedIdentityPurpose } from './deletion/retained-identity.ts'
import { exportData, type ExportOrder, openOwnDocument, requireExport } from './own-data.ts'
import { readOverview } from './overview.ts'

export type { CorrectionToDecide } from './corrections.ts'
export { type Reading, recordDataAccess } from './data-access.ts'
export { createOperatorPseudonyms, type OperatorPseudonym, pseudonymKeyPurpose } from './pseudonyms.ts'

export interface PrivacyOptions extends Omit<PrivacyContext, 'seal'> {
  readonly pool: pg.Pool
  readonly secret: Secret
}

export type Privacy = ReturnType<typeof createPrivacy>

/** Users' rights about the data held about them. */
export function createPrivacy({ pool, secret, ...options }: PrivacyOptions) {
  const ctx: PrivacyContext = { ...options, seal: createSeal(secret, retainedIdentityPurpose) }
  return {
    overview: (userId: bigint) => readOverview(pool, userId),
    accesses: (page: { userId: bigint; before: string | undefined }) => readDataAccesses(pool, page),
    agreeTo: (agreed: { userId: bigint; document: LegalDocument; version: number }) =>
      agreeTo(pool, { ...agreed, at: ctx.now() }),
    corrections: {
      ask: (asked: Asked) => requestCorrection(ctx, pool, asked),
      open: () => readOpenCorrections(pool),
      decide: (decided: Decided) => decideCorrection(ctx, pool, decided),
    },
    deletion: {
      state: (userId: bigint) => readDeletionState(ctx, pool, userId),
      confirmAndBegin: (order: ConfirmedBeginning) => confirmAndBegin(ctx, pool, order),
      begin: (order: Beginning) => begin(ctx, pool, order),
      finish: (userId: bigint) => finish(ctx, pool, userId),
      finishDue: () => finishDue(ctx, pool),
      waiting: () => readWaiting(pool),
    },
    readRetained: (reading: { userId: bigint; operator: string }) => readRetained(ctx, pool, reading),
    openOwnDocument: (order: Parameters<typeof openOwnDocument>[2]) => openOwnDocument(ctx, pool, order),
    requireExport: (order: Parameters<typeof requireExport>[1]) => requireExport(ctx, order),
    export: (order: ExportOrder) => exportData(ctx, pool, order),
  }
}
