import { holdAccount, payoutAccount, walletAccount } from '@tern/ledger/chart'
import { type Money, money } from '@tern/money/money'
import type { PayoutState } from '@tern/providers/payout/port'
import { amountText } from '../../../platform/http/amount.ts'
import { only, type Queryable, type Tx } from '../../../platform/database/db.ts'
import { derivedId, isUuid, newId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import type { PayoutReason } from '../../notifications/notifications.ts'
import type { KnownUser } from '../../identity/identity.ts'
import { reverseLimitUsage, usageOf } from '../../limits/limits.ts'
import { transitionOf } from '../../transfers/transfers.ts'
import type { MoveRequest } from '../../wallets/move.ts'
import { type CaseDetail, misattributed, openCase } from '../reconciliation/reconciliation-exceptions.ts'
import type { PaymentContext, Transition } from '../context.ts'
import { type PayoutRow, payoutStates } from '../records/payment-rows.ts'
import { noteLine } from '../records/settlement-lines.ts'

type Certain = Exclude<PayoutState, { status: 'unknown' }>
type Settled = Extract<Certain, { status: 'settled' | 'returned' }>
type Ended = Exclude<Certain, { status: 'open' }>

/** A payout's accounts and people, found before any transaction begins: inside one, no second connection is asked for. */
interface Dependencies {
  readonly context: PaymentContext
  readonly owner: KnownUser | undefined
  readonly account: { readonly bankName: string; readonly last4: string }
  readonly walletId: string
  readonly wallet: bigint
  readonly hold: bigint
  readonly settlement: bigint
}

/** The payout of this id, whoever it belongs to. */
export async function findPayout(db: Queryable, id: string): Promise<PayoutRow | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await db.query<PayoutRow>('select * from payout where id = $1', [id])
  return rows[0]
}

export const amountOf = ({ currency, amount_minor: minor }: PayoutRow): Money => money(currency, minor)

/** What follows from a state of a payout; undefined when it is none of ours, or nothing follows from it. */
export async function takingOfPayout(context: PaymentContext, state: Certain): Promise<Transition | undefined> {
  if (state.status === 'open') return undefined
  const payout = await findPayout(context.pool, state.payoutId)
  if (!payout || payout.provider !== context.provider.name) return undefined
  const around = await surroundingsOf(context, payout)
  return async (tx) => {
    const { rows } = await tx.query<PayoutRow>('select * from payout where id = $1 for update', [payout.id])
    return decide(tx, around, only(rows), state)
  }
}

async function surroundingsOf(
  context: PaymentContext,
  { user_id: userId, currency, bank_account_id }: PayoutRow,
): Promise<Dependencies> {
  const { pool, wallets, identity } = context
  const wallet = await wallets.walletOf(userId)
  if (!wallet) throw new Error(`user ${userId} has no wallet`)
  const { rows } = await pool.query<{ bank_name: string; last4: string }>(
    'select bank_name, last4 from bank_account where id = $1',
    [bank_account_id],
  )
  const { bank_name: bankName, last4 } = only(rows)
  return {
    context,
    owner: (await identity.usersById([userId])).get(userId),
    account: { bankName, last4 },
    walletId: wallet.id,
    wallet: await wallets.accountId(walletAccount(wallet.id, currency)),
    hold: await wallets.accountId(holdAccount(wallet.id, currency)),
    settlement: await wallets.accountId(payoutAccount(currency)),
  }
}

/**
 * Carries out what a state means for the payout as it stands, locked. What cannot be true at once is left to a person.
 * One that somebody has to look at has moved nothing: it is decided by what is said plainly of what was ordered.
 */
async function decide(tx: Tx, around: Dependencies, payout: PayoutRow, state: Ended): Promise<string> {
  const { status } = payout
  const may = (event: 'fail' | 'complete') => transitionOf('payout', payoutStates[status], event) !== undefined
  if (state.status === 'failed') {
    if (status === 'failed' || status === 'returned') return `already_${status}`
    if (!may('fail')) return contradicted(tx, around, payout, state)
    await release(tx, around, payout, state.reason)
    return 'failed'
  }
  if (status === 'failed' || status === 'held') return contradicted(tx, around, payout, state)
  const isUnresolved = may('complete')
  if (isUnresolved) {
    if (!isAsOrdered(payout, state)) return review(tx, around, payout, state)
    if (!(await settle(tx, around, payout, state.paidId))) return reviewUsed(tx, around, payout, state.paidId)
  } else if (!(await isOwnLine(tx, payout, state.paidId))) {
    return contradicted(tx, around, payout, state)
  }
  if (state.status === 'settled') return isUnresolved ? 'completed' : `already_${status}`
  if (status === 'returned') return 'already_returned'
  if (!isAsOrdered(payout, state)) return leaveReturn(tx, around, payout, state)
  return (await giveBack(tx, around, payout, state)) ? 'returned' : leaveUsed(tx, around, payout, state.returnId)
}

