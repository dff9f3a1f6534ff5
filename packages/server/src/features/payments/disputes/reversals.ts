import { LedgerError, lockAccounts } from '@tern/ledger/ledger'
import { type Money, money } from '@tern/money/money'
import type { ReportLine } from '@tern/providers/report/port'
import { amountText } from '../../../platform/http/amount.ts'
import { only, type Tx } from '../../../platform/database/db.ts'
import { derivedId, newId } from '../../../platform/ids.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { MoveRequest, TransactionRow } from '../../wallets/move.ts'
import { closeCases, misattributed, openCase } from '../reconciliation/reconciliation-exceptions.ts'
import type { PaymentContext, Transition } from '../context.ts'
import { findPaymentAt, lockPayment, type PaymentRow } from '../records/payment-rows.ts'
import { legsAgain, legsBack, type Route, routeOf, type Shares, sharesBetween } from './reversal-postings.ts'
import { noteLine, ownerOfLine } from '../records/settlement-lines.ts'

/** Money that had come and is taken back (refunds, chargebacks, returned debits), or comes again after that. */
export interface Reversals {
  /**
   * What follows from such a movement; undefined when it belongs to no payment of ours. It refuses
   * `provider_unavailable` while what it takes back, or gives again, is not known here: then it has to be told once more.
   */
  taking(line: ReportLine): Promise<Transition | undefined>
}

type Check = (paymentId: string) => Promise<void>

/** Builds the part. `check` asks the provider about a payment: the news that it was taken back may come first. */
export function createReversals(context: PaymentContext, check: Check): Reversals {
  return {
    async taking(line) {
      const placed = await createIntent(context, line, check)
      if (!placed) return undefined
      let tried = 0
      return (tx) => {
        tried += 1
        return reverse(context, tx, placed, tried > 1)
      }
    },
  }
}

/** A movement with the payment it belongs to, and the way that came. */
interface Placed {
  readonly line: ReportLine
  readonly paymentId: string
  readonly route: Route
  readonly email: string | undefined
}

async function createIntent(context: PaymentContext, line: ReportLine, check: Check): Promise<Placed | undefined> {
  const { wallets, identity } = context
  const payment = await findPaymentAt(context, line.reference)
  const wallet = payment && (await wallets.walletOf(payment.user_id))
  if (!wallet) return undefined
  if (payment.status === 'pending' || payment.status === 'failed') await check(payment.id)
  const payer = (await identity.usersById([payment.user_id])).get(payment.user_id)
  return { line, paymentId: payment.id, route: await routeOf(payment, wallet, wallets), email: payer?.email }
}

/** Carries a reversal out, `isAgain` when the balance turned out to be another one before. */
async function reverse(context: PaymentContext, tx: Tx, placed: Placed, isAgain: boolean): Promise<string> {
  const { line } = placed
  const payment = await lockPayment(tx, placed.paymentId)
  if ((await ownerOfLine(tx, payment.provider, line.id)) !== undefined) return 'already_taken_in'
  const books = await booksOf(tx, payment.id)
  const isBack = line.kind !== 'chargeback_reversal'
  const { minor } = line.amount
  const differs = line.amount.currency !== payment.currency || (isBack && (await hasUnmatched(tx, payment, line)))
  if (!differs && (books.came === 0n || (!isBack && minor > books.back))) {
    refuse('provider_unavailable', { reason: { code: 'money_not_known_yet', params: { line: line.id } } })
  }
  if (differs || (isBack && minor > books.came - books.back))
    return escalateToReview(context, tx, payment, placed, books)
  const after = isBack ? books.back + minor : books.back - minor
  const shares = sharesBetween(placed.route.price, books.back, after)
  const step = { payment, placed, shares, isAgain, isWon: minor <= books.disputed }
  await setStatus(tx, payment, after === books.came ? 'reversed' : 'completed', context.now())
  await closeCases(tx, { kind: 'unmatched', subject: line.id }, 'matched', context.now())
  return isBack ? takeBack(context, tx, step) : giveAgain(context, tx, step)
}

/**
 * Whether other money came for this payment that was never posted, since a person has to decide about it or has done so:
 * that may be what is taken back. That the provider was silent about the payment is no such money, nor is a movement that
 * it takes for this payment's while it is another's.
 */
