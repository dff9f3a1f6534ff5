import type pg from 'pg'
import { type Db, type WorkInput, transact, type Tx } from '../../platform/database/db.ts'
import { createSeal, type Secret } from '../../platform/seal.ts'
import { addFile, answerDispute, disputeFilePurpose, objectToDispute, readFile, readOwnFile } from './answers.ts'
import type { DisputeContext } from './context.ts'
import { isInvolved, readDetails, readEvidence, listReviews } from './dispute-reviews.ts'
import { openDispute } from './opening/open-dispute.ts'
import { readOptions } from './opening/options.ts'
import { decideDispute, type DisputeVerdict, withdrawDispute } from './outcomes/decide-dispute.ts'
import { countOverdue, escalateOverdueDisputes, runDueDisputes } from './outcomes/due-disputes.ts'
import type { OwnDispute } from './records/dispute-rows.ts'
import { listDisputes, readDispute } from './records/dispute-view.ts'

export { disputeFilePurpose } from './answers.ts'
export { disputeCredits } from './outcomes/credits.ts'
export { disputeVerdicts, type DisputeVerdict } from './outcomes/decide-dispute.ts'
export type { DisputeReview } from './dispute-reviews.ts'

interface DisputeDeps extends Omit<DisputeContext, 'fileSeal'> {
  readonly pool: pg.Pool
  readonly secret: Secret
}

/** Disputes of account holders about their transactions: opening, answers, decisions and credits. */
export function createDisputes({ pool, secret, ...deps }: DisputeDeps) {
  const ctx: DisputeContext = { ...deps, fileSeal: createSeal(secret, disputeFilePurpose) }
  return {
    read: (db: Db, ownDispute: OwnDispute) => readDispute(ctx, db, ownDispute),
    list: (db: Db, userId: bigint) => listDisputes(ctx, db, userId),
    options: (input: WorkInput<typeof readOptions>) => readOptions(ctx, pool, input),
    open: (input: WorkInput<typeof openDispute>) => openDispute(ctx, pool, input),
    answer: (input: WorkInput<typeof answerDispute>) => answerDispute(ctx, pool, input),
    object: (input: WorkInput<typeof objectToDispute>) => objectToDispute(ctx, pool, input),
    withdraw: (ownDispute: OwnDispute) => withdrawDispute(ctx, pool, ownDispute),
    addFile: (input: WorkInput<typeof addFile>) => addFile(ctx, pool, input),
    file: (input: WorkInput<typeof readOwnFile>) => readOwnFile(ctx, pool, input),
    evidence: (db: Db, ownDispute: OwnDispute) => readEvidence(db, ownDispute),
    operators: {
      reviews: (db: Db, id?: string) => listReviews(db, id),
      isInvolved: (db: Db, reviewId: string, operatorId: string) => isInvolved(db, { reviewId, operatorId }),
      decide: (id: string, verdict: DisputeVerdict) => decideDispute(ctx, pool, { id, verdict }),
      file: (disputeId: string, fileId: string) => readFile(ctx, pool, { disputeId, fileId }),
      passDeadlines: (tx: Tx) => escalateOverdueDisputes(ctx, tx),
      askProvider: (id: string) => ctx.payments.askProvider(id),
      details: (id: string) => transact(pool, (tx) => readDetails(tx, id)),
    },
    runDue: () => runDueDisputes(ctx, pool),
    overdue: () => countOverdue(pool),
  }
}

export type Disputes = ReturnType<typeof createDisputes>
