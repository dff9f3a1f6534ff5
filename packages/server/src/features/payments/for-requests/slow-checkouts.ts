import type pg from 'pg'
import { logUnchecked, markPolled, type PaymentContext, readPending } from '../context.ts'
import { slowCheckoutSql } from '../outcomes/checkout-time.ts'
import { settleByCall } from '../pay-ins/settlement.ts'
import type { PaymentRow } from '../row-types.ts'

/**
 * Cancels members' checkouts that have blocked a request for other payers for too long. A checkout that was paid
 * meanwhile pays its request; any other is closed at the provider, which releases the request. Without an answer from
 * the provider nothing changes.
 */
export async function endSlowCheckouts(ctx: PaymentContext, pool: pg.Pool): Promise<void> {
  const slowQuery = { table: 'payment', where: slowCheckoutSql, polledBefore: ctx.now() }
  for (const payment of await readPending<PaymentRow>(pool, slowQuery)) {
    const { id } = payment
    await endCheckout(ctx, pool, payment).catch((error: unknown) => logUnchecked(ctx, { error, table: 'payment', id }))
  }
}

async function endCheckout(ctx: PaymentContext, pool: pg.Pool, payment: PaymentRow): Promise<void> {
  const { id, session_id: sessionId } = payment
  if (sessionId === null) return
  await markPolled(ctx, pool, { table: 'payment', id })
  await settleByCall(ctx, pool, { payment, sessionId, call: 'cancel' })
}
