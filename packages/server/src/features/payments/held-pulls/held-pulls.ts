import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { release } from '@tern/ledger/holds'
import { lockAccounts } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { insertRow, updateRow } from '../../../platform/database/rows.ts'
import { derivedId } from '../../../platform/ids.ts'
import { readPrice } from '../../exchange/exchange.ts'
import { type HeldTransfer, complianceHold, recordHold, findTransition } from '../../transfers/transfers.ts'
import type { NewTransaction } from '../../wallets/move.ts'
import { findWallet } from '../../wallets/wallets.ts'
import { choosePayoutProvider, type PaymentContext } from '../context.ts'
import { findBankAccount } from '../instruments/instruments.ts'
import type { Arrival } from '../outcomes/arrival-postings.ts'
import type { ArrivedPayment } from '../outcomes/settle-arrival.ts'
import { expectedArrival } from '../payouts/business-days.ts'
import { submitAfterCommit } from '../payouts/withdrawal-order.ts'
import {
  listLegAccounts,
  toCaptured,
  depositRow,
  toLateRow,
  postMovementOnce,
  postPromised,
  findPrice,
} from '../records/payment-postings.ts'
import { toAmount, findPayment, markListed, postingIds } from '../records/payment-rows.ts'
import { computePulledUsdMinor } from '../records/payment-usage.ts'
import type { PaymentRow } from '../row-types.ts'

// Debits from bank accounts whose holder may be on a sanctions list are held on arrival, credited once two operators
// have cleared the name, and returned to the account once they have confirmed the match.

/**
 * True if money from a payment's bank account must be held: a case stops the account's holder, who is screened first if
 * due, or the lists are stale. With stale lists a send is held as a transfer instead (`holdForCases`).
 */
export async function isPullStopped(
  { counterparties, lists }: Pick<PaymentContext, 'counterparties' | 'lists'>,
  tx: Tx,
  { method, purpose, bank_account_id: accountId }: PaymentRow,
): Promise<boolean> {
  if (method !== 'bank' || accountId === null) return false
  return (await counterparties.areStopped(tx, accountId)) || (purpose !== 'send' && (await lists.areTooOld(tx)))
}

/** Posts an arrived bank debit to the hold account, in the captured currency, and records the held deposit. */
export async function postHeldPull(
  ctx: PaymentContext,
  tx: Tx,
  { arrived, arrival }: { readonly arrived: ArrivedPayment; readonly arrival: Arrival },
): Promise<void> {
  const { payment, priced, payer, at } = arrived
  const { legs, isLate, transactionId } = arrival
  const deposit = toCaptured(priced)
  const isRepriced = deposit.locked_price !== toCaptured(payment).locked_price
  const row = toLateRow(priced, depositRow(deposit, payer.wallet, 'PENDING'))
  // Another payment may have used the quote of a late one.
  const quoteId = isLate && !isRepriced ? null : deposit.quote_id
  await recordHeldDeposit(ctx, tx, { deposit, row, transactionId, quoteId, at })
  const { id, request_hash: requestHash } = payment
  const postingId = isLate ? postingIds.late(id) : postingIds.arrival(id)
  const movement = { id: postingId, requestHash, kind: 'deposit_hold', reference: transactionId, at, legs }
  if (isLate) {
    const once = quoteId === null ? {} : { once: quoteId }
    return postMovementOnce(ctx, tx, { movement: { ...movement, ...once }, rows: [row] })
  }
  if (isRepriced) await ctx.mover.pricePending(tx, transactionId, row)
  const { is_listed: isListed } = await markListed(tx, payment, false)
  await postPromised(ctx, tx, priced, { movement, rows: isListed ? [] : [row] })
}

interface HeldDeposit {
  readonly deposit: PaymentRow
  readonly row: NewTransaction
  readonly transactionId: string
  readonly quoteId: string | null
  readonly at: Date
}

async function recordHeldDeposit(ctx: PaymentContext, tx: Tx, heldDeposit: HeldDeposit): Promise<void> {
  const { deposit, row, transactionId: id, quoteId, at } = heldDeposit
  const { id: paymentId, request_hash: requestHash, user_id: senderId, bank_account_id: accountId } = deposit
  const amount = toAmount(deposit)
  const price = findPrice(deposit)
  const candidate = {
    kind: 'deposit',
    senderId,
    source: amount,
    target: price?.target ?? amount,
    usdMinor: deposit.pulled_usd_minor ?? computePulledUsdMinor(ctx, amount, price),
    counterpartyId: accountId ?? undefined,
  } as const
  const facts = { id, candidate, amount, price, paymentId, description: row.description, requestHash, at }
  await recordHold(tx, { ...facts, quoteId: quoteId ?? undefined }, complianceHold)
}

