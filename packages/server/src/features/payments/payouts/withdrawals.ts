import type pg from 'pg'
import type { withdraw } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { toDecimal } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { isStoredRefusal, storeRefusal, requestHash as hashOf } from '../../../platform/http/idempotency.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import { type Caller, requireCaller } from '../../../platform/http/serve.ts'
import { bankAccountView, findBankAccount, usableAccount } from '../instruments/instruments.ts'
import { payeeSubjectText } from '../payees/payee-answers.ts'
import { expectedArrival } from './business-days.ts'
import type { PaymentContext } from '../context.ts'
import type { SensitiveAction } from '../../identity/identity.ts'
import { recordProof, revokeDecision, type RiskCandidate } from '../../risk/risk.ts'
import { type Authorization, verifyStepUp, revokeRefused } from '../../transfers/transfers.ts'
import { findReplay, findWallet } from '../../wallets/wallets.ts'
import { toPayoutFee, findPayout, payoutStates } from '../records/payment-rows.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'
import {
  toCandidate,
  type WithdrawalOrder,
  prepareOrder,
  requireFunds,
  reservationId,
  reserveOrder,
  computeTotal,
  readWithdrawable,
  type WithdrawalRequest,
} from './withdrawal-order.ts'
import type { PayoutRow } from '../row-types.ts'

export interface Withdrawal {
  readonly caller: Caller
  readonly body: WithdrawalRequest
  readonly idempotencyKey: string
  readonly confirmation?: string | undefined
}

/** Reserves the amount and orders the payout. Refusals: see `withdraw` in the contract. */
export async function orderWithdrawal(ctx: PaymentContext, pool: pg.Pool, withdrawal: Withdrawal) {
  const { caller, body, idempotencyKey } = withdrawal
  requireCaller(caller, body.userId)
  return ctx.singleFlight(`${caller.userId} ${idempotencyKey}`, () => withdrawOnce(ctx, pool, withdrawal))
}

async function withdrawOnce(ctx: PaymentContext, pool: pg.Pool, withdrawal: Withdrawal): Promise<WithdrawalReply> {
  const { caller, body, idempotencyKey } = withdrawal
  const { amount, currency, bankAccountId } = body
  const requestHash = hashOf({ amount, currency, bankAccountId })
  const id = reservationId(caller.userId, idempotencyKey)
  const keyedRequest = { userId: caller.userId, postingId: id, hash: requestHash }
  const existingWithdrawal = await findWithdrawal(pool, keyedRequest)
  if (existingWithdrawal) return existingWithdrawal
  try {
    const order = await prepareOrder(ctx, pool, { ...withdrawal, requestHash })
    // Checked again before a confirmation is required, as a concurrent order may have used the balance.
    await requireFunds(pool, order.wallet, computeTotal(order))
    const authorization = await ctx.transfers.authorize(toCandidate(order))
    const decisionId = await acceptOrder(ctx, pool, { ...withdrawal, order })
    const reserve = ({ decided }: Authorization) => reserveOrder(ctx, pool, { order, decided })
    const isReserved = await reserve(authorization)
      .catch(async (error: unknown) => reserve(await ctx.transfers.decideAgain({ authorization, error })))
      .catch((error: unknown) => revokeRefused(ctx, pool, { decisionId, error }))
    if (!isReserved) await revokeDecision(pool, { decisionId, at: ctx.now() })
  } catch (error) {
    if (isStoredRefusal(error)) await storeRefusal(pool, { id, requestHash, kind: 'withdrawal', at: ctx.now() }, error)
    // Another process may have run the same request, and used up the balance or the amount allowed unconfirmed.
    const existingWithdrawal = error instanceof Refusal ? await findWithdrawal(pool, keyedRequest) : undefined
    if (existingWithdrawal) return existingWithdrawal
    throw error
  }
  return (await findWithdrawal(pool, keyedRequest)) ?? refuse('not_found')
}

type WithdrawalReply = Reply<typeof withdraw>

/**
 * Withdrawal begun under this key, if any. Repeats an earlier refusal of the key, and refuses a key of another request.
 */
async function findWithdrawal(
  db: Db,
  keyedRequest: Parameters<typeof findReplay>[1],
): Promise<WithdrawalReply | undefined> {
  const transaction = await findReplay(db, keyedRequest)
  const payout = transaction && (await findPayout(db, transaction.payment_id ?? ''))
  return payout && toReply(payout)
}

type WithdrawalCheck = Pick<Withdrawal, 'caller' | 'confirmation'> & { readonly order: WithdrawalOrder }

/**
 * Accepts a withdrawal that needs no confirmation, has a fresh one, or was confirmed when its account was linked.
 * Returns the id of the risk decision. Refuses `step_up_required`.
 */
async function acceptOrder(
  ctx: PaymentContext,
  pool: pg.Pool,
  { caller, order, confirmation }: WithdrawalCheck,
): Promise<string> {
  const { userId, account, idempotencyKey, amount, usdMinor } = order
  const candidate: RiskCandidate = {
    movementId: reservationId(userId, idempotencyKey),
    userId,
    kind: 'payout',
    payee: { id: `bank ${account.provider} ${account.fingerprint}`, bankAccountId: account.id },
    sessionId: caller.sessionId,
    amount,
    source: 'wallet',
    usdMinor,
  }
  if (order.payee.result === 'no_match') {
    // Only a confirmation of this very outcome counts: neither trust in the payee nor the confirmation of the link.
    const provenAt = await ctx.identity.requireStepUp({ caller, act: sensitiveAction(order), confirmation })
    return recordProof(pool, { candidate, provenAt, at: ctx.now() })
  }
  // Checked first, so that a withdrawal uses up its confirmation even if it would pass without one.
  const linkedAt = await consumeLinkConfirmation(pool, { caller, order })
  if (linkedAt) return recordProof(pool, { candidate, provenAt: linkedAt, at: ctx.now() })
  return verifyStepUp(ctx, pool, { candidate, proof: { caller, action: sensitiveAction(order), confirmation } })
}

