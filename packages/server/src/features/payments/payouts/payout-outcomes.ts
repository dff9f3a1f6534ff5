import { feeAccount, holdAccount, lossAccount, payoutAccount, walletAccount } from '@tern/ledger/chart'
import { lockAccounts } from '@tern/ledger/ledger'
import type { PayoutState } from '@tern/providers/payout/port'
import type { Leg, Movement } from '@tern/ledger/movement'
import { add, type Money, money } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { hasLeft } from '../../identity/identity.ts'
import type { PayoutReason } from '../../notifications/notifications.ts'
import { type LimitUsage, lockLimitUsage, reverseLimitUsage, usageOf } from '../../limits/limits.ts'
import { transitionOf } from '../../transfers/transfers.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import { type Mailbox, mailboxOf, type PaymentContext } from '../context.ts'
import { type BankAccountRow, findBankAccount } from '../instruments/instruments.ts'
import { type CaseDetail, escalate, misattributed } from '../records/reconciliation-exceptions.ts'
import { ownRow, postOnce } from '../records/payment-postings.ts'
import { reservationOf } from './withdrawal-order.ts'
import {
  amountOf,
  feeOfPayout,
  findPayout,
  lockPayout,
  noteLine,
  paidIdOf,
  type PayoutRow,
  payoutStates,
} from '../records/payment-rows.ts'

// What a provider says about payouts, and what follows: paid, failed, or returned; once.

/** What a provider knows of a payout. */
export type Certain = Exclude<PayoutState, { status: 'unknown' }>
type Settled = Extract<Certain, { status: 'settled' | 'returned' }>
type Ended = Exclude<Certain, { status: 'open' }>

/** What is looked up before the transaction: inside it, no second connection is taken. */
interface Dependencies {
  readonly context: PaymentContext
  readonly mailbox: Mailbox | undefined
  readonly account: BankAccountRow
  readonly wallet: Wallet
  readonly accountIds: Readonly<Record<'wallet' | 'hold' | 'settlement' | 'loss' | 'fee', bigint>>
}

/** A payout as it stands, locked. */
interface Step extends Dependencies {
  readonly tx: Tx
  readonly payout: PayoutRow
}

/** What follows from the state of a payout at a provider; undefined when it is none of ours, or nothing follows. */
export async function payoutTransition(context: PaymentContext, provider: string, state: Certain) {
  if (state.status === 'open') return undefined
  const payout = await findPayout(context.pool, state.payoutId)
  if (payout?.provider !== provider) return undefined
  const dependencies = await dependenciesOf(context, payout)
  return async (tx: Tx) => decide({ ...dependencies, tx, payout: await lockPayout(tx, payout.id) }, state)
}

async function dependenciesOf(context: PaymentContext, payout: PayoutRow): Promise<Dependencies> {
  const { user_id: userId, currency, bank_account_id: bankAccountId } = payout
  const { pool, wallets } = context
  const wallet = await wallets.walletOf(userId)
  const account = await findBankAccount(pool, bankAccountId)
  if (!wallet || !account) throw new Error(`user ${userId} has no wallet, or no bank account ${bankAccountId}`)
  const accountIds = {
    wallet: await wallets.accountId(walletAccount(wallet.id, currency)),
    hold: await wallets.accountId(holdAccount(wallet.id, currency)),
    settlement: await wallets.accountId(payoutAccount(currency)),
    loss: await wallets.accountId(lossAccount(currency)),
    fee: await wallets.accountId(feeAccount(currency)),
  }
  return { context, mailbox: await mailboxOf(context, userId), account, wallet, accountIds }
}

