import { feeAccount, holdAccount, lossAccount, payoutAccount, walletAccount } from '@tern/ledger/chart'
import { lockAccounts } from '@tern/ledger/ledger'
import type { PayoutState } from '@tern/providers/payout/port'
import type { Leg, Movement } from '@tern/ledger/movement'
import { add, type Money, money } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { isDeleted } from '../../identity/identity.ts'
import type { PayoutReason } from '../../notifications/notifications.ts'
import { type LimitUsage, lockLimitUsage, reverseLimitUsage, buildUsage } from '../../limits/limits.ts'
import { lockRisk, revokeMovement } from '../../risk/risk.ts'
import { findTransition } from '../../transfers/transfers.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import { findWallet } from '../../wallets/wallets.ts'
import { findMailbox, type PaymentContext } from '../context.ts'
import { findBankAccount } from '../instruments/instruments.ts'
import { type CaseDetail, escalate, misattributedSubject } from '../records/reconciliation-exceptions.ts'
import { buildOwnRow, postMovementOnce } from '../records/payment-postings.ts'
import { conversionAccounts, postConversion } from './conversions.ts'
import { reservationId } from './withdrawal-order.ts'
import {
  toAmount,
  toPayoutFee,
  findPayoutForUpdate,
  recordSettlementLine,
  findPaidId,
  payoutStates,
  type SettlementLine,
} from '../records/payment-rows.ts'
import type { BankAccountRow, PayoutRow } from '../row-types.ts'

// Applies the states of a payout at its provider: paid, failed, or returned. Each takes effect once.

export type CertainState = Exclude<PayoutState, { status: 'unknown' }>
type SettledState = Extract<CertainState, { status: 'settled' | 'returned' }>
type EndedState = Exclude<CertainState, { status: 'open' }>

/** Locked payout with the accounts of its movements. */
interface PayoutStep {
  readonly payout: PayoutRow
  readonly account: BankAccountRow
  readonly wallet: Wallet
  readonly accountIds: Readonly<Record<'wallet' | 'hold' | 'settlement' | 'loss' | 'fee', bigint>>
}

/**
 * Applies a payout's state at its provider. Returns the outcome; undefined if the payout is not ours or there is no
 * effect.
 */
export async function applyPayoutState(
  ctx: PaymentContext,
  tx: Tx,
  { provider, state }: { readonly provider: string; readonly state: CertainState },
): Promise<string | undefined> {
  if (state.status === 'open') return undefined
  const payout = await findPayoutForUpdate(tx, state.payoutId)
  if (payout?.provider !== provider) return undefined
  return decide(ctx, tx, { step: await readStep(ctx, tx, payout), state })
}

async function readStep({ wallets }: PaymentContext, tx: Tx, payout: PayoutRow): Promise<PayoutStep> {
  const { user_id: userId, currency, bank_account_id: bankAccountId } = payout
  const wallet = await findWallet(tx, userId)
  const account = await findBankAccount(tx, bankAccountId)
  if (!wallet || !account) throw new Error(`user ${userId} has no wallet, or no bank account ${bankAccountId}`)
  const accountIds = {
    wallet: await wallets.accountId(tx, walletAccount(wallet.id, currency)),
    hold: await wallets.accountId(tx, holdAccount(wallet.id, currency)),
    settlement: await wallets.accountId(tx, payoutAccount(currency)),
    loss: await wallets.accountId(tx, lossAccount(currency)),
    fee: await wallets.accountId(tx, feeAccount(currency)),
  }
  return { payout, account, wallet, accountIds }
}

