import type { DisputeOption } from '@tern/contract/disputes/disputes'
import type { Db } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { findTransactions, type StoredTransaction } from '../../wallets/wallets.ts'
import { type DisputeContext, readCountryCode } from '../context.ts'
import { computeDeadlines, type DisputePolicy, isNewAccount, openingDeadline, readPolicies } from '../policy.ts'
import { findByTransaction } from '../records/dispute-rows.ts'
import { moneyWithFee } from '../records/dispute-view.ts'
import { claimableAmount, findStoredTransaction } from './claims.ts'
import { findObstacleAt } from './open-dispute.ts'

/** Returns the possible disputes of one of the caller's transactions. Refuses `not_found`. */
export async function readOptions(
  { now }: Pick<DisputeContext, 'now'>,
  db: Db,
  { userId, transactionId }: { readonly userId: bigint; readonly transactionId: string },
) {
  const row =
    (await findStoredTransaction(db, { user_id: userId, transaction_id: transactionId })) ?? refuse('not_found')
  const [transaction] = await findTransactions(db, { userId, ids: [transactionId] })
  const policies = await readPolicies(db, await readCountryCode(db, userId), now())
  const id = await findByTransaction(db, { userId, transactionId })
  const options = await Promise.all(
    Object.values(policies).map(async (policy) => {
      return optionView(row, policy, await isNewAccount(db, policy, userId, row.created_at), now())
    }),
  )
  return { transaction: transaction ?? refuse('not_found'), dispute_id: id ?? null, options }
}

function optionView(row: StoredTransaction, policy: DisputePolicy, isNew: boolean, at: Date): DisputeOption {
  const { decideBy, creditBy } = computeDeadlines(policy, at, isNew)
  const claim = claimableAmount(row, policy.kind)
  return {
    kind: policy.kind,
    barred: findObstacleAt(row, policy, at),
    open_until: openingDeadline(policy, row.created_at).toISOString(),
    decide_by: decideBy.toISOString(),
    credit_by: creditBy?.toISOString() ?? null,
    claimable: moneyWithFee(claim, claim.fee),
  }
}
