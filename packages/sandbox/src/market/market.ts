import { currencyKinds, type Rate, startingRates } from '../server/currency.ts'
import { readFields } from '../server/fields.ts'
import type { Clock } from '../control/clock.ts'
import type { Store } from '../server/store.ts'
import { type MarketSetting, createCourses, type MarketMode, type MarketHistory, findLevels } from './course.ts'
import { readMarket } from './market-fields.ts'
import { computeDeviation, stepMs } from './walk.ts'

/** Value of one unit of each currency in US dollars, at a moment. */
export interface Prices {
  readonly asOf: Date
  readonly usdPerUnit: Readonly<Record<string, Rate>>
}

export interface MarketSettings {
  mode: MarketMode
  seed: number
  volatility_percent: number
  /** True if the feed repeats its last prices. */
  silent: boolean
}

export type Market = ReturnType<typeof createMarket>

const million = 1_000_000n
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Intervals of the price history, by age. */
const spans = [
  { oldestMs: 400 * dayMs, newestMs: 7 * dayMs, everyMs: dayMs },
  { oldestMs: 7 * dayMs, newestMs: dayMs, everyMs: hourMs },
  { oldestMs: dayMs, newestMs: 0, everyMs: hourMs / 4 },
]
const silenceKey = 'market_silent_since'

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b))

export function fraction(numerator: bigint, denominator: bigint): Rate {
  const divisor = gcd(numerator, denominator)
  return { numerator: (numerator / divisor).toString(), denominator: (denominator / divisor).toString() }
}

/** Moves a level by parts per million. Negative moves divide the level, so that no price reaches zero. */
function shiftLevel({ numerator, denominator }: Rate, partsPerMillion: bigint): Rate {
  const [factor, divisorPart] =
    partsPerMillion < 0n ? [million, million - partsPerMillion] : [million + partsPerMillion, million]
  return fraction(BigInt(numerator) * factor, BigInt(denominator) * divisorPart)
}

function computePrices(storedHistory: MarketHistory, defaults: MarketSetting, at: Date): Prices {
  const { course, levels, since } = findLevels(storedHistory, defaults, at)
  if (course.mode === 'still') return { asOf: at, usdPerUnit: Object.fromEntries(levels) }
  const shiftedLevels = [...levels].map(([code, level]) => {
    const kind = currencyKinds.get(code)
    const isReferenceCurrency = code === 'USD' || kind === undefined
    return [code, isReferenceCurrency ? level : shiftLevel(level, computeDeviation(code, kind, course, at))] as const
  })
  // A price dates from the start of its step, or from a later manual change.
  const stepStart = new Date(Math.floor(at.getTime() / stepMs) * stepMs)
  const asOf = since !== undefined && since > stepStart.toISOString() ? new Date(since) : stepStart
  return { asOf, usdPerUnit: Object.fromEntries(shiftedLevels) }
}

/**
 * Returns the times of the price history from `from` until before `until`, oldest first. A later `from` only omits
 * times.
 */
const listTimes = (from: Date, until: Date): Date[] =>
  spans.flatMap(({ oldestMs, newestMs, everyMs }) => {
    const startMs = Math.max(from.getTime(), until.getTime() - oldestMs)
    const end = until.getTime() - newestMs
    const first = Math.ceil(startMs / everyMs) * everyMs
    const count = Math.max(Math.ceil((end - first) / everyMs), 0)
    return Array.from({ length: count }, (_, index) => new Date(first + index * everyMs))
  })

/**
 * Creates a market whose prices move around levels set by hand, or stay constant. `mode` applies until it is changed.
 */
export function createMarket(store: Store, clock: Clock, mode: MarketMode) {
  const defaults: MarketSetting = { mode, seed: 1, volatilityPercent: 100 }
  const courses = createCourses(store)
  const getSilenceStart = (): Date | undefined => {
    const silenceStart = store.setting<string | null>(silenceKey) ?? undefined
    return silenceStart === undefined ? undefined : new Date(silenceStart)
  }

  /** Returns the time of the latest published prices. */
  function getPublishedAt(): Date {
    courses.clampToNow(clock.now())
    const [since, now] = [getSilenceStart(), clock.now()]
    return since && since < now ? since : now
  }

  const at = (time: Date): Prices => computePrices(courses.all(), defaults, time)
  const latest = (): Prices => at(getPublishedAt())

  function get(): MarketSettings {
    const { course } = findLevels(courses.all(), defaults, clock.now())
    const { volatilityPercent: volatility_percent, mode, seed } = course
    return { mode, seed, volatility_percent, silent: getSilenceStart() !== undefined }
  }

  function storeLevels(rates: ReadonlyMap<string, Rate>): void {
    const now = clock.now()
    courses.clampToNow(now)
    store.transact(() => rates.forEach((rate, code) => courses.storeLevel(code, rate, now)))
  }

  return {
    defaults: {
      mode,
      seed: defaults.seed,
      volatility_percent: defaults.volatilityPercent,
      silent: false,
    } as MarketSettings,
    get,
    /** Returns the prices at any moment up to now, even if not published. */
    at,
    latest,
    /**
     * Returns published prices from `from` on: every 15 minutes for the last day, hourly for the last week, daily for
     * the last 400 days.
     */
    history(from: Date): Prices[] {
      const latestPrices = latest()
      const storedHistory = courses.all()
      const pastPrices = listTimes(from, latestPrices.asOf).map((time) => computePrices(storedHistory, defaults, time))
      return latestPrices.asOf >= from ? [...pastPrices, latestPrices] : pastPrices
    },
    /** Sets levels by hand, from now on. */
    setLevels: storeLevels,
    /** Changes the given settings from now on; a jump changes a level permanently. Throws ApiError 422. */
    change(body: unknown): MarketSettings {
      const now = clock.now()
      courses.clampToNow(now)
      const { levels } = findLevels(courses.all(), defaults, now)
      const { course, silent, jumpedRates } = readMarket(readFields(body), levels)
      const { mode, seed, volatility_percent: volatilityPercent } = get()
      store.transact(() => {
        if (Object.keys(course).length > 0) courses.storeCourse({ mode, seed, volatilityPercent, ...course }, now)
        jumpedRates.forEach((rate, code) => courses.storeLevel(code, rate, now))
        if (silent === false) store.saveSetting(silenceKey, null)
        if (silent === true && getSilenceStart() === undefined) store.saveSetting(silenceKey, now.toISOString())
      })
      return get()
    },
    /** Redates settings that lie in the future since the clock was set back. */
    executeDue: (): void => courses.clampToNow(clock.now()),
  }
}

/** Currencies whose price can change. */
export const walkingCodes: readonly string[] = [...startingRates.keys()].filter((code) => code !== 'USD')
