import type { FiatCode } from '@tern/money/currency'
import { example } from '../price.ts'

const rateAgeMs = 60_000

export interface Rate {
  readonly rate: string
  /** When the rate was quoted; of the page's example, and within one currency, there is no such time. */
  readonly asOf: string | undefined
  readonly loadedAt: number
}

const rates = new Map<string, Rate>([
  [`${example.source}/${example.target}`, { rate: example.rate, asOf: undefined, loadedAt: 0 }],
])

/** The pair's rate, asked of the server when it is older than a minute; the one we have when it does not answer. */
export async function loadRate(source: FiatCode, target: FiatCode): Promise<Rate | undefined> {
  const pair = `${source}/${target}`
  if (source === target) return { rate: '1', asOf: undefined, loadedAt: Date.now() }
  const known = rates.get(pair)
  if (known && Date.now() - known.loadedAt < rateAgeMs) return known
  try {
    const response = await fetch(`/api/currency/rate/${pair}/`, { headers: { accept: 'application/json' } })
    if (!response.ok) return known
    const { rate, time: asOf } = (await response.json()) as { rate: string; time: string }
    const loaded = { rate, asOf, loadedAt: Date.now() }
    rates.set(pair, loaded)
    return loaded
  } catch {
    return known
  }
}
