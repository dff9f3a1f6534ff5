import { type FiatCode, fiatCodes } from '@tern/money/currency'
import { systemClock } from '../clock/system.ts'
import { readObject, readText } from '../json.ts'
import { isAhead, readRate } from './plausible-rate.ts'
import type { RateFix, RatesProvider, RatesResult } from './port.ts'
import { readPublic } from './public-http.ts'

export interface OpenExchangeRatesSettings {
  /** Address of the API, without a trailing slash. */
  readonly url: string
  readonly appId: string
  readonly timeoutMs?: number
  readonly now?: () => Date
}

const maxBytes = 100_000
/** The slowest plans publish hourly, so older rates have stopped. */
const maxAgeSeconds = 3 * 3600

const quotedCodes = fiatCodes.filter((code) => code !== 'USD')

/** Parses JSON with each number as its text, so that no rate passes through floating point. */
function parseExactly(text: string): unknown {
  const keepNumberText = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' ? (context?.source ?? '') : value
  return JSON.parse(text, keepNumberText)
}

/** Reads rates of one moment; a sentence if they are unusable. */
function readMoment(body: unknown, now: Date): RatesResult | string {
  const rates = readObject(body, 'rates')
  const seconds = readText(body, 'timestamp') ?? ''
  if (!rates || readText(body, 'base') !== 'USD') return 'are not rates of the US dollar'
  if (!/^\d{1,11}$/.test(seconds)) return 'have no time'
  const asOf = new Date(Number(seconds) * 1000)
  if (isAhead(asOf, now)) return `are dated in the future: ${asOf.toISOString()}`
  if (now.getTime() - asOf.getTime() > maxAgeSeconds * 1000) return `are out of date: ${asOf.toISOString()}`
  const fixes: RateFix[] = []
  const missing: FiatCode[] = []
  for (const quote of quotedCodes) {
    const rate = readRate(readText(rates, quote))
    if (rate) fixes.push({ base: 'USD', quote, rate, asOf })
    else missing.push(quote)
  }
  if (missing.length === 0) return { status: 'known', fixes }
  const problem = `have no usable ${missing.join(', ')}`
  return fixes.length === 0 ? problem : { status: 'known', fixes, missing: describe(problem) }
}

const describe = (problem: string): string => `The rates of Open Exchange Rates ${problem}`

/**
 * Intraday rates of Open Exchange Rates: every fiat currency in US dollars. The App ID is sent as a header, so no
 * address contains it. Past days are not read, because each counts towards the plan's quota.
 * https://docs.openexchangerates.org/reference/latest-json and /reference/authentication
 */
export function createOpenExchangeRatesProvider({
  url,
  appId,
  timeoutMs = 5000,
  now = systemClock.now,
}: OpenExchangeRatesSettings): RatesProvider {
  return {
    name: 'openexchangerates',
    pollEveryMs: 15 * 60_000,
    maxAgeSeconds,
    anchor: 'ecb',
    async latest() {
      const headers = { authorization: `Token ${appId}` }
      const answer = await readPublic(`${url}/latest.json`, { timeoutMs, maxBytes }, headers)
      if (answer.status === 'unknown') return answer
      let body: unknown
      try {
        body = parseExactly(answer.text)
      } catch {
        return { status: 'unknown', reason: `${url}/latest.json is not JSON` }
      }
      const result = readMoment(body, now())
      return typeof result === 'string' ? { status: 'unknown', reason: describe(result) } : result
    },
    history: () => Promise.resolve({ status: 'known', fixes: [] }),
  }
}
