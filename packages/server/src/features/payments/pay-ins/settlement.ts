import { lockAccounts } from '@tern/ledger/ledger'
import { type Money, money } from '@tern/money/money'
import { isKeepable } from '@tern/providers/card/kept-card'
import type { CollectionState, DeclineReason, KeptCard } from '@tern/providers/card/port'
import { amountText } from '../../../platform/http/amount.ts'
import { retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import { transitionOf } from '../../transfers/transfers.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import type { BankAccounts } from '../instruments/bank-accounts.ts'
import { closeCases, closeMisattributed, misattributed, openCase } from '../reconciliation/reconciliation-exceptions.ts'
import type { PaymentContext, Transition } from '../context.ts'
import {
  settlementPostings,
  releasePostings,
  lateArrivalOf,
  type LockablePosting,
} from '../records/payment-postings.ts'
import {
  findPayment,
  findPaymentAt,
  isShownAtOnce,
  lockPayment,
  type PaymentRow,
  postingOf,
  sendStates,
  transactionIdOf,
} from '../records/payment-rows.ts'
import { countLatePull, reversePaymentUsage, reverseSendUsage } from '../records/payment-usage.ts'
import type { SavedCards } from '../instruments/saved-cards.ts'
import { noteLine, ownerOfLine } from '../records/settlement-lines.ts'

type Certain = Exclude<CollectionState, { status: 'unknown' }>
type Settled = Extract<CollectionState, { status: 'settled' }>

/**
 * Why a payment failed: as the provider says, because it never took the payment on, or because its payer wanted it
 * stopped before the provider had said whether it did.
 */
export type FailureReason = DeclineReason | 'refused' | 'canceled_unanswered'

/** What the provider says about payments by card and bank, and what follows from it: credited, sent on, or failed; once. */
export interface Settlement {
  /**
   * What follows from a state of a payment; undefined when it is none of ours, or nothing follows from it. The session is
   * null when it is not known, because the order was never answered.
   */
  taking(sessionId: string | null, state: Certain): Promise<Transition | undefined>
  /** Asks the provider about one payment that is pending, or failed; nothing happens while it does not know. */
  check(paymentId: string): Promise<void>
  /** Asks about all pending ones that were last asked about before this moment. */
  checkPending(polledBefore: Date): Promise<void>
  /** Carries out a state that was told by the provider when it was asked. */
  applyOutcome(sessionId: string, state: Certain): Promise<void>
  /** Gives up a payment that the provider has no session for. True when it is so now. */
  cancelIntent(paymentId: string, reason: FailureReason): Promise<boolean>
}

export interface SettlementParts {
  readonly savedCards: SavedCards
  readonly bankAccounts: BankAccounts
}

const mostAtOnce = 500

export function createSettlement(context: PaymentContext, parts: SettlementParts): Settlement {
  const { pool, provider, now, log } = context

  async function taking(sessionId: string | null, state: Certain): Promise<Transition | undefined> {
    if (state.status === 'open') return undefined
    const payment = await findPaymentAt(context, state.paymentId)
    if (!payment) return undefined
    return state.status === 'settled'
      ? settledTaking(context, parts, payment, { sessionId, state })
      : declinedTaking(context, parts, payment, { sessionId, reason: state.reason })
  }

  async function carry(sessionId: string, state: Certain): Promise<void> {
    const work = await taking(sessionId, state)
    if (!work) return
    await retryOnConflict(pool, work)
    context.notifications.deliverSoon()
  }

  async function check(paymentId: string): Promise<void> {
    // Marked before the attempt, so that one which fails or stays unknown goes behind those that still wait.
    const { rows } = await pool.query<PaymentRow>(
      `update payment set last_polled_at = $2
        where id = $1 and status in ('pending', 'failed') and capture_id is null and session_id is not null
          and provider = $3 returning *`,
      [paymentId, now(), provider.name],
    )
    const [payment] = rows
    if (!payment?.session_id) return
    const state = await askAbout(context, payment, payment.session_id)
    if (state.status !== 'unknown') await carry(payment.session_id, state)
  }

  return {
    taking,
    check,
    applyOutcome: carry,
    async checkPending(polledBefore) {
      const { rows } = await pool.query<{ id: string }>(
        `select id from payment
          where status = 'pending' and session_id is not null and provider = $3 and last_polled_at < $1
          order by last_polled_at limit $2`,
        [polledBefore, mostAtOnce, provider.name],
      )
      for (const { id } of rows) {
        try {
          await check(id)
        } catch (error) {
          log.error({ err: error, paymentId: id }, 'a payment could not be checked')
        }
      }
    },
    async cancelIntent(paymentId, reason) {
      const payment = await findPayment(pool, paymentId)
      if (!payment || payment.session_id !== null) return false
      const work = await declinedTaking(context, parts, payment, { sessionId: null, reason })
      const outcome = work && (await retryOnConflict(pool, work))
      context.notifications.deliverSoon()
      return outcome === 'failed' || outcome === 'already_failed'
    },
  }
}

/** How a payment stands at the provider, where one that its payer wanted stopped is ended. */
function askAbout({ provider: { bank, card } }: PaymentContext, payment: PaymentRow, sessionId: string) {
  const isToEnd = payment.status === 'pending' && payment.cancel_requested_at !== null
  if (payment.method === 'bank') return isToEnd ? bank.cancelDebit(sessionId) : bank.lookupDebit(sessionId)
  return isToEnd ? card.cancel(sessionId) : card.lookup(sessionId)
}

interface Payer {
  readonly wallet: Wallet
  readonly email: string
}

async function payerOf({ wallets, identity }: PaymentContext, userId: bigint): Promise<Payer> {
  const wallet = await wallets.walletOf(userId)
  const user = (await identity.usersById([userId])).get(userId)
  if (!wallet || !user) throw new Error(`user ${userId} pays without a wallet`)
  return { wallet, email: user.email }
}

const toldAtOnce: ReadonlySet<FailureReason> = new Set(['canceled', 'canceled_unanswered', 'refused'])

/** What follows when a payment has ended without money. Only one that is undecided can fail. */
async function declinedTaking(
  context: PaymentContext,
  { bankAccounts }: SettlementParts,
  known: PaymentRow,
  { sessionId, reason }: { sessionId: string | null; reason: FailureReason },
): Promise<Transition> {
  const { now, notifications, publicUrl } = context
  if (known.status === 'completed' || known.status === 'reversed') return () => Promise.resolve('already_completed')
  const payer = await payerOf(context, known.user_id)
  const close = await releasePostings(context, known, payer.wallet)
  // What failed at once, or as its payer wanted, was told on the page.
  const isToldByMail = known.method === 'bank' && !toldAtOnce.has(reason)
  const account =
    isToldByMail && known.bank_account_id !== null ? await bankAccounts.anyAccount(known.bank_account_id) : undefined
  return async (tx) => {
    const payment = await lockPayment(tx, known.id)
    if (isUndecidable(payment)) return 'already_in_review'
    if (payment.status === 'failed') return 'already_failed'
    if (payment.status !== 'pending' && payment.status !== 'needs_review') return 'already_completed'
    // Only the session that can still be paid decides.
    if (payment.session_id !== null && payment.session_id !== sessionId) return 'of_another_session'
    const at = now()
    await tx.query(`update payment set status = 'failed', reason = $2, updated_at = $3 where id = $1`, [
      payment.id,
      reason,
      at,
    ])
    await closeUnanswered(tx, payment, at)
    if (account) {
      const { bankName, last4 } = account.usable
      const amount = amountText(money(payment.currency, payment.amount_minor))
      const link = `${publicUrl}/transactions`
      const to = { email: payer.email, userId: payment.user_id }
      await notifications.mail(tx, to, 'debit_failed', { purpose: known.purpose, amount, link, bankName, last4 })
    }
    await reversePaymentUsage(tx, payment)
    await close(tx, at)
    return 'failed'
  }
}

/** What follows when the money of a payment has come. Money that came is never given up, and comes once. */
async function settledTaking(
  context: PaymentContext,
  { savedCards }: SettlementParts,
  known: PaymentRow,
  { sessionId, state }: { sessionId: string | null; state: Settled },
): Promise<Transition> {
  const payer = await payerOf(context, known.user_id)
  const arrive = await settlementPostings(context, known, payer.wallet)
  const close = await releasePostings(context, known, payer.wallet)
  const late = await lateTaking(context, known, { state, payer })
  return async (tx) => {
    const payment = await lockPayment(tx, known.id)
    const owner = await ownerOfLine(tx, payment.provider, state.captureId)
    const decision = decide(payment, state, owner)
    const at = context.now()
    if (isForPerson(decision)) await escalateToReview(context, tx, payment, { state, decision, owner })
    if (decision === 'completed') {
      await tx.query('update payment set session_id = coalesce(session_id, $2) where id = $1', [payment.id, sessionId])
      await keepCard(context, savedCards, tx, { payment, card: state.card })
      await closeUnanswered(tx, payment, at)
      const isGivenUp = payment.cancel_requested_at !== null
      if (!arrive || sendTransition(payment)?.next === 'failed') {
        // Nobody is there any more who could receive it, or its sender did not want it any more.
        await tx.query(`update payment set status = 'failed', reason = 'failed' where id = $1`, [payment.id])
        await reverseSendUsage(tx, payment)
        await lockAccounts(tx, [...close.accounts, ...late.accounts])
        await close(tx, at)
        await late(tx, at)
        return 'kept_for_the_payer'
      }
      await complete(tx, payment, { state, at, transactionId: transactionIdOf(payment) })
      await note(tx, payment, {
        state,
        at,
        postingId: payment.holds_transfer ? postingOf.late(payment.id) : postingOf.arrival(payment.id),
      })
      if (isGivenUp) await tellLate(context, tx, payment, { amount: state.amount, payer })
      await arrive(tx, at)
    }
    if (decision === 'late') {
      await countLatePull(tx, payment, at)
      await late(tx, at)
    }
    return decision
  }
}

/** What follows for a send now that its money is here; undefined for a deposit. */
function sendTransition({ purpose, status, cancel_requested_at: canceledAt, holds_transfer: isHeld }: PaymentRow) {
  if (purpose === 'deposit') return undefined
  const event = canceledAt !== null ? 'keep' : isHeld ? 'hold' : 'settle'
  return transitionOf('funded_send', sendStates[status], event)
}

/**
 * Whether nothing that is told any more decides a payment, since money of its own was named that cannot be right. Where the
 * provider only named money of another one, what it says plainly of this one decides, as it would have before.
 */
const isUndecidable = ({ status, capture_id: captureId }: PaymentRow): boolean =>
  status === 'needs_review' && captureId !== null

type Discrepancy = 'amount_differs' | 'another_capture' | 'capture_of_another'
type Decision = 'completed' | 'late' | 'already_completed' | 'already_in_review' | Discrepancy

const isForPerson = (decision: Decision): decision is Discrepancy =>
  decision === 'amount_differs' || decision === 'another_capture' || decision === 'capture_of_another'

/**
 * What it means for a payment that this money has come, which has been posted for `owner` if it has been posted. One whose
 * own money is in question is not changed by anything.
 */
function decide(payment: PaymentRow, { amount, captureId }: Settled, owner: string | undefined): Decision {
  if (isUndecidable(payment)) return 'already_in_review'
  if (owner !== undefined && owner !== payment.id) return 'capture_of_another'
  if (owner !== undefined || payment.capture_id === captureId) return 'already_completed'
  if (payment.capture_id !== null) return 'another_capture'
  if (amount.currency !== payment.currency || amount.minor !== payment.amount_minor) return 'amount_differs'
  return payment.status === 'failed' ? 'late' : 'completed'
}

/** That the provider never answered, or named a movement of something else, is no case any more. */
async function closeUnanswered(tx: Tx, { id }: PaymentRow, at: Date): Promise<void> {
  const resolution = 'provider_answered'
  await closeCases(tx, { kind: 'unmatched', subject: id }, resolution, at)
  await closeMisattributed(tx, id, resolution, at)
}

async function complete(
  tx: Tx,
  payment: PaymentRow,
  { state, at, transactionId }: { state: Settled; at: Date; transactionId: string },
): Promise<void> {
  await tx.query(
    `update payment set status = 'completed', reason = null, capture_id = $2, transaction_id = $3, updated_at = $4
      where id = $1`,
    [payment.id, state.captureId, transactionId, at],
  )
}

async function note(
  tx: Tx,
  payment: PaymentRow,
  { state, at, postingId }: { state: Settled; at: Date; postingId: string },
): Promise<void> {
  const isNew = await noteLine(tx, {
    provider: payment.provider,
    id: state.captureId,
    kind: payment.method === 'bank' ? 'debit' : 'capture',
    amount: state.amount,
    reference: payment.id,
    postingId,
    at,
  })
  if (!isNew) throw new Error(`capture ${state.captureId} was noted before`)
}

/** Money that has come is never held up by a card that cannot be kept. */
async function keepCard(
  { log }: PaymentContext,
  savedCards: SavedCards,
  tx: Tx,
  { payment, card }: { payment: PaymentRow; card: KeptCard | undefined },
): Promise<void> {
  if (!card || !payment.save_card) return
  if (isKeepable(card)) await savedCards.keepCard(tx, payment.user_id, card)
  else log.warn({ paymentId: payment.id }, 'a card was not kept: it is not described as cards are')
}

/**
 * Money that comes after its payment was given up goes to the payer's wallet, who is told so. A deposit is made up for;
 * a send stays failed, since its sender may have sent again.
 */
async function lateTaking(
  context: PaymentContext,
  known: PaymentRow,
  { state, payer }: { state: Settled; payer: Payer },
): Promise<LockablePosting> {
  const arriveLate = await lateArrivalOf(context, known, payer.wallet)
  const arrive = async (tx: Tx, at: Date): Promise<void> => {
    const transactionId = newId(at)
    if (known.purpose === 'deposit') {
      // Its quote may be in use again, for another payment.
      await tx.query('update payment set quote_id = null where id = $1', [known.id])
      await complete(tx, known, { state, at, transactionId })
    } else {
      // A send that was never shown is known by the deposit that came of it; others keep their own failed transaction.
      await tx.query(
        `update payment set reason = 'late', capture_id = $2, updated_at = $3, transaction_id = $4 where id = $1`,
        [known.id, state.captureId, at, isShownAtOnce(known) ? transactionIdOf(known) : transactionId],
      )
    }
    await note(tx, known, { state, at, postingId: postingOf.late(known.id) })
    await tellLate(context, tx, known, { amount: state.amount, payer })
    await arriveLate(tx, at, transactionId)
  }
  return Object.assign(arrive, { accounts: arriveLate.accounts })
}

/** Tells the payer of a payment that came although it had been given up. */
async function tellLate(
  { notifications, publicUrl }: PaymentContext,
  tx: Tx,
  { user_id: userId, purpose }: PaymentRow,
  { amount, payer }: { amount: Money; payer: Payer },
): Promise<void> {
  await notifications.mail(tx, { email: payer.email, userId }, 'late_payment', {
    purpose,
    amount: amountText(amount),
    link: `${publicUrl}/transactions`,
  })
}

/**
 * The provider took another amount than was asked for, took it twice, or names money that came for something else: a person
 * has to look at it before anything moves, and what is held stays held.
 */
async function escalateToReview(
  { now, log }: PaymentContext,
  tx: Tx,
  payment: PaymentRow,
  { state, decision, owner }: { state: Settled; decision: Discrepancy; owner: string | undefined },
): Promise<void> {
  const { amount, captureId } = state
  const [captured, asked] = [amountText(amount), amountText(money(payment.currency, payment.amount_minor))]
  const details = {
    amount_differs: { code: 'capture_differs', params: { captured, asked } },
    another_capture: { code: 'captured_again', params: { captured, capture: String(payment.capture_id) } },
    capture_of_another: { code: 'capture_of_another', params: { line: captureId, owner: String(owner) } },
  } as const
  const detail = details[decision]
  const isOwn = decision !== 'capture_of_another'
  if (decision !== 'another_capture') {
    await tx.query(
      `update payment set status = case status when 'pending' then 'needs_review' else status end,
         capture_id = coalesce($2, capture_id), updated_at = $3 where id = $1`,
      [payment.id, isOwn ? captureId : null, now()],
    )
  }
  const { provider, id: reference } = payment
  const subject = isOwn ? captureId : misattributed(captureId, reference)
  const facts = { kind: 'unmatched', provider, subject, reference, amount, detail } as const
  await openCase(tx, { ...facts, happenedAt: payment.created_at }, now())
  log.error({ paymentId: payment.id, captureId }, 'the provider captured something else than was asked for')
}
