import type pg from 'pg'
import type { ReportLine } from '@tern/providers/report/port'
import { retryOnConflict } from '../../../platform/database/db.ts'
import type { PaymentContext } from '../context.ts'
import { lookUpUnknownHolder } from '../instruments/holders.ts'
import { applyReversal, checkBeforeReversal } from '../reversals/reversals.ts'
import { checkPayout } from '../payouts/payouts.ts'
import { findPaidId } from '../records/payment-rows.ts'
import {
  applyState,
  type CertainState,
  findPaymentOrPayout,
  lookUp,
  type PaymentOrPayout,
  toSettledState,
} from './payment-or-payout.ts'

interface MissingLine {
  readonly provider: string
  readonly line: ReportLine
}

/**
 * Applies a movement that our books lack, as the lost event would have. `unresolved`: the provider did not answer.
 */
export async function importMissing(
  ctx: PaymentContext,
  pool: pg.Pool,
  missing: MissingLine,
): Promise<'done' | 'unresolved'> {
  const { provider, line } = missing
  try {
    if (line.reference === null) return 'done'
    const table = tableOf[line.kind]
    if (table === undefined) {
      await checkBeforeReversal(ctx, pool, missing)
      await retryOnConflict(pool, (tx, attemptNumber) =>
        applyReversal(ctx, tx, { ...missing, isLocked: attemptNumber > 1 }),
      )
      return 'done'
    }
    const record = await findOwnRecord(ctx, pool, line.reference)
    if (record?.table !== table || record.row.provider !== provider) return 'done'
    const state = await readState(ctx, pool, { record, line })
    if (state === undefined) return 'done'
    if (state.status === 'unknown') return 'unresolved'
    if ('paymentId' in state) await lookUpUnknownHolder(ctx, pool, state)
    await retryOnConflict(pool, (tx) => applyState(ctx, tx, { record, state }))
  } catch (error) {
    // Other movements are still applied; this difference is left to an operator.
    const message = 'a movement in the books of the provider could not be backfilled'
    ctx.log.error({ err: error, lineId: line.id }, message)
  }
  return 'done'
}

const tableOf: Readonly<Partial<Record<ReportLine['kind'], 'payment' | 'payout'>>> = {
  capture: 'payment',
  debit: 'payment',
  payout: 'payout',
  payout_return: 'payout',
}

/** Payment or payout of a movement. An unanswered payout is submitted again first, to get its id at the provider. */
async function findOwnRecord(ctx: PaymentContext, pool: pg.Pool, id: string): Promise<PaymentOrPayout | undefined> {
  const record = await findPaymentOrPayout(pool, id)
  if (record?.table !== 'payout' || record.row.provider_payout_id !== null) return record
  await checkPayout(ctx, pool, id)
  return findPaymentOrPayout(pool, id)
}

/** State to apply for a movement; undefined if none is known. */
async function readState(
  ctx: PaymentContext,
  pool: pg.Pool,
  { record, line: { kind, id, amount } }: { readonly record: PaymentOrPayout; readonly line: ReportLine },
): Promise<CertainState | { readonly status: 'unknown' } | undefined> {
  const state = await lookUp(ctx, record)
  if (state) return state
  // The provider cannot be queried about it, so the report line decides.
  if (kind === record.kind) return toSettledState(record, { id, amount })
  if (kind !== 'payout_return') return undefined
  const payoutId = record.row.id
  const paidId = await findPaidId(pool, payoutId)
  if (paidId === undefined) return { status: 'unknown' }
  return { status: 'returned', payoutId, amount, paidId, returnId: id, reason: 'returned' }
}
