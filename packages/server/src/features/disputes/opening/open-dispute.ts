import type { Dispute, newDispute } from '@tern/contract/disputes/disputes'
import type pg from 'pg'
import type * as z from 'zod/mini'
import { onlyRow, transact, type Tx } from '../../../platform/database/db.ts'
import { parseAmount } from '../../../platform/http/amount.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { Client } from '../../identity/identity.ts'
import type { StoredTransaction } from '../../wallets/wallets.ts'
import { type DisputeContext, readCountryCode } from '../context.ts'
import {
  findObstacle,
  type Claim,
  missingAmount,
  expectedCurrency,
  findStoredTransaction,
  claimableAmount,
} from './claims.ts'
import { claimedAmount, findDispute, findByTransaction, addEvent, openReview } from '../records/dispute-rows.ts'
import { collectEvidenceFacts, hashEvidence } from './evidence.ts'
import { moneyWithFee, readDispute } from '../records/dispute-view.ts'
import { computeDeadlines, type DisputePolicy, isNewAccount, openingDeadline, readPolicies } from '../policy.ts'
import { notifyHolder } from '../notices.ts'

type NewDispute = z.output<typeof newDispute>

const refusals = {
  not_possible: 'dispute_not_possible',
  too_late: 'dispute_too_late',
  not_yet: 'dispute_not_yet',
} as const

/** Returns why a dispute of the policy's kind cannot be opened now, or null. */
export function findObstacleAt(row: StoredTransaction, policy: DisputePolicy, at: Date) {
  const obstacle = findObstacle(row, policy.kind)
  return obstacle ?? (at > openingDeadline(policy, row.created_at) ? 'too_late' : null)
}

/**
 * Returns the claim of a new dispute. Refuses `invalid_request` if the expected amount is absent, or leaves no valid
 * claim.
 */
function makeClaim(row: StoredTransaction, input: NewDispute): Claim {
  const { kind, expected_side: side, expected_amount: text } = input
  if (kind !== 'wrong_amount') return claimableAmount(row, kind)
  if (side === undefined) return refuseField('invalid_request', 'expected_side', 'missing')
  if (text === undefined) return refuseField('invalid_request', 'expected_amount', 'missing')
  const { minor } = parseAmount('expected_amount', expectedCurrency(row, side), text)
  return missingAmount(row, { side, minor }) ?? refuseField('invalid_request', 'expected_amount', 'invalid_amount')
}

/**
 * Opens a dispute and returns it. One transaction freezes the evidence, sets the deadlines and queues a review; for an
 * unauthorized payment it also freezes the account on request. Refuses `not_found`, `dispute_open` (with its id),
 * `dispute_not_possible`, `dispute_too_late`, `dispute_not_yet` and `invalid_request`.
 */
export async function openDispute(
  ctx: DisputeContext,
  pool: pg.Pool,
  { caller, input, client }: { readonly caller: Caller; readonly input: NewDispute; readonly client: Client },
): Promise<Dispute> {
  const { userId } = caller
  const at = ctx.now()
  const freezes = input.kind === 'unauthorized' && input.freeze_account === true
  const id = await transact(pool, async (tx) => {
    const disputeId = await insertDispute(ctx, tx, await checkDispute(tx, { userId, input, at }))
    if (freezes) await ctx.identity.freezeInTransaction(tx, { caller, client })
    return disputeId
  })
  if (freezes) await ctx.identity.completeFreeze(userId)
  return readDispute(ctx, pool, { userId, id })
}

/** Returns a disputable transaction with the policy that applies. Refuses like `openDispute`. */
async function checkDispute(
  tx: Tx,
  { userId, input, at }: { readonly userId: bigint; readonly input: NewDispute; readonly at: Date },
): Promise<CheckedDispute> {
  const { transaction_id: transactionId } = input
  const row =
    (await findStoredTransaction(tx, { user_id: userId, transaction_id: transactionId })) ?? refuse('not_found')
  const policy = (await readPolicies(tx, await readCountryCode(tx, userId), at))[input.kind]
  const existingId = await findByTransaction(tx, { userId, transactionId })
  if (existingId !== undefined) refuse('dispute_open', { extra: { dispute_id: existingId } })
  const obstacle = findObstacleAt(row, policy, at)
  if (obstacle) refuse(refusals[obstacle])
  return { row, policy, input, at }
}

interface CheckedDispute {
  readonly row: StoredTransaction
  readonly policy: DisputePolicy
  readonly input: NewDispute
  readonly at: Date
}

async function insertDispute(
  ctx: DisputeContext,
  tx: Tx,
  { row, policy, input: request, at }: CheckedDispute,
): Promise<string> {
  const { kind, statement } = request
  const claim = makeClaim(row, request)
  const isNew = await isNewAccount(tx, policy, row.user_id, row.created_at)
  const { decideBy, creditBy } = computeDeadlines(policy, at, isNew)
  const statements = {
    ...(kind === 'wrong_amount'
      ? { expected_side: request.expected_side, expected_amount: request.expected_amount }
      : {}),
    ...(kind === 'unauthorized' ? { was_asked: request.was_asked ?? null } : {}),
    claimed: moneyWithFee(claim, claim.fee),
  }
  const facts = { ...(await collectEvidenceFacts(tx, row)), said: statements, gathered_at: at.toISOString() }
  const { rows } = await tx.query<{ text: string }>('select $1::jsonb::text as text', [JSON.stringify(facts)])
  const id = newId(at)
  const hash = hashEvidence({ id, kind, statement, factsText: onlyRow(rows).text })
  // Only the first of several concurrent disputes of a transaction is inserted.
  const { rowCount } = await tx.query(
    `insert into dispute (id, user_id, transaction_id, kind, statement, claimed_minor, claimed_fee_minor, currency, facts, hash,
         policy_country, policy_version, opened_at, decide_by, credit_by, is_new_account)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     on conflict (user_id, transaction_id) where state <> 'withdrawn' do nothing`,
    [
      id,
      row.user_id,
      row.id,
      kind,
      statement,
      claim.minor,
      claim.fee,
      claim.currency,
      onlyRow(rows).text,
      hash,
      policy.country,
      policy.version,
      at,
      decideBy,
      creditBy,
      isNew,
    ],
  )
  if (rowCount === 0) {
    const firstId = await findByTransaction(tx, { userId: row.user_id, transactionId: row.id })
    refuse('dispute_open', { extra: { dispute_id: firstId } })
  }
  await addEvent(tx, id, 'opened', at)
  await openReview(tx, id, 'opened', at)
  const dispute = await findDispute(tx, id)
  if (dispute) {
    await notifyHolder(ctx, tx, {
      row: dispute,
      step: 'opened',
      amount: claimedAmount(dispute),
      by: decideBy,
      creditBy,
    })
  }
  return id
}
