import type { CurrencyCode } from '@tern/money/currency'
import { divide, type Ratio, ratio } from '@tern/money/ratio'
import type { Db } from '../../../platform/database/db.ts'
import { computeValue, findPolicy, type LatestFix, type UsdValue } from './rate-book.ts'
import { ratePolicies } from './rate-store.ts'
import type { Rates } from './rates.ts'
import { fixingDay, isClosingDay, type RatePolicy, usableUntil } from './usable-until.ts'
import type { RateFixRow } from '../row-types.ts'

/** Point of a chart: from `at` on, one unit of the source currency was worth `rate` units of the target currency. */
export interface RatePoint {
  readonly at: Date
  readonly rate: Ratio
}

export interface TimeSpan {
  readonly from: Date
  readonly until: Date
}

/** Chart of a pair over a range. */
export interface RateHistory extends TimeSpan {
  readonly points: readonly RatePoint[]
  /** Weekends and closing days without a new fix, on which the previous fix stays usable. */
  readonly rests: readonly TimeSpan[]
  /** Spans without a usable fix. */
  readonly gaps: readonly TimeSpan[]
  /** Names of the rate sources, that of the source currency first. */
  readonly sources: readonly string[]
}

export type RateRange = '24h' | '7d' | '30d' | '1y'

// Tolerance for older fixes. Only the last confirmation of the newest fix is stored, so an older one may have been
// confirmed for longer than its own time suggests.
const unconfirmedMs = 3 * 86_400_000
const dollarValue = { value: ratio(1n, 1n), fixIds: [] }
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Length of each range, and the interval at which it is sampled. */
const ranges: Readonly<Record<RateRange, { readonly lengthMs: number; readonly stepMs: number }>> = {
  '24h': { lengthMs: dayMs, stepMs: hourMs / 4 },
  '7d': { lengthMs: 7 * dayMs, stepMs: hourMs },
  '30d': { lengthMs: 30 * dayMs, stepMs: 4 * hourMs },
  '1y': { lengthMs: 365 * dayMs, stepMs: dayMs },
}

/** Fix of one pair that was in force at time `tick`. */
type FixInForce = Pick<RateFixRow, 'source' | 'base' | 'quote' | 'as_of' | 'numerator' | 'denominator'> & {
  readonly tick: Date
}

/** Returns the fix of each pair in force at each sampled time, with one index lookup per pair and time. */
async function readFixesInForce(
  db: Db,
  latestFixes: readonly LatestFix[],
  { from, until, stepMs }: { readonly from: Date; readonly until: Date; readonly stepMs: number },
): Promise<FixInForce[]> {
  const { rows } = await db.query<FixInForce>(
    `select tick, p.source, p.base, p.quote, f.as_of, f.numerator, f.denominator
       from generate_series($1::timestamptz, $2::timestamptz, make_interval(secs => $3)) as tick
      cross join unnest($4::text[], $5::text[], $6::text[]) as p (source, base, quote)
      cross join lateral (
        select as_of, numerator, denominator from rate_fix
         where source = p.source and base = p.base and quote = p.quote and as_of <= tick and state = 'accepted'
         order by as_of desc limit 1) f
      order by tick`,
    [
      from,
      until,
      stepMs / 1000, // not money: seconds
      latestFixes.map(({ source }) => source),
      latestFixes.map(({ base }) => base),
      latestFixes.map(({ quote }) => quote),
    ],
  )
  return rows
}

interface HistoryRequest {
  readonly range: RateRange
  readonly until: Date
  readonly sources: readonly string[]
  readonly policyOf: (fix: LatestFix) => RatePolicy
}

/** Returns the fixes in force at one time. Older fixes count as confirmed at their own time only. */
function findFixes(fixesInForce: readonly FixInForce[], latestFixes: readonly LatestFix[]): LatestFix[] {
  return fixesInForce.flatMap(({ source, base, quote, as_of: asOf, numerator, denominator }) => {
    const latestFix = latestFixes.find(
      (candidate) => candidate.source === source && candidate.base === base && candidate.quote === quote,
    )
    if (!latestFix) return []
    const isLatest = latestFix.asOf.getTime() === asOf.getTime()
    return [
      { ...latestFix, asOf, confirmedAt: isLatest ? latestFix.confirmedAt : asOf, rate: ratio(numerator, denominator) },
    ]
  })
}

/** Returns the earliest end of validity among fixes that were unusable at `tick`; undefined if all were usable. */
function findGapStart(
  tick: Date,
  fixes: readonly LatestFix[],
  latestFixes: readonly LatestFix[],
  { policyOf }: HistoryRequest,
) {
  const ends = fixes.flatMap((fix) => {
    const end = usableUntil(fix.confirmedAt, policyOf(fix)).getTime()
    const isLatest = latestFixes.some(({ confirmedAt }) => confirmedAt === fix.confirmedAt)
    return tick.getTime() > end + (isLatest ? 0 : unconfirmedMs) ? [end] : []
  })
  return ends.length > 0 ? new Date(Math.min(...ends)) : undefined
}

/** Returns whether `tick` is on a closing day that applies to one of the fixes, and no fix is of that day. */
function isDayOff(tick: Date, fixes: readonly LatestFix[], { policyOf }: HistoryRequest): boolean {
  if (!isClosingDay(tick) || !fixes.some((fix) => policyOf(fix).skipsClosingDays)) return false
  const day = fixingDay(tick)
  return fixes.every((fix) => fixingDay(policyOf(fix).skipsClosingDays ? fix.confirmedAt : fix.asOf) < day)
}

interface GrowingSpan {
  from: Date
  until: Date
}