/** Maximum minutes from the confirmation to the withdrawal, including the time on the bank's pages. */
const confirmedMinutes = 15

/**
 * Consumes the confirmation of exactly this withdrawal that this session gave when it linked the account, and returns
 * its time. Undefined without one. Retries under the same idempotency key are covered too.
 */
async function consumeLinkConfirmation(
  db: Db,
  { caller, order }: { readonly caller: Caller; readonly order: WithdrawalOrder },
): Promise<Date | undefined> {
  const { userId, sessionId } = caller
  const { account, amount, cost, idempotencyKey } = order
  const { rows } = await db.query<{ confirmed_at: Date }>(
    `with own as (
       select id from bank_link
        where user_id = $1 and login_session_id = $2 and bank_account_id = $3 and status = 'linked'
          and withdrawal_minor = $4 and withdrawal_fee_minor = $5 and withdrawal_currency = $6
          and withdrawal_confirmed_at > now() - make_interval(mins => $8)
          and (withdrawal_id is null or withdrawal_id = $7)
        order by withdrawal_id nulls last limit 1 for update)
     update bank_link set withdrawal_id = $7 from own where bank_link.id = own.id
     returning withdrawal_confirmed_at as confirmed_at`,
    [
      userId,
      sessionId,
      account.id,
      amount.minor,
      cost.fee.minor,
      amount.currency,
      reservationId(userId, idempotencyKey),
      confirmedMinutes,
    ],
  )
  return rows[0]?.confirmed_at
}

function sensitiveAction(order: WithdrawalOrder): SensitiveAction {
  const { account, amount, cost, expectedOn, idempotencyKey, payee } = order
  const mismatch = payeeSubjectText(payee)
  return {
    action: 'withdraw_money',
    subject: {
      to: { code: 'bank_account', params: { bank: account.bank_name, last4: account.last4 } },
      ...(mismatch !== undefined && { payee: mismatch }),
      amount: amountText(amount),
      ...(cost.fee.minor > 0n ? { fee: amountText(cost.fee), total: amountText(computeTotal({ amount, cost })) } : {}),
      arrives: { code: 'by_day', params: { day: expectedOn } },
    },
    hidden: { account: account.id, idempotencyKey },
  }
}

/** Arrival days of a withdrawal, and the amount that can be withdrawn now. Refuses `bank_account_needed`. */
export async function estimateWithdrawal(
  ctx: PaymentContext,
  pool: pg.Pool,
  { userId, bankAccountId }: { readonly userId: bigint; readonly bankAccountId: string },
) {
  const { country } = await usableAccount(ctx, pool, { userId, id: bankAccountId })
  const { earliestOn, expectedOn } = expectedArrival(country, ctx.now())
  const wallet = (await findWallet(pool, userId)) ?? refuse('not_found')
  const { amount, restFrom, parts, terms } = await readWithdrawable(ctx, pool, wallet)
  return {
    ...{ earliest_on: earliestOn, expected_on: expectedOn },
    withdrawable: toDecimal(amount),
    rest_from: restFrom?.toISOString() ?? null,
    restricted: parts.map(({ amount: part, reason, until, isReceived }) => ({
      amount: toDecimal(part),
      reason,
      from: until?.toISOString() ?? null,
      is_received: isReceived,
    })),
    without_cost: toDecimal(terms.free),
    cost_basis_points: Number(terms.basisPoints), // not money: a rate
    cost_days: terms.days,
  }
}

/** Status of the user's payout. Refuses `not_found`. */
export async function readPayout(db: Db, { userId, payoutId }: { readonly userId: bigint; readonly payoutId: string }) {
  const payout = await findPayout(db, payoutId)
  if (!payout || payout.user_id !== userId) return refuse('not_found')
  const account = (await findBankAccount(db, payout.bank_account_id)) ?? refuse('not_found')
  return {
    status: toOwnerStatus(payout),
    expected_on: payout.expected_on,
    bank_account: bankAccountView(account),
    reason: describeReason(payout),
    transaction_id: payout.transaction_id,
  }
}

/** The user's payout with this payout or transaction id, as a transfer. */
export async function findPayoutTransfer(db: Db, { userId, id }: { readonly userId: bigint; readonly id: string }) {
  const { rows } = await db.query<PayoutRow>(
    'select * from payout where user_id = $1 and (id = $2 or transaction_id = $2) and returns_payment_id is null',
    [userId, id],
  )
  const [payout] = rows
  if (!payout) return undefined
  const { id: paymentId, transaction_id: transactionId, status, expected_on } = payout
  const state = payoutStates[status]
  return { kind: 'payout' as const, id: transactionId, state, paymentId, reason: describeReason(payout), expected_on }
}

const describeReason = ({ reason }: PayoutRow): string | null =>
  reason === null ? null : currentRequestMessages().activity.payouts[reason]

// For its owner, a payout that is held or under review is pending.
const toOwnerStatus = ({ status }: PayoutRow) => (status === 'needs_review' || status === 'held' ? 'pending' : status)

const toReply = (payout: PayoutRow): Reply<typeof withdraw> => ({
  success: true,
  payout_id: payout.id,
  transaction_id: payout.transaction_id,
  status: toOwnerStatus(payout),
  expected_on: payout.expected_on,
  fee: toDecimal(toPayoutFee(payout)),
  redirectUrl: null,
})
