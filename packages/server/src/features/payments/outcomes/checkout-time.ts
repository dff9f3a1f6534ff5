import type { DeclineReason } from '@tern/providers/collect/port'
import type { Tx } from '../../../platform/database/db.ts'
import type { PaymentRow } from '../records/payment-rows.ts'

/** Minutes for which a member's open checkout keeps a request from other payers. */
const checkoutMinutes = 10

/** SQL condition: a payment's open checkout has kept a request from other payers for long enough at `$1`. */
export const isSlow = `status = 'pending' and redirect_url is not null and session_id is not null
  and created_at < $1::timestamptz - interval '${checkoutMinutes} minutes'
  and exists (select from request_payment q where q.payment_id = payment.id and q.status = 'processing')`

/** Why a payment failed that its provider calls canceled: `expired` if its checkout was slow and its payer did not cancel it. */
export async function reasonOfEnd(tx: Tx, payment: PaymentRow, at: Date): Promise<DeclineReason> {
  if (payment.cancel_requested_at !== null) return 'canceled'
  const { rowCount } = await tx.query(`select from payment where ${isSlow} and id = $2`, [at, payment.id])
  return rowCount === 1 ? 'expired' : 'canceled'
}
