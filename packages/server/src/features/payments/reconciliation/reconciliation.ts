import type { ReportLine, ReportProvider } from '@tern/providers/report/port'
import type pg from 'pg'
import type { Db } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { reconciledDays } from '../tables.ts'
import { newId } from '../../../platform/ids.ts'
import type { PaymentContext } from '../context.ts'
import { importMissing } from './backfill.ts'
import {
  type MatchedBooks,
  ledgerDifferences,
  lineDifferences,
  type LineSum,
  readLedgerLines,
  sumLines,
} from './discrepancies.ts'
import { type CaseFacts, closeCases, type OpenCase, openCase, openCases } from '../records/reconciliation-exceptions.ts'
import type { PaymentRow, ReconciliationExceptionRow, ReconciliationRunRow } from '../row-types.ts'

/** Half-open interval, by the product's clock. */
export interface Window {
  readonly from: Date
  readonly until: Date
}

/** Result of comparing one provider's books with ours. */
export interface ReconciliationReport {
  readonly provider: string
  /** Set if nothing was compared: the provider did not return its books, or is not configured. No case changes then. */
  readonly unknown?: string
  readonly window: Window
  readonly compared: number
  readonly takenIn: number
  /** Count of movements without a conclusion, because the provider did not answer. */
  readonly unresolved: number
  readonly casesOpened: number
  readonly casesClosed: number
  /** All open cases, including those of other days and providers. */
  readonly open: readonly OpenCase[]
  /** Totals of both books after the run. */
  readonly sums: readonly LineSum[]
}

// Newer movements may still be on their way to us.
const settlingMs = 15 * 60_000
const dayMs = 86_400_000
// Covers books that a provider completes late, and days whose run failed.
const overlapMs = 3 * dayMs
const clockSkewMs = 3_600_000

const lineCases = ['missing_internal', 'missing_external', 'amount_differs'] as const

/**
 * Compares the books of every provider with ours, applies movements that we missed, and opens a case for each remaining
 * difference; cases without a difference are closed. A provider that rows name but that is not configured gets a report
 * that says so. The default window begins three days before the time up to which all was compared, or earlier if an
 * open case is older, and ends a quarter of an hour ago.
 */
export async function reconcile(ctx: PaymentContext, pool: pg.Pool, window: Partial<Window> = {}) {
  const reports: ReconciliationReport[] = []
  for (const name of await providerNames(ctx, pool))
    reports.push(await reconcileProvider(ctx, pool, { name, requestedWindow: window }))
  return reports
}

/** Configured providers with a report, and unconfigured ones of open payments and payouts or of settlement lines. */
async function providerNames({ providers }: PaymentContext, db: Db): Promise<string[]> {
  const { rows } = await db.query<Pick<PaymentRow, 'provider'>>(
    `select provider from payment where status in ('pending', 'needs_review')
     union select provider from payout where status in ('pending', 'needs_review')
     union select provider from settlement_line`,
  )
  const named = [...providers.all.map(({ name }) => name), ...rows.map(({ provider }) => provider).toSorted()]
  const lacksReport = (name: string) => providers.all.some((provider) => provider.name === name && !provider.report)
  return [...new Set(named)].filter((name) => !lacksReport(name))
}

const emptyReport = { compared: 0, takenIn: 0, unresolved: 0, casesOpened: 0, casesClosed: 0, sums: [] }

async function reconcileProvider(
  ctx: PaymentContext,
  pool: pg.Pool,
  { name, requestedWindow }: { readonly name: string; readonly requestedWindow: Partial<Window> },
) {
  const { providers, log } = ctx
  const window = await loadWindow(ctx, pool, { provider: name, requestedWindow })
  const previousCases = await openCases(pool)
  const report = providers.find(name)?.report
  const answer = await report?.lines(window.from, window.until)
  if (!report || answer?.status !== 'known') {
    const unknown = answer && 'reason' in answer ? answer.reason : 'rows name it, but it is not configured'
    const details = { provider: name, reason: unknown }
    log[report ? 'warn' : 'error'](details, 'the books of a provider could not be compared')
    return { provider: name, unknown, window, ...emptyReport, open: previousCases }
  }
  const there = new Map(answer.lines.toSorted(byTime).map((line) => [line.id, line]))
  const { takenIn, ...books } = await alignBooks(ctx, pool, { provider: name, report, window, there })
  await settleCases(ctx, pool, { provider: name, window, books })
  const open = await openCases(pool)
  const counts = {
    compared: new Set([...books.here.keys(), ...there.keys()]).size,
    takenIn,
    unresolved: books.unresolved.size,
    casesOpened: countNotIn(open, previousCases),
    casesClosed: countNotIn(previousCases, open),
  }
  await recordRun(ctx, pool, { provider: name, window, counts })
  if (counts.casesOpened > 0) log.error({ provider: name, ...counts }, 'the books of the provider and ours differ')
  return { provider: name, window, ...counts, open, sums: sumLines(books) }
}

