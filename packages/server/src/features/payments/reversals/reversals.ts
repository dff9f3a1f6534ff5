import { LedgerError, lockAccounts } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import { type Money, money } from '@tern/money/money'
import type { LineKind, ReportLine } from '@tern/providers/report/port'
import type pg from 'pg'
import { onlyRow, type Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { requestHash as hashOf } from '../../../platform/http/idempotency.ts'
import { refuse } from '../../../platform/refuse.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { openCase as openPersonCase } from '../../compliance/compliance.ts'
import { findWallet } from '../../wallets/wallets.ts'
import { findMailbox, type PaymentContext } from '../context.ts'
import { endHoldForReversal } from '../held-pulls/held-pulls.ts'
import { loadLoss } from '../losses/losses.ts'
import { checkPayment } from '../pay-ins/settlement.ts'
import { closeCases, escalate, openCase } from '../records/reconciliation-exceptions.ts'
import { buildOwnRow } from '../records/payment-postings.ts'
import { findPayment, findPaymentForUpdate, recordSettlementLine, findLineOwner } from '../records/payment-rows.ts'
import {
  type Books,
  checkUnpostedMoney,
  findReturnedKind,
  isReversalKind,
  readBooks,
  type ReversalKind,
} from './reversal-books.ts'
import {
  buildReturnLegs,
  buildReversalLegs,
  type Pieces,
  computePiecesBetween,
  type Route,
  readRoute,
} from './reversal-postings.ts'
import type { AccountRow } from '@tern/ledger/row-types'
import type { PaymentRow } from '../row-types.ts'

// Refunds, chargebacks and returned debits of payments, and later returns of such money. Every report is booked once.
// The reversed amount may exceed the payment: a card payment that is both refunded and charged back costs us its amount
// twice. The payer owes any shortfall of the wallet.

/** Polls the provider about a payment whose reversal is reported before its arrival. */
export async function checkBeforeReversal(
  ctx: PaymentContext,
  pool: pg.Pool,
  { provider, line }: { readonly provider: string; readonly line: ReportLine },
): Promise<void> {
  const payment = await findPayment(pool, line.reference ?? '')
  if (payment?.provider !== provider) return
  if (payment.status === 'pending' || payment.status === 'failed') await checkPayment(ctx, pool, payment.id)
}

interface ReportedLine {
  readonly provider: string
  readonly line: ReportLine
  /** True on a retry: locks the accounts before reading the balance, as a concurrent payment has changed it. */
  readonly isLocked: boolean
}

/**
 * Applies a report of a reversal or of its return; undefined if it belongs to no payment of ours. Until the money or
 * the reversal that it refers to is known, refuses `provider_unavailable`, so that the report is sent again.
 */
export async function applyReversal(
  ctx: PaymentContext,
  tx: Tx,
  { provider, line, isLocked }: ReportedLine,
): Promise<string | undefined> {
  const payment = await findPaymentForUpdate(tx, line.reference ?? '')
  if (payment?.provider !== provider) return undefined
  const wallet = await findWallet(tx, payment.user_id)
  if (!wallet) return undefined
  if ((await findLineOwner(tx, provider, line.id)) !== undefined) return 'already_taken_in'
  const route = await readRoute(ctx, tx, { payment, wallet })
  return reverse(ctx, tx, { payment, line, route, isLocked })
}

interface Reversal {
  /** Must be locked. */
  readonly payment: PaymentRow
  readonly line: ReportLine
  readonly route: Route
  readonly isLocked: boolean
}

async function reverse(ctx: PaymentContext, tx: Tx, reversal: Reversal): Promise<string> {
  const { payment, line, route } = reversal
  const books = await readBooks(tx, payment.id)
  const isReversingLine = line.kind !== 'chargeback_reversal'
  const match = isReversingLine
    ? await matchReversal(ctx, tx, { ...reversal, books })
    : await matchReturn(ctx, tx, { ...reversal, books })
  if (match === 'does_not_fit' || match === 'other_money') {
    const left = books.came > books.back ? books.came - books.back : 0n
    return escalateToOperator(ctx, tx, { payment, line, match, left })
  }
  const { minor } = line.amount
  const reversedAfter = isReversingLine ? books.back + minor : books.back - minor
  const step = {
    ...reversal,
    pieces: computePiecesBetween(route, books.back, reversedAfter),
    undoneKind: isReversingLine ? null : match,
  }
  // A failed payment whose money arrived late stays failed.
  await tx.query(
    `update payment set status = $2, updated_at = $3 where id = $1 and status in ('completed', 'reversed')`,
    [payment.id, reversedAfter >= books.came ? 'reversed' : 'completed', ctx.now()],
  )
  await closeCases(tx, { kind: 'unmatched', provider: payment.provider, subject: line.id }, 'matched', ctx.now())
  return isReversingLine ? postReversal(ctx, tx, step) : returnToPayer(ctx, tx, step)
}

const lineSubject = ({ id, occurredAt }: ReportLine) => ({ subject: id, happenedAt: occurredAt })

const dayMs = 86_400_000

/**
 * Refuses `provider_unavailable` for a report whose money is not known yet, so that it is sent again. After a day it is
 * left to an operator instead.
 */
function awaitMoney({ now }: PaymentContext, { id, occurredAt }: ReportLine): 'does_not_fit' {
  if (now().getTime() - occurredAt.getTime() >= dayMs) return 'does_not_fit'
  return refuse('provider_unavailable', { reason: { code: 'money_not_known_yet', params: { line: id } } })
}

/** Kind of reversal that a report makes or returns, or why it is left to an operator. */
type ReportMatch = ReversalKind | 'does_not_fit' | 'other_money'

type ReversalToMatch = Reversal & { readonly books: Books }

/**
 * Decides whether a report can reverse the money posted for a payment: not if other money arrived for it, or if the
 * money stays on hold. Refuses `provider_unavailable` before the first posting.
 */
async function matchReversal(
  ctx: PaymentContext,
  tx: Tx,
  { payment, line, route, books }: ReversalToMatch,
): Promise<ReportMatch> {
  const { kind, amount } = line
  if (!isReversalKind(kind) || amount.currency !== payment.currency) return 'does_not_fit'
  const other = await checkUnpostedMoney(tx, payment, line)
  if (other !== 'none') return other === 'covered' ? 'other_money' : 'does_not_fit'
  if (books.came === 0n) return awaitMoney(ctx, line)
  const isWhole = amount.minor === books.came
  const reversalInput = { paymentId: payment.id, isWhole, accounts: listAccounts(route) }
  return (await endHoldForReversal(ctx, tx, reversalInput)) ? kind : 'does_not_fit'
}

/** Finds the kind of reversal whose money is returned. Refuses `provider_unavailable` while that is unknown. */
async function matchReturn(
  ctx: PaymentContext,
  tx: Tx,
  { payment, line, books }: ReversalToMatch,
): Promise<ReportMatch> {
  if (line.amount.currency !== payment.currency) return 'does_not_fit'
  const returned = await findReturnedKind(tx, payment, line, books)
  return returned === 'unknown' ? awaitMoney(ctx, line) : returned
}

/**
 * Leaves a report to an operator. The amount of a reversal is gone at the provider but still in the wallet, so a case
 * stops the payer until two operators have decided, unless other money that was never posted covers the amount.
 */
async function escalateToOperator(
  ctx: PaymentContext,
  tx: Tx,
  { payment, line, match, left }: { payment: PaymentRow; line: ReportLine; match: ReportMatch; left: bigint },
): Promise<string> {
  const params = { kind: line.kind, amount: amountText(line.amount), left: amountText(money(payment.currency, left)) }
  const detail = { code: 'reversal_does_not_fit', params } as const
  const isNew = await escalate(ctx, tx, { row: payment, ...lineSubject(line), amount: line.amount, detail })
  if (isNew && match !== 'other_money' && isReversalKind(line.kind)) {
    const evidence = {
      rule: 'reversal_does_not_fit',
      kind: line.kind,
      amount: amountText(line.amount),
      movement: line.id,
      payment_id: payment.id,
    }
    await openPersonCase(tx, { userId: payment.user_id, kind: 'pattern', evidence }, ctx.now())
  }
  return 'unmatched'
}

interface ReversalStep extends Reversal {
  readonly pieces: Pieces
  /** Kind of the reversal whose money is returned; null for a reversal. */
  readonly undoneKind: ReversalKind | null
}

/** Debits a reversal to the payer's wallet. A shortfall is debited to our loss account, and opens a case. */
async function postReversal(ctx: PaymentContext, tx: Tx, step: ReversalStep): Promise<string> {
  const { notifications, publicUrl, now } = ctx
  const { payment, pieces, line, route } = step
  const { id: reference, provider, user_id: userId } = payment
  const { kind } = line
  const available = await readBalance(tx, step)
  const [{ amount: amountDue }] = pieces
  const coveredMinor = available < amountDue ? available : amountDue
  const loss = amountDue - coveredMinor
  if (loss > 0n) {
    const amount = money(route.currency, loss)
    const params = { kind, amount: amountText(line.amount), lost: amountText(amount), user: String(userId) }
    const detail = { code: 'loss', params } as const
    await openCase(tx, { kind: 'loss', provider, reference, ...lineSubject(line), amount, detail }, now())
  }
  const mailbox = amountDue > 0n && isReversalKind(kind) ? await findMailbox(ctx, tx, userId) : undefined
  if (mailbox && isReversalKind(kind)) {
    const amount = amountText(money(route.currency, amountDue))
    const missingParams = loss > 0n ? { missing: amountText(money(route.currency, loss)) } : {}
    const link = `${publicUrl}${loss > 0n ? '/settings#missing-money' : '/transactions'}`
    await notifications.mail(tx, {
      to: mailbox,
      template: 'payment_taken_back',
      data: { amount, reason: kind, link, ...missingParams },
    })
  }
  const legs = buildReversalLegs(route, pieces, loss, kind === 'chargeback' ? 'chargeback' : 'refund')
  await post(ctx, tx, step, legs, money(route.currency, coveredMinor))
  return loss > 0n ? 'taken_back_with_a_loss' : 'taken_back'
}

/** Credits a returned reversal: first to our loss account, the rest to the payer's wallet. */
async function returnToPayer(ctx: PaymentContext, tx: Tx, step: ReversalStep): Promise<string> {
  const { payment, pieces, route } = step
  const [{ amount: amountDue }] = pieces
  const openLoss = await loadLoss(tx, payment.id, route.lossAccountId)
  const loss = openLoss < amountDue ? openLoss : amountDue
  if (loss > 0n && loss === openLoss) {
    await closeCases(tx, { kind: 'loss', reference: payment.id }, 'recovered', ctx.now())
  }
  await post(ctx, tx, step, buildReturnLegs(route, pieces, loss), money(route.currency, amountDue - loss))
  return 'given_again'
}

const listAccounts = ({ pieces, lossAccountId }: Route): bigint[] => [
  lossAccountId,
  ...pieces.flatMap(({ from, to }) => [from, to]),
]

/** Balance of the payer's wallet. With `isLocked` all accounts of the reversal are locked first. */
async function readBalance(tx: Tx, { route, isLocked }: Reversal): Promise<bigint> {
  const [{ from: wallet }] = route.pieces
  if (isLocked) {
    const balances = await lockAccounts(tx, listAccounts(route))
    return balances.get(wallet) ?? 0n
  }
  const { rows } = await tx.query<Pick<AccountRow, 'balance'>>('select balance from ledger.account where id = $1', [
    wallet,
  ])
  return onlyRow(rows).balance
}

const eventNames = {
  refund: 'refunded',
  chargeback: 'taken_back',
  debit_return: 'returned',
  chargeback_reversal: 'given_back',
} as const

async function post({ mover, now }: PaymentContext, tx: Tx, step: ReversalStep, legs: readonly Leg[], moved: Money) {
  const at = now()
  const { payment, line, route, undoneKind } = step
  const { id, kind, amount, occurredAt, undoes = null } = line
  if (!isReversal(kind)) throw new Error(`a ${kind} takes nothing back`)
  const { provider, id: reference } = payment
  const postingId = derivedId('reversal', provider, id)
  await recordSettlementLine(tx, {
    provider,
    id,
    kind,
    amount,
    reference,
    postingId,
    undoes,
    undoneKind,
    at: occurredAt,
  })
  const isReturn = kind === 'chargeback_reversal'
  const paymentSource = payment.method === 'bank' ? 'bank' : 'card'
  const description = {
    code: `${paymentSource}_payment_${undoneKind === 'chargeback' ? 'won_back' : eventNames[kind]}`,
  } as const
  const facts = { status: 'COMPLETED', description, paymentSource, paymentId: reference } as const
  const requestHash = hashOf({ id, kind, amount: amountText(amount), payment: reference })
  const outcome = await mover.moveWithin(tx, {
    movement: { id: postingId, requestHash, kind, reference: newId(at), at, legs },
    rows: moved.minor > 0n ? [buildOwnRow(isReturn ? 'DEPOSIT' : 'WITHDRAW', route.wallet, moved, facts)] : [],
  })
  if (outcome.status === 'refused' && outcome.reason === 'insufficient_funds') {
    throw new LedgerError('conflict', 'the wallet was spent from in the meantime')
  }
  if (acceptOutcome(outcome) !== 'posted') throw new Error(`movement ${id} of ${provider} was posted twice`)
}

const isReversal = (kind: LineKind): kind is keyof typeof eventNames => Object.hasOwn(eventNames, kind)