/** Applies a state to the locked payout, which may be under review. A contradictory state opens a case. */
async function decide(
  ctx: PaymentContext,
  tx: Tx,
  { step, state }: { readonly step: PayoutStep; readonly state: EndedState },
): Promise<string> {
  const { payout } = step
  const { status } = payout
  const canTransition = (event: 'fail' | 'complete') =>
    findTransition('payout', payoutStates[status], event) !== undefined
  if (state.status === 'failed') {
    if (status === 'failed' || status === 'returned') return `already_${status}`
    if (!canTransition('fail')) return escalateContradiction(ctx, tx, { step, state })
    if (payout.returns_payment_id !== null) return holdForOperator(ctx, tx, { step, reason: state.reason })
    return release(ctx, tx, { step, reason: state.reason })
  }
  if (status === 'failed' || status === 'held') return escalateContradiction(ctx, tx, { step, state })
  const isUnresolved = canTransition('complete')
  await lockPostings(ctx, tx, { step, state, isUnresolved })
  if (isUnresolved) {
    const amount = isAsOrdered(payout, state) ? undefined : state.amount
    const isSettled = !amount && (await settle(ctx, tx, { step, paidId: state.paidId }))
    if (!isSettled) {
      await setStatus(ctx, tx, { step, status: 'needs_review' })
      if (!amount) return escalateUsedTransfer(ctx, tx, { step, lineId: state.paidId })
      const params = { paid: amountText(amount), ordered: amountText(toAmount(payout)) }
      const detail = { code: 'payout_differs', params } as const
      return escalateAs(ctx, tx, { step, outcome: 'amount_differs', subject: state.paidId, amount, detail })
    }
  } else if ((await findPaidId(tx, payout.id)) !== state.paidId) return escalateContradiction(ctx, tx, { step, state })
  if (state.cost) await postConversion(ctx, tx, { payout, kind: 'payout', cost: state.cost })
  if (state.status === 'settled') return isUnresolved ? 'completed' : `already_${status}`
  if (status === 'returned') return 'already_returned'
  const returned = { subject: state.returnId, amount: state.amount }
  if (payout.returns_payment_id !== null) {
    const detail = { code: 'deposit_came_again', params: { amount: amountText(state.amount) } } as const
    return escalateAs(ctx, tx, { step, outcome: 'returned_again', ...returned, detail })
  }
  if (await isDeleted(tx, payout.user_id)) {
    const detail = { code: 'return_to_nobody', params: { returned: amountText(state.amount) } } as const
    return escalateAs(ctx, tx, { step, outcome: 'returned_to_nobody', ...returned, detail })
  }
  if (isAsOrdered(payout, state)) return returnToWallet(ctx, tx, { step, state })
  const params = { returned: amountText(state.amount), paid: amountText(toAmount(payout)) }
  const detail = { code: 'return_differs', params } as const
  return escalateAs(ctx, tx, { step, outcome: 'returned_amount_differs', ...returned, detail })
}

interface ReportedStep {
  readonly step: PayoutStep
  readonly state: SettledState
  readonly isUnresolved: boolean
}

/**
 * Locks everything that changes when one transaction posts more than one movement of a payout, in the common order: its
 * arrival, its return, and its conversion by the provider.
 */
async function lockPostings(ctx: PaymentContext, tx: Tx, { step, state, isUnresolved }: ReportedStep): Promise<void> {
  const { payout, accountIds } = step
  const isReturn = state.status === 'returned'
  const costs = [state.cost, isReturn ? state.refund : undefined].filter((cost) => cost !== undefined)
  if (costs.length === 0 && !(isReturn && isUnresolved)) return
  if (isReturn) {
    await lockLimitUsage(tx, buildPayoutUsage(payout))
    await lockRisk(tx, payout.user_id)
  }
  const ids = [...Object.values(accountIds)]
  for (const cost of costs) ids.push(...Object.values(await conversionAccounts(ctx, tx, payout, cost)).flat())
  await lockAccounts(tx, ids)
}

const buildPayoutUsage = ({ user_id: userId, created_at: orderedAt, usd_minor: usdMinor }: PayoutRow): LimitUsage =>
  buildUsage(userId, 'payout', usdMinor, orderedAt)

const isAsOrdered = (payout: PayoutRow, { amount }: SettledState): boolean =>
  amount.currency === payout.currency && amount.minor === payout.amount_minor

const depositReturned = findTransition('deposit', 'processing', 'complete')

/** Stores the status of a payout, and the corresponding state of its transfer if it was ever held. */
async function setStatus(
  { now }: PaymentContext,
  tx: Tx,
  { step: { payout }, status, reason }: { step: PayoutStep; status: PayoutRow['status']; reason?: PayoutReason },
): Promise<void> {
  const isReturned = payout.returns_payment_id !== null && status === 'completed'
  await tx.query(
    `with payout as (
       update payout set status = $2, reason = coalesce($3, reason), updated_at = $4 where id = $1 returning transaction_id)
     update transfer set state = $5, release_reason = coalesce($6, release_reason), updated_at = $4
       from payout where transfer.id = payout.transaction_id`,
    [
      payout.id,
      status,
      reason,
      now(),
      isReturned ? depositReturned?.next : payoutStates[status],
      isReturned ? 'returned' : null,
    ],
  )
}

type AccountPlace = keyof PayoutStep['accountIds']

type Move = readonly [from: AccountPlace, to: AccountPlace, amount: bigint, code: Leg['code']]

