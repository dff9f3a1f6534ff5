import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { type Ratio, ratio } from '@tern/money/ratio'
import type { RatesProvider } from '@tern/providers/rates/port'
import type pg from 'pg'
import type { ProviderRegistry } from '../../../platform/providers/provider-registry.ts'
import { refuse } from '../../../platform/refuse.ts'
import { type LastRate, lastRateOf, type PairRate, tooOldDetails } from './pair-rate.ts'
import { kindOfPair, type LatestFix, type RatePolicies, type UsdValue, usdValue, valueFrom } from './rate-book.ts'
import { type RateHistory, rateHistory, type RateRange } from './rate-history.ts'
import { latestFixes, ratePolicies, reachOf, storeHistory, storeLatest } from './rate-store.ts'

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

interface Known {
  readonly fixes: readonly LatestFix[]
  readonly policies: RatePolicies
  readonly spreads: ReadonlyMap<string, bigint>
  /** Worked out when they are first asked for. */
  readonly values: Map<CurrencyCode, UsdValue>
}

interface Poll {
  readonly at: number
  readonly failures: number
}

const dayMs = 86_400_000
const historyDays = 400
// With this much, the time before was read once; less can be a few fixes alone, as after a start on a weekend.
const filledDays = 300
const firstRetryMs = 500
const one = ratio(1n, 1n)

/** The market as its sources tell it: fetched, stored, and judged by age. */
export function createRates({ pool, sources, now, log }: RatesOptions) {
  let known: Known | undefined
  const polls = new Map<string, Poll>()

  async function poll(provider: RatesProvider): Promise<void> {
    const { name: source } = provider
    const failures = polls.get(source)?.failures ?? 0
    polls.set(source, { at: performance.now(), failures })
    const answer = await provider.latest()
    let problem = answer.status === 'known' ? answer.missing : answer.reason
    if (answer.status === 'known') {
      const { held, ahead } = await storeLatest(pool, source, answer.fixes, now())
      for (const { base, quote, asOf } of held) {
        log.error({ source, base, quote, asOf }, 'a rate jumped and is held back')
      }
      const [first] = ahead
      if (first) problem ??= `${first.base}/${first.quote} is dated in the future: ${first.asOf.toISOString()}`
    }
    polls.set(source, { at: performance.now(), failures: problem === undefined ? 0 : failures + 1 })
    // The first of several in a row; the rest is told by the age of rates and the count of errors.
    if (problem !== undefined && failures === 0) log.warn({ source, reason: problem }, 'rates were not read')
  }

  const isDue = ({ name, pollEveryMs }: RatesProvider): boolean => {
    const last = polls.get(name)
    if (!last) return true
    // Retried quickly at first, then less and less often.
    const pauseMs = last.failures === 0 ? pollEveryMs : Math.min(pollEveryMs, firstRetryMs * 2 ** last.failures)
    return performance.now() - last.at >= pauseMs
  }

  async function load(): Promise<void> {
    const { rows } = await pool.query<{ source: CurrencyCode; target: CurrencyCode; parts: number }>(
      'select source_currency as source, target_currency as target, parts_per_million as parts from spread',
    )
    known = {
      fixes: await latestFixes(pool),
      policies: await ratePolicies(pool),
      values: new Map(),
      spreads: new Map(rows.map(({ source, target, parts }) => [`${source}/${target}`, BigInt(parts)])),
    }
  }

  async function refreshFrom(providers: readonly RatesProvider[]): Promise<void> {
    const polled = await Promise.allSettled(providers.map(poll))
    await load()
    for (const result of polled) {
      if (result.status === 'rejected') log.warn({ err: result.reason as unknown }, 'rates were not refreshed')
    }
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

  const valuesOf = (pair: readonly CurrencyCode[]) => [...new Set(pair)].filter((code) => code !== 'USD').map(valueOf)

  /** The last rate of a pair, however old; undefined where nothing is known of it. */
  const lastRate = (source: CurrencyCode, target: CurrencyCode): LastRate | undefined =>
    known && lastRateOf([source, target], valuesOf([source, target]), { ...known, spreadOf, now: now() })

  /** The rate of a pair. Refuses `rates_unavailable`, where it is too old with the last one. */
  function pairRate(source: CurrencyCode, target: CurrencyCode): PairRate {
    const last = lastRate(source, target)
    const tooOld = valuesOf([source, target]).find((value) => value && !isUsable(value))
    if (last && tooOld) return refuse('rates_unavailable', tooOldDetails(tooOld.currency, [source, target], last))
    for (const code of [source, target]) usdValueOf(code)
    return last ?? refuse('rates_unavailable')
  }

  return {
    usdValueOf,
    spreadOf,
    /** Reads what is stored, without asking anybody. */
    read: load,
    /** Asks every source now, and reads what is stored. */
    refresh: () => refreshFrom(sources.all),
    /** Asks the sources whose time has come. */
    async refreshDue(): Promise<void> {
      const due = sources.all.filter(isDue)
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
    pairRate,
    lastRate,
    /** The mid-market rate of a pair over a range, oldest first. Empty where nothing is known of it. */
    async history(source: CurrencyCode, target: CurrencyCode, range: RateRange): Promise<RateHistory> {
      const values = [source, target].map((currency) => (currency === 'USD' ? undefined : valueOf(currency)))
      const used = new Set(values.flatMap((value) => value?.fixIds ?? []))
      const pairs = (known?.fixes ?? []).filter(({ id }) => used.has(id))
      const nameOf = (currency: CurrencyCode) => values.find((value) => value?.currency === currency)?.source ?? ''
      const policies = known?.policies ?? (await ratePolicies(pool))
      const asked = {
        range,
        until: now(),
        sources: [...new Set(values.flatMap((value) => value?.source ?? []))],
        policyOf: (fix: LatestFix) => policies[kindOfPair(fix)],
      }
      return rateHistory(pool, [source, target], asked, pairs, (then, currency) =>
        currency === 'USD' ? one : valueFrom(nameOf(currency), then, currency, policies)?.value,
      )
    },
    /** Stores what sources know of the time before, where it is not stored yet. */
    async fillHistory(): Promise<void> {
      for (const provider of sources.all) {
        const daysAgo = (days: number) => new Date(now().getTime() - days * dayMs)
        const reach = await reachOf(pool, provider.name, daysAgo(1))
        const isFilled = reach !== undefined && reach.oldest < daysAgo(filledDays)
        const from = isFilled ? reach.newest : daysAgo(historyDays)
        const answer = await provider.history(from)
        if (answer.status === 'known') await storeHistory(pool, provider.name, answer.fixes, now())
        else log.warn({ source: provider.name, reason: answer.reason }, 'the history of rates was not read')
      }
    },
  }
}

export type Rates = ReturnType<typeof createRates>
