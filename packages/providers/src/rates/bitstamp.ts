import { type CryptoCode, cryptoCodes } from '@tern/money/currency'
import { type Ratio, ratio } from '@tern/money/ratio'
import { systemClock } from '../clock/system.ts'
import { readList, readObject, readText } from '../json.ts'
import { isAhead, readRate } from './plausible.ts'
import type { RateFix, RatesProvider } from './port.ts'
import { readPublic } from './public-http.ts'

export interface BitstampSettings {
  /** The exchange's origin, without a slash at its end. */
  readonly url: string
  readonly timeoutMs?: number
  readonly now?: () => Date
}

const mostBytes = 1_000_000
const dayMs = 86_400_000

/** A bid and an ask that lie further apart say little of what a currency is worth. */
const widestSpread = ratio(1n, 20n)

/** Candles of the past, by how far they are asked back: days, then hours, then quarters of an hour. */
const candles = [
  { stepSeconds: 86_400, reachMs: 900 * dayMs },
  { stepSeconds: 3600, reachMs: 30 * dayMs },
  { stepSeconds: 900, reachMs: dayMs },
] as const
/** The most candles that one answer has. */
const mostCandles = 1000

/** A moment in seconds since 1970, as the exchange writes it. */
function readSeconds(body: unknown, name: string): Date | undefined {
  const text = readText(body, name)
  return text !== undefined && /^\d{1,11}$/.test(text) ? new Date(Number(text) * 1000) : undefined
}

/** The exact middle of bid and ask; undefined when either is absurd, they are crossed, or too far apart. */
function middleOf(bid: Ratio | undefined, ask: Ratio | undefined): Ratio | undefined {
  if (!bid || !ask) return undefined
  const [low, high] = [bid.numerator * ask.denominator, ask.numerator * bid.denominator]
  const isTooWide = (high - low) * widestSpread.denominator > low * widestSpread.numerator
  return high < low || isTooWide ? undefined : ratio(low + high, 2n * bid.denominator * ask.denominator)
}

/** What one market's ticker says; a sentence where it is no rate. */
function readTicker(base: CryptoCode, body: unknown, now: Date): RateFix | string {
  const rate = middleOf(readRate(readText(body, 'bid')), readRate(readText(body, 'ask')))
  if (!rate) return `${base}/USD has no usable bid and ask`
  const asOf = readSeconds(body, 'timestamp')
  if (!asOf) return `${base}/USD has no time`
  return isAhead(asOf, now) ? `${base}/USD is dated in the future` : { base, quote: 'USD', rate, asOf }
}

interface Window {
  readonly stepSeconds: number
  /** Of the ends of candles: after `from`, up to `until`. */
  readonly from: Date
  readonly until: Date
}

/** The closes of the candles that end in a window; undefined when it is not an answer about `base`. */
function readCandles(base: CryptoCode, body: unknown, { stepSeconds, from, until }: Window): RateFix[] | undefined {
  const data = readObject(body, 'data')
  const list = readList(data, 'ohlc')
  if (!list || readText(data, 'pair') !== `${base}/USD`) return undefined
  return list.flatMap((candle) => {
    const rate = readRate(readText(candle, 'close'))
    const start = readSeconds(candle, 'timestamp')
    if (!rate || !start) return []
    const asOf = new Date(start.getTime() + stepSeconds * 1000)
    return asOf > from && asOf <= until ? [{ base, quote: 'USD', rate, asOf }] : []
  })
}

/** The windows from `from` to `now`, without overlap: the nearer, the finer. */
function windowsFrom(from: Date, now: Date): Window[] {
  return candles.flatMap(({ stepSeconds, reachMs }, index) => {
    const start = Math.max(from.getTime(), now.getTime() - reachMs)
    const end = now.getTime() - (candles[index + 1]?.reachMs ?? 0)
    return start < end ? [{ stepSeconds, from: new Date(start), until: new Date(end) }] : []
  })
}

/**
 * Bitstamp's public market data: what bitcoin, ether and the stablecoins are worth in US dollars, the exact middle of bid
 * and ask. Each market is asked for itself: one that is closed does not take the others along.
 * https://www.bitstamp.net/api/
 */
export function createBitstampRates({ url, timeoutMs = 5000, now = systemClock.now }: BitstampSettings): RatesProvider {
  async function ask<Result>(path: string, read: (body: unknown) => Result | string): Promise<Result | string> {
    const answer = await readPublic(`${url}/api/v2/${path}`, { timeoutMs, mostBytes })
    if (answer.status === 'unknown') return answer.reason
    let body: unknown
    try {
      body = JSON.parse(answer.text)
    } catch {
      return `${url}/api/v2/${path} is not JSON`
    }
    return read(body)
  }

  const market = (base: CryptoCode): string => `${base.toLowerCase()}usd`
  const latestOf = (base: CryptoCode): Promise<RateFix | string> =>
    ask(`ticker/${market(base)}/`, (body) => readTicker(base, body, now()))
  const candlesOf = (base: CryptoCode, window: Window): Promise<RateFix[] | string> => {
    const { stepSeconds, from } = window
    // With a start alone, the exchange gives what follows it, oldest first.
    const start = Math.floor(from.getTime() / 1000 / stepSeconds) * stepSeconds
    const query = `step=${stepSeconds}&limit=${mostCandles}&start=${start}&exclude_current_candle=true`
    return ask(
      `ohlc/${market(base)}/?${query}`,
      (body) => readCandles(base, body, window) ?? `The candles of ${base}/USD could not be read`,
    )
  }

  return {
    name: 'bitstamp',
    pollEveryMs: 60_000,
    async latest() {
      const { read, missing } = sort(await Promise.all(cryptoCodes.map(latestOf)))
      if (missing !== undefined && read.length === 0) return { status: 'unknown', reason: missing }
      return { status: 'known', fixes: read, missing }
    },
    // As a whole or not at all: what is left out once is not asked for again.
    async history(from) {
      const asked = windowsFrom(from, now()).flatMap((window) => cryptoCodes.map((base) => candlesOf(base, window)))
      const { read, missing } = sort(await Promise.all(asked))
      return missing === undefined ? { status: 'known', fixes: read.flat() } : { status: 'unknown', reason: missing }
    },
  }
}

/** What was read, and why the rest was not. */
function sort<Read>(answers: readonly (Read | string)[]): { read: Read[]; missing: string | undefined } {
  const reasons = answers.filter((answer) => typeof answer === 'string')
  const read = answers.filter((answer): answer is Read => typeof answer !== 'string')
  return { read, missing: reasons.length === 0 ? undefined : reasons.join('; ') }
}
