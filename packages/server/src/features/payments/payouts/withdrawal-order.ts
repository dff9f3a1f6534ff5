import type { withdrawalRequest } from '@tern/contract/banking'
import { walletAccount } from '@tern/ledger/chart'
import { reserve } from '@tern/ledger/holds'
import { loadBalances } from '@tern/ledger/ledger'
import { add, compare, type Money, money, parseDecimal } from '@tern/money/money'
import type pg from 'pg'
import type * as z from 'zod/mini'
import { parseAmount } from '../../../platform/http/amount.ts'
import { afterCommit, onlyRow, type Db, retryOnConflict, transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow, updateRow } from '../../../platform/database/rows.ts'
import { requireTime } from '../../../platform/http/deadline.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { Refusal, refuse, refuseField } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { tracing } from '../../../platform/tracing/tracing.ts'
import { requireNotStopped } from '../../compliance/compliance.ts'
import { type AllowedDecision, type Candidate, recordHold, buildTransferUsage } from '../../transfers/transfers.ts'
import { findWallet, readRestricted, readWallet, type Wallet } from '../../wallets/wallets.ts'
import { payeeColumns, requirePayee } from '../payees/payee-answers.ts'
import { requireKnownHolder } from '../instruments/holders.ts'
import { usableAccount } from '../instruments/instruments.ts'
import { expectedArrival } from './business-days.ts'
import { type Cost, computeCost, maxWithCost, readCostTerms } from './card-cost.ts'
import { findMaturityDate, requireMature } from './card-money.ts'
import { choosePayoutProvider, type PaymentContext } from '../context.ts'
import { buildHoldLeg, buildOwnRow } from '../records/payment-postings.ts'
import { computeUsdMinor } from '../records/payment-usage.ts'
import type { BankAccountRow, PayeeCheckRow } from '../row-types.ts'

export type WithdrawalRequest = z.output<typeof withdrawalRequest>

/** Priced withdrawal, before the decision about it. */
export interface WithdrawalOrder {
  readonly userId: bigint
  readonly wallet: Wallet
  readonly account: BankAccountRow
  /** Provider of the payout, which may differ from the one that linked the account. */
  readonly provider: string
  readonly amount: Money
  readonly cost: Cost
  /** Amount that counts against limits, in US dollar cents. */
  readonly usdMinor: bigint
  /** Calendar day in the country of the account. */
  readonly expectedOn: string
  readonly idempotencyKey: string
  readonly requestHash: Buffer
  /** The bank's answer about the account holder, to which the owner agreed if it is a mismatch. */
  readonly payee: PayeeCheckRow
  /** Network of the owner's request. */
  readonly network: string | undefined
  readonly at: Date
}

interface WithdrawalCall extends Pick<WithdrawalOrder, 'idempotencyKey' | 'requestHash'> {
  readonly caller: Caller
  readonly body: WithdrawalRequest
}

/** Resolves amount, account and cost of a withdrawal, before money moves. Refusals: see `withdraw` in the contract. */
export async function prepareOrder(
  ctx: PaymentContext,
  pool: pg.Pool,
  { caller, body, idempotencyKey, requestHash }: WithdrawalCall,
): Promise<WithdrawalOrder> {
  const { userId, verified, network } = caller
  const { bankAccountId, currency, amount: text, expected_total: expected } = body
  if (!verified) refuse('verification_required')
  const account = await usableAccount(ctx, pool, { userId, id: bankAccountId })
  const wallet = (await findWallet(pool, userId)) ?? refuse('not_found')
  requireWalletCurrency(wallet, currency)
  if (account.currency !== currency) {
    const params = { accepted: account.currency, currency }
    refuseField('currency_not_supported', 'bankAccountId', { code: 'account_takes_currency', params })
  }
  const provider = choosePayoutProvider(ctx, account) ?? refuseField('bank_account_needed', 'bankAccountId')
  const amount = parseAmount('amount', currency, text)
  await requireKnownHolder(ctx, pool, { ...account, user_id: userId })
  const at = ctx.now()
  const cost = await priceWithdrawal(pool, { wallet, amount, at })
  const total = add(amount, cost.fee)
  if (expected !== undefined && compare(parseAmount('expected_total', currency, expected), total) !== 0) refuseCost()
  requireTime()
  const payee = await requirePayee(ctx, pool, { account, userId, accepted: body.payee_check })
  const { expectedOn } = expectedArrival(account.country, at)
  const usdMinor = computeUsdMinor(ctx, amount)
  const keyedRequest = { idempotencyKey, requestHash, at }
  return { ...keyedRequest, userId, wallet, account, provider, amount, cost, usdMinor, expectedOn, network, payee }
}

/** Refuses `currency_not_supported` for any currency but the wallet's own. */
export function requireWalletCurrency({ baseCurrency: currency }: Wallet, requestedCurrency: string): void {
  if (requestedCurrency === currency) return
  refuseField('currency_not_supported', 'currency', { code: 'wallet_currency', params: { currency } })
}

