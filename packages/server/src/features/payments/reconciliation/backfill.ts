import type { ReportLine } from '@tern/providers/report/port'
import type pg from 'pg'
import { retryOnConflict } from '../../../platform/database/db.ts'
import { type PaymentContext, providerOf, type Transition } from '../context.ts'
import { reversalTransition } from '../disputes/reversals.ts'
import { paymentTransition, stateAtProvider } from '../pay-ins/settlement.ts'
import { payoutTransition } from '../payouts/payout-outcomes.ts'
import { checkPayout } from '../payouts/payouts.ts'
import { findPayment, findPayout } from '../records/payment-rows.ts'

type Work = Transition | 'unresolved' | undefined

/** Applies a movement that our books miss, as its event would have. `unresolved` when the provider does not answer. */
export async function backfill(
  context: PaymentContext,
  provider: string,
  line: ReportLine,
): Promise<'done' | 'unresolved'> {
  try {
    const work = await workOf(context, provider, line)
    if (work === 'unresolved') return work
    if (work) await retryOnConflict(context.pool, work)
  } catch (error) {
    // It stays a difference for a person to look at, and holds up no other.
    context.log.error(
      { err: error, lineId: line.id },
      'a movement in the books of the provider could not be backfilled',
    )
  }
  return 'done'
}

async function workOf(context: PaymentContext, provider: string, line: ReportLine): Promise<Work> {
  if (line.reference === null) return undefined
  if (line.kind === 'capture' || line.kind === 'debit') return paymentWork(context, provider, line, line.reference)
  if (line.kind === 'payout' || line.kind === 'payout_return') {
    return payoutWork(context, provider, line, line.reference)
  }
  return reversalTransition(context, provider, line)
}

async function paymentWork(context: PaymentContext, provider: string, line: ReportLine, id: string): Promise<Work> {
  const payment = await findPayment(context.pool, id)
  if (payment?.provider !== provider) return undefined
  const { session_id: sessionId } = payment
  if (sessionId === null) {
    // It was never answered, so nothing can be asked about it; the line tells all there is to know.
    if (line.kind !== (payment.method === 'bank' ? 'debit' : 'capture')) return undefined
    const state = { status: 'settled', paymentId: id, amount: line.amount, captureId: line.id } as const
    return paymentTransition(context, provider, null, state)
  }
  const state = await stateAtProvider(context, payment, sessionId)
  return state.status === 'unknown' ? 'unresolved' : paymentTransition(context, provider, sessionId, state)
}

async function payoutWork(context: PaymentContext, provider: string, line: ReportLine, id: string): Promise<Work> {
  const { pool } = context
  let payout = await findPayout(pool, id)
  if (payout?.provider !== provider) return undefined
  if (payout.provider_payout_id === null) {
    // It was never answered, and has no name at the provider until it is submitted again.
    await checkPayout(context, id)
    payout = (await findPayout(pool, id)) ?? payout
  }
  if (payout.provider_payout_id !== null) {
    const state = await providerOf(context, payout).payout.lookup(payout.provider_payout_id)
    return state.status === 'unknown' ? 'unresolved' : payoutTransition(context, provider, state)
  }
  const { amount, id: lineId } = line
  if (line.kind === 'payout') {
    return payoutTransition(context, provider, { status: 'settled', payoutId: id, amount, paidId: lineId })
  }
  const paidId = await paidIdOf(pool, id)
  if (paidId === undefined) return 'unresolved'
  const state = { status: 'returned', payoutId: id, amount, paidId, returnId: lineId, reason: 'returned' } as const
  return payoutTransition(context, provider, state)
}

async function paidIdOf(pool: pg.Pool, payoutId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from settlement_line where reference = $1 and kind = 'payout'`,
    [payoutId],
  )
  return rows[0]?.id
}
