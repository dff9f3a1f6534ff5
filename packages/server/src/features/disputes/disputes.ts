import type pg from 'pg'
import { type Db, type InputOf, transact, type Tx } from '../../platform/database/db.ts'
import { createSeal, type Secret } from '../../platform/seal.ts'
import { addFile, answerDispute, disputeFilePurpose, objectToDispute, readFile, readOwnFile } from './answers.ts'
import type { DisputeContext } from './context.ts'
import { isInvolved, readDetails, readEvidence, listReviews } from './for-operators.ts'
import { openDispute } from './opening/open-dispute.ts'
import { readOptions } from './opening/options.ts'
import { decideDispute, type DisputeVerdict, withdrawDispute } from './outcomes/decide-dispute.ts'
import { countOverdue, passDeadlines, runDueDisputes } from './outcomes/due.ts'
import type { OwnDispute } from './records/dispute-rows.ts'
import { listDisputes, readDispute } from './records/dispute-view.ts'

export { disputeFilePurpose } from './answers.ts'
export { disputeCredits } from './outcomes/credits.ts'
export { disputeVerdicts, type DisputeVerdict } from './outcomes/decide-dispute.ts'
export type { DisputeReview } from './for-operators.ts'

interface DisputeDeps extends Omit<DisputeContext, 'fileSeal'> {
  readonly pool: pg.Pool
  readonly secret: Secret
}

/** Disputes of account holders about their transactions, and their outcomes. */
export function createDisputes({ pool, secret, ...deps }: DisputeDeps) {
  const ctx: DisputeContext = { ...deps, fileSeal: createSeal(secret, disputeFilePurpose) }
  return {
    read: (own: OwnDispute) => readDispute(ctx, pool, own),
    list: (userId: bigint) => listDisputes(ctx, pool, userId),
    options: (input: InputOf<typeof readOptions>) => readOptions(ctx, pool, input),
    open: (input: InputOf<typeof openDispute>) => openDispute(ctx, pool, input),
    answer: (input: InputOf<typeof answerDispute>) => answerDispute(ctx, pool, input),
    object: (input: InputOf<typeof objectToDispute>) => objectToDispute(ctx, pool, input),
    withdraw: (own: OwnDispute) => withdrawDispute(ctx, pool, own),
    addFile: (input: InputOf<typeof addFile>) => addFile(ctx, pool, input),
    file: (input: InputOf<typeof readOwnFile>) => readOwnFile(ctx, pool, input),
    evidence: (own: OwnDispute) => readEvidence(pool, own),
    operators: {
      reviews: (db: Db, id?: string) => listReviews(db, id),
      isInvolved: (db: Db, reviewId: string, operatorId: string) => isInvolved(db, { reviewId, operatorId }),
      decide: (id: string, verdict: DisputeVerdict) => decideDispute(ctx, pool, { id, verdict }),
      file: (disputeId: string, fileId: string) => readFile(ctx, pool, { disputeId, fileId }),
      passDeadlines: (tx: Tx) => passDeadlines(ctx, tx),
      askProvider: (id: string) => ctx.payments.askProvider(id),
      details: (id: string) => transact(pool, (tx) => readDetails(tx, id)),
    },
    runDue: () => runDueDisputes(ctx, pool),
    overdue: () => countOverdue(pool),
  }
}

export type Disputes = ReturnType<typeof createDisputes>
