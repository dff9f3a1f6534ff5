import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { release, reserve } from '@tern/ledger/holds'
import { lockAccounts } from '@tern/ledger/ledger'
import { type Db, only, type Tx } from '../../../platform/database/db.ts'
import { insertRow, updateRow } from '../../../platform/database/rows.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { priceFrom } from '../../exchange/exchange.ts'
import { type HeldTransfer, heldForCases, recordHold, transitionOf } from '../../transfers/transfers.ts'
import { findWallet, type Wallet } from '../../wallets/wallets.ts'
import type { PaymentContext } from '../context.ts'
import { askHolderOf } from '../instruments/holders.ts'
import { findBankAccount } from '../instruments/instruments.ts'
import { expectedArrival } from '../payouts/business-days.ts'
import { submitAfterCommit } from '../payouts/withdrawal-order.ts'
import {
  depositRow,
  holdLeg,
  inflowLeg,
  type LateArrival,
  lockable,
  movementOf,
  postOnce,
  postPromised,
  priceOf,
} from '../records/payment-postings.ts'
import {
  amountOf,
  findPayment,
  noteListed,
  type PaymentRow,
  postingOf,
  transactionIdOf,
} from '../records/payment-rows.ts'
import { pulledUsdMinor } from '../records/payment-usage.ts'

// Money that comes from a bank account whose holder a list may mean: on hold from the moment in which it is here, credited
// once two people have cleared the name, and given back to that account once they have confirmed it.

/**
 * Whether money from this payment's bank account is held: for a case about its holder, who is screened first if a list has
 * changed, or for stale lists. A send that waits for lists is held itself and settles later.
 */
export async function isPullStopped(
  { counterparties, lists }: Pick<PaymentContext, 'counterparties' | 'lists'>,
  tx: Tx,
  { method, purpose, bank_account_id: accountId }: PaymentRow,
): Promise<boolean> {
  if (method !== 'bank' || accountId === null) return false
  return (await counterparties.areStopped(tx, accountId)) || (purpose !== 'send' && (await lists.areTooOld(tx)))
}

interface HeldTerms {
  /** Its price is that of this moment, whose quote it uses up. */
  readonly isRepriced: boolean
  /** It is no longer what its payment was begun for: a deposit that came late, or of a send that is not made. */
  readonly isLate: boolean
}

/** How what a bank account paid is held, in time or too late for what it was meant for; undefined of what no bank account pays. */
export async function heldPullsOf(context: PaymentContext, payment: PaymentRow, wallet: Wallet, isRepriced: boolean) {
  if (payment.method !== 'bank' || payment.bank_account_id === null) return undefined
  await askHolderOf(context, payment.bank_account_id)
  const late = await heldPullOf(context, payment, wallet, { isRepriced, isLate: true })
  if (payment.purpose === 'send') return { late, onTime: undefined }
  return { late, onTime: await heldPullOf(context, payment, wallet, { isRepriced, isLate: false }) }
}

/** Puts what a bank account paid into the ledger on hold, as it was captured, with the case that it waits for. */
async function heldPullOf(
  context: PaymentContext,
  payment: PaymentRow,
  wallet: Wallet,
  { isRepriced, isLate }: HeldTerms,
): Promise<LateArrival> {
  const isSend = payment.purpose === 'send'
  const deposit: PaymentRow = isSend ? { ...payment, locked_price: null, quote_id: null } : payment
  const amount = amountOf(payment)
  const transactionId = isLate ? newId(context.now()) : transactionIdOf(payment)
  const legs = [await inflowLeg(context, payment, wallet), await holdLeg(context, reserve, wallet, amount)]
  const listed = depositRow(deposit, wallet, 'PENDING')
  const row = isSend ? { ...listed, description: { code: 'payment_for_unmade_transfer' } as const } : listed
  const price = priceOf(deposit)
  // The quote of a late one may be in use again.
  const quoteId = isLate && !isRepriced ? null : deposit.quote_id
  const usdMinor = payment.pulled_usd_minor ?? pulledUsdMinor(context, amount, price)
  const candidate = {
    ...({ kind: 'deposit', senderId: payment.user_id, source: amount, target: price?.target ?? amount } as const),
    ...{ usdMinor, counterpartyId: payment.bank_account_id ?? undefined },
  }
  const { id: paymentId, request_hash: requestHash } = payment
  const hold = async (tx: Tx, at: Date) => {
    const held = { id: transactionId, candidate, amount, paymentId, description: row.description, requestHash, at }
    await recordHold(tx, { ...held, price, quoteId: quoteId ?? undefined }, heldForCases)
    const postingId = isLate ? postingOf.late(paymentId) : postingOf.arrival(paymentId)
    const movement = { ...movementOf(payment, postingId, 'deposit_hold', at, legs), reference: transactionId }
    if (isLate) {
      const once = quoteId === null ? {} : { once: quoteId }
      return postOnce(context, tx, { movement: { ...movement, ...once }, rows: [row] })
    }
    if (isRepriced) await context.mover.pricePending(tx, transactionId, row)
    const { is_listed: isListed } = await noteListed(tx, payment, false)
    await postPromised(context, tx, payment, { movement, rows: isListed ? [] : [row] })
  }
  return Object.assign(lockable(legs, hold), { transactionId })
}

