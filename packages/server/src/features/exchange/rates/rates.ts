import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { type Ratio, ratio } from '@tern/money/ratio'
import type { RatesProvider } from '@tern/providers/rates/port'
import type { ProviderRegistry } from '../../../platform/providers/provider-registry.ts'
import { refuse } from '../../../platform/refuse.ts'
import { type LastRate, lastRateOf, type PairRate, tooOldDetails } from './pair-rate.ts'
import { type LatestFix, type RatePolicies, type UsdValue, usdValue } from './rate-book.ts'
import type { FixIds } from './reference-rate.ts'

export interface RatesLog {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

interface RatesOptions {
  readonly sources: ProviderRegistry<RatesProvider>
  readonly now: () => Date
  readonly log: RatesLog
}

/** Inputs of prices: exact values of currencies, and the spread of each pair. */
export interface Market {
  /** Value of one whole unit in US dollars. Refuses `rates_unavailable` when it is unknown or too old. */
  usdValueOf(currency: CurrencyCode): Ratio
  /** Deduction from the mid-market rate, in millionths. */
  spreadOf(source: CurrencyCode, target: CurrencyCode): bigint
}

/** Rates loaded from the database. */
interface Stored {
  readonly fixes: readonly LatestFix[]
  readonly policies: RatePolicies
  readonly spreads: ReadonlyMap<string, bigint>
}

interface Known extends Stored {
  /** Computed when first asked for. */
  readonly values: Map<CurrencyCode, UsdValue>
}

/** The last poll of a source. */
interface Poll {
  readonly at: number
  readonly failures: number
  /** Why rates were missing. */
  readonly problem?: string | undefined
}

const one = ratio(1n, 1n)

/** What each currency is worth by the fixes that are `known`, judged by age. */
function createValues({ sources, now }: Pick<RatesOptions, 'sources' | 'now'>, known: () => Known | undefined) {
  const isUsable = (value: UsdValue | undefined): value is UsdValue => value !== undefined && value.usableUntil >= now()

  /** The sources of a currency: the one that the rules choose, then all others in order. */
  const sourcesFor = (currency: CurrencyCode): string[] => {
    const chosen = sources.choose({ currency })
    return [...new Set([...(chosen ? [chosen.name] : []), ...sources.all.map(({ name }) => name)])]
  }

  /** The value by the preferred source that can be used, or else the one that could be used longest. */
  function valueOf(currency: CurrencyCode): UsdValue | undefined {
    const book = known()
    if (!book) return undefined
    const last = book.values.get(currency)
    if (isUsable(last)) return last
    const value = usdValue(currency, book, sourcesFor(currency), now())
    if (value) book.values.set(currency, value)
    return value
  }

  /** The value that can be used now. Refuses `rates_unavailable`, and says when it is its age. */
  function usableValue(currency: CurrencyCode): UsdValue {
    const value = valueOf(currency)
    if (isUsable(value)) return value
    return refuse('rates_unavailable', value ? { reason: { code: 'rate_too_old', params: { currency } } } : {})
  }

  return {
    isUsable,
    valueOf,
    usableValue,
    /** Of every currency but the dollar, each once. */
    valuesOf: (pair: readonly CurrencyCode[]) => [...new Set(pair)].filter((code) => code !== 'USD').map(valueOf),
  }
}

/** The rates that this process knows, judged by age; created once. `rate-polls.ts` reads and refreshes them. */
export function createRates(options: RatesOptions) {
  const { now } = options
  let known: Known | undefined

  const { isUsable, valueOf, usableValue, valuesOf } = createValues(options, () => known)
  const spreadOf: Market['spreadOf'] = (source, target) => known?.spreads.get(`${source}/${target}`) ?? 0n
  const usdValueOf: Market['usdValueOf'] = (currency) => (currency === 'USD' ? one : usableValue(currency).value)
  const others = currencyCodes.filter((code) => code !== 'USD')

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
    ...options,
    polls: new Map<string, Poll>(),
    /** Replaces what is known. */
    use(stored: Stored): void {
      known = { ...stored, values: new Map() }
    },
    known: (): Stored | undefined => known,
    valueOf,
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
    /** The fixes in use of each of these currencies. Refuses `rates_unavailable`. */
    fixIdsOf: (currencies: readonly CurrencyCode[]): FixIds =>
      Object.fromEntries(currencies.filter((code) => code !== 'USD').map((code) => [code, usableValue(code).fixIds])),
  }
}

export type Rates = ReturnType<typeof createRates>