const countNotIn = (cases: readonly OpenCase[], others: readonly OpenCase[]): number =>
  cases.filter(({ id }) => !others.some((other) => other.id === id)).length

/** By time; at equal times, payments precede reversals, and reversals precede returns. */
const byTime = (a: ReportLine, b: ReportLine): number =>
  a.occurredAt.getTime() - b.occurredAt.getTime() || stages[a.kind] - stages[b.kind]

const stages = {
  ...{ capture: 0, debit: 0, payout: 0 },
  ...{ refund: 1, chargeback: 1, debit_return: 1 },
  ...{ chargeback_reversal: 2, payout_return: 2 },
}

async function loadWindow(
  { now }: PaymentContext,
  db: Db,
  { provider, requestedWindow }: { readonly provider: string; readonly requestedWindow: Partial<Window> },
): Promise<Window> {
  const until = requestedWindow.until ?? new Date(now().getTime() - settlingMs)
  if (requestedWindow.from) return { from: requestedWindow.from, until }
  const { rows } = await db.query<{ first: Date | null; oldest: Date | null }>(
    `select
       least((select min(created_at) from payment where provider = $1),
             (select min(created_at) from payout where provider = $1)) as first,
       (select min(happened_at) from reconciliation_exception where provider = $1 and closed_at is null and kind = any($2)) as oldest`,
    [provider, lineCases],
  )
  const { first, oldest } = rows[0] ?? {}
  const oldestKept = new Date(now().getTime() - reconciledDays * dayMs)
  const since = first && first < oldestKept ? oldestKept : (first ?? until)
  const begin = (await readComparedUntil(db, provider, since)).getTime() - overlapMs
  const times = [begin, until.getTime() - overlapMs, ...(oldest ? [oldest.getTime()] : [])]
  // not money: a time
  return { from: new Date(Math.min(...times)), until }
}

/** Time up to which everything since `first` was compared. Runs over windows that an operator chose may leave gaps. */
async function readComparedUntil(db: Db, provider: string, first: Date): Promise<Date> {
  const { rows } = await db.query<Pick<ReconciliationRunRow, 'from_at' | 'until_at'>>(
    'select from_at, until_at from reconciliation_run where provider = $1 and unresolved = 0 order by from_at',
    [provider],
  )
  let reachedAt = first
  for (const { from_at: from, until_at: until } of rows) {
    if (from > reachedAt) break
    if (until > reachedAt) reachedAt = until
  }
  return reachedAt
}

async function alignBooks(
  ctx: PaymentContext,
  pool: pg.Pool,
  {
    provider,
    report,
    window,
    there,
  }: Pick<MatchedBooks, 'there'> & { provider: string; report: ReportProvider; window: Window },
): Promise<MatchedBooks & { takenIn: number }> {
  const read = () => readLedgerLines(pool, { provider, ...window, ids: [...there.keys()] })
  const previousLines = await read()
  const unresolved = new Set<string>()
  const unresolvedReferences = new Set<string>()
  for (const line of there.values()) {
    if (previousLines.has(line.id)) continue
    // A movement that follows an unresolved one is unresolved too.
    const result = unresolvedReferences.has(line.reference ?? '')
      ? 'unresolved'
      : await importMissing(ctx, pool, { provider, line })
    if (result === 'done') continue
    unresolved.add(line.id)
    if (line.reference !== null) unresolvedReferences.add(line.reference)
  }
  const here = await read()
  for (const id of unresolved) if (here.has(id)) unresolved.delete(id)
  const takenIn = [...there.keys()].filter((id) => here.has(id) && !previousLines.has(id)).length
  const books = { here, there, unresolved }
  await searchEarlierLines(ctx.now(), report, books)
  return { ...books, takenIn }
}

