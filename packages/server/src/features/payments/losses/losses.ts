import type pg from 'pg'
import type { openLosses } from '@tern/contract/payments/losses'
import type { Reply } from '@tern/contract/protocol/endpoint'
import * as chart from '@tern/ledger/chart'
import type { Leg } from '@tern/ledger/movement'
import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money, toDecimal } from '@tern/money/money'
import { onlyRow, type Db, retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { requestHash as hashOf } from '../../../platform/http/idempotency.ts'
import { newId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { Refusal, refuse, refuseField } from '../../../platform/refuse.ts'
import { areStopped } from '../../compliance/compliance.ts'
import { requireNotFrozen } from '../../risk/risk.ts'
import { findWallet, readWallet, type Wallet } from '../../wallets/wallets.ts'
import type { MissingCredit, PaymentContext } from '../context.ts'
import { buildOwnRow } from '../records/payment-postings.ts'
import { lockPayment } from '../records/payment-rows.ts'
import { closeCases } from '../records/reconciliation-exceptions.ts'
import type { PaymentRow } from '../row-types.ts'

// Losses of payments and of dispute credits, which their users owe us. A repayment is posted under the id of the loss's
// oldest open exception, so that it is posted only once.

/** Open loss of a payment in the ledger, in minor units, net of repayments and recoveries. */
export async function loadLoss(db: Db, paymentId: string, lossAccountId: bigint): Promise<bigint> {
  const { rows } = await db.query<{ lost: bigint }>(
    `select -coalesce(sum(amount), 0) as lost from ledger.entry
      where account_id = $1 and posting_id in (select posting_id from settlement_line where reference = $2
        union all select id from reconciliation_exception where kind = 'loss' and reference = $2)`,
    [lossAccountId, paymentId],
  )
  return onlyRow(rows).lost
}

interface PaymentLoss {
  readonly paymentId: string
  readonly exceptionId: string
  readonly amount: Money
  readonly at: Date
}

type Loss = PaymentLoss | MissingCredit

const isDisputeLoss = (loss: Loss): loss is MissingCredit => 'disputeId' in loss

interface LossFilter {
  readonly userId: bigint
  /** Limits the result to this payment or dispute. */
  readonly id?: string
}

type LossContext = Pick<PaymentContext, 'wallets' | 'disputeCredits'>

/** Open losses of a user's payments and disputes, oldest first. */
async function findLosses(ctx: LossContext, db: Db, filter: LossFilter): Promise<Loss[]> {
  const paymentLosses = await findPaymentLosses(ctx, db, filter)
  const all = [...paymentLosses, ...(await ctx.disputeCredits.findMissing(db, filter))]
  return all.toSorted((a, b) => a.at.getTime() - b.at.getTime())
}

async function findPaymentLosses(
  { wallets }: LossContext,
  db: Db,
  { userId, id: paymentId }: LossFilter,
): Promise<PaymentLoss[]> {
  const { rows } = await db.query<{ payment: string; ids: string[]; minor: bigint; currency: CurrencyCode; at: Date }>(
    `select e.reference as payment, array_agg(e.id order by e.opened_at, e.id) as ids, sum(e.amount_minor) as minor, e.currency,
         min(coalesce(e.happened_at, e.opened_at)) as at
       from reconciliation_exception e join payment p on p.id = e.reference
      where e.kind = 'loss' and e.closed_at is null and p.user_id = $1 and ($2::uuid is null or p.id = $2)
      group by e.reference, e.currency order by at, e.reference`,
    [userId, paymentId ?? null],
  )
  const losses: PaymentLoss[] = []
  for (const { payment, ids, minor, currency, at } of rows) {
    // A dispute won in part leaves its exception open with the original amount.
    const ledgerLoss = await loadLoss(db, payment, await wallets.accountId(db, chart.lossAccount(currency)))
    const [exceptionId] = ids
    if (exceptionId === undefined) continue
    losses.push({
      paymentId: payment,
      exceptionId,
      amount: money(currency, ledgerLoss < minor ? ledgerLoss : minor),
      at,
    })
  }
  return losses
}

/** Open losses of a user's payments and dispute credits, oldest first. */
export async function readLosses(ctx: LossContext, db: Db, userId: bigint): Promise<Reply<typeof openLosses>> {
  return {
    losses: (await findLosses(ctx, db, { userId })).map((loss) => ({
      payment_id: isDisputeLoss(loss) ? null : loss.paymentId,
      dispute_id: isDisputeLoss(loss) ? loss.disputeId : null,
      amount: toDecimal(loss.amount),
      currency: loss.amount.currency,
      taken_back_at: loss.at.toISOString(),
    })),
  }
}

/**
 * Repays an open loss of a payment or dispute credit from the wallet, in full, and closes its exceptions. Returns the
 * remaining losses; without any, the account is unblocked. Refuses `not_found`; `account_frozen`; `payment_refused`
 * while a case stops the user, whose funds must not move (EU 269/2014, article 1(f)); `price_changed` if the loss
 * differs from the `expected` decimal; and `insufficient_funds` with the balance.
 */
export async function payLoss(
  ctx: PaymentContext,
  pool: pg.Pool,
  { userId, id, expected }: { readonly userId: bigint; readonly id: string; readonly expected: string },
): Promise<Reply<typeof openLosses>> {
  const { disputeCredits } = ctx
  await requireNotFrozen(pool, userId)
  const wallet = (await findWallet(pool, userId)) ?? refuse('not_found')
  // Read first to choose the lock, which differs for payments and disputes.
  const [currentLoss] = await findLosses(ctx, pool, { userId, id })
  if (!currentLoss) return readLosses(ctx, pool, userId)
  try {
    await retryOnConflict(pool, async (tx) => {
      // Recoveries and new decisions take the same lock.
      const payment = isDisputeLoss(currentLoss) ? await disputeCredits.lockMissing(tx, id) : await lockPayment(tx, id)
      const [loss] = await findLosses(ctx, tx, { userId, id })
      if (!loss) return
      if (await areStopped(tx, [userId])) refuse('payment_refused', { reason: { code: 'loss_not_payable_now' } })
      if (toDecimal(loss.amount) !== expected) refuse('price_changed', { reason: { code: 'missing_amount_changed' } })
      await postPayment(ctx, tx, { loss, wallet, method: payment?.method })
    })
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'insufficient_funds') throw error
    const { fiat_balance: balance, base_currency } = await readWallet(pool, wallet)
    refuseField('insufficient_funds', 'expected_total', {
      code: 'balance_too_low',
      params: { balance, currency: base_currency },
    })
  }
  return readLosses(ctx, pool, userId)
}

interface LossStep {
  readonly loss: Loss
  readonly wallet: Wallet
  /** Method of the payment; undefined for a dispute. */
  readonly method: PaymentRow['method'] | undefined
}

async function postPayment(
  { wallets, mover, now, disputeCredits }: PaymentContext,
  tx: Tx,
  { loss, wallet, method }: LossStep,
): Promise<void> {
  const at = now()
  const { exceptionId: id, amount } = loss
  const reference = newId(at)
  const fee = isDisputeLoss(loss) ? loss.fee : 0n
  if (isDisputeLoss(loss)) await disputeCredits.recordPaid(tx, { ...loss, at, transactionId: reference })
  const subject = isDisputeLoss(loss) ? loss.disputeId : loss.paymentId
  await closeCases(tx, { kind: 'loss', reference: subject }, 'paid_by_person', at)
  const facts = {
    status: 'COMPLETED',
    description: { code: 'missing_money_paid' },
    ...(isDisputeLoss(loss)
      ? {}
      : { paymentSource: method === 'bank' ? ('bank' as const) : ('card' as const), paymentId: loss.paymentId }),
  } as const
  const from = await wallets.accountId(tx, chart.walletAccount(wallet.id, amount.currency))
  const to = await wallets.accountId(tx, chart.lossAccount(amount.currency))
  const fees = await wallets.accountId(tx, chart.feeAccount(amount.currency))
  const legs: Leg[] = [
    { from, to, amount: amount.minor - fee, code: 'settle' },
    { from, to: fees, amount: fee, code: 'fee' },
  ]
  const outcome = await mover.moveWithin(tx, {
    movement: {
      id,
      requestHash: hashOf({ loss: id }),
      kind: 'loss_payment',
      reference,
      at,
      legs: legs.filter((leg) => leg.amount > 0n),
    },
    rows: [buildOwnRow('WITHDRAW', wallet, amount, facts)],
  })
  if (acceptOutcome(outcome) !== 'posted') throw new Error(`loss ${id} was paid twice`)
}
