import type { DeclineReason } from '@tern/providers/collect/port'
import type { Tx } from '../../../platform/database/db.ts'
import type { PaymentRow } from '../row-types.ts'

/** Minutes for which an open checkout may block a request for other payers. */
const checkoutMinutes = 10

/** SQL condition: at the time `$1`, the payment's open checkout has blocked a request for over `checkoutMinutes`. */
export const slowCheckoutSql = `status = 'pending' and redirect_url is not null and session_id is not null
  and created_at < $1::timestamptz - interval '${checkoutMinutes} minutes'
  and exists (select from request_payment q where q.payment_id = payment.id and q.status = 'processing')`

/**
 * Reason to store for a payment that its provider reports as canceled: `expired` if its checkout was closed for taking
 * too long, rather than by its payer.
 */
export async function readEndReason(tx: Tx, payment: PaymentRow, at: Date): Promise<DeclineReason> {
  if (payment.cancel_requested_at !== null) return 'canceled'
  const { rowCount } = await tx.query(`select from payment where ${slowCheckoutSql} and id = $2`, [at, payment.id])
  return rowCount === 1 ? 'expired' : 'canceled'
}