/** Applies a state to the locked payout. Contradictions go to a person; a payout in review has moved nothing yet. */
async function decide(step: Step, state: Ended): Promise<string> {
  const { tx, payout } = step
  const { status } = payout
  const may = (event: 'fail' | 'complete') => transitionOf('payout', payoutStates[status], event) !== undefined
  if (state.status === 'failed') {
    if (status === 'failed' || status === 'returned') return `already_${status}`
    if (!may('fail')) return contradicted(step, state)
    if (payout.returns_payment_id !== null) return keepOnHold(step, state.reason)
    return release(step, state.reason)
  }
  if (status === 'failed' || status === 'held') return contradicted(step, state)
  const isUnresolved = may('complete')
  if (isUnresolved && state.status === 'returned') await lockForReturn(step)
  if (isUnresolved) {
    const amount = isAsOrdered(payout, state) ? undefined : state.amount
    const isSettled = !amount && (await settle(step, state.paidId))
    if (!isSettled) {
      await setStatus(step, 'needs_review')
      if (!amount) return escalateUsed(step, state.paidId)
      const params = { paid: amountText(amount), ordered: amountText(amountOf(payout)) }
      return toPerson(step, 'amount_differs', state.paidId, amount, { code: 'payout_differs', params })
    }
  } else if ((await paidIdOf(tx, payout.id)) !== state.paidId) return contradicted(step, state)
  if (state.status === 'settled') return isUnresolved ? 'completed' : `already_${status}`
  if (status === 'returned') return 'already_returned'
  if (payout.returns_payment_id !== null) {
    const detail = { code: 'deposit_came_again', params: { amount: amountText(state.amount) } } as const
    return toPerson(step, 'returned_again', state.returnId, state.amount, detail)
  }
  if (await hasLeft(tx, payout.user_id)) {
    const detail = { code: 'return_to_nobody', params: { returned: amountText(state.amount) } } as const
    return toPerson(step, 'returned_to_nobody', state.returnId, state.amount, detail)
  }
  if (isAsOrdered(payout, state)) return giveBack(step, state)
  const params = { returned: amountText(state.amount), paid: amountText(amountOf(payout)) }
  return toPerson(step, 'returned_amount_differs', state.returnId, state.amount, { code: 'return_differs', params })
}

/** Locks what a payout that arrives and comes back in one transaction moves and no longer counts, in the order in which all do. */
async function lockForReturn({ tx, payout, accountIds, context }: Step): Promise<void> {
  await lockLimitUsage(tx, usageOfPayout(payout))
  await context.risk.lock(tx, payout.user_id)
  await lockAccounts(tx, Object.values(accountIds))
}

const usageOfPayout = ({ user_id: userId, created_at: orderedAt, usd_minor: usdMinor }: PayoutRow): LimitUsage =>
  usageOf(userId, 'payout', usdMinor, orderedAt)

const isAsOrdered = (payout: PayoutRow, { amount }: Settled): boolean =>
  amount.currency === payout.currency && amount.minor === payout.amount_minor

const depositReturned = transitionOf('deposit', 'processing', 'complete')

/** Writes the status of a payout, and with it the state of its transfer, where that was held. */
async function setStatus(step: Step, status: PayoutRow['status'], reason?: PayoutReason): Promise<void> {
  const { payout, context } = step
  const isReturned = payout.returns_payment_id !== null && status === 'completed'
  await step.tx.query(
    `with payout as (
       update payout set status = $2, reason = coalesce($3, reason), updated_at = $4 where id = $1 returning transaction_id)
     update transfer set state = $5, release_reason = coalesce($6, release_reason), updated_at = $4
       from payout where transfer.id = payout.transaction_id`,
    [
      payout.id,
      status,
      reason,
      context.now(),
      isReturned ? depositReturned?.next : payoutStates[status],
      isReturned ? 'returned' : null,
    ],
  )
}

type Place = keyof Dependencies['accountIds']

type Move = readonly [from: Place, to: Place, amount: bigint, code: Leg['code']]

