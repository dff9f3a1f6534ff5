import type { ReportLine } from '@tern/providers/report/port'
import type pg from 'pg'
import { keepReconciliationRunsDays } from '../../../platform/housekeeping.ts'
import { newId } from '../../../platform/ids.ts'
import { type CaseFacts, closeCases, type OpenCase, openCase, openCases } from './reconciliation-exceptions.ts'
import { backfill, type BackfillParts } from './backfill.ts'
import {
  type BothBooks,
  ledgerDifferences,
  lineDifferences,
  type LineSum,
  type OwnLine,
  ownLines,
  sumsOf,
} from './discrepancies.ts'
import type { PaymentContext } from '../context.ts'

/** Movements with `from <= time < until`, by the product's clock. */
export interface Window {
  readonly from: Date
  readonly until: Date
}

export interface ReconciliationReport {
  /** Why nothing was compared: the provider did not give its books. Then nothing is concluded and no case changes. */
  readonly unknown?: string
  readonly window: Window
  /** How many movements there are in either book. */
  readonly compared: number
  /** How many that we had missed were taken in. */
  readonly takenIn: number
  /** How many nothing is concluded about, because the provider did not answer about them. */
  readonly unresolved: number
  readonly casesOpened: number
  readonly casesClosed: number
  /** All cases that are open now, also those of other days. */
  readonly open: readonly OpenCase[]
  /** What moved, as both books have it in the end. */
  readonly sums: readonly LineSum[]
}

export interface Reconciliation {
  /**
   * Compares the provider's books with ours, takes in what we missed, and opens a case for each difference that stays; a
   * case whose difference has gone is closed. Without a window everything since the last run is compared, and once more
   * the three days before it, until a quarter of an hour ago.
   */
  reconcile(window?: Partial<Window>): Promise<ReconciliationReport>
}

// What has just happened may still be on its way to us.
const settlingMs = 15 * 60_000
// Books are sometimes completed late; and a day that failed is made up for.
const overlapMs = 3 * 86_400_000
const clockSkewMs = 3_600_000
const dayMs = 86_400_000

const lineCases = ['missing_internal', 'missing_external', 'amount_differs'] as const

export function createReconciliation(context: PaymentContext, parts: BackfillParts): Reconciliation {
  const { provider, pool, notifications, log } = context
  return {
    async reconcile(asked = {}) {
      const window = await windowOf(context, asked)
      const before = await openCases(pool)
      const answer = await provider.report.lines(window.from, window.until)
      if (answer.status === 'unknown') {
        log.warn({ reason: answer.reason }, 'the books could not be compared: the provider did not give its own')
        const none = { compared: 0, takenIn: 0, unresolved: 0, casesOpened: 0, casesClosed: 0, sums: [] }
        return { unknown: answer.reason, window, ...none, open: before }
      }
      const there = new Map(answer.lines.toSorted(byTime).map((line) => [line.id, line]))
      const { here, unresolved, takenIn } = await broughtTogether(context, parts, window, there)
      notifications.deliverSoon()
      const books = { here, there, unresolved }
      await settleCases(context, window, books)
      const open = await openCases(pool)
      const counts = {
        compared: new Set([...here.keys(), ...there.keys()]).size,
        takenIn,
        unresolved: unresolved.size,
        casesOpened: newIn(open, before),
        casesClosed: newIn(before, open),
      }
      await noteRun(context, window, counts)
      if (counts.casesOpened > 0) log.error(counts, 'the books of the provider and ours differ')
      return { window, ...counts, open, sums: sumsOf(books) }
    },
  }
}

/** How many of `cases` are not among the others. */
const newIn = (cases: readonly OpenCase[], others: readonly OpenCase[]): number =>
  cases.filter(({ id }) => !others.some((other) => other.id === id)).length

/** In the order in which things happened; money has to come before it can be taken back, and that before it comes again. */
const byTime = (a: ReportLine, b: ReportLine): number =>
  a.occurredAt.getTime() - b.occurredAt.getTime() || stageOf(a) - stageOf(b)

const stageOf = ({ kind }: ReportLine): number =>
  kind === 'chargeback_reversal' || kind === 'payout_return'
    ? 2
    : kind === 'refund' || kind === 'chargeback' || kind === 'debit_return'
      ? 1
      : 0

async function windowOf({ pool, provider, now }: PaymentContext, asked: Partial<Window>): Promise<Window> {
  const until = asked.until ?? new Date(now().getTime() - settlingMs)
  if (asked.from) return { from: asked.from, until }
  const { rows } = await pool.query<{ first: Date | null; oldest: Date | null }>(
    `select
       least((select min(created_at) from payment where provider = $1),
             (select min(created_at) from payout where provider = $1)) as first,
       (select min(happened_at) from reconciliation_exception where provider = $1 and closed_at is null and kind = any($2)) as oldest`,
    [provider.name, lineCases],
  )
  const { first, oldest } = rows[0] ?? {}
  const oldestKept = new Date(now().getTime() - keepReconciliationRunsDays * 86_400_000)
  const since = first && first < oldestKept ? oldestKept : (first ?? until)
  const begin = (await comparedUntil(pool, provider.name, since)).getTime() - overlapMs
  const times = [begin, until.getTime() - overlapMs, ...(oldest ? [oldest.getTime()] : [])]
  // not money: a time
  return { from: new Date(Math.min(...times)), until }
}

