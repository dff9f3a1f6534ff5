import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { inverse, multiply, type Ratio, ratio } from '@tern/money/ratio'
import type { RatesProvider } from '@tern/providers/rates/port'
import type pg from 'pg'
import type { ProviderRegistry } from '../../../platform/providers/provider-registry.ts'
import { refuse } from '../../../platform/refuse.ts'
import { type LatestFix, type RatePolicies, type UsdValue, usdValue, valueFrom } from './rate-book.ts'
import { type RateHistory, rateHistory, type RateRange } from './rate-history.ts'
import { createPolls, fillHistory } from './rate-polls.ts'
import { latestFixes, ratePolicies } from './rate-store.ts'

export interface RatesLog {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface RatesOptions {
  readonly pool: pg.Pool
  readonly sources: ProviderRegistry<RatesProvider>
  readonly now: () => Date
  readonly log: RatesLog
}

/** What prices are made of: exact values, and what is taken from the rate of each pair. */
export interface Market {
  /** What one whole unit is worth in US dollars. Refuses `rates_unavailable` when it is unknown or too old. */
  usdValueOf(currency: CurrencyCode): Ratio
  /** What is taken from the mid-market rate, in millionths. */
  spreadOf(source: CurrencyCode, target: CurrencyCode): bigint
}

/** A rate with everything that can be said of it. */
export interface PairRate {
  /** Whole target units for one whole source unit, after the spread. */
  readonly rate: Ratio
  readonly midMarket: Ratio
  readonly spreadPartsPerMillion: bigint
  /** The names of its sources, the source currency's first. */
  readonly sources: readonly string[]
  /** Of its oldest part. */
  readonly asOf: Date
  readonly fixIds: readonly string[]
}

interface Known {
  readonly fixes: readonly LatestFix[]
  readonly policies: RatePolicies
  readonly spreads: ReadonlyMap<string, bigint>
  /** Worked out when they are first asked for. */
  readonly values: Map<CurrencyCode, UsdValue>
}

const millionth = 1_000_000n
const one = ratio(1n, 1n)

/** `rate` less a spread in millionths. */
export const lessSpread = (rate: Ratio, partsPerMillion: bigint): Ratio =>
  partsPerMillion === 0n ? rate : multiply(rate, ratio(millionth - partsPerMillion, millionth))

async function load(pool: pg.Pool): Promise<Known> {
  const { rows } = await pool.query<{ source: CurrencyCode; target: CurrencyCode; parts: number }>(
    'select source_currency as source, target_currency as target, parts_per_million as parts from spread',
  )
  return {
    fixes: await latestFixes(pool),
    policies: await ratePolicies(pool),
    values: new Map(),
    spreads: new Map(rows.map(({ source, target, parts }) => [`${source}/${target}`, BigInt(parts)])),
  }
}

/** The market as its sources tell it: fetched, stored, and judged by age. */
export function createRates(options: RatesOptions) {
  const { pool, sources, now } = options
  let known: Known | undefined
  const polls = createPolls(options)

  async function refreshFrom(providers: readonly RatesProvider[]): Promise<void> {
    await polls.pollAll(providers)
    known = await load(pool)
  }

  const isUsable = (value: UsdValue | undefined): value is UsdValue => value !== undefined && value.usableUntil >= now()

  /** The sources of a currency: the one that the rules choose, then all others in order. */
  const sourcesFor = (currency: CurrencyCode): string[] => {
    const chosen = sources.choose({ currency })
    return [...new Set([...(chosen ? [chosen.name] : []), ...sources.all.map(({ name }) => name)])]
  }

  /** The value by the preferred source that can be used, or else the one that could be used longest. */
  function valueOf(currency: CurrencyCode): UsdValue | undefined {
    if (!known) return undefined
    const last = known.values.get(currency)
    if (isUsable(last)) return last
    const value = usdValue(currency, known, sourcesFor(currency), now())
    if (value) known.values.set(currency, value)
    return value
  }

  /** The value that can be used now. Refuses `rates_unavailable`, and says when it is its age. */
  function usableValue(currency: CurrencyCode): UsdValue {
    const value = valueOf(currency)
    if (isUsable(value)) return value
    return refuse('rates_unavailable', value ? { reason: { code: 'rate_too_old', params: { currency } } } : {})
  }

  const spreadOf: Market['spreadOf'] = (source, target) => known?.spreads.get(`${source}/${target}`) ?? 0n
  const usdValueOf: Market['usdValueOf'] = (currency) => (currency === 'USD' ? one : usableValue(currency).value)
  const others = currencyCodes.filter((code) => code !== 'USD')

  return {
    usdValueOf,
    spreadOf,
    /** Asks every source now, and reads what is stored. */
    refresh: () => refreshFrom(sources.all),
    /** Asks the sources whose time has come. */
    async refreshDue(): Promise<void> {
      const due = sources.all.filter(polls.isDue)
      if (due.length > 0) await refreshFrom(due)
    },
    /** Whether a currency has a value that can be used. */
    isKnown: (currency: CurrencyCode) => currency === 'USD' || isUsable(valueOf(currency)),
    /** Whether every currency has a value that can be used. */
    isComplete: () => others.every((currency) => isUsable(valueOf(currency))),
    /** Age of the oldest value in use; NaN where one is unknown. */
    ageSeconds(): number {
      const dates = others.map((currency) => valueOf(currency)?.asOf.getTime() ?? Number.NaN)
      return (now().getTime() - Math.min(...dates)) / 1000
    },
    /** The rate of a pair. Refuses `rates_unavailable`. */
    pairRate(source: CurrencyCode, target: CurrencyCode): PairRate {
      const values = [...new Set([source, target])].filter((code) => code !== 'USD').map(usableValue)
      const midMarket = multiply(usdValueOf(source), inverse(usdValueOf(target)))
      const spreadPartsPerMillion = source === target ? 0n : spreadOf(source, target)
      return {
        rate: lessSpread(midMarket, spreadPartsPerMillion),
        midMarket,
        spreadPartsPerMillion,
        sources: [...new Set(values.map((value) => value.source))],
        asOf: new Date(Math.min(now().getTime(), ...values.map(({ asOf }) => asOf.getTime()))),
        fixIds: values.flatMap(({ fixIds }) => fixIds),
      }
    },
    /** The mid-market rate of a pair over a range, oldest first. Empty where nothing is known of it. */
    async history(source: CurrencyCode, target: CurrencyCode, range: RateRange): Promise<RateHistory> {
      const values = [source, target].map((currency) => (currency === 'USD' ? undefined : valueOf(currency)))
      const used = new Set(values.flatMap((value) => value?.fixIds ?? []))
      const pairs = (known?.fixes ?? []).filter(({ id }) => used.has(id))
      const nameOf = (currency: CurrencyCode) => values.find((value) => value?.currency === currency)?.source ?? ''
      return rateHistory(pool, [source, target], { range, until: now() }, pairs, (then, currency) =>
        currency === 'USD' ? one : known && valueFrom(nameOf(currency), then, currency, known.policies)?.value,
      )
    },
    /** Stores what sources know of the time before, where it is not stored yet. */
    fillHistory: () => fillHistory(options),
  }
}

export type Rates = ReturnType<typeof createRates>
