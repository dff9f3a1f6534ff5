import { type Rate, startingRates } from '../server/currency.ts'
import type { Store } from '../server/store.ts'
import type { WalkShape } from './walk.ts'

export type MarketMode = 'walk' | 'still'

/** Parameters of the price movement. */
export interface MarketSetting extends WalkShape {
  readonly mode: MarketMode
}

/** Value with the time from which it applies. */
type Effective<Value> = Value & { readonly fromAt: string }

/** All stored settings, oldest first. */
export interface MarketHistory {
  readonly courses: readonly Effective<MarketSetting>[]
  readonly levels: ReadonlyMap<string, readonly Effective<Rate>[]>
}

/** Settings that apply at a moment, and the time of the latest change; `since` is undefined if all are defaults. */
export interface LevelsInEffect {
  readonly course: MarketSetting
  readonly levels: ReadonlyMap<string, Rate>
  readonly since: string | undefined
}

/** Returns the settings that apply at `at`. A change applies from its own time on, so past prices never change. */
export function findLevels(
  { courses, levels }: MarketHistory,
  defaultSetting: MarketSetting,
  at: Date,
): LevelsInEffect {
  const isoTime = at.toISOString()
  const findLatest = <Value extends { fromAt: string }>(all: readonly Value[] = []) =>
    all.findLast(({ fromAt }) => fromAt <= isoTime)
  const course = findLatest(courses)
  const levelsByCode = [...startingRates].map(([code, start]) => [code, start, findLatest(levels.get(code))] as const)
  const times = [course, ...levelsByCode.map(([, , level]) => level)].flatMap((setting) =>
    setting ? [setting.fromAt] : [],
  )
  return {
    course: course ?? defaultSetting,
    levels: new Map(
      levelsByCode.map(([code, start, level]) => {
        const { numerator, denominator } = level ?? start
        return [code, { numerator, denominator }]
      }),
    ),
    since: times.toSorted().at(-1),
  }
}

/** Store of levels and price movement settings, each with its time by the sandbox clock. */
export const createCourses = (store: Store) => ({
  all(): MarketHistory {
    const levels = store.all<Effective<Rate> & { code: string }>(
      'select code, numerator, denominator, from_at as fromAt from rate_level order by from_at, number',
    )
    const courses = store.all<Effective<MarketSetting>>(
      `select mode, seed, volatility_percent as volatilityPercent, from_at as fromAt from market_course
       order by from_at, number`,
    )
    return { courses, levels: Map.groupBy(levels, ({ code }) => code) }
  },
  storeCourse({ mode, seed, volatilityPercent }: MarketSetting, from: Date): void {
    store.insert('market_course', { mode, seed, volatility_percent: volatilityPercent, from_at: from.toISOString() })
  },
  storeLevel(code: string, { numerator, denominator }: Rate, from: Date): void {
    store.insert('rate_level', { code, numerator, denominator, from_at: from.toISOString() })
  },
  /** Redates settings later than `now` to `now`, after the clock was set back. */
  clampToNow(now: Date): void {
    const isoTime = now.toISOString()
    for (const table of ['rate_level', 'market_course']) {
      if (store.get(`select 1 from ${table} where from_at > ? limit 1`, isoTime)) {
        store.run(`update ${table} set from_at = ? where from_at > ?`, isoTime, isoTime)
      }
    }
  },
})
