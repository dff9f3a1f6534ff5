import type pg from 'pg'
import type { VerificationForm } from '@tern/contract/kyc/verification-form'
import type { Db, Tx } from '../../platform/database/db.ts'
import { createSeal, type Secret } from '../../platform/seal.ts'
import { beginCheck, resumePending } from './checks.ts'
import type { KycContext } from './context.ts'
import {
  documentSealPurpose,
  listDocuments,
  readDocument,
  removeDocument,
  type Upload,
  uploadDocument,
} from './documents/documents.ts'
import { type ProviderEvent, receiveEvent } from './events.ts'
import { decideReview, findReview, listReviews, type ManualVerdict } from './manual-decision.ts'
import { runDueRedactions } from './records/redactions.ts'
import { readLocalNames, readNumbers, readVerifiedForm, deleteForms } from './records/submission.ts'
import { openHostedPage, readStatus, submitForm } from './verification.ts'

export { cleanFile } from './documents/clean-file.ts'
export { documentFacts, openDocument, type UploadedFile, uploadedFileColumns } from './desk/document-files.ts'
export { manualVerdicts, type SubmissionInReview } from './manual-decision.ts'
export { readNewestLocalName, readResidence, hasBeenVerified } from './records/submission.ts'

export interface KycOptions extends Omit<KycContext, 'seal' | 'fileSeal'> {
  readonly pool: pg.Pool
  readonly secret: Secret
}

export type Kyc = ReturnType<typeof createKyc>

export const createFormSeal = (secret: Secret) => createSeal(secret, 'kyc/numbers')

export function createKyc({ pool, secret, ...options }: KycOptions) {
  const ctx: KycContext = {
    ...options,
    seal: createFormSeal(secret),
    fileSeal: createSeal(secret, documentSealPurpose),
  }
  return {
    submit: (input: { userId: bigint; form: VerificationForm }) => submitForm(ctx, pool, input),
    status: (userId: bigint) => readStatus(ctx, pool, userId),
    openHostedPage: (userId: bigint) => openHostedPage(ctx, pool, userId),
    receiveEvent: (event: ProviderEvent) => receiveEvent(ctx, pool, event),
    beginCheck: (id: string) => beginCheck(ctx, pool, id),
    resumePending: (polledBefore?: Date) => resumePending(ctx, pool, polledBefore),
    runDueRedactions: () => runDueRedactions(ctx, pool),

    documents: {
      upload: (upload: Upload) => uploadDocument(ctx, pool, upload),
      list: (userId: bigint) => listDocuments(pool, userId),
      content: (document: { userId: bigint; id: string }) => readDocument(ctx, pool, document),
      remove: (document: { userId: bigint; id: string }) => removeDocument(ctx, pool, document),
    },
    reviews: {
      list: (db: Db) => listReviews(ctx, db),
      find: (db: Db, id: string) => findReview(ctx, db, id),
      decide: (decision: { id: string; verdict: ManualVerdict }) => decideReview(ctx, pool, decision),
    },

    retire: (tx: Tx, deletedUser: { userId: bigint; at: Date }) => deleteForms(ctx, tx, deletedUser),
    /** Decrypted numbers of a user's forms. Only their owner may see them, after step-up. */
    numbersOf: (db: Db, userId: bigint) => readNumbers(ctx, db, userId),
    /** Names in their original script of a user's forms. Only their owner may see them, after step-up. */
    localNamesOf: (db: Db, userId: bigint) => readLocalNames(ctx, db, userId),
    /** The user's newest verified form with its numbers, for transmissions required by law; undefined without one. */
    verifiedForm: (db: Db, userId: bigint) => readVerifiedForm(ctx, db, userId),
  }
}
