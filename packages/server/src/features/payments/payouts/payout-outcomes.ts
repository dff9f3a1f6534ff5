import { holdAccount, payoutAccount, walletAccount } from '@tern/ledger/chart'
import type { PayoutState } from '@tern/providers/payout/port'
import { type Money, money } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import type { PayoutReason } from '../../notifications/notifications.ts'
import type { KnownUser } from '../../identity/identity.ts'
import { reverseLimitUsage, usageOf } from '../../limits/limits.ts'
import { transitionOf } from '../../transfers/transfers.ts'
import type { PaymentContext, Transition } from '../context.ts'
import { type BankAccountRow, findBankAccount } from '../instruments/instruments.ts'
import { type CaseDetail, escalate, misattributed } from '../records/reconciliation-exceptions.ts'
import { postOnce } from '../records/payment-postings.ts'
import { amountOf, findPayout, lockPayout, type PayoutRow, payoutStates } from '../records/payment-rows.ts'
import { noteLine } from '../records/settlement-lines.ts'
import { payoutReason } from './payout-reasons.ts'

// What a provider says about payouts, and what follows: paid, failed, or returned; once.

type Certain = Exclude<PayoutState, { status: 'unknown' }>
type Settled = Extract<Certain, { status: 'settled' | 'returned' }>
type Ended = Exclude<Certain, { status: 'open' }>

/** Accounts and people of a payout, looked up before the transaction: inside it, no second connection is taken. */
interface Dependencies {
  readonly context: PaymentContext
  readonly owner: KnownUser | undefined
  readonly account: Pick<BankAccountRow, 'bank_name' | 'last4'>
  readonly walletId: string
  readonly wallet: bigint
  readonly hold: bigint
  readonly settlement: bigint
}

/** A payout as it stands, locked. */
interface Step extends Dependencies {
  readonly tx: Tx
  readonly payout: PayoutRow
}

/** What follows from the state of a payout at a provider; undefined when it is none of ours, or nothing follows. */
export async function payoutTransition(
  context: PaymentContext,
  provider: string,
  state: Certain,
): Promise<Transition | undefined> {
  if (state.status === 'open') return undefined
  const payout = await findPayout(context.pool, state.payoutId)
  if (payout?.provider !== provider) return undefined
  const dependencies = await dependenciesOf(context, payout)
  return async (tx) => decide({ ...dependencies, tx, payout: await lockPayout(tx, payout.id) }, state)
}

async function dependenciesOf(
  context: PaymentContext,
  { user_id: userId, currency, bank_account_id: accountId }: PayoutRow,
): Promise<Dependencies> {
  const { pool, wallets, identity } = context
  const wallet = await wallets.walletOf(userId)
  const account = await findBankAccount(pool, accountId)
  if (!wallet || !account) throw new Error(`user ${userId} has no wallet, or no bank account ${accountId}`)
  return {
    context,
    owner: (await identity.usersById([userId])).get(userId),
    account,
    walletId: wallet.id,
    wallet: await wallets.accountId(walletAccount(wallet.id, currency)),
    hold: await wallets.accountId(holdAccount(wallet.id, currency)),
    settlement: await wallets.accountId(payoutAccount(currency)),
  }
}

/** Applies a state to the locked payout. Contradictions go to a person; a payout in review has moved nothing yet. */
async function decide(step: Step, state: Ended): Promise<string> {
  const { tx, payout } = step
  const { status } = payout
  const may = (event: 'fail' | 'complete') => transitionOf('payout', payoutStates[status], event) !== undefined
  if (state.status === 'failed') {
    if (status === 'failed' || status === 'returned') return `already_${status}`
    if (!may('fail')) return contradicted(step, state)
    return release(step, state.reason)
  }
  if (status === 'failed' || status === 'held') return contradicted(step, state)
  const isUnresolved = may('complete')
  if (isUnresolved) {
    const amount = isAsOrdered(payout, state) ? undefined : state.amount
    const isSettled = !amount && (await settle(step, state.paidId))
    if (!isSettled) {
      await setStatus(step, { status: 'needs_review' })
      return amount
        ? amountDiffers(step, { amount, subject: state.paidId, outcome: 'amount_differs' })
        : escalateUsed(step, state.paidId)
    }
  } else if (!(await isOwnLine(tx, payout, state.paidId))) return contradicted(step, state)
  if (state.status === 'settled') return isUnresolved ? 'completed' : `already_${status}`
  if (status === 'returned') return 'already_returned'
  if (isAsOrdered(payout, state)) return giveBack(step, state)
  const { amount, returnId: subject } = state
  return amountDiffers(step, { amount, subject, outcome: 'returned_amount_differs' })
}

const isAsOrdered = (payout: PayoutRow, { amount }: Settled): boolean =>
  amount.currency === payout.currency && amount.minor === payout.amount_minor