/** Cost of withdrawing an amount at this time. Refuses `insufficient_funds` and `money_not_mature`. */
export async function priceWithdrawal(
  pool: pg.Pool,
  { wallet, amount, at }: Pick<WithdrawalOrder, 'wallet' | 'amount' | 'at'>,
): Promise<Cost> {
  const { balance, terms, restricted } = await readStanding(pool, wallet, at)
  const cost = computeCost(amount, terms)
  const total = add(amount, cost.fee)
  await requireFunds(pool, wallet, total)
  requireMature(total, balance, restricted, terms)
  return cost
}

const refuseCost = (): never => refuse('price_changed', { reason: { code: 'withdrawal_cost_changed' } })

/** Amount taken from the wallet, cost included. */
export const computeTotal = ({ amount, cost }: Pick<WithdrawalOrder, 'amount' | 'cost'>): Money => add(amount, cost.fee)

/** Balance of the wallet's base currency, in minor units. */
async function loadBalance(db: Db, { id, baseCurrency }: Wallet): Promise<bigint> {
  const { name } = walletAccount(id, baseCurrency)
  return (await loadBalances(db, [name])).get(name)?.balance ?? 0n
}

const toBalanceKey = ({ id: walletId, baseCurrency: currency }: Wallet) => ({ walletId, currency })

const snapshotTransaction = 'begin isolation level repeatable read read only'

/** Balance, restricted part, and withdrawal terms of a wallet, from one snapshot. */
const readStanding = (pool: pg.Pool, wallet: Wallet, at: Date) =>
  transact(
    pool,
    async (tx) => {
      const balance = await loadBalance(tx, wallet)
      const terms = await readCostTerms(tx, wallet, { balance, at })
      return { balance, terms, restricted: await readRestricted(tx, { ...toBalanceKey(wallet), at }) }
    },
    snapshotTransaction,
  )

/** Amount that can be withdrawn now, the restricted parts and the time from which none is left, and the cost terms. */
export async function readWithdrawable({ now }: Pick<PaymentContext, 'now'>, pool: pg.Pool, wallet: Wallet) {
  const { balance, terms, restricted } = await readStanding(pool, wallet, now())
  const { amount, parts } = restricted
  const minor = balance > amount.minor ? balance - amount.minor : 0n
  const maxWithdrawal = maxWithCost(money(wallet.baseCurrency, minor), terms)
  return { amount: maxWithdrawal, restFrom: findMaturityDate(restricted), parts, terms }
}

/** Refuses `insufficient_funds`, with the balance, if the balance is lower than the amount. */
export async function requireFunds(db: Db, wallet: Wallet, amount: Money): Promise<void> {
  const { fiat_balance: balance, base_currency: currency } = await readWallet(db, wallet)
  if (parseDecimal(currency, balance).minor >= amount.minor) return
  refuseField('insufficient_funds', 'amount', { code: 'balance_too_low', params: { balance, currency } })
}

/** Id of the movement that reserves a withdrawal's money. */
export const reservationId = (userId: bigint, idempotencyKey: string): string =>
  derivedId('withdrawal', userId, idempotencyKey)

interface DecidedOrder {
  readonly order: WithdrawalOrder
  readonly decided: AllowedDecision
}

/**
 * In one transaction, stores the payout and its `transaction` row, and reserves the amount and its cost. Queues the
 * submission after the commit unless the payout is held. Returns false if another request used the key first.
 */
export async function reserveOrder(ctx: PaymentContext, pool: pg.Pool, decided: DecidedOrder): Promise<boolean> {
  const { wallet } = decided.order
  try {
    return await retryOnConflict(pool, async (tx) => {
      requireTime()
      return reserveWithdrawal(ctx, tx, decided)
    })
  } catch (error) {
    // A concurrent movement has spent the money: the refusal must state the current balance.
    if (error instanceof Refusal && error.code === 'insufficient_funds') {
      await requireFunds(pool, wallet, computeTotal(decided.order))
    }
    throw error
  }
}

const newPayoutRow = (
  order: WithdrawalOrder,
  { token, status }: { readonly token: string; readonly status: string },
) => ({
  id: derivedId('payout', order.userId, order.idempotencyKey),
  user_id: order.userId,
  bank_account_id: order.account.id,
  provider: order.provider,
  submitted_token: token,
  amount_minor: order.amount.minor,
  currency: order.amount.currency,
  usd_minor: order.usdMinor,
  fee_minor: order.cost.fee.minor,
  card_minor: order.cost.card.minor,
  cost_version: order.cost.version,
  expected_on: order.expectedOn,
  status,
  transaction_id: newId(order.at),
  idempotency_key: order.idempotencyKey,
  request_hash: order.requestHash,
  created_at: order.at,
  updated_at: order.at,
  last_polled_at: order.at,
  ...payeeColumns(order.payee, order.at),
})