interface HeldPullDecision {
  readonly held: HeldTransfer
  readonly at: Date
}

/** Credits a held deposit to the wallet, converted at the price that was stored when it arrived. */
export async function creditHeldDeposit(ctx: PaymentContext, tx: Tx, { held, at }: HeldPullDecision): Promise<void> {
  await postCredit(ctx, tx, { held, at, legs: await buildCreditLegs(ctx, tx, held) })
}

/** Builds the legs that credit a held deposit; the desk shows them before a decision. */
export async function buildCreditLegs(
  { wallets, exchange }: Pick<PaymentContext, 'wallets' | 'exchange'>,
  db: Db,
  heldTransfer: HeldTransfer,
): Promise<Leg[]> {
  const { sender_id: userId, currency, amount_minor: amount, locked_price: price } = heldTransfer
  const wallet = await findWallet(db, userId)
  if (!wallet) throw new Error(`user ${userId} has no wallet`)
  const releaseLeg = release({
    wallet: await wallets.accountId(db, walletAccount(wallet.id, currency)),
    hold: await wallets.accountId(db, holdAccount(wallet.id, currency)),
    amount,
  })
  if (!price) return [releaseLeg]
  return [releaseLeg, ...(await exchange.legs(db, { price: readPrice(price), from: wallet, to: wallet }))]
}

async function postCredit(
  ctx: PaymentContext,
  tx: Tx,
  { held, at, legs }: HeldPullDecision & { readonly legs: readonly Leg[] },
): Promise<void> {
  const { id: reference, request_hash: requestHash } = held
  const movement = { id: derivedId('transfer settle', reference), requestHash, kind: 'deposit', reference, at, legs }
  await postMovementOnce(ctx, tx, { movement, rows: [], settles: [{ id: reference, status: 'COMPLETED' }] })
}

/** Orders a payout of a held deposit to its source account. The money stays on hold until the payout completes. */
export async function returnHeldDeposit(
  ctx: Pick<PaymentContext, 'log' | 'providers'>,
  tx: Tx,
  { held, at }: HeldPullDecision,
): Promise<void> {
  const { id, payment_id: paymentId, request_hash } = held
  const payment = await findPayment(tx, paymentId ?? '')
  const account = payment && (await findBankAccount(tx, payment.bank_account_id))
  if (!account) throw new Error(`transfer ${id} came from no bank account`)
  const payoutId = derivedId('return of payment', payment.id)
  await insertRow(tx, 'payout', {
    id: payoutId,
    user_id: payment.user_id,
    bank_account_id: account.id,
    provider: choosePayoutProvider(ctx, account) ?? account.provider,
    submitted_token: account.token,
    amount_minor: payment.amount_minor,
    currency: payment.currency,
    status: 'pending',
    expected_on: expectedArrival(account.country, at).expectedOn,
    transaction_id: id,
    idempotency_key: payoutId,
    request_hash,
    returns_payment_id: payment.id,
    created_at: at,
    updated_at: at,
    last_polled_at: at,
  })
  submitAfterCommit(ctx, tx, payoutId)
}

/**
 * Ends the hold of a deposit that its bank reverses by crediting the wallet, which the same transaction then debits.
 * Also locks `accounts`, the accounts of that debit. Returns false if the bank reverses only a part, or if a payout is
 * already returning the deposit.
 */
export async function endHoldForReversal(
  ctx: PaymentContext,
  tx: Tx,
  { paymentId, isWhole, accounts }: { paymentId: string; isWhole: boolean; accounts: readonly bigint[] },
): Promise<boolean> {
  const { rows } = await tx.query<HeldTransfer>(
    `select * from transfer where payment_id = $1 and kind = 'deposit' and state in ('held', 'processing') for update`,
    [paymentId],
  )
  const [held] = rows
  if (!held) return true
  if (held.state !== 'held' || !isWhole) return false
  const at = ctx.now()
  const state = findTransition('deposit', held.state, 'fail')?.next
  await updateRow(tx, 'transfer', held.id, { state, decided_by: 'bank', decided_at: at, updated_at: at })
  const legs = await buildCreditLegs(ctx, tx, held)
  await lockAccounts(tx, [...listLegAccounts(legs), ...accounts])
  await postCredit(ctx, tx, { held, at, legs })
  return true
}
