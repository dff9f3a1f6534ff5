import { type Money, money } from '@tern/money/money'
import type { OwnLine, PendingMoney, ProviderBalance, ReportLine, ReportProvider } from '@tern/providers/report/port'
import type pg from 'pg'
import type { PaymentContext } from '../context.ts'
import type { CaseFacts } from '../records/reconciliation-exceptions.ts'
import { importMissing } from './backfill.ts'
import { addToSums, type LedgerLine, lineDifferences, type LineSums, readLedgerLines } from './discrepancies.ts'
import { operatorLineDifferences, postOperatorLine, readOperatorLines } from './operator-lines.ts'
import { clockSkewMs, type ComparisonWindow, dayMs, listPeriods, settlingMs, type Window } from './periods.ts'
import { toChange } from './provider-balances.ts'
import { openDifferences } from './settle-cases.ts'

/** Findings of a run so far, period by period. */
export interface Findings {
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

export const createFindings = (): Findings => ({
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

export interface ProviderRun {
  readonly provider: string
  readonly report: ReportProvider
  readonly window: ComparisonWindow
  readonly findings: Findings
}

export interface PeriodRecord {
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

const byTime = (a: { readonly occurredAt: Date }, b: { readonly occurredAt: Date }): number =>
  a.occurredAt.getTime() - b.occurredAt.getTime()

/**
 * Applies and compares the movements of one period, and opens exceptions for the differences. Returns the reason if the
 * provider did not answer.
 */
export async function comparePeriod(
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
