import type { ReportLine } from '@tern/providers/report/port'
import { retryOnConflict } from '../../../platform/database/db.ts'
import type { PaymentContext } from '../context.ts'
import { reversalTransition } from '../reversals/reversals.ts'
import { checkPayout } from '../payouts/payouts.ts'
import { paidIdOf } from '../records/payment-rows.ts'
import { findPaymentOrPayout, lookUp, settledBy, transitionBy } from './payment-or-payout.ts'

/** Applies a movement that our books miss, as its event would have. `unresolved` when the provider does not answer. */
export async function backfill(context: PaymentContext, provider: string, line: ReportLine) {
  try {
    const transition = await transitionOf(context, provider, line)
    if (transition === 'unresolved') return transition
    if (transition) await retryOnConflict(context.pool, transition)
  } catch (error) {
    // It stays a difference for a person to look at, and holds up no other.
    const message = 'a movement in the books of the provider could not be backfilled'
    context.log.error({ err: error, lineId: line.id }, message)
  }
  return 'done'
}

const tableOf: Readonly<Partial<Record<ReportLine['kind'], 'payment' | 'payout'>>> = {
  ...{ capture: 'payment', debit: 'payment' },
  ...{ payout: 'payout', payout_return: 'payout' },
}

async function transitionOf(context: PaymentContext, provider: string, line: ReportLine) {
  const { pool } = context
  const { kind, reference, amount } = line
  if (reference === null) return undefined
  const table = tableOf[kind]
  if (table === undefined) return reversalTransition(context, provider, line)
  let ours = await findPaymentOrPayout(pool, reference)
  if (ours?.table !== table || ours.row.provider !== provider) return undefined
  if (ours.table === 'payout' && ours.row.provider_payout_id === null) {
    // It was never answered, and has no name at the provider until it is submitted again.
    await checkPayout(context, reference)
    ours = (await findPaymentOrPayout(pool, reference)) ?? ours
  }
  const state = await lookUp(context, ours)
  if (state) return state.status === 'unknown' ? 'unresolved' : transitionBy(context, ours, state)
  // Nothing can be asked about it; the line tells all there is to know.
  if (kind === ours.kind) return settledBy(context, ours, line)
  if (kind !== 'payout_return') return undefined
  const paidId = await paidIdOf(pool, reference)
  if (paidId === undefined) return 'unresolved'
  const returned = { payoutId: reference, amount, paidId, returnId: line.id, reason: 'returned' }
  return transitionBy(context, ours, { status: 'returned', ...returned })
}
