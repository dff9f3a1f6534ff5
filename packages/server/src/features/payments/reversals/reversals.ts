import { LedgerError, lockAccounts } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import { type Money, money } from '@tern/money/money'
import type { LineKind, ReportLine } from '@tern/providers/report/port'
import { only, type Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { requestHash as hashOf } from '../../../platform/http/idempotency.ts'
import { refuse } from '../../../platform/refuse.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { type Mailbox, mailboxOf, type PaymentContext } from '../context.ts'
import { endForReversal, findHeldDeposit } from '../held-pulls/held-pulls.ts'
import { lossOf } from '../losses/losses.ts'
import { checkPayment } from '../pay-ins/settlement.ts'
import { closeCases, escalate, isMisattributed, openCase } from '../records/reconciliation-exceptions.ts'
import { ownRow } from '../records/payment-postings.ts'
import { findPayment, lockPayment, noteLine, ownerOfLine, type PaymentRow } from '../records/payment-rows.ts'
import { legsAgain, legsBack, type Pieces, piecesBetween, type Route, routeOf } from './reversal-postings.ts'

// Refunds, chargebacks and returned debits of payments, and money given back after them. Every report is booked once, as it
// stands in the provider's books. Together they say how much of the payment is taken back, which may be more than came: a card
// refunded and charged back loses us its amount twice. The payer owes what the wallet lacked.

/**
 * Derives what follows from such a report; undefined when it belongs to no payment of ours. The transition refuses
 * `provider_unavailable` until the money that it takes back, or the report that it undoes, is known: it has to be sent again.
 */
export async function reversalTransition(context: PaymentContext, provider: string, line: ReportLine) {
  const { wallets, pool } = context
  const payment = await findPayment(pool, line.reference ?? '')
  if (payment?.provider !== provider) return undefined
  const wallet = await wallets.walletOf(payment.user_id)
  if (!wallet) return undefined
  // The news that it was taken back may come before the news that it came.
  if (payment.status === 'pending' || payment.status === 'failed') await checkPayment(context, payment.id)
  const mailbox = await mailboxOf(context, payment.user_id)
  const route = await routeOf(payment, wallet, wallets)
  const held = await findHeldDeposit(context, payment.id)
  const endHeld = held && (await endForReversal(context, held, accountsOf(route)))
  let tried = 0
  return async (tx: Tx) => {
    tried += 1
    const reversal = { line, route, mailbox, isAgain: tried > 1, endHeld }
    return reverse(context, tx, reversal, await lockPayment(tx, payment.id))
  }
}

interface Reversal {
  readonly line: ReportLine
  readonly route: Route
  readonly mailbox: Mailbox | undefined
  /** It is tried again, because the wallet was spent from in the meantime. */
  readonly isAgain: boolean
  /** Credits what is held of it, so that it can be taken back. False where that cannot be. */
  readonly endHeld: ((tx: Tx, isWhole: boolean) => Promise<boolean>) | undefined
}

async function reverse(context: PaymentContext, tx: Tx, reversal: Reversal, payment: PaymentRow): Promise<string> {
  const { line, route } = reversal
  if ((await ownerOfLine(tx, payment.provider, line.id)) !== undefined) return 'already_taken_in'
  const books = await booksOf(tx, payment.id, line)
  const isBack = line.kind !== 'chargeback_reversal'
  const { minor, currency } = line.amount
  const isOfCurrency = currency === payment.currency
  const fits =
    isOfCurrency && (isBack ? await mayBeTaken(tx, reversal, payment, books) : await wasTaken(tx, payment, line, books))
  if (!fits) {
    const left = books.came > books.back ? books.came - books.back : 0n
    const params = { kind: line.kind, amount: amountText(line.amount), left: amountText(money(payment.currency, left)) }
    const detail = { code: 'reversal_does_not_fit', params } as const
    await escalate(context, tx, payment, { ...aboutLine(line), amount: line.amount, detail })
    return 'unmatched'
  }
  const after = isBack ? books.back + minor : books.back - minor
  const pieces = piecesBetween(route, books.back, after)
  const step = {
    ...reversal,
    payment,
    pieces,
    isWon: line.undoes === undefined ? minor <= books.chargedBack : books.undoesChargeback,
  }
  // A failed payment whose money came late stays failed: it was not what it had been begun for.
  await tx.query(
    `update payment set status = $2, updated_at = $3 where id = $1 and status in ('completed', 'reversed')`,
    [payment.id, after >= books.came ? 'reversed' : 'completed', context.now()],
  )
  await closeCases(tx, { kind: 'unmatched', subject: line.id }, 'matched', context.now())
  return isBack ? takeBack(context, tx, step) : giveAgain(context, tx, step)
}

const aboutLine = ({ id, occurredAt }: ReportLine) => ({ subject: id, happenedAt: occurredAt })

const refuseUnknown = ({ id }: ReportLine): never =>
  refuse('provider_unavailable', { reason: { code: 'money_not_known_yet', params: { line: id } } })

/**
 * Whether money posted for a payment can be reversed: it received no other money, and none of it is held. Refuses
 * `provider_unavailable` before the first posting.
 */
async function mayBeTaken(tx: Tx, { line, endHeld }: Reversal, payment: PaymentRow, { came }: Books): Promise<boolean> {
  if (await hasUnmatched(tx, payment, line)) return false
  if (came === 0n) refuseUnknown(line)
  return (await endHeld?.(tx, line.amount.minor === came)) ?? true
}

/**
 * Whether the returned money was taken by the report that it undoes, or by any report if it names none. Refuses
 * `provider_unavailable` while that is unknown. Returns false where that report was left to an operator.
 */
async function wasTaken(tx: Tx, { id, provider }: PaymentRow, line: ReportLine, { back }: Books): Promise<boolean> {
  const { undoes, amount } = line
  if (undoes === undefined) return amount.minor <= back || refuseUnknown(line)
  const { rows } = await tx.query<{ taken: bigint | null }>(
    `select -amount_minor as taken from settlement_line where provider = $1 and id = $2 and reference = $3
     union all
     select null from reconciliation_exception where kind = 'unmatched' and provider = $1 and subject = $2 and reference = $3`,
    [provider, undoes, id],
  )
  if (rows.length === 0) refuseUnknown(line)
  return rows.some(({ taken }) => taken !== null && amount.minor <= taken && amount.minor <= back)
}

/** Whether other money came for this payment and was never posted: that may be what is taken back. */
async function hasUnmatched(tx: Tx, payment: PaymentRow, line: ReportLine): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from reconciliation_exception
      where reference = $1 and kind = 'unmatched' and (closed_at is null or resolved_manually)
        and detail <> 'reversal_does_not_fit'
        and subject <> $2 and subject <> reference::text and not (${isMisattributed}) limit 1`,
    [payment.id, line.id],
  )
  return rowCount === 1
}

interface Books {
  /** Amount received by the provider. */
  readonly came: bigint
  /** Amount taken back net of returns; exceeds the payment where a card was refunded and charged back. */
  readonly back: bigint
  /** The part of `back` that chargebacks took; the rest was refunded, or returned by the bank. */
  readonly chargedBack: bigint
  /** The report undoes a chargeback. */
  readonly undoesChargeback: boolean
}

async function booksOf(tx: Tx, paymentId: string, { undoes }: ReportLine): Promise<Books> {
  const { rows } = await tx.query<Books>(
    `select coalesce(sum(amount_minor) filter (where kind in ('capture', 'debit')), 0) as came,
        -coalesce(sum(amount_minor) filter (where kind not in ('capture', 'debit')), 0) as back,
        -coalesce(sum(amount_minor) filter (where kind in ('chargeback', 'chargeback_reversal')), 0) as "chargedBack",
        coalesce(bool_or(id = $2 and kind = 'chargeback'), false) as "undoesChargeback"
       from settlement_line where reference = $1`,
    [paymentId, undoes],
  )
  return only(rows)
}

interface Step extends Reversal {
  readonly payment: PaymentRow
  readonly pieces: Pieces
  /** The returned money had been taken by a chargeback; otherwise by a failed refund or return. */
  readonly isWon: boolean
}

/** Takes a piece back from the payer's wallet; what the wallet lacks is our loss, which a person has to look at. */
async function takeBack(context: PaymentContext, tx: Tx, step: Step): Promise<string> {
  const { notifications, publicUrl, now } = context
  const { payment, pieces, line, route, mailbox } = step
  const { id: reference, provider, user_id: userId } = payment
  const { kind } = line
  const available = await balanceOf(tx, route, step.isAgain)
  const [{ amount: due }] = pieces
  const given = available < due ? available : due
  const loss = due - given
  if (loss > 0n) {
    const amount = money(route.currency, loss)
    const params = { kind, amount: amountText(line.amount), lost: amountText(amount), user: String(userId) }
    const detail = { code: 'loss', params } as const
    await openCase(tx, { kind: 'loss', provider, reference, ...aboutLine(line), amount, detail }, now())
  }
  if (due > 0n && mailbox && (kind === 'refund' || kind === 'chargeback' || kind === 'debit_return')) {
    const amount = amountText(money(route.currency, due))
    const lack = loss > 0n ? { missing: amountText(money(route.currency, loss)) } : {}
    const link = `${publicUrl}${loss > 0n ? '/settings#missing-money' : '/transactions'}`
    await notifications.mail(tx, mailbox, 'payment_taken_back', { amount, reason: kind, link, ...lack })
  }
  const legs = legsBack(route, pieces, loss, kind === 'chargeback' ? 'chargeback' : 'refund')
  await post(context, tx, step, legs, money(route.currency, given))
  return loss > 0n ? 'taken_back_with_a_loss' : 'taken_back'
}

/** Gives a piece that was taken back again: first to where our loss stands, the rest to the wallet. */
async function giveAgain(context: PaymentContext, tx: Tx, step: Step): Promise<string> {
  const { payment, pieces, route } = step
  const [{ amount: due }] = pieces
  const lost = await lossOf(tx, payment.id, route.lossAccountId)
  const loss = lost < due ? lost : due
  if (loss > 0n && loss === lost) {
    await closeCases(tx, { kind: 'loss', reference: payment.id }, 'recovered', context.now())
  }
  await post(context, tx, step, legsAgain(route, pieces, loss), money(route.currency, due - loss))
  return 'given_again'
}

const accountsOf = ({ pieces, lossAccountId }: Route): bigint[] => [
  lossAccountId,
  ...pieces.flatMap(({ from, to }) => [from, to]),
]

/** What the payer's wallet has. Locked, with everything that will move, it stays so until the transaction ends. */
async function balanceOf(tx: Tx, route: Route, isLocked: boolean): Promise<bigint> {
  const [{ from: wallet }] = route.pieces
  if (isLocked) {
    const balances = await lockAccounts(tx, accountsOf(route))
    return balances.get(wallet) ?? 0n
  }
  const { rows } = await tx.query<{ balance: bigint }>('select balance from ledger.account where id = $1', [wallet])
  return only(rows).balance
}

const whatHappened = {
  refund: 'refunded',
  chargeback: 'taken_back',
  debit_return: 'returned',
  chargeback_reversal: 'given_back',
} as const

async function post({ mover, now }: PaymentContext, tx: Tx, step: Step, legs: readonly Leg[], moved: Money) {
  const at = now()
  const { payment, line, route, isWon } = step
  const { id, kind, amount, occurredAt } = line
  if (!isReversal(kind)) throw new Error(`a ${kind} takes nothing back`)
  const { provider, id: reference } = payment
  const postingId = derivedId('reversal', provider, id)
  await noteLine(tx, { provider, id, kind, amount, reference, postingId, at: occurredAt })
  const isAgain = kind === 'chargeback_reversal'
  const paymentSource = payment.method === 'bank' ? 'bank' : 'card'
  const description = {
    code: `${paymentSource}_payment_${isAgain && isWon ? 'won_back' : whatHappened[kind]}`,
  } as const
  const facts = { status: 'COMPLETED', description, paymentSource, paymentId: reference } as const
  const requestHash = hashOf({ id, kind, amount: amountText(amount), payment: reference })
  const outcome = await mover.moveWithin(tx, {
    movement: { id: postingId, requestHash, kind, reference: newId(at), at, legs },
    rows: moved.minor > 0n ? [ownRow(isAgain ? 'DEPOSIT' : 'WITHDRAW', route.wallet, moved, facts)] : [],
  })
  if (outcome.status === 'refused' && outcome.reason === 'insufficient_funds') {
    throw new LedgerError('conflict', 'the wallet was spent from in the meantime')
  }
  if (acceptOutcome(outcome) !== 'posted') throw new Error(`movement ${id} of ${provider} was posted twice`)
}

const isReversal = (kind: LineKind): kind is keyof typeof whatHappened => Object.hasOwn(whatHappened, kind)
