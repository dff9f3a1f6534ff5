import type { withdrawalRequest } from '@tern/contract/banking'
import { walletAccount } from '@tern/ledger/chart'
import { reserve } from '@tern/ledger/holds'
import { balancesOf } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import { add, compare, type Money, money, parseDecimal } from '@tern/money/money'
import type pg from 'pg'
import type * as z from 'zod/mini'
import { parseAmount } from '../../../platform/http/amount.ts'
import { afterCommit, only, type Db, retryOnConflict, transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow, updateRow } from '../../../platform/database/rows.ts'
import { requireTime } from '../../../platform/http/deadline.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { Refusal, refuse, refuseField } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { requireNotStopped } from '../../compliance/compliance.ts'
import { type Authorized, type Candidate, recordHold, usageOf } from '../../transfers/transfers.ts'
import { findWallet, readRestricted, readWallet, type Wallet } from '../../wallets/wallets.ts'
import { requireAskedHolder } from '../instruments/holders.ts'
import { type BankAccountRow, usableAccount } from '../instruments/instruments.ts'
import { expectedArrival } from './business-days.ts'
import { type Cost, costOf, mostWithCost, readCostTerms } from './card-cost.ts'
import { matureFrom, requireMature } from './card-money.ts'
import type { PaymentContext } from '../context.ts'
import { holdLeg, ownRow } from '../records/payment-postings.ts'
import { usdMinorOf } from '../records/payment-usage.ts'

export type WithdrawalRequest = z.output<typeof withdrawalRequest>

/** A withdrawal that is decided on. */
export interface Order {
  readonly userId: bigint
  readonly wallet: Wallet
  readonly account: BankAccountRow
  readonly amount: Money
  /** Taken on top of the amount. */
  readonly cost: Cost
  /** What it counts against a limit, in US dollar cents. */
  readonly usdMinor: bigint
  /** A day in the country of the account. */
  readonly expectedOn: string
  readonly idempotencyKey: string
  readonly requestHash: Buffer
  /** From which its owner calls. */
  readonly network: string | undefined
  readonly at: Date
}

/** Who withdraws what to where, before any money moves. Refuses what is wrong with the request. */
export async function prepareOrder(
  context: PaymentContext,
  { userId, verified, network }: Caller,
  { bankAccountId, currency, amount: text, expected_total: expected }: WithdrawalRequest,
  keyed: Pick<Order, 'idempotencyKey' | 'requestHash'>,
): Promise<Order> {
  if (!verified) refuse('verification_required')
  const account = await usableAccount(context, userId, bankAccountId)
  const wallet = (await findWallet(context.pool, userId)) ?? refuse('not_found')
  requireWalletCurrency(wallet, currency)
  if (account.currency !== currency) {
    const params = { accepted: account.currency, currency }
    refuseField('currency_not_supported', 'bankAccountId', { code: 'account_takes_currency', params })
  }
  const amount = parseAmount('amount', currency, text)
  await requireAskedHolder(context, account, userId)
  const at = context.now()
  const cost = await priceWithdrawal(context, wallet, amount, at)
  const total = add(amount, cost.fee)
  if (expected !== undefined && compare(parseAmount('expected_total', currency, expected), total) !== 0) refuseCost()
  const { expectedOn } = expectedArrival(account.country, at)
  const usdMinor = usdMinorOf(context, amount)
  return { ...keyed, userId, wallet, account, amount, cost, usdMinor, expectedOn, network, at }
}

/** Refuses `currency_not_supported` for any currency but the wallet's own. */
export function requireWalletCurrency({ baseCurrency: currency }: Wallet, asked: string): void {
  if (asked === currency) return
  refuseField('currency_not_supported', 'currency', { code: 'wallet_currency', params: { currency } })
}

/** Cost of withdrawing an amount at this time. Refuses `insufficient_funds` and `money_not_mature`. */
export async function priceWithdrawal(context: PaymentContext, wallet: Wallet, amount: Money, at: Date): Promise<Cost> {
  const { balance, terms, restricted } = await readStanding(context.pool, wallet, at)
  const cost = costOf(amount, terms)
  const total = add(amount, cost.fee)
  await requireFunds(context, wallet, total)
  requireMature(total, balance, restricted, terms)
  return cost
}

const refuseCost = (): never => refuse('price_changed', { reason: { code: 'withdrawal_cost_changed' } })