/** Moves all of a payout and its fee; each `name` moves it once. */
function movementOf(
  { payout, context, accountIds }: Step,
  name: 'settle' | 'release' | 'return',
  kind: string,
  moves: readonly Move[],
) {
  const { id, transaction_id: reference, request_hash: requestHash } = payout
  const legs = moves
    .filter(([, , amount]) => amount > 0n)
    .map(([from, to, amount, code]): Leg => ({ from: accountIds[from], to: accountIds[to], amount, code }))
  return { id: derivedId(`payout ${name}`, id), requestHash, kind, reference, at: context.now(), legs }
}

/** Records a movement at the provider. False when it was recorded for something else. */
const noteMovement = ({ tx, payout }: Step, kind: 'payout' | 'payout_return', id: string, movement: Movement) => {
  const { provider, id: reference } = payout
  return noteLine(tx, {
    provider,
    id,
    kind,
    amount: amountOf(payout),
    reference,
    postingId: movement.id,
    at: movement.at,
  })
}

/** The bank has the money: what was held leaves. False when that movement was recorded for something else. */
async function settle(step: Step, paidId: string): Promise<boolean> {
  const { amount_minor: amount, fee_minor: fee } = step.payout
  const movement = movementOf(step, 'settle', 'payout', [
    ['hold', 'settlement', amount, 'settle'],
    ['hold', 'fee', fee, 'fee'],
  ])
  if (!(await noteMovement(step, 'payout', paidId, movement))) return false
  await setStatus(step, 'completed')
  // A deposit that went back was not made.
  const shown = step.payout.returns_payment_id === null ? 'COMPLETED' : 'FAILED'
  await postOnce(step.context, step.tx, { movement, rows: [], settles: [{ id: movement.reference, status: shown }] })
  return true
}

/** The bank did not take back what its account paid. That never becomes the owner's: it stays on hold, and a person looks. */
async function keepOnHold(step: Step, reason: string): Promise<string> {
  const { payout } = step
  step.context.log.warn({ payoutId: payout.id, reason }, 'a deposit could not be given back')
  await setStatus(step, 'needs_review')
  const params = { amount: amountText(amountOf(payout)) }
  return toPerson(step, 'kept_on_hold', payout.id, amountOf(payout), { code: 'deposit_not_given_back', params })
}

async function release(step: Step, reason: string): Promise<string> {
  step.context.log.warn({ payoutId: step.payout.id, reason }, 'a payout failed')
  const whole = add(amountOf(step.payout), feeOfPayout(step.payout))
  await undo(step, 'failed', payoutReason(reason), whole)
  const movement = movementOf(step, 'release', 'payout_failed', [['hold', 'wallet', whole.minor, 'release']])
  const settles = [{ id: movement.reference, status: 'FAILED' }] as const
  await postOnce(step.context, step.tx, { movement, rows: [], settles })
  return 'failed'
}

/**
 * It had arrived and was sent back: the opposite movement with its fee, as a transaction of its own. What disputes gave back before
 * goes to where that came from, so that nobody gets it twice; a fee that came back once does not come again.
 */
async function giveBack(step: Step, { returnId, reason }: Extract<Certain, { status: 'returned' }>): Promise<string> {
  const { tx, context, payout, wallet, account } = step
  const returned = amountOf(payout)
  const noted = movementOf(step, 'return', 'payout_returned', [])
  if (!(await noteMovement(step, 'payout_return', returnId, noted))) return escalateUsed(step, returnId)
  context.log.warn({ payoutId: payout.id, reason }, 'a payout was returned')
  const { id: postingId, at } = noted
  const taken = { postingId, amount: returned, fee: payout.fee_minor, at }
  const recovered = await context.disputeCredits.recover(tx, payout.transaction_id, taken)
  const [amount, fee] = [returned.minor - recovered.amount, payout.fee_minor - recovered.fee]
  const movement = movementOf(step, 'return', 'payout_returned', [
    ['settlement', 'wallet', amount, 'refund'],
    ['settlement', 'loss', recovered.amount, 'refund'],
    ['fee', 'wallet', fee, 'refund'],
  ])
  const back = money(returned.currency, amount + fee)
  await undo(step, 'returned', payoutReason(reason), back)
  const description = { code: 'withdrawal_returned', params: { bank: account.bank_name } } as const
  const facts = { status: 'COMPLETED', description, paymentSource: 'bank', paymentId: payout.id } as const
  await postOnce(context, tx, {
    movement: { ...movement, reference: newId(at) },
    rows: back.minor > 0n ? [ownRow('DEPOSIT', wallet, back, facts)] : [],
  })
  return 'returned'
}

