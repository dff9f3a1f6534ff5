import type { OwnLine, PendingMoney, ProviderBalance, ReportLine, ReportProvider } from '@tern/providers/report/port'
import { type Money, money } from '@tern/money/money'
import type pg from 'pg'
import type { Db } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import type { PaymentContext } from '../context.ts'
import { importMissing } from './backfill.ts'
import {
  addToSums,
  type LedgerLine,
  ledgerDifferences,
  lineDifferences,
  type LineSum,
  type LineSums,
  readLedgerLines,
  sortSums,
} from './discrepancies.ts'
import { operatorLineDifferences, postOperatorLine, readOperatorLines } from './operator-lines.ts'
import { type ComparisonWindow, dayMs, listPeriods, loadWindow, settlingMs, type Window } from './periods.ts'
import {
  balanceDifferences,
  type BalanceComparison,
  type BalanceResult,
  balanceSubject,
  compareBalances,
  toChange,
} from './provider-balances.ts'
import { type CaseFacts, closeCases, type OpenCase, openCase, openCases } from '../records/reconciliation-exceptions.ts'
import type { PaymentRow, ReconciliationExceptionRow } from '../row-types.ts'

/** Result of comparing one provider's books with ours. */
export interface ReconciliationReport {
  readonly provider: string
  /**
   * Set if the provider did not return its books, or is not configured. Nothing is concluded then, except about days
   * that were compared before.
   */
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
  /** Balances at the provider; undefined for a window that ended in the past. */
  readonly balances?: BalanceResult
}

// Times of the provider and ours differ by the delay of an event, and by their clocks.
const clockSkewMs = 3_600_000

/**
 * Compares the books of every provider with ours, applies movements that we missed, posts the provider's fees and other
 * movements of our own money, and opens a case for each remaining difference; cases without a difference are closed. A
 * provider that rows name but that is not configured gets a report that says so.
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

/** Findings of a run so far, period by period. */
interface Findings {
  readonly differences: CaseFacts[]
  readonly sums: LineSums
  /** Ids and references of movements without a conclusion, because the provider did not answer. */
  readonly unresolved: Set<string>
  readonly unresolvedReferences: Set<string>
  /** Movements that were not posted, for the comparison of balances. */
  readonly unposted: ReportLine[]
  readonly corrections: ProviderBalance[]
  readonly pending: PendingMoney[]
  compared: number
  takenIn: number
}

const createFindings = (): Findings => ({
  differences: [],
  sums: new Map(),
  unresolved: new Set(),
  unresolvedReferences: new Set(),
  unposted: [],
  corrections: [],
  pending: [],
  compared: 0,
  takenIn: 0,
})

async function reconcileProvider(
  ctx: PaymentContext,
  pool: pg.Pool,
  { name: provider, requestedWindow }: { readonly name: string; readonly requestedWindow: Partial<Window> },
): Promise<ReconciliationReport> {
  const { providers, log } = ctx
  const window = await loadWindow(ctx, pool, { provider, requestedWindow })
  const previousCases = await openCases(pool)
  const report = providers.find(provider)?.report
  const findings = createFindings()
  const describe = () => describeRun(pool, { provider, window, findings, previousCases })
  if (!report) {
    const unknown = 'rows name it, but it is not configured'
    log.error({ provider, reason: unknown }, 'the books of a provider could not be compared')
    return { ...(await describe()), unknown }
  }
  const last = await comparePeriods(ctx, pool, { provider, report, window, findings })
  if (typeof last === 'string') {
    log.warn({ provider, reason: last }, 'the books of a provider could not be compared')
    return { ...(await describe()), unknown: last }
  }
  const balances = await compareCurrentBalances(ctx, pool, { provider, report, window, findings })
  if (balances?.status === 'unknown')
    log.warn({ provider, reason: balances.reason }, 'the balances at a provider could not be compared')
  await settleCases(ctx, pool, { provider, window, findings, balances })
  const described = await describe()
  const { compared, takenIn, unresolved, casesOpened, casesClosed } = described
  if (last) await recordPeriod(ctx, pool, { ...last, counts: { ...last.counts, closed: casesClosed } })
  const counts = { compared, takenIn, unresolved, casesOpened, casesClosed }
  if (casesOpened > 0) log.error({ provider, ...counts }, 'the books of the provider and ours differ')
  return balances ? { ...described, balances } : described
}

interface RunToDescribe {
  readonly provider: string
  readonly window: ComparisonWindow
  readonly findings: Findings
  readonly previousCases: readonly OpenCase[]
}