async function hasUnmatched(tx: Tx, payment: PaymentRow, line: ReportLine): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from reconciliation_exception
      where reference = $1 and kind = 'unmatched' and (closed_at is null or resolved_manually) and subject <> $2 and subject <> $3
        and right(subject, length($4)) <> $4
      limit 1`,
    [payment.id, line.id, payment.id, misattributed('', payment.id)],
  )
  return rowCount === 1
}

/** What has moved for a payment so far, in minor units of its currency. */
interface Books {
  readonly came: bigint
  /** Of that, what has been taken back and not given again. */
  readonly back: bigint
  /** Of that, what was taken back by disputes; the rest was refunded, or returned by the bank. */
  readonly disputed: bigint
}

async function booksOf(tx: Tx, paymentId: string): Promise<Books> {
  const { rows } = await tx.query<Books>(
    `select coalesce(sum(amount_minor) filter (where kind in ('capture', 'debit')), 0) as came,
        -coalesce(sum(amount_minor) filter (where kind not in ('capture', 'debit')), 0) as back,
        -coalesce(sum(amount_minor) filter (where kind in ('chargeback', 'chargeback_reversal')), 0) as disputed
       from settlement_line where reference = $1`,
    [paymentId],
  )
  return only(rows)
}

/** More is taken back than there was, or other money: nothing is posted until somebody has looked at it. */
async function escalateToReview(
  { now, log }: PaymentContext,
  tx: Tx,
  payment: PaymentRow,
  { line }: Placed,
  { came, back }: Books,
): Promise<string> {
  const left = amountText(money(payment.currency, came - back))
  await openCase(
    tx,
    {
      kind: 'unmatched',
      provider: payment.provider,
      subject: line.id,
      reference: payment.id,
      amount: line.amount,
      happenedAt: line.occurredAt,
      detail: {
        code: 'reversal_does_not_fit',
        params: { kind: line.kind, amount: amountText(line.amount), left },
      },
    },
    now(),
  )
  log.error({ paymentId: payment.id, lineId: line.id }, 'the provider took back what a payment does not have')
  return 'unmatched'
}

/** A failed payment whose money came late stays failed: it was not what it had been begun for. */
async function setStatus(tx: Tx, { id }: PaymentRow, status: 'completed' | 'reversed', at: Date): Promise<void> {
  await tx.query(
    `update payment set status = $2, updated_at = $3 where id = $1 and status in ('completed', 'reversed')`,
    [id, status, at],
  )
}

interface Step {
  readonly payment: PaymentRow
  readonly placed: Placed
  readonly shares: Shares
  readonly isAgain: boolean
  /** Money that comes again was lost in a dispute before; otherwise what was refunded or returned came to nothing. */
  readonly isWon: boolean
}

const isMailed = (kind: ReportLine['kind']) => kind === 'refund' || kind === 'chargeback' || kind === 'debit_return'

/** Takes a piece back from the payer's wallet; what the wallet lacks is our loss, which somebody has to look at. */
async function takeBack(context: PaymentContext, tx: Tx, step: Step): Promise<string> {
  const { notifications, publicUrl, now } = context
  const { payment, placed, shares, isAgain } = step
  const { line, route, email } = placed
  const available = await balanceOf(tx, route, isAgain)
  const given = available < shares.wallet ? available : shares.wallet
  const loss = shares.wallet - given
  if (loss > 0n) {
    const amount = money(route.currency, loss)
    await openCase(
      tx,
      {
        kind: 'loss',
        provider: payment.provider,
        subject: line.id,
        reference: payment.id,
        amount,
        happenedAt: line.occurredAt,
        detail: {
          code: 'loss',
          params: {
            kind: line.kind,
            amount: amountText(line.amount),
            lost: amountText(amount),
            user: String(payment.user_id),
          },
        },
      },
      now(),
    )
  }
  if (given > 0n && email !== undefined && isMailed(line.kind)) {
    await notifications.mail(tx, { email, userId: payment.user_id }, 'payment_taken_back', {
      amount: amountText(money(route.currency, given)),
      reason: line.kind,
      link: `${publicUrl}/transactions`,
    })
  }
  const legs = legsBack(route, shares, loss, line.kind === 'chargeback' ? 'chargeback' : 'refund')
  await post(context, tx, step, legs, money(route.currency, given))
  return loss > 0n ? 'taken_back_with_a_loss' : 'taken_back'
}

/** Gives a piece that was taken back again: first to where our loss stands, the rest to the wallet. */
async function giveAgain(context: PaymentContext, tx: Tx, step: Step): Promise<string> {
  const { payment, placed, shares } = step
  const { route } = placed
  const lost = await lossOf(tx, payment.id, route.accounts.loss)
  const loss = lost < shares.wallet ? lost : shares.wallet
  if (loss > 0n && loss === lost) {
    await closeCases(tx, { kind: 'loss', reference: payment.id }, 'recovered', context.now())
  }
  await post(context, tx, step, legsAgain(route, shares, loss), money(route.currency, shares.wallet - loss))
  return 'given_again'
}

/** What the payer's wallet has. Locked, it stays so until the transaction ends; everything that will move is locked with it. */
async function balanceOf(tx: Tx, { accounts }: Route, isLocked: boolean): Promise<bigint> {
  const { settlement, wallet, loss, conversion } = accounts
  if (isLocked) {
    const balances = await lockAccounts(tx, [settlement, wallet, loss, ...Object.values(conversion ?? {})])
    return balances.get(wallet) ?? 0n
  }
  const { rows } = await tx.query<{ balance: bigint }>('select balance from ledger.account where id = $1', [wallet])
  return only(rows).balance
}

/** What a payment has cost us so far, in minor units of the account's currency. */
async function lossOf(tx: Tx, paymentId: string, account: bigint): Promise<bigint> {
  const { rows } = await tx.query<{ lost: bigint }>(
    `select -coalesce(sum(amount), 0) as lost from ledger.entry
      where account_id = $1 and posting_id in (select posting_id from settlement_line where reference = $2)`,
    [account, paymentId],
  )
  return only(rows).lost
}

/** Notes the movement and posts it, with a row for the payer about what their wallet gave or got. */
async function post(
  { mover, now }: PaymentContext,
  tx: Tx,
  { payment, placed: { line, route }, isWon }: Step,
  legs: MoveRequest['movement']['legs'],
  moved: Money,
): Promise<void> {
  const at = now()
  const { provider, id: reference } = payment
  const postingId = derivedId('reversal', provider, line.id)
  const { id, kind, amount, occurredAt } = line
  await noteLine(tx, { provider, id, kind, amount, reference, postingId, at: occurredAt })
  const outcome = await mover.moveWithin(tx, {
    movement: {
      id: postingId,
      requestHash: requestHash({ id, kind, amount: amountText(amount), payment: reference }),
      kind,
      reference: newId(at),
      at,
      legs,
    },
    rows: moved.minor > 0n ? [rowOf(payment, { kind, isWon }, route, moved)] : [],
  })
  if (outcome.status === 'refused' && outcome.reason === 'insufficient_funds') {
    throw new LedgerError('conflict', 'the wallet was spent from in the meantime')
  }
  if (acceptOutcome(outcome) !== 'posted') throw new Error(`movement ${id} of ${provider} was posted twice`)
}

const whatHappened = {
  refund: 'refunded',
  chargeback: 'taken_back',
  debit_return: 'returned',
  chargeback_reversal: 'given_back',
} as const

/** What the payer reads of a movement that took a payment back, or gave it again. */
function describeReversal(payment: PaymentRow, { kind, isWon }: Pick<ReportLine, 'kind'> & Pick<Step, 'isWon'>) {
  if (!Object.hasOwn(whatHappened, kind)) throw new Error(`a ${kind} takes nothing back`)
  const happened =
    kind === 'chargeback_reversal' && isWon ? 'won_back' : whatHappened[kind as keyof typeof whatHappened]
  return { code: `${payment.method === 'bank' ? 'bank' : 'card'}_payment_${happened}` } as const
}

function rowOf(
  payment: PaymentRow,
  { kind, isWon }: Pick<ReportLine, 'kind'> & Pick<Step, 'isWon'>,
  { wallet }: Route,
  moved: Money,
): TransactionRow {
  const isAgain = kind === 'chargeback_reversal'
  const isBank = payment.method === 'bank'
  return {
    userId: payment.user_id,
    kind: isAgain ? 'DEPOSIT' : 'WITHDRAW',
    status: 'COMPLETED',
    ...(isAgain
      ? { recipientId: payment.user_id, toWalletId: wallet.id }
      : { senderId: payment.user_id, fromWalletId: wallet.id }),
    walletId: wallet.id,
    description: describeReversal(payment, { kind, isWon }),
    source: moved,
    target: moved,
    fee: money(moved.currency, 0n),
    paymentSource: isBank ? 'bank' : 'card',
    paymentId: payment.id,
  }
}
