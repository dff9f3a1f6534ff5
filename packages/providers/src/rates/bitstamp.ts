import { type CryptoCode, cryptoCodes } from '@tern/money/currency'
import { type Ratio, ratio } from '@tern/money/ratio'
import { systemClock } from '../clock/system.ts'
import { readList, readObject, readText } from '../json.ts'
import { isAhead, readRate } from './plausible-rate.ts'
import type { RateFix, RatesProvider } from './port.ts'
import { readPublic } from './public-http.ts'

export interface BitstampSettings {
  /** Origin of the exchange, without a trailing slash. */
  readonly url: string
  readonly timeoutMs?: number
  readonly now?: () => Date
}

const maxBytes = 1_000_000
const dayMs = 86_400_000

/** Maximum spread of a usable quote, relative to the bid; beyond it the middle is no reliable value. */
const maxSpread = ratio(1n, 20n)

/** Candle sizes by how far back they are requested: days, then hours, then quarters of an hour. */
const candles = [
  { stepSeconds: 86_400, reachMs: 900 * dayMs },
  { stepSeconds: 3600, reachMs: 30 * dayMs },
  { stepSeconds: 900, reachMs: dayMs },
] as const
/** Maximum number of candles in one reply. */
const maxCandles = 1000

/** Reads a time in seconds since 1970, the exchange's format. */
function readSeconds(body: unknown, name: string): Date | undefined {
  const text = readText(body, name)
  return text !== undefined && /^\d{1,11}$/.test(text) ? new Date(Number(text) * 1000) : undefined
}

/** Returns the exact middle of bid and ask; undefined if either is implausible, or if they are crossed or far apart. */
function computeMiddle(bid: Ratio | undefined, ask: Ratio | undefined): Ratio | undefined {
  if (!bid || !ask) return undefined
  const [low, high] = [bid.numerator * ask.denominator, ask.numerator * bid.denominator]
  const isTooWide = (high - low) * maxSpread.denominator > low * maxSpread.numerator
  return high < low || isTooWide ? undefined : ratio(low + high, 2n * bid.denominator * ask.denominator)
}

/** Parses the ticker of one market; returns a sentence if it has no usable rate. */
function readTicker(base: CryptoCode, body: unknown, now: Date): RateFix | string {
  const rate = computeMiddle(readRate(readText(body, 'bid')), readRate(readText(body, 'ask')))
  if (!rate) return `${base}/USD has no usable bid and ask`
  const asOf = readSeconds(body, 'timestamp')
  if (!asOf) return `${base}/USD has no time`
  return isAhead(asOf, now) ? `${base}/USD is dated in the future` : { base, quote: 'USD', rate, asOf }
}

interface Window {
  readonly stepSeconds: number
  /** Range of candle ends: after `from`, up to and including `until`. */
  readonly from: Date
  readonly until: Date
}

/** Parses the closing rates of candles that end in a window; undefined if unreadable or not about `base`. */
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

/** Returns the windows from `from` to `now`, without overlap, finer towards the present. */
function splitIntoWindows(from: Date, now: Date): Window[] {
  return candles.flatMap(({ stepSeconds, reachMs }, index) => {
    const start = Math.max(from.getTime(), now.getTime() - reachMs)
    const end = now.getTime() - (candles[index + 1]?.reachMs ?? 0)
    return start < end ? [{ stepSeconds, from: new Date(start), until: new Date(end) }] : []
  })
}

/**
 * Public market data of Bitstamp: values of bitcoin, ether and the stablecoins in US dollars. The latest are the exact
 * middle of bid and ask, and a closed market does not affect the others; the history consists of closing prices.
 * https://www.bitstamp.net/api/
 */
export function createBitstampRatesProvider({
  url,
  timeoutMs = 5000,
  now = systemClock.now,
}: BitstampSettings): RatesProvider {
  async function fetchParsed<Result>(path: string, read: (body: unknown) => Result | string): Promise<Result | string> {
    const answer = await readPublic(`${url}/api/v2/${path}`, { timeoutMs, maxBytes })
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
  const fetchLatest = (base: CryptoCode): Promise<RateFix | string> =>
    fetchParsed(`ticker/${market(base)}/`, (body) => readTicker(base, body, now()))
  const fetchCandles = (base: CryptoCode, window: Window): Promise<RateFix[] | string> => {
    const { stepSeconds, from } = window
    // Given only a start, the exchange returns the candles from it on, oldest first.
    const start = Math.floor(from.getTime() / 1000 / stepSeconds) * stepSeconds
    const query = `step=${stepSeconds}&limit=${maxCandles}&start=${start}&exclude_current_candle=true`
    return fetchParsed(
      `ohlc/${market(base)}/?${query}`,
      (body) => readCandles(base, body, window) ?? `The candles of ${base}/USD could not be read`,
    )
  }

  return {
    name: 'bitstamp',
    pollEveryMs: 60_000,
    async latest() {
      const { read, missing } = separateAnswers(await Promise.all(cryptoCodes.map(fetchLatest)))
      if (missing !== undefined && read.length === 0) return { status: 'unknown', reason: missing }
      return { status: 'known', fixes: read, missing }
    },
    // All or nothing, because gaps are not requested again.
    async history(from) {
      const requests = splitIntoWindows(from, now()).flatMap((window) =>
        cryptoCodes.map((base) => fetchCandles(base, window)),
      )
      const { read, missing } = separateAnswers(await Promise.all(requests))
      return missing === undefined ? { status: 'known', fixes: read.flat() } : { status: 'unknown', reason: missing }
    },
  }
}

/** Separates results from reasons for failure. */
function separateAnswers<Read>(answers: readonly (Read | string)[]): { read: Read[]; missing: string | undefined } {
  const reasons = answers.filter((answer) => typeof answer === 'string')
  const read = answers.filter((answer): answer is Read => typeof answer !== 'string')
  return { read, missing: reasons.length === 0 ? undefined : reasons.join('; ') }
}