/** Credits a held deposit to the wallet, at its promised price where it is converted. */
export async function creditHeldDeposit(context: PaymentContext, tx: Tx, { held, at }: Decided): Promise<void> {
  await (
    await creditOf(context, tx, held)
  )(tx, at)
}

/** Orders a payout of a held deposit to the account that paid it. It stays part of the deposit until the bank has it. */
export async function returnHeldDeposit(context: PaymentContext, tx: Tx, { held, at }: Decided): Promise<void> {
  await (
    await returnOf(context, tx, held)
  )(tx, at)
}

interface Decided {
  readonly held: HeldTransfer
  readonly at: Date
}

/** What is held goes to the wallet, at its promised price where it is converted. */
async function creditOf(context: PaymentContext, db: Db, held: HeldTransfer) {
  const { wallets, exchange } = context
  const { id: reference, sender_id: userId, currency, amount_minor: amount, request_hash: requestHash } = held
  const wallet = await findWallet(db, userId)
  if (!wallet) throw new Error(`user ${userId} has no wallet`)
  const accounts = {
    wallet: await wallets.accountId(db, walletAccount(wallet.id, currency)),
    hold: await wallets.accountId(db, holdAccount(wallet.id, currency)),
  }
  const converted = held.locked_price
    ? await exchange.legs(db, { price: priceFrom(held.locked_price), from: wallet, to: wallet })
    : []
  const legs = [release({ ...accounts, amount }), ...converted]
  return lockable(legs, async (tx, at) => {
    const movement = { id: derivedId('transfer settle', reference), requestHash, kind: 'deposit', reference, at, legs }
    await postOnce(context, tx, { movement, rows: [], settles: [{ id: reference, status: 'COMPLETED' }] })
  })
}

/** A payout of what is held to the account that paid it. It is part of the held deposit until the bank has it. */
async function returnOf(context: PaymentContext, db: Db, { id, payment_id: paymentId, request_hash }: HeldTransfer) {
  const payment = await findPayment(db, paymentId ?? '')
  const account = payment && (await findBankAccount(db, payment.bank_account_id))
  if (!account) throw new Error(`transfer ${id} came from no bank account`)
  const payoutId = derivedId('return of payment', payment.id)
  return async (tx: Tx, at: Date): Promise<void> => {
    await insertRow(tx, 'payout', {
      ...{ id: payoutId, user_id: payment.user_id, bank_account_id: account.id, provider: account.provider },
      ...{ submitted_token: account.token, amount_minor: payment.amount_minor, currency: payment.currency },
      ...{ status: 'pending', expected_on: expectedArrival(account.country, at).expectedOn, transaction_id: id },
      ...{ idempotency_key: payoutId, request_hash, returns_payment_id: payment.id },
      ...{ created_at: at, updated_at: at, last_polled_at: at },
    })
    submitAfterCommit(context, tx, payoutId)
  }
}

/** The deposit of a payment that is held, or on its way back. */
export async function findHeldDeposit({ pool }: Pick<PaymentContext, 'pool'>, paymentId: string) {
  const { rows } = await pool.query<HeldTransfer>(
    `select * from transfer where payment_id = $1 and kind = 'deposit' and state in ('held', 'processing')`,
    [paymentId],
  )
  return rows[0]
}

/**
 * A bank takes back what is held here: credited first, it is taken from the wallet in the same transaction, so it was nobody's to
 * spend. The step is false where that cannot be: of a part, or of what is on its way back already. It also locks `accounts`, between
 * which that moves.
 */
export async function endForReversal(context: PaymentContext, held: HeldTransfer, accounts: readonly bigint[]) {
  const credit = await creditOf(context, context.pool, held)
  return async (tx: Tx, isWhole: boolean): Promise<boolean> => {
    const at = context.now()
    const { rows } = await tx.query<{ state: string }>('select state from transfer where id = $1 for update', [held.id])
    const { state } = only(rows)
    if (state !== 'held' || !isWhole) return state !== 'held' && state !== 'processing'
    await updateRow(tx, 'transfer', held.id, {
      ...{ state: transitionOf('deposit', state, 'fail')?.next, decided_by: 'bank', decided_at: at, updated_at: at },
    })
    await lockAccounts(tx, [...credit.accounts, ...accounts])
    await credit(tx, at)
    return true
  }
}