async function describeRun(
  pool: pg.Pool,
  { provider, window: { from, until }, findings, previousCases }: RunToDescribe,
): Promise<ReconciliationReport> {
  const open = await openCases(pool)
  return {
    provider,
    window: { from, until },
    compared: findings.compared,
    takenIn: findings.takenIn,
    unresolved: findings.unresolved.size,
    casesOpened: countNotIn(open, previousCases),
    casesClosed: countNotIn(previousCases, open),
    open,
    sums: sortSums(findings.sums),
  }
}

const countNotIn = (cases: readonly OpenCase[], others: readonly OpenCase[]): number =>
  cases.filter(({ id }) => !others.some((other) => other.id === id)).length

const byTime = (a: { readonly occurredAt: Date }, b: { readonly occurredAt: Date }): number =>
  a.occurredAt.getTime() - b.occurredAt.getTime()

interface ProviderRun {
  readonly provider: string
  readonly report: ReportProvider
  readonly window: ComparisonWindow
  readonly findings: Findings
}

/**
 * Compares a window period by period. Each period is recorded once its exceptions are open, so that a run that ends early
 * is continued by the next one. Returns the record of the last period, or the reason if the provider did not answer.
 */
async function comparePeriods(
  ctx: PaymentContext,
  pool: pg.Pool,
  run: ProviderRun,
): Promise<PeriodRecord | undefined | string> {
  let last: PeriodRecord | undefined
  for (const period of listPeriods(run.window)) {
    if (last) await recordPeriod(ctx, pool, last)
    const record = await comparePeriod(ctx, pool, run, period)
    if (typeof record === 'string') return record
    last = record
  }
  return last
}

async function comparePeriod(
  ctx: PaymentContext,
  pool: pg.Pool,
  run: ProviderRun,
  period: Window,
): Promise<PeriodRecord | string> {
  const { provider, report, findings } = run
  const { compared, takenIn } = findings
  const [unresolvedBefore, differencesBefore] = [findings.unresolved.size, findings.differences.length]
  const from = new Date(period.from.getTime() - clockSkewMs)
  const answer = await report.lines(from, new Date(period.until.getTime() + settlingMs))
  if (answer.status === 'unknown') return answer.reason
  const isWithin = ({ occurredAt: at }: { occurredAt: Date }) => at >= period.from && at < period.until
  await alignOwnLines(ctx, pool, { ...run, period, lines: answer.own.filter(isWithin).toSorted(byTime) })
  await alignLines(ctx, pool, { ...run, period, lines: answer.lines.toSorted(byTime), isWithin })
  findings.pending.push(...answer.pending.filter(isWithin))
  const opened = await openDifferences(ctx, pool, provider, findings.differences.slice(differencesBefore))
  return {
    provider,
    period,
    counts: {
      compared: findings.compared - compared,
      takenIn: findings.takenIn - takenIn,
      unresolved: findings.unresolved.size - unresolvedBefore,
      opened,
      closed: 0,
    },
  }
}

interface PeriodRun<Line> extends ProviderRun {
  readonly period: Window
  readonly lines: readonly Line[]
}

/** Posts the movements of our own money in a period, and compares them. */
async function alignOwnLines(ctx: PaymentContext, pool: pg.Pool, run: PeriodRun<OwnLine>): Promise<void> {
  const { provider, period, lines, findings } = run
  const there = new Map(lines.map((line) => [line.id, line]))
  const read = () => readOperatorLines(pool, { provider, ...period, ids: [...there.keys()] })
  const previousLines = await read()
  for (const line of there.values()) {
    if (!previousLines.has(line.id)) await postOperatorLine(ctx, pool, { provider, line })
  }
  const here = await read()
  findings.differences.push(...operatorLineDifferences(provider, { there, here }))
  for (const own of here.values()) {
    const line = there.get(own.id)
    if (line?.balance === own.balance && line.amount.minor === own.amount.minor) continue
    findings.corrections.push({ balance: own.balance, amount: negate(own.amount) }, ...(line ? [line] : []))
  }
  addToSums(findings.sums, 'there', there.values())
  addToSums(findings.sums, 'here', here.values())
  findings.compared += new Set([...here.keys(), ...there.keys()]).size
  findings.takenIn += here.size - previousLines.size
}

const negate = ({ currency, minor }: Money): Money => money(currency, -minor)