async function isOwnLine(tx: Tx, { id, provider }: PayoutRow, lineId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from settlement_line where provider = $1 and id = $2 and reference = $3 and kind = 'payout'`,
    [provider, lineId, id],
  )
  return rowCount === 1
}

/** Writes the status of a payout, and with it the state of its transfer, where that was held. */
async function setStatus(
  { tx, context, payout: { id } }: Step,
  { status, reason }: { status: PayoutRow['status']; reason?: PayoutReason },
): Promise<void> {
  await tx.query(
    `with payout as (
       update payout set status = $2, reason = coalesce($3, reason), updated_at = $4 where id = $1 returning transaction_id)
     update transfer set state = $5, updated_at = $4 from payout where transfer.id = payout.transaction_id`,
    [id, status, reason, context.now(), payoutStates[status]],
  )
}

/** The bank has the money: what was held leaves. False when that movement was recorded for something else. */
async function settle(step: Step, paidId: string): Promise<boolean> {
  const { tx, context, payout, hold: from, settlement: to } = step
  const { id, provider, transaction_id: reference, request_hash: requestHash } = payout
  const at = context.now()
  const postingId = derivedId('payout settle', id)
  const amount = amountOf(payout)
  if (!(await noteLine(tx, { provider, id: paidId, kind: 'payout', amount, reference: id, postingId, at })))
    return false
  await setStatus(step, { status: 'completed' })
  const legs = [{ from, to, amount: amount.minor, code: 'settle' }] as const
  const movement = { id: postingId, requestHash, kind: 'payout', reference, at, legs }
  await postOnce(context, tx, { movement, rows: [], settles: [{ id: reference, status: 'COMPLETED' }] })
  return true
}

async function release(step: Step, word: string): Promise<string> {
  const { tx, context, payout, hold: from, wallet: to } = step
  const { id, transaction_id: reference, request_hash: requestHash } = payout
  const at = context.now()
  context.log.warn({ payoutId: id, reason: word }, 'a payout failed')
  await undo(step, 'failed', payoutReason(word))
  const legs = [{ from, to, amount: payout.amount_minor, code: 'release' }] as const
  const movement = { id: derivedId('payout release', id), requestHash, kind: 'payout_failed', reference, at, legs }
  await postOnce(context, tx, { movement, rows: [], settles: [{ id: reference, status: 'FAILED' }] })
  return 'failed'
}

/** It had arrived and was sent back: the opposite movement, as a transaction of its own. */
async function giveBack(step: Step, { returnId, reason }: Extract<Certain, { status: 'returned' }>): Promise<string> {
  const { tx, context, payout, walletId, settlement: from, wallet: to, account } = step
  const { id, provider, user_id: userId, request_hash: requestHash } = payout
  const amount = amountOf(payout)
  const at = context.now()
  const postingId = derivedId('payout return', id)
  const line = { provider, id: returnId, kind: 'payout_return', amount, reference: id, postingId, at } as const
  if (!(await noteLine(tx, line))) return escalateUsed(step, returnId)
  context.log.warn({ payoutId: id, reason }, 'a payout was returned')
  await undo(step, 'returned', payoutReason(reason))
  const legs = [{ from, to, amount: amount.minor, code: 'refund' }] as const
  await postOnce(context, tx, {
    movement: { id: postingId, requestHash, kind: 'payout_returned', reference: newId(at), at, legs },
    rows: [
      {
        userId,
        kind: 'DEPOSIT',
        status: 'COMPLETED',
        recipientId: userId,
        walletId,
        toWalletId: walletId,
        description: { code: 'withdrawal_returned', params: { bank: account.bank_name } },
        source: amount,
        target: amount,
        fee: money(amount.currency, 0n),
        paymentSource: 'bank',
        paymentId: id,
      },
    ],
  })
  return 'returned'
}

/** The money did not stay at the bank: the owner is told, and it no longer counts against the limits of its day. */
async function undo(step: Step, status: 'failed' | 'returned', reason: PayoutReason): Promise<void> {
  const { tx, context, payout, owner, account } = step
  const { notifications, publicUrl } = context
  await setStatus(step, { status, reason })
  if (owner) {
    await notifications.mail(tx, { email: owner.email, userId: owner.id }, `withdrawal_${status}`, {
      bankName: account.bank_name,
      last4: account.last4,
      amount: amountText(amountOf(payout)),
      reason,
      link: `${publicUrl}/transactions`,
    })
  }
  const { user_id: userId, created_at: orderedAt, usd_minor: usdMinor } = payout
  await reverseLimitUsage(tx, usageOf(userId, 'payout', usdMinor, orderedAt))
}

/** Another amount left than was ordered, or came back than had left: a person finds out whose the difference is. */
async function amountDiffers(
  { tx, context, payout }: Step,
  { amount, subject, outcome }: { amount: Money; subject: string; outcome: string },
): Promise<string> {
  const [moved, due] = [amountText(amount), amountText(amountOf(payout))]
  const detail: CaseDetail =
    outcome === 'amount_differs'
      ? { code: 'payout_differs', params: { paid: moved, ordered: due } }
      : { code: 'return_differs', params: { returned: moved, paid: due } }
  await escalate(context, tx, payout, { subject, amount, detail })
  return outcome
}

/** The provider names a movement that belongs to something else. */
async function escalateUsed({ tx, context, payout }: Step, lineId: string): Promise<string> {
  const subject = misattributed(lineId, payout.id)
  const detail = { code: 'payout_of_another', params: { line: lineId } } as const
  await escalate(context, tx, payout, { subject, amount: amountOf(payout), detail })
  return 'movement_of_another'
}

/** The provider says what cannot be true beside what it said before. Nothing is guessed, and nothing moves. */
async function contradicted({ tx, context, payout }: Step, state: Ended): Promise<string> {
  const isFailed = state.status === 'failed'
  const detail = { code: 'payout_contradicted', params: { there: state.status, here: payout.status } } as const
  const [subject, amount] = isFailed ? [payout.id, amountOf(payout)] : [state.paidId, state.amount]
  await escalate(context, tx, payout, { subject, amount, detail })
  return `${state.status}_after_${payout.status}`
}
