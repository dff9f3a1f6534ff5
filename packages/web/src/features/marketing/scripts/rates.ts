import type { FiatCode } from '@tern/money/currency'

const rateAgeMs = 60_000

export interface Rate {
  readonly rate: string
  /** Time of the rate; undefined for the page's example and within one currency. */
  readonly asOf: string | undefined
  readonly loadedAt: number
}

const rates = new Map<string, Rate>()

const formatPair = (source: FiatCode, target: FiatCode) => `${source}/${target}`

/** Stores the rate that the page was built with. */
export const storeExampleRate = (source: FiatCode, target: FiatCode, rate: string): unknown =>
  rates.set(formatPair(source, target), { rate, asOf: undefined, loadedAt: 0 })

/** Rate of the pair, reloaded if it is older than a minute; the last known one if it cannot be loaded. */
export async function loadRate(source: FiatCode, target: FiatCode): Promise<Rate | undefined> {
  if (source === target) return { rate: '1', asOf: undefined, loadedAt: Date.now() }
  const pair = formatPair(source, target)
  const cachedRate = rates.get(pair)
  if (cachedRate && Date.now() - cachedRate.loadedAt < rateAgeMs) return cachedRate
  try {
    const response = await fetch(`/api/currency/rate/${pair}/`, { headers: { accept: 'application/json' } })
    if (!response.ok) return cachedRate
    const { rate, time: asOf } = (await response.json()) as { rate: string; time: string }
    const rateEntry = { rate, asOf, loadedAt: Date.now() }
    rates.set(pair, rateEntry)
    return rateEntry
  } catch {
    return cachedRate
  }
}
