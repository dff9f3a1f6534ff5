import type { ReportLine } from '@tern/providers/report/port'
import type pg from 'pg'
import { retryOnConflict } from '../../../platform/database/db.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { PaymentContext, Transition } from '../context.ts'
import { findPaymentAt, type PayoutRow } from '../records/payment-rows.ts'
import type { Payouts } from '../payouts/payouts.ts'
import type { Reversals } from '../disputes/reversals.ts'
import type { Settlement } from '../pay-ins/settlement.ts'

export interface BackfillParts {
  readonly settlement: Pick<Settlement, 'taking' | 'check'>
  readonly reversals: Reversals
  readonly payouts: Pick<Payouts, 'taking' | 'check'>
}

/**
 * Takes in a movement of the provider's books that is missing in ours, as its event would have done. `unresolved` when the
 * provider does not tell how what it belongs to stands; otherwise our own books say whether it is there now.
 */
export async function backfill(
  context: PaymentContext,
  parts: BackfillParts,
  line: ReportLine,
): Promise<'done' | 'unresolved'> {
  try {
    const work = await workOf(context, parts, line)
    if (work === 'unresolved') return work
    if (work) await retryOnConflict(context.pool, work)
  } catch (error) {
    // It stays a difference, which somebody has to look at; the others must not wait for it.
    context.log.error({ err: error, lineId: line.id }, 'a movement in the books of the provider could not be taken in')
  }
  return 'done'
}

function workOf(
  context: PaymentContext,
  parts: BackfillParts,
  line: ReportLine,
): Promise<Transition | 'unresolved' | undefined> {
  if (line.reference === null || !isUuid(line.reference)) return Promise.resolve(undefined)
  switch (line.kind) {
    case 'capture':
    case 'debit':
      return paymentWork(context, parts, line, line.reference)
    case 'payout':
    case 'payout_return':
      return payoutWork(context, parts, line, line.reference)
    case 'refund':
    case 'chargeback':
    case 'chargeback_reversal':
    case 'debit_return':
      return parts.reversals.taking(line)
  }
}

async function paymentWork(
  context: PaymentContext,
  { settlement }: BackfillParts,
  line: ReportLine,
  id: string,
): Promise<Transition | 'unresolved' | undefined> {
  const { bank, card } = context.provider
  const payment = await findPaymentAt(context, id)
  if (!payment) return undefined
  const isBank = payment.method === 'bank'
  const sessionId = payment.session_id
  if (sessionId === null) {
    // Its order was never answered: nothing can be asked about it, and the line tells all there is to know.
    if (line.kind !== (isBank ? 'debit' : 'capture')) return undefined
    return settlement.taking(null, { status: 'settled', paymentId: id, amount: line.amount, captureId: line.id })
  }
  const state = await (isBank ? bank.lookupDebit(sessionId) : card.lookup(sessionId))
  return state.status === 'unknown' ? 'unresolved' : settlement.taking(sessionId, state)
}

async function payoutWork(
  { pool, provider }: PaymentContext,
  { payouts }: BackfillParts,
  line: ReportLine,
  id: string,
): Promise<Transition | 'unresolved' | undefined> {
  const find = async () => {
    const { rows } = await pool.query<PayoutRow>('select * from payout where id = $1 and provider = $2', [
      id,
      provider.name,
    ])
    return rows[0]
  }
  const known = await find()
  if (!known) return undefined
  // One whose order was never answered has no name at the provider until it is ordered again.
  if (known.provider_payout_id === null) await payouts.check(id)
  const providerPayoutId = known.provider_payout_id ?? (await find())?.provider_payout_id
  if (!providerPayoutId) {
    // Nothing can be asked about it either; what happened the line tells by itself.
    const { amount, id: lineId } = line
    if (line.kind === 'payout') return payouts.taking({ status: 'settled', payoutId: id, amount, paidId: lineId })
    const paidId = await paidIdOf(pool, id)
    if (paidId === undefined) return 'unresolved'
    return payouts.taking({ status: 'returned', payoutId: id, amount, paidId, returnId: lineId, reason: 'returned' })
  }
  const state = await provider.payout.lookup(providerPayoutId)
  return state.status === 'unknown' ? 'unresolved' : payouts.taking(state)
}

async function paidIdOf(pool: pg.Pool, payoutId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from settlement_line where reference = $1 and kind = 'payout'`,
    [payoutId],
  )
  return rows[0]?.id
}
