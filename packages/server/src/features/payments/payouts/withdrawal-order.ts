import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { isFiatCode } from '@tern/money/currency'
import { type Money, money, parseDecimal } from '@tern/money/money'
import { parseAmount } from '../../../platform/http/amount.ts'
import { afterCommit, only, retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { insertRow, updateRow } from '../../../platform/database/rows.ts'
import { requireTime } from '../../../platform/http/deadline.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { Refusal, refuse, refuseField } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import {
  type Authorized,
  type Candidate,
  type Guard,
  type PayoutSteps,
  recordHold,
  usageOf,
} from '../../transfers/transfers.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import { type BankAccountRow, usableAccount } from '../instruments/instruments.ts'
import { expectedArrival } from './business-days.ts'
import type { PaymentContext } from '../context.ts'
import { usdMinorOf } from '../records/payment-usage.ts'

export interface WithdrawalRequest {
  readonly amount: string
  readonly currency: string
  readonly bankAccountId: string
  readonly userId?: number | undefined
}

/** A withdrawal that is decided on. */
export interface Order {
  readonly userId: bigint
  readonly wallet: Wallet
  readonly account: BankAccountRow
  readonly amount: Money
  /** What it counts against a limit, in US dollar cents. */
  readonly usdMinor: bigint
  /** A day in the country of the account. */
  readonly expectedOn: string
  readonly idempotencyKey: string
  readonly requestHash: Buffer
  readonly at: Date
}

/** Who withdraws what to where, before any money moves. Refuses what is wrong with the request. */
export async function prepareOrder(
  context: PaymentContext,
  { userId, verified }: Caller,
  request: WithdrawalRequest,
): Promise<Omit<Order, 'idempotencyKey' | 'requestHash'>> {
  const { wallets, now } = context
  if (!verified) refuse('verification_required')
  const account = await usableAccount(context, userId, request.bankAccountId)
  const wallet = (await wallets.walletOf(userId)) ?? refuse('not_found')
  const { currency } = request
  if (!isFiatCode(currency) || currency !== wallet.baseCurrency) {
    const params = { currency: wallet.baseCurrency }
    return refuseField('currency_not_supported', 'currency', { code: 'wallet_currency', params })
  }
  if (account.currency !== currency) {
    const params = { accepted: account.currency, currency }
    refuseField('currency_not_supported', 'bankAccountId', { code: 'account_takes_currency', params })
  }
  const amount = parseAmount('amount', currency, request.amount)
  await requireFunds(context, wallet, amount)
  const at = now()
  const { expectedOn } = expectedArrival(account.country, at)
  return { userId, wallet, account, amount, usdMinor: usdMinorOf(context, amount), expectedOn, at }
}

/** Refuses `insufficient_funds` with the balance. */
export async function requireFunds({ wallets }: PaymentContext, wallet: Wallet, amount: Money): Promise<void> {
  const { fiat_balance: balance, base_currency: currency } = await wallets.viewOf(wallet)
  if (parseDecimal(currency, balance).minor >= amount.minor) return
  refuseField('insufficient_funds', 'amount', { code: 'balance_too_low', params: { balance, currency } })
}

/** The id of the movement that sets the money of a withdrawal aside. */
export const reservationOf = (userId: bigint, idempotencyKey: string): string =>
  derivedId('withdrawal', userId, idempotencyKey)

/** Sets the amount aside, shows it, writes the payout down, and orders it unless it is held: all of it, or nothing. */
export async function reserve(
  context: PaymentContext,
  order: Order,
  decided: Authorized,
  guard?: Guard,
): Promise<void> {
  const { pool, wallets } = context
  const { wallet, amount } = order
  const from = await wallets.accountId(walletAccount(wallet.id, amount.currency))
  const to = await wallets.accountId(holdAccount(wallet.id, amount.currency))
  try {
    await retryOnConflict(pool, async (tx) => {
      requireTime()
      await guard?.(tx)
      await reserveWithin(context, tx, { order, decided, from, to })
    })
  } catch (error) {
    // Something else was quicker: what is left now is what the person reads.
    if (error instanceof Refusal && error.code === 'insufficient_funds') await requireFunds(context, wallet, amount)
    throw error
  }
}

