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

/** Inputs of a price: values of currencies and spreads of pairs. */
export interface Market {
  /** Returns the value of one unit in US dollars. Refuses `rates_unavailable` if it is unknown or too old. */
  usdValueOf(currency: CurrencyCode): Ratio
  /** Returns the deduction from the mid-market rate, in millionths. */
  spreadOf(source: CurrencyCode, target: CurrencyCode): bigint
}

/** Rates loaded from the database. */
interface StoredRates {
  readonly fixes: readonly LatestFix[]
  readonly policies: RatePolicies
  readonly spreads: ReadonlyMap<string, bigint>
}

interface RatesWithValues extends StoredRates {
  /** Values already computed from these fixes. */
  readonly values: Map<CurrencyCode, UsdValue>
}

/** Result of the last poll of a source. */
interface Poll {
  readonly at: number
  readonly failures: number
  /** Why rates are missing. */
  readonly problem?: string | undefined
}

const unitRatio = ratio(1n, 1n)

/** Returns functions that derive currencies' values from the stored fixes and check their age. */
function createValues(
  { sources, now }: Pick<RatesOptions, 'sources' | 'now'>,
  knownRates: () => RatesWithValues | undefined,
) {
  const isUsable = (value: UsdValue | undefined): value is UsdValue => value !== undefined && value.usableUntil >= now()

  /** Returns the sources of a currency: the configured one first, then all others. */
  const listSources = (currency: CurrencyCode): string[] => {
    const chosenSource = sources.choose({ currency })
    return [...new Set([...(chosenSource ? [chosenSource.name] : []), ...sources.all.map(({ name }) => name)])]
  }

  /** Returns the value by the first usable source, else by the one that was usable longest. */
  function valueOf(currency: CurrencyCode): UsdValue | undefined {
    const book = knownRates()
    if (!book) return undefined
    const last = book.values.get(currency)
    if (isUsable(last)) return last
    const value = usdValue(currency, book, listSources(currency), now())
    if (value) book.values.set(currency, value)
    return value
  }

  /** Returns a usable value. Refuses `rates_unavailable`, with a reason if the value is too old. */
  function usableValue(currency: CurrencyCode): UsdValue {
    const value = valueOf(currency)
    if (isUsable(value)) return value
    return refuse('rates_unavailable', value ? { reason: { code: 'rate_too_old', params: { currency } } } : {})
  }

  return {
    isUsable,
    valueOf,
    usableValue,
    /** Returns the values of the currencies except the dollar, without duplicates. */
    valuesOf: (pair: readonly CurrencyCode[]) => [...new Set(pair)].filter((code) => code !== 'USD').map(valueOf),
  }
}

/** Rates in memory, one instance per process, loaded by `rate-polls.ts`. `usdValueOf` and `pairRate` check the age. */
export function createRates(options: RatesOptions) {
  const { now } = options
  let knownRates: RatesWithValues | undefined

  const { isUsable, valueOf, usableValue, valuesOf } = createValues(options, () => knownRates)
  const spreadOf: Market['spreadOf'] = (source, target) => knownRates?.spreads.get(`${source}/${target}`) ?? 0n
  const usdValueOf: Market['usdValueOf'] = (currency) => (currency === 'USD' ? unitRatio : usableValue(currency).value)
  const quotedCurrencies = currencyCodes.filter((code) => code !== 'USD')

  /** Returns the last rate of a pair, however old; undefined if the pair is unknown. */
  const lastRate = (source: CurrencyCode, target: CurrencyCode): LastRate | undefined =>
    knownRates && findLastRate([source, target], valuesOf([source, target]), { ...knownRates, spreadOf, now: now() })

  /** Returns the rate of a pair. Refuses `rates_unavailable`, with the last rate if that is too old. */
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
    /** Returns whether a currency has a usable value. */
    isKnown: (currency: CurrencyCode) => currency === 'USD' || isUsable(valueOf(currency)),
    /** Returns whether every currency has a usable value. */
    isComplete: () => quotedCurrencies.every((currency) => isUsable(valueOf(currency))),
    /** Returns the age of the oldest value in use; NaN if a value is unknown. */
    ageSeconds(): number {
      const dates = quotedCurrencies.map((currency) => valueOf(currency)?.asOf.getTime() ?? Number.NaN)
      return (now().getTime() - Math.min(...dates)) / 1000
    },
    pairRate,
    lastRate,
    /** Returns the ids of the fixes behind each currency's value. Refuses `rates_unavailable`. */
    fixIdsOf: (currencies: readonly CurrencyCode[]): FixIds =>
      Object.fromEntries(currencies.filter((code) => code !== 'USD').map((code) => [code, usableValue(code).fixIds])),
  }
}

export type Rates = ReturnType<typeof createRates>
