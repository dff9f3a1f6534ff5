import type pg from 'pg'
import type { Money } from '@tern/money/money'
import { isIncoming, type ReportLine } from '@tern/providers/report/port'
import { type Db, retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { OperatorError } from '../../../platform/refuse.ts'
import { type PaymentContext, requireProvider } from '../context.ts'
import { lookUpUnknownHolder } from '../instruments/holders.ts'
import { toAmount, findLineOwner } from '../records/payment-rows.ts'
import { closeCases, closeMisattributed, openCase, resolveExceptions } from '../records/reconciliation-exceptions.ts'
import { isRepeatable } from '../payouts/payouts.ts'
import {
  applyState,
  type CertainState,
  findPaymentOrPayout,
  lookUp,
  type PaymentOrPayout,
  toSettledState,
} from './payment-or-payout.ts'
import type { ReconciliationExceptionRow } from '../row-types.ts'

export class ResolutionRefused extends OperatorError {}

// Operators' decisions about payments and payouts with an open exception that cannot be closed automatically.

const clockSkewMs = 3_600_000
const dayMs = 86_400_000

/** Decision about the payment or payout with this id. */
interface Resolution {
  readonly id: string
  readonly because: string
}

/**
 * Fails a payment or payout: its reservation returns to the wallet, and its cases are closed with `because`. Throws
 * ResolutionRefused while the provider may still carry it out, unless the movements in the provider's books net to
 * zero, for a payout that is only late and still being resubmitted, and for the return of a held deposit.
 */
export async function releaseManually(ctx: PaymentContext, pool: pg.Pool, { id, because }: Resolution): Promise<void> {
  const record = await findRecord(ctx, pool, id)
  if (record.table === 'payout' && record.row.returns_payment_id !== null) {
    throw new ResolutionRefused(
      'It returns a held deposit, which cannot go back to the wallet: pay it out at the provider, then settle it with that movement.',
    )
  }
  await requireNotResubmitted(ctx, pool, record)
  const lines = await requireNettedLines(ctx, pool, record)
  const { provider } = record.row
  const state: CertainState =
    record.table === 'payment'
      ? { status: 'declined', paymentId: id, reason: 'failed' }
      : { status: 'failed', payoutId: id, reason: 'could_not_process' }
  await retryOnConflict(pool, async (tx) => {
    await reopen(tx, record)
    const at = ctx.now()
    if ((await resolveExceptions(tx, id, because, at)) === 0)
      throw new ResolutionRefused(`No exception is open about ${id}.`)
    // Stores a resolved case for each movement that cancelled out at the provider, so that a later report opens none.
    for (const { id: subject, kind, amount, occurredAt: happenedAt } of lines) {
      const detail = { code: 'came_and_went', params: { kind, amount: amountText(amount) } } as const
      await openCase(tx, { kind: 'unmatched', provider, subject, reference: id, amount, happenedAt, detail }, at)
    }
    await resolveExceptions(tx, id, because, at)
    requireOutcome(record, await applyState(ctx, tx, { record, state }), ['failed'])
  })
}

/**
 * Settles a payment or payout by a movement of the exact amount in the provider's books: `lineId`, or else the only one
 * that its cases or the provider assign to it. Throws ResolutionRefused without such a movement.
 */
export async function settleManually(
  ctx: PaymentContext,
  pool: pg.Pool,
  { id, because, lineId }: Resolution & { readonly lineId?: string | undefined },
): Promise<void> {
  const record = await findRecord(ctx, pool, id)
  const line = await findLine(ctx, pool, { record, lineId })
  const state = toSettledState(record, line)
  if ('paymentId' in state) await lookUpUnknownHolder(ctx, pool, state)
  await retryOnConflict(pool, async (tx) => {
    await reopen(tx, record)
    const at = ctx.now()
    // The chosen movement replaces an earlier capture.
    if (record.table === 'payment') await tx.query('update payment set capture_id = null where id = $1', [id])
    const { provider } = record.row
    const owner = await findLineOwner(tx, provider, line.id)
    if (owner !== undefined) throw new ResolutionRefused(`${line.id} has already been posted, for ${owner}.`)
    let closedCount = await closeMisattributed(tx, id, { because }, at)
    for (const kind of ['unmatched', 'missing_internal'] as const) {
      for (const subject of [line.id, id])
        closedCount += await closeCases(tx, { kind, provider, subject }, { because }, at)
    }
    if (closedCount === 0) throw new ResolutionRefused(`No exception is open about ${id}, or about ${line.id}.`)
    requireOutcome(record, await applyState(ctx, tx, { record, state }), ['completed', 'kept_for_the_payer'])
  })
}

function requireOutcome(
  { row }: PaymentOrPayout,
  outcome: string | undefined,
  allowedOutcomes: readonly string[],
): void {
  if (outcome === undefined) throw new ResolutionRefused(`${row.id} cannot be changed any further.`)
  if (!allowedOutcomes.includes(outcome)) throw new ResolutionRefused(`The outcome differs: ${outcome}.`)
}

async function findRecord({ providers }: PaymentContext, db: Db, id: string): Promise<PaymentOrPayout> {
  const record = await findPaymentOrPayout(db, id)
  if (!record) throw new ResolutionRefused(`There is no payment or payout ${id}.`)
  const { provider } = record.row
  if (!providers.find(provider)) throw new ResolutionRefused(`The provider ${provider} of ${id} is not configured.`)
  return record
}

async function reopen(tx: Tx, { table, row }: PaymentOrPayout): Promise<void> {
  const { rowCount } = await tx.query(
    `update ${table} set status = 'pending' where id = $1 and status in ('pending', 'needs_review')
      and not exists (select from settlement_line where reference = $1)`,
    [row.id],
  )
  if (rowCount === 0) throw new ResolutionRefused(`${row.id} has ended, or money has been posted for it.`)
}

async function fetchLinesSince(ctx: PaymentContext, { row }: PaymentOrPayout): Promise<readonly ReportLine[]> {
  const from = new Date(row.created_at.getTime() - clockSkewMs)
  const { report } = requireProvider(ctx, row)
  if (!report) throw new ResolutionRefused(`The provider ${row.provider} has no report to show what moved.`)
  const answer = await report.lines(from, new Date(ctx.now().getTime() + dayMs))
  if (answer.status === 'unknown')
    throw new ResolutionRefused(`The provider did not return its records: ${answer.reason}`)
  return answer.lines
}

async function findLine(
  ctx: PaymentContext,
  db: Db,
  { record, lineId }: { readonly record: PaymentOrPayout; readonly lineId: string | undefined },
): Promise<ReportLine> {
  const { row, kind } = record
  const { rows } = await db.query<Pick<ReconciliationExceptionRow, 'subject'>>(
    'select subject from reconciliation_exception where reference = $1 and closed_at is null',
    [row.id],
  )
  const lineIds = new Set(lineId === undefined ? rows.map(({ subject }) => subject) : [lineId])
  const isSameMovement = (line: ReportLine) =>
    lineIds.has(line.id) || (lineId === undefined && line.reference === row.id && line.kind === kind)
  const [line, ...otherLines] = (await fetchLinesSince(ctx, record)).filter(isSameMovement)
  if (!line || otherLines.length > 0) {
    const count = line ? otherLines.length + 1 : 0
    throw new ResolutionRefused(
      `The provider's books have ${count} such movements since ${row.id} was started; name one.`,
    )
  }
  const [lineText, orderedText] = [line.amount, toAmount(row)].map(amountText)
  if (line.kind !== kind || lineText !== orderedText) {
    throw new ResolutionRefused(
      `${line.id} is a ${line.kind} of ${lineText}; what was ordered is a ${kind} of ${orderedText}.`,
    )
  }
  if (line.reference !== null && line.reference !== row.id) {
    throw new ResolutionRefused(`${line.id} belongs to ${line.reference}.`)
  }
  return line
}

/**
 * Throws ResolutionRefused for an unanswered payout that is only late: it is resubmitted while the provider keeps its
 * key, so it could be paid after its release.
 */
async function requireNotResubmitted(ctx: PaymentContext, db: Db, { table, row }: PaymentOrPayout): Promise<void> {
  if (table !== 'payout' || row.status !== 'pending' || row.provider_payout_id !== null) return
  if (!isRepeatable(ctx, row)) return
  const { rows } = await db.query<{ is_only_late: boolean | null }>(
    `select bool_and(detail = 'payout_late') as is_only_late from reconciliation_exception
      where reference = $1 and kind = 'unmatched' and closed_at is null`,
    [row.id],
  )
  if (rows[0]?.is_only_late === true) {
    throw new ResolutionRefused(
      'The provider has not answered yet and will be asked again: it may still carry this out.',
    )
  }
}

/**
 * Movements of a payment or payout at the provider. Throws ResolutionRefused unless they net to zero and the provider
 * has finished it.
 */
async function requireNettedLines(
  ctx: PaymentContext,
  db: Db,
  record: PaymentOrPayout,
): Promise<readonly ReportLine[]> {
  const { id } = record.row
  const state = await lookUp(ctx, record)
  if (state?.status === 'open')
    throw new ResolutionRefused('The provider may still carry this out: cancel it there first.')
  if (state?.status === 'unknown')
    throw new ResolutionRefused(`The provider does not say how it stands: ${state.reason}`)
  const lines = (await fetchLinesSince(ctx, record)).filter(({ reference }) => reference === id)
  const sums = new Map<Money['currency'], bigint>()
  for (const { kind, amount } of lines) {
    const sum = sums.get(amount.currency) ?? 0n
    sums.set(amount.currency, isIncoming[kind] ? sum + amount.minor : sum - amount.minor)
  }
  const paidBy = state?.status === 'settled' && ('paidId' in state ? state.paidId : state.captureId)
  const owner = paidBy ? await findLineOwner(db, record.row.provider, paidBy) : undefined
  // A movement posted for another payment proves nothing about this one.
  const isPaid = paidBy && (owner ?? id) === id
  if ((isPaid && lines.length === 0) || [...sums.values()].some((sum) => sum !== 0n)) {
    throw new ResolutionRefused(
      'Money moved for it at the provider, and has not gone back there: settle it, or undo that.',
    )
  }
  return lines
}