/** Builds a movement of the payout's money; one of each `name` can be posted. */
function buildMovement(
  { payout, accountIds }: PayoutStep,
  { name, kind, moves, at }: { name: 'settle' | 'release' | 'return'; kind: string; moves: readonly Move[]; at: Date },
): Movement {
  const { id, transaction_id: reference, request_hash: requestHash } = payout
  const legs = moves
    .filter(([, , amount]) => amount > 0n)
    .map(([from, to, amount, code]): Leg => ({ from: accountIds[from], to: accountIds[to], amount, code }))
  return { id: derivedId(`payout ${name}`, id), requestHash, kind, reference, at, legs }
}

/** Records a movement at the provider. False if it was recorded for another payout. */
const recordMovement = (
  tx: Tx,
  { payout, ...line }: Pick<SettlementLine, 'id' | 'kind' | 'postingId' | 'at'> & { readonly payout: PayoutRow },
) => recordSettlementLine(tx, { ...line, provider: payout.provider, amount: toAmount(payout), reference: payout.id })

/** Posts held money as paid. False if that movement was recorded for another payout. */
async function settle(
  ctx: PaymentContext,
  tx: Tx,
  { step, paidId }: { readonly step: PayoutStep; readonly paidId: string },
): Promise<boolean> {
  const { payout } = step
  const at = ctx.now()
  const moves: Move[] = [
    ['hold', 'settlement', payout.amount_minor, 'settle'],
    ['hold', 'fee', payout.fee_minor, 'fee'],
  ]
  const movement = buildMovement(step, { name: 'settle', kind: 'payout', moves, at })
  if (!(await recordMovement(tx, { payout, kind: 'payout', id: paidId, postingId: movement.id, at }))) return false
  await setStatus(ctx, tx, { step, status: 'completed' })
  // A deposit that was returned to its account counts as failed.
  const status = payout.returns_payment_id === null ? 'COMPLETED' : 'FAILED'
  await postMovementOnce(ctx, tx, { movement, rows: [], settles: [{ id: movement.reference, status }] })
  return true
}

/**
 * Opens a case about a held deposit whose return the bank refused. The deposit stays on hold: an operator returns it
 * manually, or hands it over to the authority.
 */
async function holdForOperator(
  ctx: PaymentContext,
  tx: Tx,
  { step, reason }: { readonly step: PayoutStep; readonly reason: string },
): Promise<string> {
  const { payout } = step
  ctx.log.warn({ payoutId: payout.id, reason }, 'a deposit could not be given back')
  await setStatus(ctx, tx, { step, status: 'needs_review' })
  const amount = toAmount(payout)
  const detail = { code: 'deposit_not_given_back', params: { amount: amountText(amount) } } as const
  return escalateAs(ctx, tx, { step, outcome: 'kept_on_hold', subject: payout.id, amount, detail })
}

async function release(
  ctx: PaymentContext,
  tx: Tx,
  { step, reason }: { readonly step: PayoutStep; readonly reason: string },
): Promise<string> {
  const { payout } = step
  ctx.log.warn({ payoutId: payout.id, reason }, 'a payout failed')
  const back = add(toAmount(payout), toPayoutFee(payout))
  await undo(ctx, tx, { step, status: 'failed', reason: payoutReason(reason), back })
  const moves: Move[] = [['hold', 'wallet', back.minor, 'release']]
  const movement = buildMovement(step, { name: 'release', kind: 'payout_failed', moves, at: ctx.now() })
  await postMovementOnce(ctx, tx, { movement, rows: [], settles: [{ id: movement.reference, status: 'FAILED' }] })
  return 'failed'
}

/**
 * Posts the return of an arrived payout: the reverse movement with its fee, as a separate transaction. Parts already
 * credited by disputes go to the accounts that funded those credits, so neither amount nor fee is returned twice.
 */