/** The money did not stay at the bank: the owner is told of what they get, and it no longer counts against the limits of its day. */
async function undo(step: Step, status: 'failed' | 'returned', reason: PayoutReason, back: Money): Promise<void> {
  const { tx, context, payout, mailbox, account } = step
  const { notifications, publicUrl } = context
  await setStatus(step, status, reason)
  if (mailbox && back.minor > 0n) {
    const { bank_name: bankName, last4 } = account
    const mail = { bankName, last4, amount: amountText(back), reason, link: `${publicUrl}/transactions` }
    await notifications.mail(tx, { to: mailbox, template: `withdrawal_${status}`, data: mail })
  }
  await reverseLimitUsage(tx, usageOfPayout(payout))
  await context.risk.takeBack(tx, reservationOf(payout.user_id, payout.idempotency_key), context.now())
}

/** A person has to look at a movement, such as one of another amount than was ordered, to find out whose it is. */
async function toPerson(step: Step, outcome: string, subject: string, amount: Money, detail: CaseDetail) {
  await escalate(step.context, step.tx, step.payout, { subject, amount, detail })
  return outcome
}

/** The provider names a movement that belongs to something else. */
function escalateUsed(step: Step, lineId: string): Promise<string> {
  const { payout } = step
  const detail = { code: 'payout_of_another', params: { line: lineId } } as const
  return toPerson(step, 'movement_of_another', misattributed(lineId, payout.id), amountOf(payout), detail)
}

/** The provider says what cannot be true beside what it said before. Nothing is guessed, and nothing moves. */
function contradicted(step: Step, state: Ended): Promise<string> {
  const { id, status } = step.payout
  const [subject, amount] = state.status === 'failed' ? [id, amountOf(step.payout)] : [state.paidId, state.amount]
  const detail = { code: 'payout_contradicted', params: { there: state.status, here: status } } as const
  return toPerson(step, `${state.status}_after_${status}`, subject, amount, detail)
}

/** What the providers' words for it mean, also those that their adapters spell out. */
const reasons: Readonly<Record<string, PayoutReason>> = {
  cancelled: 'cancelled',
  rejected: 'rejected',
  expired: 'expired',
  account_stopped: 'account_stopped',
  account_closed: 'account_closed',
  account_frozen: 'account_frozen',
  bank_account_restricted: 'account_restricted',
  could_not_process: 'not_processed',
  debit_not_authorized: 'not_authorized',
  declined: 'declined',
  incorrect_account_holder_name: 'holder_name_differs',
  invalid_account_number: 'unknown_account_number',
  invalid_currency: 'wrong_currency',
  no_account: 'account_not_found',
  not_credited: 'not_credited',
  payout_method_amount_limit_exceeded: 'amount_too_large',
  payout_method_closed: 'account_closed',
  payout_method_currency_unsupported: 'wrong_currency',
  payout_method_declined: 'declined',
  payout_method_does_not_exist: 'account_not_found',
  payout_method_holder_name_incorrect: 'holder_name_differs',
  payout_method_invalid_account_number: 'unknown_account_number',
  payout_method_restricted: 'account_restricted',
}

/** Why a payout did not stay, for the person whose money it is. A provider's own words are for operators alone. */
const payoutReason = (word: string): PayoutReason =>
  (Object.hasOwn(reasons, word) ? reasons[word] : undefined) ?? 'not_taken'