async function reserveWithin(
  context: PaymentContext,
  tx: Tx,
  { order, decided, from, to }: { order: Order; decided: Authorized; from: bigint; to: bigint },
): Promise<void> {
  const { userId, wallet, account, amount, usdMinor, expectedOn, idempotencyKey, requestHash: hash, at } = order
  const id = derivedId('payout', userId, idempotencyKey)
  const transactionId = newId(at)
  const linked = await tx.query<{ token: string }>(
    'select token from bank_account where id = $1 and removed_at is null for share',
    [account.id],
  )
  const { token } = linked.rows[0] ?? refuseField('bank_account_needed', 'bankAccountId')
  const payout = {
    ...{ id, user_id: userId, bank_account_id: account.id, provider: account.provider, submitted_token: token },
    ...{ amount_minor: amount.minor, currency: amount.currency, usd_minor: usdMinor, expected_on: expectedOn },
    ...{ status: decided.outcome === 'hold' ? 'held' : 'pending', transaction_id: transactionId },
    ...{ idempotency_key: idempotencyKey, request_hash: hash, created_at: at, updated_at: at, last_polled_at: at },
  }
  // Another process was quicker with the same request, and did all that follows.
  if (!(await insertRow(tx, 'payout', payout, 'on conflict do nothing'))) return
  const candidate = candidateOf(order)
  if (decided.outcome === 'settle') submitAfterCommit(context, tx, id)
  else {
    const held = { id: transactionId, candidate, amount, paymentId: id, requestHash: hash, at }
    await recordHold(tx, { ...held, description: descriptionOf(order) }, decided)
  }
  const outcome = await context.mover.moveWithin(tx, {
    movement: {
      id: reservationOf(userId, idempotencyKey),
      requestHash: hash,
      kind: 'withdrawal',
      reference: transactionId,
      at,
      legs: [{ from, to, amount: amount.minor, code: 'reserve' }],
    },
    rows: [
      {
        userId,
        kind: 'WITHDRAW',
        status: 'PENDING',
        senderId: userId,
        walletId: wallet.id,
        fromWalletId: wallet.id,
        description: descriptionOf(order),
        source: amount,
        target: amount,
        fee: money(amount.currency, 0n),
        paymentSource: 'bank',
        paymentId: id,
      },
    ],
    ...usageOf(candidate, at),
  })
  // It stands refused: what was written down here goes, and the refusal is read from the ledger.
  if (acceptOutcome(outcome) !== 'posted') refuse('request_in_progress')
}

const descriptionOf = ({ account: { bank_name: bank, last4 } }: Order) =>
  ({ code: 'withdrawal', params: { bank, last4 } }) as const

export const candidateOf = ({ userId, amount, usdMinor }: Order): Candidate => ({
  kind: 'payout',
  senderId: userId,
  source: amount,
  target: amount,
  usdMinor,
})

/** After the commit, because it raises NOTIFY. One that is lost is made up for: the worker orders what is pending. */
function submitAfterCommit({ pool, log }: Pick<PaymentContext, 'pool' | 'log'>, tx: Tx, payoutId: string): void {
  afterCommit(tx, () => {
    const job = `select graphile_worker.add_job('submit_payout', json_build_object('payoutId', $1::text), job_key := $1)`
    pool.query(job, [payoutId]).catch((error: unknown) => log.warn({ err: error, payoutId }, 'a payout waits'))
  })
}

/** What happens to a payout that was held. */
export const payoutSteps = (context: Pick<PaymentContext, 'pool' | 'log'>): PayoutSteps => ({
  async order(tx, payoutId, at) {
    const { rows } = await tx.query<{ country: string }>(
      'select country from bank_account where id = (select bank_account_id from payout where id = $1)',
      [payoutId],
    )
    const { expectedOn } = expectedArrival(only(rows).country, at)
    const changes = { status: 'pending', expected_on: expectedOn, updated_at: at, last_polled_at: at }
    await updateRow(tx, 'payout', payoutId, changes)
    submitAfterCommit(context, tx, payoutId)
  },
  fail: (tx, payoutId, reason, at) => updateRow(tx, 'payout', payoutId, { status: 'failed', reason, updated_at: at }),
})