/** What leaves the wallet. */
export const totalOf = ({ amount, cost }: Pick<Order, 'amount' | 'cost'>): Money => add(amount, cost.fee)

/** What the wallet has of its own currency, in minor units. */
async function balanceOf(db: Db, { id, baseCurrency }: Wallet): Promise<bigint> {
  const { name } = walletAccount(id, baseCurrency)
  return (await balancesOf(db, [name])).get(name)?.balance ?? 0n
}

const balanceIn = ({ id: walletId, baseCurrency: currency }: Wallet) => ({ walletId, currency })

const oneSnapshot = 'begin isolation level repeatable read read only'

/** What a wallet has, what of it may not leave yet, and what the rest costs: of one moment, whatever moves meanwhile. */
const readStanding = (pool: pg.Pool, wallet: Wallet, at: Date) =>
  transact(
    pool,
    async (tx) => {
      const balance = await balanceOf(tx, wallet)
      const terms = await readCostTerms(tx, wallet, { balance, at })
      return { balance, terms, restricted: await readRestricted(tx, { ...balanceIn(wallet), at }) }
    },
    oneSnapshot,
  )

/** What of a wallet can go to a bank now, at which cost, and when the rest can. */
export async function withdrawable({ pool, now }: PaymentContext, wallet: Wallet) {
  const { balance, terms, restricted } = await readStanding(pool, wallet, now())
  const { amount, parts } = restricted
  const minor = balance > amount.minor ? balance - amount.minor : 0n
  const most = mostWithCost(money(wallet.baseCurrency, minor), terms)
  return { amount: most, restFrom: matureFrom(restricted), parts, terms }
}

/** Refuses `insufficient_funds` with the balance. */
export async function requireFunds({ pool }: PaymentContext, wallet: Wallet, amount: Money): Promise<void> {
  const { fiat_balance: balance, base_currency: currency } = await readWallet(pool, wallet)
  if (parseDecimal(currency, balance).minor >= amount.minor) return
  refuseField('insufficient_funds', 'amount', { code: 'balance_too_low', params: { balance, currency } })
}

/** The id of the movement that sets the money of a withdrawal aside. */
export const reservationOf = (userId: bigint, idempotencyKey: string): string =>
  derivedId('withdrawal', userId, idempotencyKey)

/**
 * Reserves the amount and its cost, adds the rows, stores the payout and orders it unless it is held, atomically. Returns false
 * when another request used its key first.
 */
export async function reserveOrder(context: PaymentContext, order: Order, decided: Authorized): Promise<boolean> {
  const { wallet } = order
  const total = totalOf(order)
  const legs = [await holdLeg(context, reserve, wallet, total)]
  try {
    return await retryOnConflict(context.pool, async (tx) => {
      requireTime()
      return setAside(context, tx, { order, decided, legs })
    })
  } catch (error) {
    // Something else was quicker: what is left now is what the person reads.
    if (error instanceof Refusal && error.code === 'insufficient_funds') await requireFunds(context, wallet, total)
    throw error
  }
}