/**
 * Until when everything since `first` has been compared: runs that somebody asked for may have left days out. What is
 * older than the runs that are kept counts as compared.
 */
async function comparedUntil(pool: pg.Pool, provider: string, first: Date): Promise<Date> {
  const { rows } = await pool.query<{ from_at: Date; until_at: Date }>(
    'select from_at, until_at from reconciliation_run where provider = $1 and unresolved = 0 order by from_at',
    [provider],
  )
  let reached = first
  for (const { from_at: from, until_at: until } of rows) {
    if (from > reached) break
    if (until > reached) reached = until
  }
  return reached
}

/** Our books beside the provider's, after everything that could be taken in has been. */
async function broughtTogether(
  context: PaymentContext,
  parts: BackfillParts,
  window: Window,
  there: Map<string, ReportLine>,
): Promise<{ here: Map<string, OwnLine>; unresolved: Set<string>; takenIn: number }> {
  const { pool, provider } = context
  const read = () => ownLines(pool, { provider: provider.name, ...window, ids: [...there.keys()] })
  const before = await read()
  const unresolved = new Set<string>()
  const waiting = new Set<string>()
  for (const line of there.values()) {
    if (before.has(line.id)) continue
    // What follows on something unknown is unknown itself.
    const result = waiting.has(line.reference ?? '') ? 'unresolved' : await backfill(context, parts, line)
    if (result === 'done') continue
    unresolved.add(line.id)
    if (line.reference !== null) waiting.add(line.reference)
  }
  const here = await read()
  for (const id of unresolved) if (here.has(id)) unresolved.delete(id)
  const takenIn = [...there.keys()].filter((id) => here.has(id) && !before.has(id)).length
  await lookFurther(context, { here, there, unresolved })
  return { here, unresolved, takenIn }
}

/**
 * What we took in late stands at a later time in our books than in the provider's. So whatever seems to be missing there
 * is looked for from when it was begun.
 */
async function lookFurther(
  { provider, now }: PaymentContext,
  { here, there, unresolved }: { here: Map<string, OwnLine>; there: Map<string, ReportLine>; unresolved: Set<string> },
): Promise<void> {
  const missing = [...here.values()].filter(({ id }) => !there.has(id))
  if (missing.length === 0) return
  // not money: a time
  const from = new Date(Math.min(...missing.map(({ begunAt }) => begunAt.getTime())) - clockSkewMs)
  const answer = await provider.report.lines(from, new Date(now().getTime() + dayMs))
  if (answer.status === 'unknown') {
    for (const { id } of missing) unresolved.add(id)
    return
  }
  for (const line of answer.lines) if (here.has(line.id)) there.set(line.id, line)
}

/** Opens a case for each difference, and closes those whose difference has gone. */
async function settleCases({ pool, provider, now }: PaymentContext, window: Window, books: BothBooks): Promise<void> {
  const left = await leftToPeople(pool, provider.name)
  const differences = [
    ...lineDifferences(provider.name, books).filter(({ subject }) => !left.has(subject)),
    ...(await ledgerDifferences(pool, provider.name)),
  ]
  for (const facts of differences) await openCase(pool, facts, now())
  const stays = new Set(differences.map(keyOf))
  for (const one of await openCases(pool)) {
    if (one.provider !== provider.name || stays.has(keyOf(one)) || !isLookedAt(one, window, books)) continue
    await closeCases(pool, one, 'books_agree', now())
  }
}

const keyOf = ({ kind, subject }: CaseFacts): string => `${kind} ${subject}`

/** Movements that could not be placed when they were told: they are missing here until somebody has decided about them. */
async function leftToPeople(pool: pg.Pool, provider: string): Promise<Set<string>> {
  const { rows } = await pool.query<{ subject: string }>(
    `select subject from reconciliation_exception where provider = $1 and kind = 'unmatched' and (closed_at is null or resolved_manually)`,
    [provider],
  )
  return new Set(rows.map(({ subject }) => subject))
}

/** Whether this run can tell that what a case is about has gone. */
function isLookedAt({ kind, subject, happenedAt }: OpenCase, { from, until }: Window, books: BothBooks): boolean {
  if (kind === 'loss') return false
  if (kind === 'unmatched') return books.here.has(subject)
  if (kind === 'ledger_differs') return true
  return happenedAt !== undefined && happenedAt >= from && happenedAt < until && !books.unresolved.has(subject)
}

async function noteRun(
  { pool, provider, now }: PaymentContext,
  { from, until }: Window,
  counts: Pick<ReconciliationReport, 'compared' | 'takenIn' | 'unresolved' | 'casesOpened' | 'casesClosed'>,
): Promise<void> {
  const settled = new Date(now().getTime() - settlingMs)
  await pool.query(
    `insert into reconciliation_run (id, provider, from_at, until_at, finished_at, compared, taken_in, unresolved,
       cases_opened, cases_closed) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      newId(now()),
      provider.name,
      from,
      until < settled ? until : settled,
      now(),
      counts.compared,
      counts.takenIn,
      counts.unresolved,
      counts.casesOpened,
      counts.casesClosed,
    ],
  )
}
