import { release } from '@tern/ledger/holds'
import { lockAccounts, releaseToken } from '@tern/ledger/ledger'
import type { Tx } from '../../../platform/database/db.ts'
import { updateRow } from '../../../platform/database/rows.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { QuotedPrice } from '../../exchange/exchange.ts'
import { requireAccountNotStopped } from '../../risk/risk.ts'
import type { Send } from '../../transfers/transfers.ts'
import { findWallet, type Wallet } from '../../wallets/wallets.ts'
import { findMailbox, type Mailbox, type PaymentContext } from '../context.ts'
import { isPullStopped } from '../held-pulls/held-pulls.ts'
import { keepPromisedPrice, priceArrival, type MovedPrice } from '../prices/arrival-prices.ts'
import { listUndeliverable, notifyPriceMoved } from '../prices/moved-price-notices.ts'
import { listLegAccounts, findSend, buildFundingLegs, releaseFunding } from '../records/payment-postings.ts'
import { recordSettlementLine, findLineOwner, postingIds, deriveTransactionId } from '../records/payment-rows.ts'
import { recordLatePull, reverseSendUsage } from '../records/payment-usage.ts'
import { closeUnanswered } from '../records/reconciliation-exceptions.ts'
import { type Arrival, planArrival, postArrival, type ArrivalPosting } from './arrival-postings.ts'
import {
  decideCapture,
  escalateToReview,
  holdForCases,
  isForReview,
  findLatePurpose,
  deferAtProvider,
  saveCard,
  sendTransition,
  type SettledState,
  type Stop,
  readSendStop,
} from './captures.ts'
import type { PaymentRow } from '../row-types.ts'

// Settles arrived money: every amount is posted exactly once.

export type Payer = Mailbox & { readonly wallet: Wallet }

/** Payer of a payment; for a guest's payment, the requester. */
export async function findPayer(ctx: PaymentContext, tx: Tx, { user_id: userId }: PaymentRow): Promise<Payer> {
  const wallet = await findWallet(tx, userId)
  const mailbox = await findMailbox(ctx, tx, userId)
  if (!wallet || !mailbox) throw new Error(`user ${userId} pays without a wallet`)
  return { wallet, ...mailbox }
}

/** Arrived money of a locked payment. */
export interface ArrivedPayment {
  readonly at: Date
  readonly payer: Payer
  readonly payment: PaymentRow
  /** The payment at its final price. */
  readonly priced: PaymentRow
  /** Quote of the final price, if it has yet to be stored. */
  readonly quoted: QuotedPrice | undefined
  /** Set if the price had moved too far, or below the sender's minimum. */
  readonly moved: MovedPrice | undefined
  /** Set for a send that can reach its recipient. */
  readonly send: Send | undefined
  readonly stop: Stop
  readonly sessionId: string | null
  readonly state: SettledState
}

interface SettledSession {
  readonly payment: PaymentRow
  readonly sessionId: string | null
  readonly state: SettledState
}

/**
 * Posts arrived money as ordered, to the payer's wallet or on hold, or opens a case. While no rates are available, it
 * returns undefined for a pending payment, and otherwise refuses `rates_unavailable`, so that the provider reports it
 * again.
 */
export async function settleArrival(
  ctx: PaymentContext,
  tx: Tx,
  { payment, sessionId, state }: SettledSession,
): Promise<string | undefined> {
  const at = ctx.now()
  const owner = await findLineOwner(tx, payment.provider, state.captureId)
  const decision = decideCapture(payment, state, owner)
  const isLate = decision === 'late'
  if (isForReview(decision)) return escalateToReview(ctx, tx, { payment, state, decision, owner })
  if (!isLate && decision !== 'completed') return decision
  if (payment.purpose === 'request') {
    const guestOutcome = isLate ? 'not_awaited' : await ctx.requestPurpose.settleGuest(tx, { payment, at })
    if (guestOutcome === 'wait') return deferAtProvider(tx, { payment, sessionId, at })
    // Unexpected, since guests' cards are charged only while their request can be paid.
    if (guestOutcome === 'not_awaited') return escalateToReview(ctx, tx, { payment, state, decision: guestOutcome })
  }
  const arrived = await prepareArrival(ctx, tx, { payment, sessionId, state }, at)
  if (!arrived) return payment.status === 'pending' ? undefined : refuse('rates_unavailable')
  if (isLate) {
    await recordLatePull(tx, payment, at)
    await postLateArrival(ctx, tx, { arrived, arrival: await planArrival(ctx, tx, { arrived, isLate: true }) })
    return decision
  }
  await saveCard(ctx, tx, { payment, card: state.card, at })
  await closeUnanswered(tx, payment, at)
  if (!canPostArrivalAsOrdered(arrived) || sendTransition(arrived.payment, arrived.stop)?.next === 'failed') {
    await ctx.requestPurpose.endMember(tx, { payment, event: 'release', at })
    await creditPayer(ctx, tx, arrived)
    return 'kept_for_the_payer'
  }
  await postArrivalAsOrdered(ctx, tx, arrived)
  return decision
}

