import { currencyKinds, type Rate, startingRates } from '../server/currency.ts'
import { readFields } from '../server/fields.ts'
import type { Clock } from '../control/clock.ts'
import type { Store } from '../server/store.ts'
import { type MarketSetting, createCourses, type MarketMode, type MarketHistory, levelAt } from './course.ts'
import { readMarket } from './market-fields.ts'
import { deviationAt, stepMs } from './walk.ts'

/** US dollar value of one unit of each currency at a moment. */
export interface Prices {
  readonly asOf: Date
  readonly usdPerUnit: Readonly<Record<string, Rate>>
}

export interface MarketSettings {
  mode: MarketMode
  seed: number
  volatility_percent: number
  /** The feed repeats its last prices. */
  silent: boolean
}

export type Market = ReturnType<typeof createMarket>

const million = 1_000_000n
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Spacing of historical points, by age. */
const spans = [
  { oldestMs: 400 * dayMs, youngestMs: 7 * dayMs, everyMs: dayMs },
  { oldestMs: 7 * dayMs, youngestMs: dayMs, everyMs: hourMs },
  { oldestMs: dayMs, youngestMs: 0, everyMs: hourMs / 4 },
]
const silence = 'market_silent_since'

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b))

export function fraction(numerator: bigint, denominator: bigint): Rate {
  const divisor = gcd(numerator, denominator)
  return { numerator: (numerator / divisor).toString(), denominator: (denominator / divisor).toString() }
}

/** Moves a level by parts per million. Down is the inverse of up, so that no price reaches zero. */
function moved({ numerator, denominator }: Rate, partsPerMillion: bigint): Rate {
  const [up, down] = partsPerMillion < 0n ? [million, million - partsPerMillion] : [million + partsPerMillion, million]
  return fraction(BigInt(numerator) * up, BigInt(denominator) * down)
}

function pricesAt(settled: MarketHistory, usual: MarketSetting, at: Date): Prices {
  const { course, levels, since } = levelAt(settled, usual, at)
  if (course.mode === 'still') return { asOf: at, usdPerUnit: Object.fromEntries(levels) }
  const walked = [...levels].map(([code, level]) => {
    const kind = currencyKinds.get(code)
    const isReferenceCurrency = code === 'USD' || kind === undefined
    return [code, isReferenceCurrency ? level : moved(level, deviationAt(code, kind, course, at))] as const
  })
  // A price dates from the start of its step, or from a later manual change.
  const stepAt = new Date(Math.floor(at.getTime() / stepMs) * stepMs)
  const asOf = since !== undefined && since > stepAt.toISOString() ? new Date(since) : stepAt
  return { asOf, usdPerUnit: Object.fromEntries(walked) }
}

/** Returns the points in time from `from` to before `until`, oldest first, on a grid independent of `from`. */
const momentsBetween = (from: Date, until: Date): Date[] =>
  spans.flatMap(({ oldestMs, youngestMs, everyMs }) => {
    const begin = Math.max(from.getTime(), until.getTime() - oldestMs)
    const end = until.getTime() - youngestMs
    const first = Math.ceil(begin / everyMs) * everyMs
    const count = Math.max(Math.ceil((end - first) / everyMs), 0)
    return Array.from({ length: count }, (_, index) => new Date(first + index * everyMs))
  })

/** Creates a market around manually set levels, in which prices walk or stay constant. `mode` applies until changed. */
export function createMarket(store: Store, clock: Clock, mode: MarketMode) {
  const usual: MarketSetting = { mode, seed: 1, volatilityPercent: 100 }
  const courses = createCourses(store)
  const silentSince = (): Date | undefined => {
    const since = store.setting<string | null>(silence) ?? undefined
    return since === undefined ? undefined : new Date(since)
  }

  /** Returns the time of the newest published prices. */
  function publishedAt(): Date {
    courses.bringForward(clock.now())
    const [since, now] = [silentSince(), clock.now()]
    return since && since < now ? since : now
  }

  const at = (moment: Date): Prices => pricesAt(courses.all(), usual, moment)
  const latest = (): Prices => at(publishedAt())

  function get(): MarketSettings {
    const { course } = levelAt(courses.all(), usual, clock.now())
    const { volatilityPercent: volatility_percent, mode, seed } = course
    return { mode, seed, volatility_percent, silent: silentSince() !== undefined }
  }

  function storeLevels(rates: ReadonlyMap<string, Rate>): void {
    const now = clock.now()
    courses.bringForward(now)
    store.transact(() => rates.forEach((rate, code) => courses.storeLevel(code, rate, now)))
  }

  return {
    /** Default settings of the market. */
    usual: { mode, seed: usual.seed, volatility_percent: usual.volatilityPercent, silent: false } as MarketSettings,
    get,
    /** Returns prices at any moment up to now, published or not. */
    at,
    /** Returns the newest published prices. */
    latest,
    /** Returns prices published from `from` on: every 15 minutes for a day, hourly for a week, daily for 400 days. */
    history(from: Date): Prices[] {
      const last = latest()
      const settled = courses.all()
      const past = momentsBetween(from, last.asOf).map((moment) => pricesAt(settled, usual, moment))
      return last.asOf >= from ? [...past, last] : past
    },
    /** Sets levels by hand, effective now. */
    keepLevels: storeLevels,
    /** Changes the given settings, effective now; a jump moves a level permanently. Throws ApiError 422. */
    change(body: unknown): MarketSettings {
      const now = clock.now()
      courses.bringForward(now)
      const { levels } = levelAt(courses.all(), usual, now)
      const { course, silent, jumped } = readMarket(readFields(body), levels)
      const { mode, seed, volatility_percent: volatilityPercent } = get()
      store.transact(() => {
        if (Object.keys(course).length > 0) courses.storeCourse({ mode, seed, volatilityPercent, ...course }, now)
        jumped.forEach((rate, code) => courses.storeLevel(code, rate, now))
        if (silent === false) store.saveSetting(silence, null)
        if (silent === true && silentSince() === undefined) store.saveSetting(silence, now.toISOString())
      })
      return get()
    },
    /** Redates settings after the clock was set back. */
    executeDue: (): void => courses.bringForward(clock.now()),
  }
}

/** Currencies with a price that can change. */
export const movingCodes: readonly string[] = [...startingRates.keys()].filter((code) => code !== 'USD')
