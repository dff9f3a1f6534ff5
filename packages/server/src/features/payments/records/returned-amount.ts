import type { Tx } from '../../../platform/database/db.ts'
import { findPayment, findPayout, lockPayment, lockPayout } from './payment-rows.ts'
import type { PaymentRow, PayoutRow } from '../row-types.ts'

/** Status of a payment or payout, and the part already returned to its owner. */
export interface ReturnedAmount {
  readonly status: PaymentRow['status'] | PayoutRow['status']
  /**
   * In minor units. For a payment: net reversals, less the wallet's debits for them. For a failed or returned payout:
   * amount and fee. For any other payout: 0.
   */
  readonly minor: bigint
}

/**
 * Reads and locks a payment or payout until the transaction ends; undefined if there is none. Chargebacks and bank
 * returns wait for that lock, so nothing is returned twice.
 */
export async function lockReturnedAmount(tx: Tx, id: string): Promise<ReturnedAmount | undefined> {
  if (await findPayment(tx, id)) {
    const { status } = await lockPayment(tx, id)
    return { status, minor: await sumReversals(tx, id) }
  }
  if (!(await findPayout(tx, id))) return undefined
  const { status, amount_minor: amount, fee_minor: fee } = await lockPayout(tx, id)
  return { status, minor: status === 'returned' || status === 'failed' ? amount + fee : 0n }
}

/** Net reversals of a payment, less the wallet's debits for them, including repayments of a loss. */
async function sumReversals(tx: Tx, paymentId: string): Promise<bigint> {
  const { rows } = await tx.query<{ minor: bigint }>(
    `with line as (
       select posting_id, amount_minor from settlement_line
        where reference = $1 and kind in ('refund', 'chargeback', 'debit_return', 'chargeback_reversal'))
     select coalesce(-sum(amount_minor), 0) + coalesce((
         select sum(e.amount) from payment p join wallet w on w.user_id = p.user_id
           join ledger.account a on a.name = 'wallet:' || w.id || ':' || p.currency
           join ledger.entry e on e.account_id = a.id
          where p.id = $1 and e.posting_id in (select posting_id from line
            union all select id from reconciliation_exception where kind = 'loss' and reference = $1)), 0) as minor
       from line`,
    [paymentId],
  )
  return rows[0]?.minor ?? 0n
}