/** True if price and recipient allow the money to be posted as ordered. */
const canPostArrivalAsOrdered = ({
  payment,
  send,
  moved,
}: Pick<ArrivedPayment, 'payment' | 'send' | 'moved'>): boolean =>
  payment.purpose !== 'send' || (send !== undefined && moved === undefined)

/** Prices arrived money, and holds its send if a case requires it. Undefined without rates. */
async function prepareArrival(
  ctx: PaymentContext,
  tx: Tx,
  session: SettledSession,
  at: Date,
): Promise<ArrivedPayment | undefined> {
  const { payment: storedPayment } = session
  const payer = await findPayer(ctx, tx, storedPayment)
  // A guest's price was decided when the card was authorized.
  const price =
    storedPayment.purpose === 'request' ? keepPromisedPrice(storedPayment) : await priceArrival(ctx, tx, storedPayment)
  if (price.status === 'unknown') return undefined
  const send = storedPayment.purpose === 'send' ? await findSend(ctx, tx, price.payment) : undefined
  const stop = (await isPullStopped(ctx, tx, storedPayment)) ? 'in_check' : await readSendStop(tx, storedPayment)
  const moved = price.status === 'moved' ? price : undefined
  const isSettling =
    canPostArrivalAsOrdered({ payment: storedPayment, send, moved }) &&
    sendTransition(storedPayment, stop)?.next === 'settled'
  const payment = isSettling ? await holdForCases(ctx, tx, storedPayment) : storedPayment
  // The price does not matter for a send that fails for another reason.
  const isOver = storedPayment.status === 'failed' || sendTransition(payment, stop)?.next === 'failed'
  const isMoved = storedPayment.purpose !== 'send' || (send !== undefined && !isOver)
  return {
    ...session,
    at,
    payer,
    payment,
    priced: { ...price.payment, holds_transfer: payment.holds_transfer },
    quoted: price.quoted,
    moved: isMoved ? moved : undefined,
    send,
    stop,
  }
}

/** Posts money as ordered, or on hold. */
async function postArrivalAsOrdered(ctx: PaymentContext, tx: Tx, arrived: ArrivedPayment): Promise<void> {
  const { payment, at, stop, moved, quoted, sessionId } = arrived
  const arrival = await planArrival(ctx, tx, { arrived, isLate: false })
  // A held transfer pays its request only when its hold is settled.
  const isSent = payment.purpose === 'send' && arrival.as === 'settlement'
  if (isSent) await ctx.requestPurpose.endMember(tx, { payment, event: 'settle', at })
  if (quoted) {
    await lockAccounts(tx, listLegAccounts(arrival.legs))
    if (payment.quote_id !== null) await releaseToken(tx, payment.quote_id, payment.id)
    await ctx.exchange.storeArrival(tx, { quoted, replaces: payment.quote_id ?? undefined })
  }
  const session_id = payment.session_id ?? sessionId
  const { transactionId: transaction_id } = arrival
  await record(tx, arrived, arrival, {
    session_id,
    status: 'completed',
    reason: null,
    transaction_id,
    ...changedPrice(arrived),
  })
  if (moved) await notifyPriceMoved(ctx, tx, { ...arrived, moved, transactionId: transaction_id })
  else if (payment.cancel_requested_at !== null && stop !== 'in_check') await mailLateArrival(ctx, tx, arrived)
  await postArrival(ctx, tx, { arrived, arrival })
  if (isSent) await requireAccountNotStopped(tx, payment.user_id)
}