/** Applies the movements of account holders' money in a period that we missed, and compares them. */
async function alignLines(
  ctx: PaymentContext,
  pool: pg.Pool,
  run: PeriodRun<ReportLine> & { readonly isWithin: (line: ReportLine) => boolean },
): Promise<void> {
  const { provider, report, window, period, lines, isWithin, findings } = run
  const { unresolved, unresolvedReferences } = findings
  const there = new Map(lines.filter(isWithin).map((line) => [line.id, line]))
  const ids = [...there.keys()]
  const read = () => readLedgerLines(pool, { provider, ...period, ids })
  const previousLines = await read()
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
  for (const id of ids) if (here.has(id)) unresolved.delete(id)
  findings.takenIn += ids.filter((id) => here.has(id) && !previousLines.has(id)).length
  findings.unposted.push(...[...there.values()].filter(({ id }) => !here.has(id)))
  for (const line of lines) if (here.has(line.id)) there.set(line.id, line)
  await searchEarlierLines(ctx.now(), { report, here, there, unresolved })
  // A movement that the provider dates to another period of this run is counted there.
  const isCounted = (id: string) => {
    const line = there.get(id)
    return !line || isWithin(line) || line.occurredAt < window.from || line.occurredAt >= window.until
  }
  const countedHere = [...here.values()].filter(({ id }) => isCounted(id))
  const countedThere = [...there.values()].filter(({ id }) => isCounted(id))
  addToSums(findings.sums, 'here', countedHere)
  addToSums(findings.sums, 'there', countedThere)
  findings.compared += new Set([...countedHere, ...countedThere].map(({ id }) => id)).size
  findings.differences.push(...lineDifferences(provider, { here, there, unresolved }))
  for (const own of countedHere) {
    const line = there.get(own.id)
    const change = toChange(own)
    const changeThere = line && toChange(line)
    if (changeThere?.amount.minor === change.amount.minor && changeThere.amount.currency === change.amount.currency)
      continue
    const corrections = [{ ...change, amount: negate(change.amount) }, ...(changeThere ? [changeThere] : [])]
    findings.corrections.push(...corrections)
  }
}

interface LinesToSearch {
  readonly report: ReportProvider
  readonly here: ReadonlyMap<string, LedgerLine>
  readonly there: Map<string, ReportLine>
  readonly unresolved: Set<string>
}

/**
 * Movements that we recorded late are older in the provider's books: reads these again, day by day from the start of the
 * payments, until all are found.
 */
async function searchEarlierLines(now: Date, { report, here, there, unresolved }: LinesToSearch): Promise<void> {
  const missing = new Map([...here].filter(([id]) => !there.has(id)))
  if (missing.size === 0) return
  // not money: a time
  const from = new Date(Math.min(...[...missing.values()].map(({ begunAt }) => begunAt.getTime())) - clockSkewMs)
  const days = listPeriods({ from, until: new Date(now.getTime() + dayMs), firstOrderAt: from })
  for (const day of days) {
    if (missing.size === 0) return
    const answer = await report.lines(day.from, day.until)
    if (answer.status === 'unknown') {
      for (const id of missing.keys()) unresolved.add(id)
      return
    }
    for (const line of answer.lines) if (missing.delete(line.id)) there.set(line.id, line)
  }
}

/** Compares the balances now, after a run up to now. */
async function compareCurrentBalances(
  ctx: PaymentContext,
  pool: pg.Pool,
  { provider, report, window, findings }: ProviderRun,
): Promise<BalanceResult | undefined> {
  if (window.until.getTime() < ctx.now().getTime() - clockSkewMs) return undefined
  const { unposted, corrections, pending } = findings
  const changes = { unposted: unposted.map(toChange), corrections, pending }
  return compareBalances(ctx, pool, { provider, report, window, changes })
}

/** Opens exceptions; returns the count of new ones. Movements of unmatched exceptions get no second one. */
async function openDifferences(
  { now }: PaymentContext,
  pool: pg.Pool,
  provider: string,
  differences: readonly CaseFacts[],
): Promise<number> {
  if (differences.length === 0) return 0
  const unmatchedSubjects = await readUnmatchedSubjects(pool, provider)
  let opened = 0
  for (const facts of differences) {
    if (!unmatchedSubjects.has(facts.subject) && (await openCase(pool, facts, now()))) opened += 1
  }
  return opened
}

interface CasesToSettle {
  readonly provider: string
  readonly window: Window
  readonly findings: Findings
  readonly balances: BalanceResult | undefined
}

