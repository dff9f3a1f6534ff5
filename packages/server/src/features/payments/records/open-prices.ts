import type { Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { PaymentRow } from './payment-rows.ts'

/** A payment's price is locked however long it takes: with many open, one could pay only those that turned out well. */
const mostOpenPrices = 5

/** Refuses `rate_limited` when the payer has too many payments in two currencies open. Counts one by one. */
export async function refuseManyOpenPrices(
  tx: Tx,
  {
    user_id: userId,
    idempotency_key: idempotencyKey,
    locked_price: price,
  }: Pick<PaymentRow, 'user_id' | 'idempotency_key' | 'locked_price'>,
): Promise<void> {
  if (price === null || price.sourceCurrency === price.targetCurrency) return
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
