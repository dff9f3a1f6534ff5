import { lockAccounts, releaseToken } from '@tern/ledger/ledger'
import type { CollectionState, DeclineReason } from '@tern/providers/card/port'
import type { Tx } from '../../../platform/database/db.ts'
import { updateRow } from '../../../platform/database/rows.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { QuotedPrice } from '../../exchange/exchange.ts'
import { requireAccountNotStopped, revokeMovement } from '../../risk/risk.ts'
import { riskMovementOf } from '../../transfers/transfers.ts'
import { apply, type Mailbox, mailboxOf, type PaymentContext, providerOf, type Transition } from '../context.ts'
import { findBankAccount } from '../instruments/instruments.ts'
import {
  holdIfStopped,
  type LateArrival,
  type LockablePosting,
  processingPostings,
  releasePostings,
} from '../records/payment-postings.ts'
import {
  amountOf,
  findPayment,
  lockPayment,
  mayBeAnnounced,
  noteLine,
  noteListed,
  ownerOfLine,
  type PaymentRow,
  postingOf,
  transactionIdOf,
} from '../records/payment-rows.ts'
import { countLatePull, reversePaymentUsage, reverseSendUsage } from '../records/payment-usage.ts'
import { arrivalPostings } from '../held-pulls/arrival-postings.ts'
import { isPullStopped } from '../held-pulls/held-pulls.ts'
import {
  decideCapture,
  escalateToReview,
  isForReview,
  isUndecidable,
  latePurpose,
  leaveThere,
  mailedPurpose,
  saveCard,
  sendTransition,
  type Settled,
  type Stop,
  stopOfSend,
} from './captures.ts'
import { reasonOfEnd } from './checkout-time.ts'
import { asPromised, priceArrival } from '../prices/late-prices.ts'
import { movedOf, type MovedPrice } from '../prices/moved-prices.ts'
import { closeCases, closeMisattributed } from '../records/reconciliation-exceptions.ts'
import { findWallet } from '../../wallets/wallets.ts'

// What a provider says about payments by card and bank, and what follows: credited, sent on, or failed; once.

type Certain = Exclude<CollectionState, { status: 'unknown' }>

/** Why a payment failed: as the provider says, `refused` by it, or cancelled before it answered. */
export type FailureReason = DeclineReason | 'refused' | 'canceled_unanswered'

/** What follows from a payment state, if anything does. The session is null when the order was never answered. */
export async function paymentTransition(
  context: PaymentContext,
  provider: string,
  sessionId: string | null,
  state: Certain,
): Promise<Transition | undefined> {
  if (state.status === 'open' && !state.isProcessing) return undefined
  const payment = await findPayment(context.pool, state.paymentId)
  if (payment?.provider !== provider) return undefined
  if (state.status === 'open') return processingTransition(context, payment, sessionId)
  if (state.status === 'authorized') return authorizedTransition(context, payment, sessionId, state)
  return state.status === 'settled'
    ? settledTransition(context, payment, sessionId, state)
    : declinedTransition(context, payment, sessionId, state.reason)
}

/** Polls the provider about one payment that is pending or failed; nothing happens while the answer is unknown. */
export async function checkPayment(context: PaymentContext, paymentId: string): Promise<void> {
  const { rows } = await context.pool.query<PaymentRow>(
    `update payment set last_polled_at = $2
      where id = $1 and status in ('pending', 'failed') and capture_id is null and session_id is not null returning *`,
    [paymentId, context.now()],
  )
  const [payment] = rows
  if (!payment?.session_id) return
  const isToEnd = payment.status === 'pending' && payment.cancel_requested_at !== null
  await settleBy(context, payment, payment.session_id, isToEnd ? 'cancel' : 'lookup')
}

type Call = 'lookup' | 'cancel' | 'capture'

/** Looks a payment up at its provider, or cancels it there, and applies what the provider says. */
export async function settleBy(context: PaymentContext, payment: PaymentRow, sessionId: string, call: Call) {
  const state = await stateAtProvider(context, payment, sessionId, call)
  if (state.status === 'unknown') return state.status
  const outcome = await apply(context, await paymentTransition(context, payment.provider, sessionId, state))
  await settleAuthorized(context, payment, sessionId, outcome)
  return state.status
}

/**
 * Takes or lets go the money that a card's bank keeps ready, once that is decided and committed. An answer that does not come
 * is asked for again when the payment is polled.
 */
export async function settleAuthorized(
  context: PaymentContext,
  payment: PaymentRow,
  sessionId: string,
  outcome: string | undefined,
): Promise<void> {
  if (outcome !== 'to_capture' && outcome !== 'to_cancel') return
  const state = await stateAtProvider(context, payment, sessionId, outcome === 'to_capture' ? 'capture' : 'cancel')
  if (state.status === 'unknown') return
  await apply(context, await paymentTransition(context, payment.provider, sessionId, state))
}