async function returnToWallet(
  ctx: PaymentContext,
  tx: Tx,
  { step, state }: { readonly step: PayoutStep; readonly state: Extract<CertainState, { status: 'returned' }> },
): Promise<string> {
  const { payout, wallet, account } = step
  const { returnId, reason } = state
  const returned = toAmount(payout)
  const at = ctx.now()
  const { id: postingId } = buildMovement(step, { name: 'return', kind: 'payout_returned', moves: [], at })
  if (!(await recordMovement(tx, { payout, kind: 'payout_return', id: returnId, postingId, at }))) {
    return escalateUsedTransfer(ctx, tx, { step, lineId: returnId })
  }
  ctx.log.warn({ payoutId: payout.id, reason }, 'a payout was returned')
  const returnFacts = { postingId, amount: returned, fee: payout.fee_minor, at }
  const recovered = await ctx.disputeCredits.recover(tx, { transactionId: payout.transaction_id, ...returnFacts })
  const amount = returned.minor - recovered.amount
  const fee = payout.fee_minor - recovered.fee
  const moves: Move[] = [
    ['settlement', 'wallet', amount, 'refund'],
    ['settlement', 'loss', recovered.amount, 'refund'],
    ['fee', 'wallet', fee, 'refund'],
  ]
  const movement = buildMovement(step, { name: 'return', kind: 'payout_returned', moves, at })
  const back = money(returned.currency, amount + fee)
  await undo(ctx, tx, { step, status: 'returned', reason: payoutReason(reason), back })
  const description = { code: 'withdrawal_returned', params: { bank: account.bank_name } } as const
  const facts = { status: 'COMPLETED', description, paymentSource: 'bank', paymentId: payout.id } as const
  const rows = back.minor > 0n ? [buildOwnRow('DEPOSIT', wallet, back, facts)] : []
  await postMovementOnce(ctx, tx, { movement: { ...movement, reference: newId(at) }, rows })
  if (state.refund) await postConversion(ctx, tx, { payout, kind: 'payout_return', cost: state.refund })
  return 'returned'
}

interface PayoutUndo {
  readonly step: PayoutStep
  readonly status: 'failed' | 'returned'
  readonly reason: PayoutReason
  readonly back: Money
}

/**
 * Stores the payout as failed or returned, mails the owner, and no longer counts it against limits and risk thresholds.
 */
async function undo(ctx: PaymentContext, tx: Tx, { step, status, reason, back }: PayoutUndo): Promise<void> {
  const { payout, account } = step
  await setStatus(ctx, tx, { step, status, reason })
  const to = back.minor > 0n ? await findMailbox(ctx, tx, payout.user_id) : undefined
  if (to) {
    const { bank_name: bankName, last4 } = account
    const data = { bankName, last4, amount: amountText(back), reason, link: `${ctx.publicUrl}/transactions` }
    await ctx.notifications.mail(tx, { to, template: `withdrawal_${status}`, data })
  }
  await reverseLimitUsage(tx, buildPayoutUsage(payout))
  const movementId = reservationId(payout.user_id, payout.idempotency_key)
  await revokeMovement(tx, { movementId, at: ctx.now() })
}

interface EscalationInput {
  readonly step: PayoutStep
  readonly outcome: string
  readonly subject: string
  readonly amount: Money
  readonly detail: CaseDetail
}

/** Opens a case about a payout, and returns `outcome`. */
async function escalateAs(ctx: PaymentContext, tx: Tx, { step, outcome, ...facts }: EscalationInput): Promise<string> {
  await escalate(ctx, tx, { row: step.payout, ...facts })
  return outcome
}

/** Opens a case about a movement that is already posted for another payout. */
function escalateUsedTransfer(
  ctx: PaymentContext,
  tx: Tx,
  { step, lineId }: { readonly step: PayoutStep; readonly lineId: string },
): Promise<string> {
  const { payout } = step
  const subject = misattributedSubject(lineId, payout.id)
  const detail = { code: 'payout_of_another', params: { line: lineId } } as const
  return escalateAs(ctx, tx, { step, outcome: 'movement_of_another', subject, amount: toAmount(payout), detail })
}

/** Opens a case about a state that contradicts an earlier one. Nothing moves. */
function escalateContradiction(
  ctx: PaymentContext,
  tx: Tx,
  { step, state }: { readonly step: PayoutStep; readonly state: EndedState },
): Promise<string> {
  const { id, status } = step.payout
  const detail = { code: 'payout_contradicted', params: { there: state.status, here: status } } as const
  const contradictionFacts =
    state.status === 'failed'
      ? { subject: id, amount: toAmount(step.payout) }
      : { subject: state.paidId, amount: state.amount }
  return escalateAs(ctx, tx, { step, outcome: `${state.status}_after_${status}`, ...contradictionFacts, detail })
}

/** Reasons shown to users, by the reason codes of providers and adapters. */
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
  payee_differs: 'payee_differs',
  payout_method_amount_limit_exceeded: 'amount_too_large',
  payout_method_closed: 'account_closed',
  payout_method_currency_unsupported: 'wrong_currency',
  payout_method_declined: 'declined',
  payout_method_does_not_exist: 'account_not_found',
  payout_method_holder_name_incorrect: 'holder_name_differs',
  payout_method_invalid_account_number: 'unknown_account_number',
  payout_method_restricted: 'account_restricted',
}

/** Reason shown to the payout's owner; the provider's own text is logged for operators only. */
const payoutReason = (word: string): PayoutReason =>
  (Object.hasOwn(reasons, word) ? reasons[word] : undefined) ?? 'not_taken'
