import type { payoutStatus, withdraw, withdrawalEstimate } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Queryable } from '../../../platform/database/db.ts'
import { createSingleFlight, isKept, requestHash } from '../../../platform/http/idempotency.ts'
import { Refusal, refuse, refuseField } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { BankAccounts } from '../instruments/bank-accounts.ts'
import { settlementPostings } from './business-days.ts'
import type { PaymentContext } from '../context.ts'
import type { OutsideTransfer } from '../../transfers/transfers.ts'
import { type PayoutRow, payoutStates } from '../records/payment-rows.ts'
import { messagesHere } from '../../../platform/messages.ts'
import { findPayout } from './payout-outcomes.ts'
import {
  candidateOf,
  requireFunds,
  type Order,
  prepareOrder,
  reservationOf,
  reserve,
  type WithdrawalRequest,
} from './withdrawal-order.ts'
import { stepUpFor } from './withdrawal-step-up.ts'

export type { WithdrawalRequest } from './withdrawal-order.ts'

export interface Withdrawals {
  /** Holds the amount and orders the payout. Refuses what the contract's `withdraw` lists. */
  withdraw(
    caller: Caller,
    request: WithdrawalRequest,
    idempotencyKey: string,
    confirmation: string | undefined,
  ): Promise<Reply<typeof withdraw>>
  /** Refuses `bank_account_needed`. */
  withdrawalEstimate(userId: bigint, bankAccountId: string): Promise<Reply<typeof withdrawalEstimate>>
  /** Refuses `not_found`. */
  payoutStatus(userId: bigint, payoutId: string): Promise<Reply<typeof payoutStatus>>
  /** The user's payout of this id, or of the transaction of this id, as a transfer. */
  findPayoutTransfer(userId: bigint, id: string): Promise<OutsideTransfer | undefined>
}

/** Withdrawals to linked bank accounts: the wallet is debited at once, the bank is paid later. */
export function createWithdrawals(context: PaymentContext, bankAccounts: BankAccounts): Withdrawals {
  const { pool, now } = context
  const singleFlight = createSingleFlight()

  /** What an earlier request with this key began, if it began anything. Refuses when it asked for something else. */
  async function replay(userId: bigint, key: string, hash: Buffer): Promise<Reply<typeof withdraw> | undefined> {
    const payout = (
      await pool.query<PayoutRow>('select * from payout where user_id = $1 and idempotency_key = $2', [userId, key])
    ).rows[0]
    if (!payout) return undefined
    if (!payout.request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
    return replyOf(payout)
  }

  async function run(
    caller: Caller,
    request: WithdrawalRequest,
    { key, confirmation }: { key: string; confirmation: string | undefined },
  ): Promise<Reply<typeof withdraw>> {
    const hash = hashOf(request)
    const earlier = await replay(caller.userId, key, hash)
    if (earlier) return earlier
    // Refuses what was refused before.
    await context.wallets.replayOf(caller.userId, reservationOf(caller.userId, key), hash)
    try {
      await order(context, bankAccounts, caller, { request, key, confirmation, hash })
    } catch (error) {
      if (isKept(error)) {
        const id = reservationOf(caller.userId, key)
        await context.wallets.keepRefusal({ id, requestHash: hash, kind: 'withdrawal', at: now() }, error)
      }
      // Another process may have carried the very same request out, with the money that is missing now, or with what may
      // leave without a proof.
      const same = error instanceof Refusal ? await replay(caller.userId, key, hash) : undefined
      if (same) return same
      throw error
    }
    return (await replay(caller.userId, key, hash)) ?? refuse('not_found')
  }

  return {
    async withdraw(caller, request, idempotencyKey, confirmation) {
      if (request.userId !== undefined && BigInt(request.userId) !== caller.userId) {
        refuseField('not_your_account', 'userId')
      }
      const flight = `${caller.userId} ${idempotencyKey}`
      return singleFlight(flight, () => run(caller, request, { key: idempotencyKey, confirmation }))
    },

    async withdrawalEstimate(userId, bankAccountId) {
      const { country } = await bankAccounts.usableAccount(userId, bankAccountId)
      const { earliestOn, expectedOn } = settlementPostings(country, now())
      return { earliest_on: earliestOn, expected_on: expectedOn }
    },

    async payoutStatus(userId, payoutId) {
      const payout = await findPayout(pool, payoutId)
      if (!payout || payout.user_id !== userId) return refuse('not_found')
      const account = (await bankAccounts.anyAccount(payout.bank_account_id)) ?? refuse('not_found')
      return {
        status: statusOf(payout),
        expected_on: payout.expected_on,
        bank_account: account.view,
        reason: payout.reason === null ? null : messagesHere().activity.payouts[payout.reason],
        transaction_id: payout.transaction_id,
      }
    },

    findPayoutTransfer: (userId, id) => findPayoutTransfer(pool, userId, id),
  }
}

async function findPayoutTransfer(db: Queryable, userId: bigint, id: string): Promise<OutsideTransfer | undefined> {
  const { rows } = await db.query<PayoutRow>(
    'select * from payout where user_id = $1 and (id = $2 or transaction_id = $2)',
    [userId, id],
  )
  const [payout] = rows
  if (!payout) return undefined
  return {
    kind: 'payout',
    id: payout.transaction_id,
    state: payoutStates[payout.status],
    paymentId: payout.id,
    reason: payout.reason === null ? null : messagesHere().activity.payouts[payout.reason],
    captured: false,
    reversed: false,
    redirectUrl: null,
    expected_on: payout.expected_on,
  }
}

/** Sets the money aside and orders the payout, as `decide` says. */
async function order(
  context: PaymentContext,
  bankAccounts: BankAccounts,
  caller: Caller,
  {
    request,
    key,
    confirmation,
    hash,
  }: { request: WithdrawalRequest; key: string; confirmation: string | undefined; hash: Buffer },
): Promise<void> {
  const prepared = await prepareOrder(context, bankAccounts, caller, request)
  const order: Order = { ...prepared, idempotencyKey: key, requestHash: hash }
  // What was ordered meanwhile may have left too little, and nobody confirms what cannot be.
  await requireFunds(context, order.wallet, order.amount)
  const stepUp = stepUpFor(context, caller, order, confirmation)
  await context.transfers.decide.authorize(candidateOf(order), stepUp, (decided, guard) =>
    reserve(context, order, decided, guard),
  )
}

const hashOf = ({ amount, currency, bankAccountId }: WithdrawalRequest): Buffer =>
  requestHash({ amount, currency, bankAccountId })

// For its owner a payout that is held, or that an operator looks at, is pending.
const statusOf = ({ status }: PayoutRow) => (status === 'needs_review' || status === 'held' ? 'pending' : status)

const replyOf = (payout: PayoutRow): Reply<typeof withdraw> => ({
  success: true,
  payout_id: payout.id,
  transaction_id: payout.transaction_id,
  status: statusOf(payout),
  expected_on: payout.expected_on,
  redirectUrl: null,
})