/** How a payment stands at its provider, after cancelling it there where that is asked for. */
export function stateAtProvider(context: PaymentContext, payment: PaymentRow, session: string, call: Call = 'lookup') {
  const { bank, card } = providerOf(context, payment)
  if (payment.method === 'bank') return call === 'cancel' ? bank.cancelDebit(session) : bank.lookupDebit(session)
  return card[call](session)
}

/** Fails a payment that has no session at the provider. True when it has failed now. */
export async function failIntent(context: PaymentContext, id: string, reason: FailureReason): Promise<boolean> {
  const payment = await findPayment(context.pool, id)
  if (!payment || payment.session_id !== null) return false
  const outcome = await apply(context, await declinedTransition(context, payment, null, reason))
  return outcome === 'failed' || outcome === 'already_failed'
}

/** The card's bank keeps a guest's money ready: it is taken if the request can still be paid, and let go otherwise. */
async function authorizedTransition(
  context: PaymentContext,
  known: PaymentRow,
  sessionId: string | null,
  { amount, cardFingerprint }: Extract<Certain, { status: 'authorized' }>,
): Promise<Transition | undefined> {
  if (known.purpose !== 'request') return undefined
  const priced = await priceArrival(context, known)
  // The card's bank keeps it ready until there are rates.
  if (priced.status === 'unknown') return undefined
  const isPriceKept = priced.status === 'kept'
  const setAside = await context.collections.authorized(known, { cardFingerprint, isPriceKept })
  return async (tx) => {
    const payment = await lockPayment(tx, known.id)
    const at = context.now()
    const isWanted =
      payment.status === 'pending' &&
      payment.cancel_requested_at === null &&
      (payment.session_id === null || payment.session_id === sessionId) &&
      amount.currency === payment.currency &&
      amount.minor === payment.amount_minor
    const next = isWanted ? await setAside(tx, at) : 'let_go'
    if (next === 'let_go') return 'to_cancel'
    await updateRow(tx, 'payment', payment.id, { session_id: sessionId, redirect_url: null, updated_at: at })
    return next === 'charge' ? 'to_capture' : 'waits_for_case'
  }
}

/** Its provider is processing a payment: there is nothing left to pay, and it is listed until that is decided. */
async function processingTransition(
  context: PaymentContext,
  known: PaymentRow,
  sessionId: string | null,
): Promise<Transition | undefined> {
  const isTold = known.is_listed && (known.is_announced || !mayBeAnnounced(known)) && known.redirect_url === null
  if (known.status !== 'pending' || isTold) return undefined
  const { wallet } = await payerOf(context, known)
  const list = await processingPostings(context, known, wallet)
  return async (tx) => {
    const payment = await lockPayment(tx, known.id)
    if (payment.status !== 'pending' || payment.cancel_requested_at !== null) return 'already_decided'
    if (payment.session_id !== null && payment.session_id !== sessionId) return 'of_another_session'
    await updateRow(tx, 'payment', payment.id, { redirect_url: null, updated_at: context.now() })
    if (list) await list(tx, await noteListed(tx, payment, mayBeAnnounced(payment)))
    return 'processing'
  }
}

async function payerOf(context: PaymentContext, { user_id: userId }: PaymentRow) {
  const wallet = await findWallet(context.pool, userId)
  const mailbox = await mailboxOf(context, userId)
  if (!wallet || !mailbox) throw new Error(`user ${userId} pays without a wallet`)
  return { wallet, ...mailbox }
}

const toldOnPage: ReadonlySet<FailureReason> = new Set(['canceled', 'canceled_unanswered', 'refused'])

