import type { LineKind, ReportLine } from '@tern/providers/report/port'
import { onlyRow, type Db } from '../../../platform/database/db.ts'
import { isMisattributedSql } from '../records/reconciliation-exceptions.ts'
import type { PaymentRow, SettlementLineRow } from '../row-types.ts'

// Sums of a payment's settlement lines, per kind and per report. A return that names its report never exceeds the
// report's amount.

const reversalKinds = ['chargeback', 'debit_return', 'refund'] as const
export type ReversalKind = (typeof reversalKinds)[number]

export const isReversalKind = (kind: LineKind): kind is ReversalKind => reversalKinds.some((taken) => taken === kind)

/** Settlement line; `minor` is positive for incoming money. */
export type BookedLine = Pick<SettlementLineRow, 'id' | 'kind' | 'undoes' | 'undone_kind'> & { readonly minor: bigint }

/** Amounts of one payment at its provider, in minor units. */
export interface Books {
  /** Amount received by the provider. */
  readonly came: bigint
  /** Reversed amount net of returns; exceeds `came` after both a refund and a chargeback of one card payment. */
  readonly back: bigint
  /** Reversed amount net of returns, per kind of report. */
  readonly left: Readonly<Record<ReversalKind, bigint>>
  /** Kind and net amount of each reversal, by the id of its report. */
  readonly reports: ReadonlyMap<string, { readonly kind: ReversalKind; readonly left: bigint }>
}

/** Sums up settlement lines, which must be in chronological order. */
export function sumBooks(lines: readonly BookedLine[]): Books {
  const left: Record<ReversalKind, bigint> = { chargeback: 0n, debit_return: 0n, refund: 0n }
  const reports = new Map<string, { kind: ReversalKind; left: bigint }>()
  let came = 0n
  for (const { id, kind, minor } of lines) {
    if (!isReversalKind(kind)) continue
    left[kind] -= minor
    reports.set(id, { kind, left: -minor })
  }
  for (const { kind, minor, undoes, undone_kind: undoneKind } of lines) {
    if (kind === 'capture' || kind === 'debit') came += minor
    if (kind !== 'chargeback_reversal') continue
    left[undoneKind ?? findKindWithAmount(left, minor) ?? 'refund'] -= minor
    const report = reports.get(undoes ?? '')
    if (report) report.left -= minor
  }
  const back = left.chargeback + left.debit_return + left.refund
  return { came, back, left, reports }
}

/** Kind to which a return without a named report is assigned: the first with a sufficient net amount. */
export const findKindWithAmount = (left: Books['left'], minor: bigint): ReversalKind | undefined =>
  reversalKinds.find((kind) => left[kind] >= minor)

export async function readBooks(db: Db, paymentId: string): Promise<Books> {
  const { rows } = await db.query<BookedLine>(
    `select id, kind, amount_minor as minor, undoes, undone_kind from settlement_line
      where reference = $1 order by occurred_at, id`,
    [paymentId],
  )
  return sumBooks(rows)
}

/** Kind of the report whose money is returned; `unknown` while that report may still arrive. */
export type ReturnMatch = ReversalKind | 'unknown' | 'does_not_fit'

/**
 * Finds the kind of report whose money is returned. A named report gets back at most its amount. A return that names no
 * report is assigned to a kind with a sufficient amount, unless a report of this payment was left to an operator, to
 * which the return may belong.
 */
export async function findReturnedKind(
  db: Db,
  { id, provider }: Pick<PaymentRow, 'id' | 'provider'>,
  { undoes, amount: { minor } }: ReportLine,
  { left, reports }: Books,
): Promise<ReturnMatch> {
  const undoneReport = reports.get(undoes ?? '')
  if (undoneReport)
    return minor <= undoneReport.left && minor <= left[undoneReport.kind] ? undoneReport.kind : 'does_not_fit'
  const { rowCount } = await db.query(
    `select from reconciliation_exception
      where kind = 'unmatched' and provider = $1 and reference = $2 and detail = 'reversal_does_not_fit'
        and (closed_at is null or resolved_manually) and params ->> 'kind' <> 'chargeback_reversal'
        and ($3::text is null or subject = $3) limit 1`,
    [provider, id, undoes ?? null],
  )
  if (rowCount === 1) return 'does_not_fit'
  return (undoes === undefined ? findKindWithAmount(left, minor) : undefined) ?? 'unknown'
}

/**
 * Looks for other money that arrived for this payment and was never posted, to which the reversal may belong.
 * `covered`: this reversal and those left to operators together do not exceed that money.
 */
export async function checkUnpostedMoney(
  db: Db,
  { id, amount_minor: paymentMinor }: Pick<PaymentRow, 'id' | 'amount_minor'>,
  line: ReportLine,
): Promise<'none' | 'covered' | 'exceeded'> {
  const { rows } = await db.query<{ other: bigint | null; left: bigint }>(
    `select sum(coalesce(amount_minor, $3)) filter (where detail <> 'reversal_does_not_fit') as other,
        coalesce(sum(amount_minor) filter (where detail = 'reversal_does_not_fit'
          and params ->> 'kind' <> 'chargeback_reversal'), 0) as left
       from reconciliation_exception
      where reference = $1 and kind = 'unmatched' and (closed_at is null or resolved_manually)
        and subject <> $2 and subject <> reference::text and not (${isMisattributedSql})`,
    [id, line.id, paymentMinor],
  )
  const { other, left } = onlyRow(rows)
  if (other === null) return 'none'
  return left + line.amount.minor <= other ? 'covered' : 'exceeded'
}
