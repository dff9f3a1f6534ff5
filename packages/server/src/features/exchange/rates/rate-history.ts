import type { CurrencyCode } from '@tern/money/currency'
import { divide, type Ratio, ratio } from '@tern/money/ratio'
import type { Queryable } from '../../../platform/database/db.ts'
import type { LatestFix } from './rate-book.ts'

/** One step of a chart: from `at` on, one whole source unit was worth `rate` whole target units. */
export interface RatePoint {
  readonly at: Date
  readonly rate: Ratio
}

/** A range of a chart, up to now. */
export interface RateHistory {
  readonly from: Date
  readonly until: Date
  readonly points: readonly RatePoint[]
}

export type RateRange = '24h' | '7d' | '30d' | '1y'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How far each range reaches back, and how close its points are at most. */
const spans: Readonly<Record<RateRange, { readonly lengthMs: number; readonly stepMs: number }>> = {
  '24h': { lengthMs: dayMs, stepMs: hourMs / 4 },
  '7d': { lengthMs: 7 * dayMs, stepMs: hourMs },
  '30d': { lengthMs: 30 * dayMs, stepMs: 4 * hourMs },
  '1y': { lengthMs: 365 * dayMs, stepMs: dayMs },
}

/** The fix of one pair that was in force at a moment. */
interface FixInForce {
  readonly tick: Date
  readonly base: CurrencyCode
  readonly quote: CurrencyCode
  readonly as_of: Date
  readonly numerator: bigint
  readonly denominator: bigint
}

/** The fixes of these pairs at regular moments: one index lookup for each, however many fixes there are. */
async function fixesInForce(
  db: Queryable,
  pairs: readonly LatestFix[],
  { from, until, stepMs }: { readonly from: Date; readonly until: Date; readonly stepMs: number },
): Promise<FixInForce[]> {
  const { rows } = await db.query<FixInForce>(
    `select tick, p.base, p.quote, f.as_of, f.numerator, f.denominator
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
      pairs.map(({ source }) => source),
      pairs.map(({ base }) => base),
      pairs.map(({ quote }) => quote),
    ],
  )
  return rows
}

/**
 * The rate of a pair over a range up to `until`, oldest first: what was in force when the range began, then each change.
 * `pairs` are the fixes the rate is made of now, `valueIn` what fixes say of a currency in US dollars.
 */
export async function rateHistory(
  db: Queryable,
  [source, target]: readonly [CurrencyCode, CurrencyCode],
  { range, until }: { readonly range: RateRange; readonly until: Date },
  pairs: readonly LatestFix[],
  valueIn: (fixes: readonly LatestFix[], currency: CurrencyCode) => Ratio | undefined,
): Promise<RateHistory> {
  const { lengthMs, stepMs } = spans[range]
  const from = new Date(until.getTime() - lengthMs)
  if (pairs.length === 0) return { from, until, points: [] }
  const rows = await fixesInForce(db, pairs, { from, until, stepMs })
  const points: RatePoint[] = []
  for (const [, inForce] of Map.groupBy(rows, ({ tick }) => tick.getTime())) {
    const fixes = inForce.flatMap(({ base, quote, as_of: asOf, numerator, denominator }) => {
      const pair = pairs.find((one) => one.base === base && one.quote === quote)
      return pair ? [{ ...pair, asOf, rate: ratio(numerator, denominator) }] : []
    })
    const [upper, lower] = [valueIn(fixes, source), valueIn(fixes, target)]
    if (!upper || !lower) continue
    const newest = Math.max(...fixes.map(({ asOf }) => asOf.getTime()))
    const at = new Date(Math.max(newest, from.getTime()))
    const rate = divide(upper, lower)
    const last = points.at(-1)
    const isNew = !last || rate.numerator !== last.rate.numerator || rate.denominator !== last.rate.denominator
    if (isNew) points.push({ at, rate })
  }
  return { from, until, points }
}