/** Opens the exceptions about accounts and balances, and closes those whose difference is gone. */
async function settleCases(ctx: PaymentContext, pool: pg.Pool, run: CasesToSettle): Promise<void> {
  const { provider, window, findings, balances } = run
  const unmatchedSubjects = await readUnmatchedSubjects(pool, provider)
  const compared = balances?.status === 'known' ? balances.balances : []
  const accounts = [...(await ledgerDifferences(pool, provider)), ...balanceDifferences(provider, compared)]
  const lines = findings.differences.filter(({ subject }) => !unmatchedSubjects.has(subject))
  const open = await openCases(pool)
  const openKeys = new Set(open.map(formatCaseKey))
  // Settlement accounts are shared by all providers, so each provider's run finds the same difference.
  for (const facts of accounts) if (!openKeys.has(formatCaseKey(facts))) await openCase(pool, facts, ctx.now())
  const currentKeys = new Set([...lines, ...accounts].map(formatCaseKey))
  const posted = await readPosted(pool, provider, open)
  const balanceSubjects = new Set(compared.filter(isConcluded).map((found) => balanceSubject(provider, found)))
  for (const exceptionCase of open) {
    if (currentKeys.has(formatCaseKey(exceptionCase))) continue
    const facts = { provider, window, posted, balanceSubjects, unresolved: findings.unresolved }
    if (isResolvedBy(exceptionCase, facts)) await closeCases(pool, { id: exceptionCase.id }, 'books_agree', ctx.now())
  }
}

const isConcluded = ({ result }: BalanceComparison): boolean => result !== 'moving'

const formatCaseKey = ({ kind, subject }: CaseFacts): string => `${kind} ${subject}`

/** Subjects of unmatched cases, open or resolved by an operator. These movements get no second case. */
async function readUnmatchedSubjects(pool: pg.Pool, provider: string): Promise<Set<string>> {
  const { rows } = await pool.query<Pick<ReconciliationExceptionRow, 'subject'>>(
    `select subject from reconciliation_exception where provider = $1 and kind = 'unmatched' and (closed_at is null or resolved_manually)`,
    [provider],
  )
  return new Set(rows.map(({ subject }) => subject))
}

/** Subjects of unmatched cases that are posted by now. */
async function readPosted(pool: pg.Pool, provider: string, open: readonly OpenCase[]): Promise<Set<string>> {
  const subjects = open.filter(({ kind }) => kind === 'unmatched').map(({ subject }) => subject)
  const { rows } = await pool.query<{ id: string }>(
    'select id from settlement_line where provider = $1 and id = any($2)',
    [provider, subjects],
  )
  return new Set(rows.map(({ id }) => id))
}

interface ComparedFacts {
  readonly provider: string
  readonly window: Window
  readonly posted: ReadonlySet<string>
  /** Subjects of the balances that were compared. */
  readonly balanceSubjects: ReadonlySet<string>
  readonly unresolved: ReadonlySet<string>
}

/** True if a run that did not find the difference of a case again has compared what the case is about. */
function isResolvedBy(
  { kind, provider, subject, happenedAt, detail }: OpenCase,
  { window: { from, until }, ...compared }: ComparedFacts,
): boolean {
  if (kind === 'ledger_differs')
    return detail.code !== 'provider_balance_differs' || compared.balanceSubjects.has(subject)
  if (provider !== compared.provider || kind === 'loss') return false
  if (kind === 'unmatched') return compared.posted.has(subject)
  return !!happenedAt && happenedAt >= from && happenedAt < until && !compared.unresolved.has(subject)
}

interface PeriodRecord {
  readonly provider: string
  readonly period: Window
  readonly counts: {
    readonly compared: number
    readonly takenIn: number
    readonly unresolved: number
    readonly opened: number
    readonly closed: number
  }
}

/** Records a compared period, as far as its movements have settled. */
async function recordPeriod(
  { now }: PaymentContext,
  db: Db,
  { provider, period, counts }: PeriodRecord,
): Promise<void> {
  const at = now()
  const settledBefore = new Date(at.getTime() - settlingMs)
  if (period.from >= settledBefore) return
  await insertRow(db, 'reconciliation_run', {
    id: newId(at),
    provider,
    from_at: period.from,
    until_at: period.until < settledBefore ? period.until : settledBefore,
    finished_at: at,
    compared: counts.compared,
    taken_in: counts.takenIn,
    unresolved: counts.unresolved,
    cases_opened: counts.opened,
    cases_closed: counts.closed,
    includes_own: true,
  })
}