const isAsOrdered = (payout: PayoutRow, { amount }: Settled): boolean =>
  amount.currency === payout.currency && amount.minor === payout.amount_minor

/** Whether the movement that the provider names is the one that was posted for this payout. */
async function isOwnLine(tx: Tx, { id, provider }: PayoutRow, lineId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from settlement_line where provider = $1 and id = $2 and reference = $3 and kind = 'payout'`,
    [provider, lineId, id],
  )
  return rowCount === 1
}

async function setStatus(
  tx: Tx,
  { context }: Dependencies,
  { id }: PayoutRow,
  { status, reason = null }: { status: PayoutRow['status']; reason?: PayoutReason | null },
): Promise<void> {
  await tx.query(
    `with payout as (
       update payout set status = $2, reason = coalesce($3, reason), updated_at = $4 where id = $1 returning transaction_id)
     update transfer set state = $5, updated_at = $4 from payout where transfer.id = payout.transaction_id`,
    [id, status, reason, context.now(), payoutStates[status]],
  )
}

async function moved(tx: Tx, { context }: Dependencies, request: MoveRequest): Promise<void> {
  const { id, kind } = request.movement
  if (acceptOutcome(await context.mover.moveWithin(tx, request)) !== 'posted')
    throw new Error(`${kind} ${id} happened twice`)
}

/** The bank has the money: what was held leaves. False when that movement is written down for something else. */
async function settle(tx: Tx, around: Dependencies, payout: PayoutRow, paidId: string): Promise<boolean> {
  const { hold: from, settlement: to } = around
  const { id, provider, transaction_id: reference, request_hash: requestHash } = payout
  const at = around.context.now()
  const postingId = derivedId('payout settle', id)
  const line = { provider, id: paidId, kind: 'payout', amount: amountOf(payout), reference: id, postingId, at } as const
  if (!(await noteLine(tx, line))) return false
  await setStatus(tx, around, payout, { status: 'completed' })
  const legs = [{ from, to, amount: payout.amount_minor, code: 'settle' }] as const
  await moved(tx, around, {
    movement: { id: postingId, requestHash, kind: 'payout', reference, at, legs },
    rows: [],
    settles: [{ id: reference, status: 'COMPLETED' }],
  })
  return true
}

/** Nothing left: what was held is the wallet's again. */
async function release(tx: Tx, around: Dependencies, payout: PayoutRow, word: string): Promise<void> {
  const { hold: from, wallet: to } = around
  const { id, transaction_id: reference, request_hash: requestHash } = payout
  const at = around.context.now()
  around.context.log.warn({ payoutId: id, reason: word }, 'a payout failed')
  const reason = payoutReason(word)
  await setStatus(tx, around, payout, { status: 'failed', reason })
  await tell(tx, around, payout, 'withdrawal_failed', reason)
  await reverseUsage(tx, payout)
  const legs = [{ from, to, amount: payout.amount_minor, code: 'release' }] as const
  await moved(tx, around, {
    movement: { id: derivedId('payout release', id), requestHash, kind: 'payout_failed', reference, at, legs },
    rows: [],
    settles: [{ id: reference, status: 'FAILED' }],
  })
}

/**
 * It had arrived and was sent back: the opposite movement, as a transaction of its own. False when the provider's movement
 * is written down for something else.
 */
async function giveBack(
  tx: Tx,
  around: Dependencies,
  payout: PayoutRow,
  { returnId, reason: word }: Extract<Certain, { status: 'returned' }>,
): Promise<boolean> {
  const { walletId, settlement: from, wallet: to, account } = around
  const { id, provider, user_id: userId, request_hash: requestHash } = payout
  const amount = amountOf(payout)
  const at = around.context.now()
  const postingId = derivedId('payout return', id)
  const line = { provider, id: returnId, kind: 'payout_return', amount, reference: id, postingId, at } as const
  if (!(await noteLine(tx, line))) return false
  around.context.log.warn({ payoutId: id, reason: word }, 'a payout was returned')
  const reason = payoutReason(word)
  await setStatus(tx, around, payout, { status: 'returned', reason })
  await tell(tx, around, payout, 'withdrawal_returned', reason)
  await reverseUsage(tx, payout)
  const legs = [{ from, to, amount: amount.minor, code: 'refund' }] as const
  await moved(tx, around, {
    movement: { id: postingId, requestHash, kind: 'payout_returned', reference: newId(at), at, legs },
    rows: [
      {
        userId,
        kind: 'DEPOSIT',
        status: 'COMPLETED',
        recipientId: userId,
        walletId,
        toWalletId: walletId,
        description: { code: 'withdrawal_returned', params: { bank: account.bankName } },
        source: amount,
        target: amount,
        fee: money(amount.currency, 0n),
        paymentSource: 'bank',
        paymentId: id,
      },
    ],
  })
  return true
}

/** What did not stay at the bank no longer counts against the limits of its day. */
const reverseUsage = (tx: Tx, { user_id: userId, created_at: orderedAt, usd_minor: usdMinor }: PayoutRow) =>
  reverseLimitUsage(tx, usageOf(userId, 'payout', usdMinor, orderedAt))

async function tell(
  tx: Tx,
  { context: { notifications, publicUrl }, owner, account }: Dependencies,
  payout: PayoutRow,
  template: 'withdrawal_failed' | 'withdrawal_returned',
  reason: PayoutReason,
): Promise<void> {
  if (!owner) return
  await notifications.mail(tx, { email: owner.email, userId: owner.id }, template, {
    ...account,
    amount: amountText(amountOf(payout)),
    reason,
    link: `${publicUrl}/transactions`,
  })
}

/** Another amount left than was ordered: what is held stays held until somebody has looked at it. */
async function review(tx: Tx, around: Dependencies, payout: PayoutRow, state: Settled): Promise<string> {
  const { amount, paidId } = state
  await setStatus(tx, around, payout, { status: 'needs_review' })
  await escalateToReview(tx, around, payout, {
    subject: paidId,
    amount,
    detail: { code: 'payout_differs', params: { paid: amountText(amount), ordered: amountText(amountOf(payout)) } },
  })
  return 'amount_differs'
}

/** Another amount came back than had left: whose the difference is has to be found out first. */
async function leaveReturn(tx: Tx, around: Dependencies, payout: PayoutRow, { amount, ...state }: Settled) {
  await escalateToReview(tx, around, payout, {
    subject: state.status === 'returned' ? state.returnId : state.paidId,
    amount,
    detail: { code: 'return_differs', params: { returned: amountText(amount), paid: amountText(amountOf(payout)) } },
  })
  return 'returned_amount_differs'
}

/** The provider names a movement that belongs to something else: what is held stays held. */
async function reviewUsed(tx: Tx, around: Dependencies, payout: PayoutRow, lineId: string): Promise<string> {
  await setStatus(tx, around, payout, { status: 'needs_review' })
  return leaveUsed(tx, around, payout, lineId)
}

async function leaveUsed(tx: Tx, around: Dependencies, payout: PayoutRow, lineId: string): Promise<string> {
  await escalateToReview(tx, around, payout, {
    subject: misattributed(lineId, payout.id),
    amount: amountOf(payout),
    detail: { code: 'payout_of_another', params: { line: lineId } },
  })
  return 'movement_of_another'
}

/** The provider now says what cannot be true beside what it said before. Nothing is guessed, and nothing moves. */
async function contradicted(tx: Tx, around: Dependencies, payout: PayoutRow, state: Ended): Promise<string> {
  await escalateToReview(tx, around, payout, {
    subject: state.status === 'failed' ? payout.id : state.paidId,
    amount: state.status === 'failed' ? amountOf(payout) : state.amount,
    detail: { code: 'payout_contradicted', params: { there: state.status, here: payout.status } },
  })
  return `${state.status}_after_${payout.status}`
}

async function escalateToReview(
  tx: Tx,
  { context: { now, log } }: Dependencies,
  { id, provider }: PayoutRow,
  { subject, amount, detail }: { subject: string; amount: Money; detail: CaseDetail },
): Promise<void> {
  await openCase(tx, { kind: 'unmatched', provider, subject, reference: id, amount, detail }, now())
  log.error({ payoutId: id, subject, ...detail }, 'a payout does not stand as the provider says')
}

/** What the providers' words for it mean, also those that their adapters spell out. */
const reasons: Readonly<Record<string, PayoutReason>> = {
  cancelled: 'cancelled',
  rejected: 'rejected',
  expired: 'expired',
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
export const payoutReason = (word: string): PayoutReason =>
  (Object.hasOwn(reasons, word) ? reasons[word] : undefined) ?? 'not_taken'