/**
 * Movements that we recorded late are older in the provider's books: reads these again from the start of the payments.
 */
async function searchEarlierLines(now: Date, report: ReportProvider, { here, there, unresolved }: MatchedBooks) {
  const missing = [...here.values()].filter(({ id }) => !there.has(id))
  if (missing.length === 0) return
  // not money: a time
  const from = new Date(Math.min(...missing.map(({ begunAt }) => begunAt.getTime())) - clockSkewMs)
  const answer = await report.lines(from, new Date(now.getTime() + dayMs))
  if (answer.status === 'unknown') for (const { id } of missing) unresolved.add(id)
  else for (const line of answer.lines) if (here.has(line.id)) there.set(line.id, line)
}

async function settleCases(
  { now }: PaymentContext,
  pool: pg.Pool,
  { provider, window, books }: { readonly provider: string; readonly window: Window; readonly books: MatchedBooks },
): Promise<void> {
  const unmatchedSubjects = await readUnmatchedSubjects(pool, provider)
  const differences = [
    ...lineDifferences(provider, books).filter(({ subject }) => !unmatchedSubjects.has(subject)),
    ...(await ledgerDifferences(pool, provider)),
  ]
  const open = await openCases(pool)
  const openKeys = new Set(open.map(formatCaseKey))
  // Settlement accounts are shared by all providers, so each provider's run finds the same difference.
  const isNew = (facts: CaseFacts) => facts.kind !== 'ledger_differs' || !openKeys.has(formatCaseKey(facts))
  for (const facts of differences.filter(isNew)) await openCase(pool, facts, now())
  const currentKeys = new Set(differences.map(formatCaseKey))
  for (const exceptionCase of open) {
    const { id, kind } = exceptionCase
    const isOwn = exceptionCase.provider === provider || kind === 'ledger_differs'
    if (!isOwn || currentKeys.has(formatCaseKey(exceptionCase)) || !isInWindow(exceptionCase, window, books)) continue
    await closeCases(pool, { id }, 'books_agree', now())
  }
}

const formatCaseKey = ({ kind, subject }: CaseFacts): string => `${kind} ${subject}`

/** Subjects of unmatched cases, open or resolved by an operator. These movements get no second case. */
async function readUnmatchedSubjects(pool: pg.Pool, provider: string): Promise<Set<string>> {
  const { rows } = await pool.query<Pick<ReconciliationExceptionRow, 'subject'>>(
    `select subject from reconciliation_exception where provider = $1 and kind = 'unmatched' and (closed_at is null or resolved_manually)`,
    [provider],
  )
  return new Set(rows.map(({ subject }) => subject))
}

function isInWindow({ kind, subject, happenedAt }: OpenCase, { from, until }: Window, books: MatchedBooks): boolean {
  if (kind === 'loss') return false
  if (kind === 'unmatched') return books.here.has(subject)
  if (kind === 'ledger_differs') return true
  return !!happenedAt && happenedAt >= from && happenedAt < until && !books.unresolved.has(subject)
}

interface ReconciliationRun {
  readonly provider: string
  readonly window: Window
  readonly counts: Omit<typeof emptyReport, 'sums'>
}

async function recordRun(
  { now }: PaymentContext,
  db: Db,
  { provider, window: { from, until }, counts }: ReconciliationRun,
): Promise<void> {
  const { compared, takenIn, unresolved, casesOpened, casesClosed } = counts
  const at = now()
  const settledBefore = new Date(at.getTime() - settlingMs)
  await insertRow(db, 'reconciliation_run', {
    ...{
      id: newId(at),
      provider,
      from_at: from,
      until_at: until < settledBefore ? until : settledBefore,
      finished_at: at,
    },
    ...{ compared, taken_in: takenIn, unresolved, cases_opened: casesOpened, cases_closed: casesClosed },
  })
}