async function reserveWithdrawal(ctx: PaymentContext, tx: Tx, { order, decided }: DecidedOrder): Promise<boolean> {
  const { userId, wallet, account, amount, cost, idempotencyKey, requestHash, at } = order
  const linkedRows = await tx.query<Pick<BankAccountRow, 'token'>>(
    'select token from bank_account where id = $1 and removed_at is null for share',
    [account.id],
  )
  const { token } = linkedRows.rows[0] ?? refuseField('bank_account_needed', 'bankAccountId')
  const payout = newPayoutRow(order, { token, status: decided.outcome === 'hold' ? 'held' : 'pending' })
  const { id, transaction_id: reference } = payout
  // Another process used this key first.
  if (!(await insertRow(tx, 'payout', payout, 'on conflict do nothing'))) return false
  const candidate = toCandidate(order)
  const description = { code: 'withdrawal', params: { bank: account.bank_name, last4: account.last4 } } as const
  if (decided.outcome === 'settle') submitAfterCommit(ctx, tx, id)
  else
    await recordHold(
      tx,
      { id: reference, candidate, amount: computeTotal(order), paymentId: id, description, requestHash, at },
      decided,
    )
  // Locks the counterparty before any account, like incoming payments.
  if (decided.outcome === 'settle') await ctx.counterparties.requireNotStopped(tx, account.id)
  const movementId = reservationId(userId, idempotencyKey)
  const reserveLeg = await buildHoldLeg(ctx, tx, { step: reserve, wallet, amount: computeTotal(order) })
  const outcome = await ctx.mover.moveWithin(tx, {
    movement: { id: movementId, requestHash, kind: 'withdrawal', reference, at, legs: [reserveLeg] },
    rows: [
      {
        ...buildOwnRow('WITHDRAW', wallet, amount, {
          status: 'PENDING',
          description,
          paymentSource: 'bank',
          paymentId: id,
        }),
        fee: cost.fee,
      },
    ],
    ...buildTransferUsage(candidate, at),
  })
  // Rolls back the rows above. The ledger has the stored outcome of this key, which is read afterwards.
  if (acceptOutcome(outcome) !== 'posted') refuse('request_in_progress')
  if (decided.outcome === 'settle') await requireNotStopped(tx, [userId])
  await requirePriceUnchanged(tx, order, { payoutId: id, reference })
  return true
}

/**
 * Refuses `price_changed` or `money_not_mature` if a concurrent movement has changed the terms. The account is locked
 * by now, so no other withdrawal can take the same mature or free money.
 */
async function requirePriceUnchanged(
  tx: Tx,
  order: WithdrawalOrder,
  { payoutId, reference }: { payoutId: string; reference: string },
): Promise<void> {
  const { wallet, amount, cost, at } = order
  const total = computeTotal(order)
  const balance = (await loadBalance(tx, wallet)) + total.minor
  const terms = await readCostTerms(tx, wallet, { balance, at, except: payoutId })
  const restrictedMoney = await readRestricted(tx, { ...toBalanceKey(wallet), at, holdFor: reference })
  requireMature(total, balance, restrictedMoney, terms)
  const { fee, card } = computeCost(amount, terms)
  if (fee.minor !== cost.fee.minor) refuseCost()
  // The card part can change without the fee, for example if the fee is zero.
  if (card.minor !== cost.card.minor) await updateRow(tx, 'payout', payoutId, { card_minor: card.minor })
}

export const toCandidate = ({
  userId: senderId,
  account,
  amount,
  usdMinor,
  idempotencyKey,
  network,
}: WithdrawalOrder): Candidate => {
  const movementId = reservationId(senderId, idempotencyKey)
  const counterpartyId = account.id
  return { kind: 'payout', senderId, source: amount, target: amount, usdMinor, movementId, network, counterpartyId }
}

/**
 * Queues the submission of a payout after the commit, since its NOTIFY holds a cluster-wide lock until the transaction
 * ends. If the job is lost, the worker submits the pending payout.
 */
export function submitAfterCommit({ log }: Pick<PaymentContext, 'log'>, tx: Tx, payoutId: string): void {
  const traceparent = tracing()?.current()
  afterCommit(tx, (pool) => {
    const job = `select graphile_worker.add_job('submit_payout', json_strip_nulls(json_build_object('payoutId', $1::text,
      'traceparent', $2::text)), job_key := $1)`
    pool
      .query(job, [payoutId, traceparent])
      .catch((error: unknown) => log.warn({ err: error, payoutId }, 'a payout waits'))
  })
}

/** Releases a held payout for submission to its provider. */
export async function orderHeldPayout(
  ctx: Pick<PaymentContext, 'log'>,
  tx: Tx,
  { payoutId, at }: { readonly payoutId: string; readonly at: Date },
): Promise<void> {
  const { rows } = await tx.query<Pick<BankAccountRow, 'country'>>(
    'select country from bank_account where id = (select bank_account_id from payout where id = $1)',
    [payoutId],
  )
  const { expectedOn } = expectedArrival(onlyRow(rows).country, at)
  const changes = { status: 'pending', expected_on: expectedOn, updated_at: at, last_polled_at: at }
  await updateRow(tx, 'payout', payoutId, changes)
  submitAfterCommit(ctx, tx, payoutId)
}

/** Fails a held payout without submitting it. */
export const failHeldPayout = (
  tx: Tx,
  { payoutId, reason, at }: { readonly payoutId: string; readonly reason: string | null; readonly at: Date },
): Promise<void> => updateRow(tx, 'payout', payoutId, { status: 'failed', reason, updated_at: at })