/**
 * Keeps the money of a send in its payer's wallet and fails the send: the recipient is gone, the sender cancelled, the
 * price moved, the money is under review, or nothing may leave the account.
 */
async function creditPayer(ctx: PaymentContext, tx: Tx, arrived: ArrivedPayment): Promise<void> {
  const { at, payment, moved, payer, sessionId } = arrived
  const { wallet } = payer
  await updateRow(tx, 'payment', payment.id, {
    session_id: payment.session_id ?? sessionId,
    status: 'failed',
    reason: 'failed',
  })
  await reverseSendUsage(tx, payment)
  const released = await buildFundingLegs(ctx, tx, { step: release, payment, wallet })
  const arrival = await planArrival(ctx, tx, { arrived, isLate: true })
  await lockAccounts(tx, listLegAccounts([...released, ...arrival.legs]))
  if (moved) await listUndeliverable(ctx, tx, arrived)
  await releaseFunding(ctx, tx, { payment, wallet, at })
  await postLateArrival(ctx, tx, { arrived, arrival })
}

/**
 * Posts late money to the payer's wallet, or on hold during a review. A deposit completes; a send stays failed, as it
 * may have been repeated.
 */
async function postLateArrival(ctx: PaymentContext, tx: Tx, { arrived, arrival }: ArrivalPosting): Promise<void> {
  const { payment, moved, quoted, stop } = arrived
  const { transactionId } = arrival
  const isSend = payment.purpose === 'send'
  // An unlisted send appears as the deposit that it became; a listed one keeps its own failed transaction.
  const isShown = payment.is_listed || (isSend && moved !== undefined)
  const ownId = isShown ? deriveTransactionId(payment) : transactionId
  if (!isSend && quoted) await ctx.exchange.storeArrival(tx, { quoted, replaces: undefined })
  await record(
    tx,
    arrived,
    arrival,
    isSend
      ? { reason: moved?.reason ?? stop ?? 'late', transaction_id: ownId }
      : // Another payment may have reserved the quote after this one failed.
        { status: 'completed', reason: null, quote_id: null, transaction_id: transactionId, ...changedPrice(arrived) },
  )
  if (moved) {
    await notifyPriceMoved(ctx, tx, {
      ...arrived,
      moved,
      transactionId: isSend ? deriveTransactionId(payment) : transactionId,
    })
  }
  // Money held for a case is announced by the notice of that case instead.
  else if (stop !== 'in_check') await mailLateArrival(ctx, tx, arrived)
  await postArrival(ctx, tx, { arrived, arrival })
}

/** Price columns to overwrite if the payment was repriced. */
function changedPrice({ payment, priced: { locked_price, quote_id } }: ArrivedPayment): Partial<PaymentRow> {
  return locked_price === payment.locked_price ? {} : { locked_price, quote_id }
}

async function record(
  tx: Tx,
  { at, payment, state: { captureId: id, amount } }: ArrivedPayment,
  { isLate, as }: Arrival,
  changes: Partial<PaymentRow>,
): Promise<void> {
  const { id: reference, provider, method } = payment
  await updateRow(tx, 'payment', reference, { capture_id: id, updated_at: at, ...changes })
  const kind = method === 'bank' ? 'debit' : 'capture'
  // The money of a held transfer is posted as a separate deposit.
  const postingId = isLate || as === 'transfer_hold' ? postingIds.late(reference) : postingIds.arrival(reference)
  const isNew = await recordSettlementLine(tx, { provider, id, kind, amount, reference, postingId, at })
  if (!isNew) throw new Error(`capture ${id} was noted before`)
}

async function mailLateArrival(
  ctx: PaymentContext,
  tx: Tx,
  { payer, payment, state, stop }: ArrivedPayment,
): Promise<void> {
  const mail = {
    purpose: findLatePurpose(payment, stop),
    amount: amountText(state.amount),
    link: `${ctx.publicUrl}/transactions`,
  }
  await ctx.notifications.mail(tx, { to: payer, template: 'late_payment', data: mail })
}