async function declinedTransition(
  context: PaymentContext,
  known: PaymentRow,
  sessionId: string | null,
  reason: FailureReason,
): Promise<Transition> {
  const { now, notifications, publicUrl, pool } = context
  if (known.status === 'completed' || known.status === 'reversed') return () => Promise.resolve('already_completed')
  const payer = await payerOf(context, known)
  const release = await releasePostings(context, known, payer.wallet)
  const isToldByMail = known.method === 'bank' && !toldOnPage.has(reason)
  const account = isToldByMail ? await findBankAccount(pool, known.bank_account_id) : undefined
  const freeRequest = known.purpose === 'request' ? await context.collections.failed(known) : undefined
  const endRequest = known.purpose === 'send' ? await context.collections.ended(known) : undefined
  return async (tx) => {
    const payment = await lockPayment(tx, known.id)
    if (isUndecidable(payment)) return 'already_in_review'
    if (payment.status === 'failed') return 'already_failed'
    if (payment.status !== 'pending' && payment.status !== 'needs_review') return 'already_completed'
    // Only the session that can still be paid decides.
    if (payment.session_id !== null && payment.session_id !== sessionId) return 'of_another_session'
    const at = now()
    const why = reason === 'canceled' ? await reasonOfEnd(tx, payment, at) : reason
    await updateRow(tx, 'payment', payment.id, { status: 'failed', reason: why, updated_at: at })
    await closeUnanswered(tx, payment, at)
    await freeRequest?.(tx, at)
    await endRequest?.(tx, 'release', at)
    if (account) {
      const { bank_name: bankName, last4 } = account
      const amount = amountText(amountOf(payment))
      const mail = { purpose: mailedPurpose(known), amount, link: `${publicUrl}/transactions`, bankName, last4 }
      await notifications.mail(tx, { to: payer, template: 'debit_failed', data: mail })
    }
    await reversePaymentUsage(tx, payment)
    const movementId = riskMovementOf(payment.method, payment.user_id, payment.idempotency_key)
    await revokeMovement(tx, { movementId, at })
    await release(tx, at)
    return 'failed'
  }
}

/** Money that has come for a payment, which is locked. */
interface Step {
  readonly context: PaymentContext
  readonly tx: Tx
  readonly at: Date
  readonly payer: Mailbox
  readonly payment: PaymentRow
  readonly state: Settled
  /** A case about the holder of its bank account holds it, or it pays a send, and nothing may leave its payer's account. */
  readonly stop: Stop
  /** What of its price is written down with the money, where it is another now. */
  readonly price: Partial<PaymentRow>
  /** That price, to be stored. */
  readonly quoted: QuotedPrice | undefined
  /** Its price does not hold any more. */
  readonly moved: MovedPrice | undefined
}

const priceIn = ({ locked_price, quote_id }: PaymentRow) => ({ locked_price, quote_id })

/**
 * The money of a payment has come. It is never given up, and comes once. Without rates to tell whether its price still
 * holds it waits as one that is being processed; what waits no more refuses `rates_unavailable`, to be told again.
 */
async function settledTransition(
  context: PaymentContext,
  known: PaymentRow,
  sessionId: string | null,
  state: Settled,
): Promise<Transition | undefined> {
  const payer = await payerOf(context, known)
  // What a guest pays was decided on when the card was authorized.
  const priced = known.purpose === 'request' ? asPromised(known) : await priceArrival(context, known)
  if (priced.status === 'unknown') {
    return known.status === 'pending' ? processingTransition(context, known, sessionId) : refuse('rates_unavailable')
  }
  const moved = priced.status === 'moved' ? await movedOf(context, known, priced, payer) : undefined
  const isRepriced = priced.payment !== known
  const arrival = { known, priced: priced.payment, moved }
  const { settle, wait, release, late, held } = await arrivalPostings(context, arrival, payer.wallet)
  const payRequest = known.purpose === 'request' ? await context.collections.settled(known) : undefined
  const endRequest = known.purpose === 'send' ? await context.collections.ended(known) : undefined
  return async (tx: Tx) => {
    const locked = await lockPayment(tx, known.id)
    const at = context.now()
    const stopped = held && (await isPullStopped(context, tx, locked)) ? held : undefined
    const stop = stopped ? 'in_check' : await stopOfSend(tx, locked)
    const goesOn = settle && sendTransition(locked, stop)?.next === 'settled'
    const payment = goesOn ? await holdIfStopped(context, tx, locked) : locked
    const isSent = goesOn && !payment.holds_transfer
    const arrive = stopped?.late ?? late
    const owner = await ownerOfLine(tx, payment.provider, state.captureId)
    const decided = decideCapture(payment, state, owner)
    const paid = decided === 'completed' ? await payRequest?.(tx, at) : undefined
    if (paid === 'wait') return leaveThere(tx, payment, sessionId, at)
    // Money that no request waits for, though nobody here asked for it to be taken: a person decides.
    const decision = paid === 'not_awaited' || (payRequest && decided === 'late') ? 'not_awaited' : decided
    // The price means nothing for a send that is not made for another reason.
    const isOver = decided === 'late' || sendTransition(payment, stop)?.next === 'failed'
    const told = known.purpose === 'send' && isOver ? undefined : moved
    const step = {
      ...{ context, tx, at, payer, payment, state, stop, moved: told, quoted: priced.quoted },
      price: isRepriced ? priceIn(priced.payment) : {},
    }
    if (isForReview(decision)) await escalateToReview(step, decision, owner)
    if (decision === 'late') {
      await countLatePull(tx, payment, at)
      await arriveLate(step, arrive)
    }
    if (decision !== 'completed') return decision
    const session_id = payment.session_id ?? sessionId
    await saveCard(context, tx, payment, { ...state, at })
    await closeUnanswered(tx, payment, at)
    if (!settle || sendTransition(payment, stop)?.next === 'failed') {
      await endRequest?.(tx, 'release', at)
      await keepForPayer(step, session_id, { told, release, arrive })
      return 'kept_for_the_payer'
    }
    const transaction_id = transactionIdOf(payment)
    const postingId = payment.holds_transfer ? postingOf.late(payment.id) : postingOf.arrival(payment.id)
    const post = stopped?.onTime ?? (payment.holds_transfer && wait ? wait : settle)
    // A held transfer pays its request once it is decided.
    if (isSent) await endRequest?.(tx, 'settle', at)
    if (priced.quoted) await lockAccounts(tx, post.accounts)
    await storePrice(step)
    await record(step, postingId, { session_id, status: 'completed', reason: null, transaction_id, ...step.price })
    if (told) await told.tell(tx, transaction_id)
    else if (payment.cancel_requested_at !== null && !stopped) await mailLate(step)
    await post(tx, at)
    if (isSent) await requireAccountNotStopped(tx, payment.user_id)
    return decision
  }
}

