import type { CollectionState } from '@tern/providers/card/port'
import type { PayoutState } from '@tern/providers/payout/port'
import type { LineKind, ReportLine } from '@tern/providers/report/port'
import type { Db } from '../../../platform/database/db.ts'
import { type PaymentContext, providerOf, type Transition } from '../context.ts'
import { paymentTransition, stateAtProvider } from '../pay-ins/settlement.ts'
import { payoutTransition } from '../payouts/payout-outcomes.ts'
import { findPayment, findPayout, type PaymentRow, type PayoutRow } from '../records/payment-rows.ts'

/** A payment or a payout, and the kind of the movement that it is settled by. */
export type PaymentOrPayout =
  | { readonly table: 'payment'; readonly row: PaymentRow; readonly kind: LineKind }
  | { readonly table: 'payout'; readonly row: PayoutRow; readonly kind: LineKind }

type State = CollectionState | PayoutState

/** The payment or payout of this id, whoever it belongs to. */
export async function findPaymentOrPayout(db: Db, id: string): Promise<PaymentOrPayout | undefined> {
  const payment = await findPayment(db, id)
  if (payment) return { table: 'payment', row: payment, kind: payment.method === 'bank' ? 'debit' : 'capture' }
  const payout = await findPayout(db, id)
  return payout && { table: 'payout', row: payout, kind: 'payout' }
}

/** How it stands at its provider; undefined when that never answered, and has no name to ask about it by. */
export async function lookUp(context: PaymentContext, { table, row }: PaymentOrPayout): Promise<State | undefined> {
  if (table === 'payment') return row.session_id === null ? undefined : stateAtProvider(context, row, row.session_id)
  return row.provider_payout_id === null ? undefined : providerOf(context, row).payout.lookup(row.provider_payout_id)
}

/** What follows from its state at the provider; undefined when nothing does. */
export async function transitionBy(
  context: PaymentContext,
  { table, row }: PaymentOrPayout,
  state: Exclude<State, { status: 'unknown' }>,
): Promise<Transition | undefined> {
  if ('payoutId' in state) return payoutTransition(context, row.provider, state)
  return paymentTransition(context, row.provider, table === 'payment' ? row.session_id : null, state)
}

/** What follows when it is settled by a movement in the provider's books. */
export const settledBy = (context: PaymentContext, ours: PaymentOrPayout, { id, amount }: ReportLine) =>
  transitionBy(
    context,
    ours,
    ours.table === 'payment'
      ? { status: 'settled', paymentId: ours.row.id, amount, captureId: id }
      : { status: 'settled', payoutId: ours.row.id, amount, paidId: id },
  )
