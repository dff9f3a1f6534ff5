import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { type Ratio, ratio } from '@tern/money/ratio'
import type { RatesProvider } from '@tern/providers/rates/port'
import type { ProviderRegistry } from '../../../platform/providers/provider-registry.ts'
import { refuse } from '../../../platform/refuse.ts'
import { type LastRate, findLastRate, type PairRate, describeOutdatedRate } from './pair-rate.ts'
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
  /** Value of one whole unit in US dollars. Refuses `rates_unavailable` if it is unknown or too old. */
  usdValueOf(currency: CurrencyCode): Ratio
  /** Deduction from the mid-market rate, in millionths. */
  spreadOf(source: CurrencyCode, target: CurrencyCode): bigint
}

/** Rates loaded from the database. */
interface StoredRates {
  readonly fixes: readonly LatestFix[]
  readonly policies: RatePolicies
  readonly spreads: ReadonlyMap<string, bigint>
}

interface RatesWithValues extends StoredRates {
  /** Computed on first use. */
  readonly values: Map<CurrencyCode, UsdValue>
}

/** Last poll of a source. */
interface Poll {
  readonly at: number
  readonly failures: number
  /** Reason for missing rates. */
  readonly problem?: string | undefined
}

const unitRatio = ratio(1n, 1n)

/** Computes values of currencies from the stored fixes, with their age checked. */
function createValues(
  { sources, now }: Pick<RatesOptions, 'sources' | 'now'>,
  knownRates: () => RatesWithValues | undefined,
) {
  const isUsable = (value: UsdValue | undefined): value is UsdValue => value !== undefined && value.usableUntil >= now()

  /** Sources of a currency: the one that the rules choose first, then all others. */
  const listSources = (currency: CurrencyCode): string[] => {
    const chosenSource = sources.choose({ currency })
    return [...new Set([...(chosenSource ? [chosenSource.name] : []), ...sources.all.map(({ name }) => name)])]
  }

  /** Value by the first usable source, or else by the one that was usable longest. */
  function valueOf(currency: CurrencyCode): UsdValue | undefined {
    const book = knownRates()
    if (!book) return undefined
    const last = book.values.get(currency)
    if (isUsable(last)) return last
    const value = usdValue(currency, book, listSources(currency), now())
    if (value) book.values.set(currency, value)
    return value
  }

  /** Usable value. Refuses `rates_unavailable`, with a reason if it is too old. */
  function usableValue(currency: CurrencyCode): UsdValue {
    const value = valueOf(currency)
    if (isUsable(value)) return value
    return refuse('rates_unavailable', value ? { reason: { code: 'rate_too_old', params: { currency } } } : {})
  }

  return {
    isUsable,
    valueOf,
    usableValue,
    /** Values of the currencies except the dollar, each once. */
    valuesOf: (pair: readonly CurrencyCode[]) => [...new Set(pair)].filter((code) => code !== 'USD').map(valueOf),
  }
}

/** Rates in memory with their age checked; one instance per process. `rate-polls.ts` reads and refreshes them. */
export function createRates(options: RatesOptions) {
  const { now } = options
  let knownRates: RatesWithValues | undefined

  const { isUsable, valueOf, usableValue, valuesOf } = createValues(options, () => knownRates)
  const spreadOf: Market['spreadOf'] = (source, target) => knownRates?.spreads.get(`${source}/${target}`) ?? 0n
  const usdValueOf: Market['usdValueOf'] = (currency) => (currency === 'USD' ? unitRatio : usableValue(currency).value)
  const quotedCurrencies = currencyCodes.filter((code) => code !== 'USD')

  /** Last rate of a pair, however old; undefined if the pair is unknown. */
  const lastRate = (source: CurrencyCode, target: CurrencyCode): LastRate | undefined =>
    knownRates && findLastRate([source, target], valuesOf([source, target]), { ...knownRates, spreadOf, now: now() })

  /** Rate of a pair. Refuses `rates_unavailable`, with the last rate if that is too old. */
  function pairRate(source: CurrencyCode, target: CurrencyCode): PairRate {
    const last = lastRate(source, target)
    const staleValue = valuesOf([source, target]).find((value) => value && !isUsable(value))
    if (last && staleValue)
      return refuse('rates_unavailable', describeOutdatedRate(staleValue.currency, [source, target], last))
    for (const code of [source, target]) usdValueOf(code)
    return last ?? refuse('rates_unavailable')
  }

  return {
    usdValueOf,
    spreadOf,
    ...options,
    polls: new Map<string, Poll>(),
    /** Replaces the rates in memory. */
    use(storedRates: StoredRates): void {
      knownRates = { ...storedRates, values: new Map() }
    },
    knownRates: (): StoredRates | undefined => knownRates,
    valueOf,
    /** True if a currency has a usable value. */
    isKnown: (currency: CurrencyCode) => currency === 'USD' || isUsable(valueOf(currency)),
    /** True if every currency has a usable value. */
    isComplete: () => quotedCurrencies.every((currency) => isUsable(valueOf(currency))),
    /** Age of the oldest value in use; NaN if one is unknown. */
    ageSeconds(): number {
      const dates = quotedCurrencies.map((currency) => valueOf(currency)?.asOf.getTime() ?? Number.NaN)
      return (now().getTime() - Math.min(...dates)) / 1000
    },
    pairRate,
    lastRate,
    /** Ids of the fixes in use for each currency. Refuses `rates_unavailable`. */
    fixIdsOf: (currencies: readonly CurrencyCode[]): FixIds =>
      Object.fromEntries(currencies.filter((code) => code !== 'USD').map((code) => [code, usableValue(code).fixIds])),
  }
}

export type Rates = ReturnType<typeof createRates>
