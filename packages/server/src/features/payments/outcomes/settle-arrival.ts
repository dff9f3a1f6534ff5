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
import { asPromised, priceArrival, type Moved } from '../prices/late-prices.ts'
import { listUnmade, notifyMoved } from '../prices/moved-prices.ts'
import { accountsIn, findSend, fundingLegs, releaseFunding } from '../records/payment-postings.ts'
import { recordSettlementLine, findLineOwner, postingOf, deriveTransactionId } from '../records/payment-rows.ts'
import { countLatePull, reverseSendUsage } from '../records/payment-usage.ts'
import { closeUnanswered } from '../records/reconciliation-exceptions.ts'
import { type Arrival, planArrival, postArrival, type Posted } from './arrival-postings.ts'
import {
  decideCapture,
  escalateToReview,
  holdIfStopped,
  isForReview,
  latePurpose,
  deferAtProvider,
  saveCard,
  sendTransition,
  type Settled,
  type Stop,
  readSendStop,
} from './captures.ts'
import type { PaymentRow } from '../row-types.ts'

// Settlement of arrived money: every amount is posted, and only once.

export type Payer = Mailbox & { readonly wallet: Wallet }

/** Payer of a payment; for a guest's payment, the requester. */
export async function findPayer(ctx: PaymentContext, tx: Tx, { user_id: userId }: PaymentRow): Promise<Payer> {
  const wallet = await findWallet(tx, userId)
  const mailbox = await findMailbox(ctx, tx, userId)
  if (!wallet || !mailbox) throw new Error(`user ${userId} pays without a wallet`)
  return { wallet, ...mailbox }
}

/** Arrived money of a locked payment. */
export interface Arrived {
  readonly at: Date
  readonly payer: Payer
  readonly payment: PaymentRow
  /** The payment at the price at which its money is taken. */
  readonly priced: PaymentRow
  /** Quote of that price; to be stored. */
  readonly quoted: QuotedPrice | undefined
  /** Set if the promised price no longer holds. */
  readonly moved: Moved | undefined
  /** Set for a send that can reach its recipient. */
  readonly send: Send | undefined
  readonly stop: Stop
  readonly sessionId: string | null
  readonly state: Settled
}

interface OfSession {
  readonly payment: PaymentRow
  readonly sessionId: string | null
  readonly state: Settled
}

/**
 * Posts arrived money as ordered, to its payer's wallet, or on hold, or opens a case. Returns undefined for a pending
 * payment without rates to price it; other payments refuse `rates_unavailable`, so that the provider reports again.
 */
export async function settleArrival(
  ctx: PaymentContext,
  tx: Tx,
  { payment, sessionId, state }: OfSession,
): Promise<string | undefined> {
  const at = ctx.now()
  const owner = await findLineOwner(tx, payment.provider, state.captureId)
  const decision = decideCapture(payment, state, owner)
  const isLate = decision === 'late'
  if (isForReview(decision)) return escalateToReview(ctx, tx, { payment, state, decision, owner })
  if (!isLate && decision !== 'completed') return decision
  if (payment.purpose === 'request') {
    const paid = isLate ? 'not_awaited' : await ctx.requestPurpose.settleGuest(tx, { payment, at })
    if (paid === 'wait') return deferAtProvider(tx, { payment, sessionId, at })
    // No request awaits this money, although cards are charged only for one.
    if (paid === 'not_awaited') return escalateToReview(ctx, tx, { payment, state, decision: paid })
  }
  const arrived = await readArrival(ctx, tx, { payment, sessionId, state }, at)
  if (!arrived) return payment.status === 'pending' ? undefined : refuse('rates_unavailable')
  if (isLate) {
    await countLatePull(tx, payment, at)
    await postLate(ctx, tx, { arrived, arrival: await planArrival(ctx, tx, { arrived, isLate: true }) })
    return decision
  }
  await saveCard(ctx, tx, { payment, card: state.card, at })
  await closeUnanswered(tx, payment.id, at)
  if (!canPostAsOrdered(arrived) || sendTransition(arrived.payment, arrived.stop)?.next === 'failed') {
    await ctx.requestPurpose.endMember(tx, { payment, event: 'release', at })
    await creditPayer(ctx, tx, arrived)
    return 'kept_for_the_payer'
  }
  await postAsOrdered(ctx, tx, arrived)
  return decision
}

/** True if price and recipient allow the money to be posted as ordered. */
const canPostAsOrdered = ({ payment, send, moved }: Pick<Arrived, 'payment' | 'send' | 'moved'>): boolean =>
  payment.purpose !== 'send' || (send !== undefined && moved === undefined)

