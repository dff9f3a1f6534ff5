import type { Dispute, DisputeOption, newDispute } from '@tern/contract/disputes/disputes'
import type * as z from 'zod/mini'
import { type Db, transact, type Tx } from '../../platform/database/db.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Client } from '../identity/identity.ts'
import { findTransactions, type StoredTransaction } from '../wallets/wallets.ts'
import { addFile, answerDispute, objectToDispute, readFile } from './answers.ts'
import { type DisputeContext, readCountryCode } from './context.ts'
import { lockDue } from './outcomes/still-due.ts'
import { decideDispute, withdrawDispute } from './outcomes/decide-dispute.ts'
import { findStored, mostOf } from './opening/disputable.ts'
import { findDispute, findOfTransaction, findOwn, readObjection, readOwn } from './records/dispute-rows.ts'
import { moneyWithFee, readFiles, viewsOf } from './records/dispute-view.ts'
import { overdueSql, passDeadlines, runDueDisputes } from './outcomes/due.ts'
import { isInvolved, readFacts, readReviews } from './for-operators.ts'
import { barredAt, openDispute } from './opening/open-dispute.ts'
import { deadlinesOf, type DisputePolicy, isNewAccount, openUntil, readPolicies } from './policy.ts'

export { disputeFilePurpose } from './answers.ts'
export { disputeCredits } from './outcomes/credits.ts'
export { disputeVerdicts, type DisputeVerdict } from './outcomes/decide-dispute.ts'
export type { DisputeReview } from './for-operators.ts'

/** Disputes of account holders about their transactions, and their outcomes. */
export function createDisputes(context: DisputeContext) {
  const { pool, now } = context

  async function read(userId: bigint, id: string): Promise<Dispute> {
    const row = (await findOwn(pool, userId, id)) ?? refuse('not_found')
    const [view] = await viewsOf(pool, userId, [row], now())
    return view ?? refuse('not_found')
  }

  return {
    read,
    list: async (userId: bigint): Promise<Dispute[]> => viewsOf(pool, userId, await readOwn(pool, userId), now()),

    options: (userId: bigint, transactionId: string) => readOptions(context, userId, transactionId),

    async open(caller: Caller, asked: z.output<typeof newDispute>, client: Client): Promise<Dispute> {
      return read(caller.userId, await openDispute(context, caller, asked, client))
    },
    async answer(userId: bigint, id: string, text: string): Promise<Dispute> {
      await answerDispute(context, userId, id, text)
      return read(userId, id)
    },
    async object(userId: bigint, id: string, text: string): Promise<Dispute> {
      await objectToDispute(context, userId, id, text)
      return read(userId, id)
    },
    async withdraw(userId: bigint, id: string): Promise<Dispute> {
      await withdrawDispute(context, (await findOwn(pool, userId, id)) ?? refuse('not_found'))
      return read(userId, id)
    },
    addFile: (userId: bigint, id: string, file: Buffer) => addFile(context, userId, id, file),
    async file(userId: bigint, id: string, fileId: string) {
      const own = (await findOwn(pool, userId, id)) ?? refuse('not_found')
      return readFile(context, own.id, fileId)
    },
    /** Returns the frozen evidence so that its owner can verify the hash. Refuses `not_found`. */
    async evidence(userId: bigint, id: string) {
      const { kind, statement, hash } = (await findOwn(pool, userId, id)) ?? refuse('not_found')
      return { id, kind, statement, hash: hash.toString('hex'), facts_text: (await readFacts(pool, { id })).text }
    },

    operators: operatorsOf(context),
    runDue: () => runDueDisputes(context),
    /** Returns the number of undecided disputes and objections past their deadline. */
    async overdue(): Promise<number> {
      const { rows } = await pool.query<{ count: bigint }>(`select count(*) from (${overdueSql}) overdue`)
      return Number(rows[0]?.count ?? 0n) // not money: a count
    },
  }
}

/** Returns the possible disputes of one of the caller's transactions. Refuses `not_found`. */
async function readOptions(context: DisputeContext, userId: bigint, transactionId: string) {
  const { pool, now } = context
  const row = (await findStored(pool, userId, transactionId)) ?? refuse('not_found')
  const [transaction] = await findTransactions(pool, { userId, ids: [transactionId] })
  const policies = await readPolicies(pool, await readCountryCode(pool, userId), now())
  const id = await findOfTransaction(pool, userId, transactionId)
  const options = await Promise.all(
    Object.values(policies).map(async (policy) => {
      return optionOf(row, policy, await isNewAccount(pool, policy, userId, row.created_at), now())
    }),
  )
  return { transaction: transaction ?? refuse('not_found'), dispute_id: id ?? null, options }
}

function optionOf(row: StoredTransaction, policy: DisputePolicy, isNew: boolean, at: Date): DisputeOption {
  const { decideBy, creditBy } = deadlinesOf(policy, at, isNew)
  const claimable = mostOf(row, policy.kind)
  return {
    kind: policy.kind,
    barred: barredAt(row, policy, at),
    open_until: openUntil(policy, row.created_at).toISOString(),
    decide_by: decideBy.toISOString(),
    credit_by: creditBy?.toISOString() ?? null,
    claimable: moneyWithFee(claimable, claimable.fee),
  }
}

function operatorsOf(context: DisputeContext) {
  const { pool } = context
  return {
    reviews: (db: Db, id?: string) => readReviews(db, id),
    isInvolved: (db: Db, reviewId: string, operatorId: string) => isInvolved(db, reviewId, operatorId),
    decide: (id: string, verdict: Parameters<typeof decideDispute>[2]) => decideDispute(context, id, verdict),
    file: (id: string, fileId: string) => readFile(context, id, fileId),
    passDeadlines: (tx: Tx) => passDeadlines(context, tx),
    askProvider: (id: string) => context.payments.askProvider(id),
    /** Returns the full record of a dispute. Refuses `not_found`. */
    async details(id: string) {
      const row = (await findDispute(pool, id)) ?? refuse('not_found')
      const transaction = (await findStored(pool, row.user_id, row.transaction_id)) ?? refuse('not_found')
      const { rows: events } = await pool.query<{ code: string; text: string | null; at: Date }>(
        'select code, text, at from dispute_event where dispute_id = $1 order by at, id',
        [id],
      )
      return {
        ...{ row, transaction, events },
        ...(await readFacts(pool, row)),
        files: await readFiles(pool, [id]),
        objection: await readObjection(pool, id),
        standing: await transact(pool, (tx) => lockDue(tx, row, transaction)),
      }
    },
  }
}

export type Disputes = ReturnType<typeof createDisputes>