async function setAside(
  context: PaymentContext,
  tx: Tx,
  { order, decided, legs }: { order: Order; decided: Authorized; legs: readonly Leg[] },
): Promise<boolean> {
  const { userId, wallet, account, amount, cost, usdMinor, expectedOn, idempotencyKey, requestHash, at } = order
  const id = derivedId('payout', userId, idempotencyKey)
  const reference = newId(at)
  const linked = await tx.query<{ token: string }>(
    'select token from bank_account where id = $1 and removed_at is null for share',
    [account.id],
  )
  const { token } = linked.rows[0] ?? refuseField('bank_account_needed', 'bankAccountId')
  const payout = {
    ...{ id, user_id: userId, bank_account_id: account.id, provider: account.provider, submitted_token: token },
    ...{ amount_minor: amount.minor, currency: amount.currency, usd_minor: usdMinor, expected_on: expectedOn },
    ...{ fee_minor: cost.fee.minor, card_minor: cost.card.minor, cost_version: cost.version },
    ...{ status: decided.outcome === 'hold' ? 'held' : 'pending', transaction_id: reference },
    ...{
      idempotency_key: idempotencyKey,
      request_hash: requestHash,
      created_at: at,
      updated_at: at,
      last_polled_at: at,
    },
  }
  // Another process used this key first and did the rest.
  if (!(await insertRow(tx, 'payout', payout, 'on conflict do nothing'))) return false
  const candidate = candidateOf(order)
  const description = { code: 'withdrawal', params: { bank: account.bank_name, last4: account.last4 } } as const
  if (decided.outcome === 'settle') submitAfterCommit(context, tx, id)
  else
    await recordHold(
      tx,
      { id: reference, candidate, amount: totalOf(order), paymentId: id, description, requestHash, at },
      decided,
    )
  // Before accounts, as when money comes from there.
  if (decided.outcome === 'settle') await context.counterparties.requireNotStopped(tx, account.id)
  const movementId = reservationOf(userId, idempotencyKey)
  const outcome = await context.mover.moveWithin(tx, {
    movement: { id: movementId, requestHash, kind: 'withdrawal', reference, at, legs },
    rows: [
      {
        ...ownRow('WITHDRAW', wallet, amount, { status: 'PENDING', description, paymentSource: 'bank', paymentId: id }),
        fee: cost.fee,
      },
    ],
    ...usageOf(candidate, at),
  })
  // It stands refused: what was written down here goes, and the refusal is read from the ledger.
  if (acceptOutcome(outcome) !== 'posted') refuse('request_in_progress')
  if (decided.outcome === 'settle') await requireNotStopped(tx, [userId])
  await requireAsPriced(tx, order, { payoutId: id, reference })
  return true
}

/**
 * Refuses `price_changed` and `money_not_mature`: something else was quicker. The account is locked by now, so no other withdrawal
 * can use what this one leaves, nor go free with the same money.
 */
async function requireAsPriced(
  tx: Tx,
  order: Order,
  { payoutId, reference }: { payoutId: string; reference: string },
): Promise<void> {
  const { wallet, amount, cost, at } = order
  const total = totalOf(order)
  const balance = (await balanceOf(tx, wallet)) + total.minor
  const terms = await readCostTerms(tx, wallet, { balance, at, except: payoutId })
  const restricted = await readRestricted(tx, { ...balanceIn(wallet), at, holdFor: reference })
  requireMature(total, balance, restricted, terms)
  const { fee, card } = costOf(amount, terms)
  if (fee.minor !== cost.fee.minor) refuseCost()
  // Same cost for another part, such as none: the terms shown to the owner are unchanged.
  if (card.minor !== cost.card.minor) await updateRow(tx, 'payout', payoutId, { card_minor: card.minor })
}

export const candidateOf = ({
  userId: senderId,
  account,
  amount,
  usdMinor,
  idempotencyKey,
  network,
}: Order): Candidate => {
  const movementId = reservationOf(senderId, idempotencyKey)
  const counterpartyId = account.id
  return { kind: 'payout', senderId, source: amount, target: amount, usdMinor, movementId, network, counterpartyId }
}

/** After the commit, because it raises NOTIFY. One that is lost is made up for: the worker orders what is pending. */
export function submitAfterCommit({ pool, log }: Pick<PaymentContext, 'pool' | 'log'>, tx: Tx, payoutId: string): void {
  afterCommit(tx, () => {
    const job = `select graphile_worker.add_job('submit_payout', json_build_object('payoutId', $1::text), job_key := $1)`
    pool.query(job, [payoutId]).catch((error: unknown) => log.warn({ err: error, payoutId }, 'a payout waits'))
  })
}

/** Lets a payout that was held be ordered at the provider. */
export async function orderHeldPayout(
  context: Pick<PaymentContext, 'pool' | 'log'>,
  tx: Tx,
  { payoutId, at }: { readonly payoutId: string; readonly at: Date },
): Promise<void> {
  const { rows } = await tx.query<{ country: string }>(
    'select country from bank_account where id = (select bank_account_id from payout where id = $1)',
    [payoutId],
  )
  const { expectedOn } = expectedArrival(only(rows).country, at)
  const changes = { status: 'pending', expected_on: expectedOn, updated_at: at, last_polled_at: at }
  await updateRow(tx, 'payout', payoutId, changes)
  submitAfterCommit(context, tx, payoutId)
}

/** Ends a payout that was held without ordering it. */
export const failHeldPayout = (
  tx: Tx,
  { payoutId, reason, at }: { readonly payoutId: string; readonly reason: string | null; readonly at: Date },
): Promise<void> => updateRow(tx, 'payout', payoutId, { status: 'failed', reason, updated_at: at })
