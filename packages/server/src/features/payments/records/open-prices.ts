import type { Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { PaymentRow } from './payment-rows.ts'

/** The price of a payment is kept however long it takes: whoever could have many open would pay only what has turned out well. */
const mostOpenPrices = 5

/**
 * Refuses `rate_limited` when its payer has as many payments in two currencies open as one may have. Those who ask at
 * once are counted one after another. To be asked before the payment is written down.
 */
export async function refuseManyOpenPrices(tx: Tx, payment: PaymentRow): Promise<void> {
  const { user_id: userId, idempotency_key: idempotencyKey, locked_price } = payment
  if (locked_price === null || locked_price.sourceCurrency === locked_price.targetCurrency) return
  await lockName(tx, `open prices of ${userId}`)
  const { rowCount } = await tx.query(
    `select from payment
      where user_id = $1 and status = 'pending' and idempotency_key <> $2
        and locked_price ->> 'sourceCurrency' <> locked_price ->> 'targetCurrency' limit $3`,
    [userId, idempotencyKey, mostOpenPrices],
  )
  if (rowCount === mostOpenPrices) {
    refuse('rate_limited', {
      reason: 'too_many_open_conversions',
    })
  }
}
