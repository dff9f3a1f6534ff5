import type pg from 'pg'
import type { Db } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import type { PaymentContext } from '../context.ts'
import { type OpenCase, openCases } from '../records/reconciliation-exceptions.ts'
import type { PaymentRow } from '../row-types.ts'
import { comparePeriod, createFindings, type Findings, type PeriodRecord, type ProviderRun } from './compare-period.ts'
import { type LineSum, sortSums } from './discrepancies.ts'
import { clockSkewMs, type ComparisonWindow, listPeriods, loadWindow, settlingMs, type Window } from './periods.ts'
import { type BalanceResult, compareBalances, toChange } from './provider-balances.ts'
import { settleCases } from './settle-cases.ts'

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
  const { differences, unresolved: unresolvedIds } = findings
  await settleCases(ctx, pool, { provider, window, differences, unresolved: unresolvedIds, balances })
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
