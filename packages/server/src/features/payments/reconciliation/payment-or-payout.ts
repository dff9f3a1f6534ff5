import type { CollectionState } from '@tern/providers/collect/port'
import type { PayoutState } from '@tern/providers/payout/port'
import type { LineKind, ReportLine } from '@tern/providers/report/port'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { type PaymentContext, requirePayouts } from '../context.ts'
import { applyPaymentState } from '../outcomes/payment-states.ts'
import { stateAtProvider } from '../pay-ins/settlement.ts'
import { applyPayoutState } from '../payouts/payout-outcomes.ts'
import { findPayment, findPayout } from '../records/payment-rows.ts'
import type { PaymentRow, PayoutRow } from '../row-types.ts'

/** Payment or payout, and the kind of movement that settles it. */
export type PaymentOrPayout =
  | { readonly table: 'payment'; readonly row: PaymentRow; readonly kind: LineKind }
  | { readonly table: 'payout'; readonly row: PayoutRow; readonly kind: LineKind }

type State = CollectionState | PayoutState
export type CertainState = Exclude<State, { status: 'unknown' }>

/** Payment or payout with this id, of any user. */
export async function findPaymentOrPayout(db: Db, id: string): Promise<PaymentOrPayout | undefined> {
  const payment = await findPayment(db, id)
  if (payment) return { table: 'payment', row: payment, kind: payment.method === 'bank' ? 'debit' : 'capture' }
  const payout = await findPayout(db, id)
  return payout && { table: 'payout', row: payout, kind: 'payout' }
}

/** State at the provider; undefined if the provider has given it no id. */
export async function lookUp(ctx: PaymentContext, { table, row }: PaymentOrPayout): Promise<State | undefined> {
  if (table === 'payment') {
    const { session_id: sessionId } = row
    return sessionId === null ? undefined : stateAtProvider(ctx, { payment: row, sessionId, call: 'lookup' })
  }
  return row.provider_payout_id === null ? undefined : requirePayouts(ctx, row).lookup(row.provider_payout_id)
}

/** Applies a state at the provider. Returns the outcome; undefined if there is no effect. */
export function applyState(
  ctx: PaymentContext,
  tx: Tx,
  { record: { table, row }, state }: { readonly record: PaymentOrPayout; readonly state: CertainState },
): Promise<string | undefined> {
  const { provider } = row
  if ('payoutId' in state) return applyPayoutState(ctx, tx, { provider, state })
  return applyPaymentState(ctx, tx, { provider, sessionId: table === 'payment' ? row.session_id : null, state })
}

/** Settled state that follows from a movement in the provider's books. */
export const toSettledState = (
  { table, row }: PaymentOrPayout,
  { id, amount }: Pick<ReportLine, 'id' | 'amount'>,
): CertainState =>
  table === 'payment'
    ? { status: 'settled', paymentId: row.id, amount, captureId: id }
    : { status: 'settled', payoutId: row.id, amount, paidId: id }