interface Kept {
  readonly told: MovedPrice | undefined
  readonly release: LockablePosting
  readonly arrive: LateArrival
}

/** Nobody is left to receive it, its sender did not want it any more, its money is not theirs yet, or nothing may leave their account. */
async function keepForPayer(step: Step, session_id: string | null, { told, release, arrive }: Kept): Promise<void> {
  const { tx, at, payment } = step
  await updateRow(tx, 'payment', payment.id, { session_id, status: 'failed', reason: 'failed' })
  await reverseSendUsage(tx, payment)
  await lockAccounts(tx, [...release.accounts, ...arrive.accounts])
  await told?.list?.(tx)
  await release(tx, at)
  await arriveLate(step, arrive)
}

/**
 * Stores the price that the money is taken at, where it is that of this moment, in place of the quote it was sent at. Takes the quote's
 * token: accounts are locked before.
 */
async function storePrice({ context, tx, payment, quoted }: Step): Promise<void> {
  if (!quoted) return
  if (payment.quote_id !== null) await releaseToken(tx, payment.quote_id, payment.id)
  await context.exchange.storeArrival(tx, { quoted, replaces: payment.quote_id ?? undefined })
}

/** The provider has answered, so its silence, or a movement of something else, needs nobody's attention any more. */
async function closeUnanswered(tx: Tx, { id }: PaymentRow, at: Date): Promise<void> {
  await closeCases(tx, { kind: 'unmatched', subject: id }, 'provider_answered', at)
  await closeMisattributed(tx, id, 'provider_answered', at)
}

async function record({ tx, at, payment, state }: Step, postingId: string, changes: Partial<PaymentRow>) {
  const { id: reference, provider, method } = payment
  const { captureId: id, amount } = state
  await updateRow(tx, 'payment', reference, { capture_id: id, updated_at: at, ...changes })
  const kind = method === 'bank' ? 'debit' : 'capture'
  const isNew = await noteLine(tx, { provider, id, kind, amount, reference, postingId, at })
  if (!isNew) throw new Error(`capture ${id} was noted before`)
}

/** Late money goes to the payer's wallet. A deposit is completed; a send stays failed: it may have been repeated. */
async function arriveLate(step: Step, post: LateArrival): Promise<void> {
  const { tx, at, payment, moved, price, stop } = step
  const { transactionId } = post
  const isSend = payment.purpose === 'send'
  // A send that was never shown is known by the deposit it became; others keep their own failed transaction.
  const isShown = payment.is_listed || moved?.list !== undefined
  const failed = {
    reason: moved?.reason ?? stop ?? 'late',
    transaction_id: isShown ? transactionIdOf(payment) : transactionId,
  }
  // Its quote, and what that reserved, may be in use again for another payment.
  const completed = {
    ...({ status: 'completed', reason: null, quote_id: null, transaction_id: transactionId } as const),
    ...price,
  }
  if (!isSend && step.quoted) await step.context.exchange.storeArrival(tx, { quoted: step.quoted, replaces: undefined })
  await record(step, postingOf.late(payment.id), isSend ? failed : completed)
  if (moved) await moved.tell(tx, isSend ? transactionIdOf(payment) : transactionId)
  // Of what waits for a case its payer is told with all that waits.
  else if (stop !== 'in_check') await mailLate(step)
  await post(tx, at)
}

async function mailLate({ context, tx, payer, payment, state, stop }: Step): Promise<void> {
  const mail = {
    purpose: latePurpose(payment, stop),
    amount: amountText(state.amount),
    link: `${context.publicUrl}/transactions`,
  }
  await context.notifications.mail(tx, { to: payer, template: 'late_payment', data: mail })
}