/** Reads the facts for settling arrived money. Undefined without rates to price it. */
async function readArrival(ctx: PaymentContext, tx: Tx, ofSession: OfSession, at: Date): Promise<Arrived | undefined> {
  const { payment: known } = ofSession
  const payer = await findPayer(ctx, tx, known)
  // A guest's price was decided when the card was authorized.
  const price = known.purpose === 'request' ? asPromised(known) : await priceArrival(ctx, tx, known)
  if (price.status === 'unknown') return undefined
  const send = known.purpose === 'send' ? await findSend(ctx, tx, price.payment) : undefined
  const stop = (await isPullStopped(ctx, tx, known)) ? 'in_check' : await readSendStop(tx, known)
  const moved = price.status === 'moved' ? price : undefined
  const isSettling =
    canPostAsOrdered({ payment: known, send, moved }) && sendTransition(known, stop)?.next === 'settled'
  const payment = isSettling ? await holdIfStopped(ctx, tx, known) : known
  // The price does not matter for a send that fails for another reason.
  const isOver = known.status === 'failed' || sendTransition(payment, stop)?.next === 'failed'
  const isMoved = known.purpose !== 'send' || (send !== undefined && !isOver)
  return {
    ...ofSession,
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
async function postAsOrdered(ctx: PaymentContext, tx: Tx, arrived: Arrived): Promise<void> {
  const { payment, at, stop, moved, quoted, sessionId } = arrived
  const arrival = await planArrival(ctx, tx, { arrived, isLate: false })
  // A held transfer pays its request once it is released.
  const isSent = payment.purpose === 'send' && arrival.as === 'settlement'
  if (isSent) await ctx.requestPurpose.endMember(tx, { payment, event: 'settle', at })
  if (quoted) {
    await lockAccounts(tx, accountsIn(arrival.legs))
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
  if (moved) await notifyMoved(ctx, tx, { ...arrived, moved, transactionId: transaction_id })
  else if (payment.cancel_requested_at !== null && stop !== 'in_check') await mailLate(ctx, tx, arrived)
  await postArrival(ctx, tx, { arrived, arrival })
  if (isSent) await requireAccountNotStopped(tx, payment.user_id)
}

/**
 * Keeps the money of a send in its payer's wallet and fails the send: the recipient is gone, the sender cancelled, the
 * price moved, the money is under review, or nothing may leave the account.
 */
async function creditPayer(ctx: PaymentContext, tx: Tx, arrived: Arrived): Promise<void> {
  const { at, payment, moved, payer, sessionId } = arrived
  const { wallet } = payer
  await updateRow(tx, 'payment', payment.id, {
    session_id: payment.session_id ?? sessionId,
    status: 'failed',
    reason: 'failed',
  })
  await reverseSendUsage(tx, payment)
  const released = await fundingLegs(ctx, tx, { step: release, payment, wallet })
  const arrival = await planArrival(ctx, tx, { arrived, isLate: true })
  await lockAccounts(tx, accountsIn([...released, ...arrival.legs]))
  if (moved) await listUnmade(ctx, tx, arrived)
  await releaseFunding(ctx, tx, { payment, wallet, at })
  await postLate(ctx, tx, { arrived, arrival })
}

/** Posts late money to the payer's wallet. A deposit completes; a send stays failed, as it may have been repeated. */
async function postLate(ctx: PaymentContext, tx: Tx, { arrived, arrival }: Posted): Promise<void> {
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
    await notifyMoved(ctx, tx, {
      ...arrived,
      moved,
      transactionId: isSend ? deriveTransactionId(payment) : transactionId,
    })
  }
  // Money waiting for a case is announced with the case, not here.
  else if (stop !== 'in_check') await mailLate(ctx, tx, arrived)
  await postArrival(ctx, tx, { arrived, arrival })
}

/** Price columns to overwrite if the payment was repriced. */
function changedPrice({ payment, priced: { locked_price, quote_id } }: Arrived): Partial<PaymentRow> {
  return locked_price === payment.locked_price ? {} : { locked_price, quote_id }
}

async function record(
  tx: Tx,
  { at, payment, state: { captureId: id, amount } }: Arrived,
  { isLate, as }: Arrival,
  changes: Partial<PaymentRow>,
): Promise<void> {
  const { id: reference, provider, method } = payment
  await updateRow(tx, 'payment', reference, { capture_id: id, updated_at: at, ...changes })
  const kind = method === 'bank' ? 'debit' : 'capture'
  // The money of a held transfer arrives as a deposit of its own.
  const postingId = isLate || as === 'transfer_hold' ? postingOf.late(reference) : postingOf.arrival(reference)
  const isNew = await recordSettlementLine(tx, { provider, id, kind, amount, reference, postingId, at })
  if (!isNew) throw new Error(`capture ${id} was noted before`)
}

async function mailLate(ctx: PaymentContext, tx: Tx, { payer, payment, state, stop }: Arrived): Promise<void> {
  const mail = {
    purpose: latePurpose(payment, stop),
    amount: amountText(state.amount),
    link: `${ctx.publicUrl}/transactions`,
  }
  await ctx.notifications.mail(tx, { to: payer, template: 'late_payment', data: mail })
}