/** Extends the last span if it touches `from`, else adds a new one. */
function addSpan(spans: GrowingSpan[], from: Date, until: Date): void {
  const last = spans.at(-1)
  if (last && last.until >= from) last.until = until
  else spans.push({ from, until })
}

/** Returns spans of adjacent days off, without the days in `daysWithFixes`. */
function collectDaysOff(daysOffByDate: ReadonlyMap<string, TimeSpan>, daysWithFixes: ReadonlySet<string>): TimeSpan[] {
  const daysOff: GrowingSpan[] = []
  for (const [day, { from, until }] of daysOffByDate) if (!daysWithFixes.has(day)) addSpan(daysOff, from, until)
  return daysOff
}

/** Returns the mid-market rates of a pair over a range that ends now, oldest first; no points for an unknown pair. */
export async function readRateHistory(
  { knownRates, valueOf, now, sources }: Rates,
  db: Db,
  {
    source,
    target,
    range,
  }: { readonly source: CurrencyCode; readonly target: CurrencyCode; readonly range: RateRange },
): Promise<RateHistory> {
  const storedRates = knownRates()
  const values = [source, target].map((currency) => (currency === 'USD' ? undefined : valueOf(currency)))
  const policies = storedRates?.policies ?? (await ratePolicies(db))
  const knownFixes = storedRates?.fixes ?? []
  // The anchor's fixes precede the first of the source.
  const anchoredValues = values.map((value) => {
    const anchor = value && sources.find(value.source)?.anchor
    return value && anchor ? computeValue(anchor, knownFixes, value.currency, policies) : undefined
  })
  const usedFixIds = new Set([...values, ...anchoredValues].flatMap((value) => value?.fixIds ?? []))
  const latestFixes = knownFixes.filter(({ id }) => usedFixIds.has(id))
  const sourceNames = (currency: CurrencyCode) =>
    [...values, ...anchoredValues].flatMap((value) => (value?.currency === currency ? [value.source] : []))
  const query = {
    range,
    until: now(),
    sources: [...new Set([...values, ...anchoredValues].flatMap((value) => value?.source ?? []))],
    policyOf: (fix: LatestFix) => findPolicy(fix, policies),
  }
  return buildHistory(db, [source, target], query, latestFixes, (fixes, currency) =>
    currency === 'USD'
      ? dollarValue
      : sourceNames(currency)
          .map((name) => computeValue(name, fixes, currency, policies))
          .find((value) => value !== undefined),
  )
}

/**
 * Returns the rates of a pair, oldest first: the one in force at the start, then each change. Takes the fixes behind
 * the current rate, and `valueIn`, which derives a currency's value in US dollars from fixes.
 */
async function buildHistory(
  db: Db,
  [source, target]: readonly [CurrencyCode, CurrencyCode],
  query: HistoryRequest,
  latestFixes: readonly LatestFix[],
  valueIn: (fixes: readonly LatestFix[], currency: CurrencyCode) => Pick<UsdValue, 'value' | 'fixIds'> | undefined,
): Promise<RateHistory> {
  const { range, until, sources } = query
  const { lengthMs, stepMs } = ranges[range]
  const from = new Date(until.getTime() - lengthMs)
  const points: RatePoint[] = []
  const gaps: GrowingSpan[] = []
  // Closing days by date; those with a fix are removed at the end.
  const daysOffByDate = new Map<string, GrowingSpan>()
  const daysWithFixes = new Set<string>()
  const rows = latestFixes.length === 0 ? [] : await readFixesInForce(db, latestFixes, { from, until, stepMs })
  for (const [time, fixesInForce] of Map.groupBy(rows, ({ tick }) => tick.getTime())) {
    const knownFixes = findFixes(fixesInForce, latestFixes)
    const [upper, lower] = [valueIn(knownFixes, source), valueIn(knownFixes, target)]
    if (!upper || !lower) continue
    const usedFixIds = new Set([...upper.fixIds, ...lower.fixIds])
    const fixes = knownFixes.filter(({ id }) => usedFixIds.has(id))
    const tick = new Date(time)
    const next = new Date(Math.min(time + stepMs, until.getTime()))
    const end = findGapStart(tick, fixes, latestFixes, query)
    if (end) addSpan(gaps, new Date(Math.max(end.getTime(), from.getTime())), next)
    else if (isDayOff(tick, fixes, query)) {
      const day = fixingDay(tick)
      daysOffByDate.set(day, { from: daysOffByDate.get(day)?.from ?? tick, until: next })
    }
    const newestMs = Math.max(...fixes.map(({ asOf }) => asOf.getTime()))
    const at = new Date(Math.max(newestMs, from.getTime()))
    const rate = divide(upper.value, lower.value)
    const last = points.at(-1)
    const isNew = !last || rate.numerator !== last.rate.numerator || rate.denominator !== last.rate.denominator
    if (!isNew) continue
    points.push({ at, rate })
    daysWithFixes.add(fixingDay(at))
    // The new fix ends the gap.
    const gap = gaps.at(-1)
    if (gap && gap.until > at) gap.until = at
  }
  const [first] = points
  if (first && first.at > from) gaps.unshift({ from, until: first.at })
  // A gap begins before the tick at which it is found, so it may contain closing days found earlier.
  const isWithinGap = (span: TimeSpan) => gaps.some((gap) => gap.from <= span.from && span.until <= gap.until)
  const daysOff = collectDaysOff(daysOffByDate, daysWithFixes)
  return { from, until, points, rests: daysOff.filter((span) => !isWithinGap(span)), gaps, sources }
}
