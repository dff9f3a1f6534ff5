import { type FiatCode, fiatCodes } from '@tern/money/currency'
import sax from 'sax'
import { systemClock } from '../clock/system.ts'
import type { UnknownOutcome } from '../outcome.ts'
import { isAhead, readRate } from './plausible-rate.ts'
import type { RateFix, RatesProvider, RatesResult } from './port.ts'
import { readPublic, describeError } from './public-http.ts'

export interface EcbSettings {
  /** Address of the files' folder, without a trailing slash. */
  readonly url: string
  /** Time limit for the latest rates, in milliseconds; a history may take six times as long. */
  readonly timeoutMs?: number
  readonly now?: () => Date
}

/** Rates of one day as published: the day (YYYY-MM-DD), and units of each currency per euro. */
interface Day {
  readonly day: string
  /** Undefined for a currency with two different rates. */
  readonly rates: Map<string, string | undefined>
}

const dayMs = 86_400_000
// The short file covers 90 days, counted back from its last day.
const recentFileDays = 85
const maxBytesByFile = { daily: 100_000, history: 20_000_000 }

const quotedCodes = fiatCodes.filter((code) => code !== 'EUR')

const envelope = 'http://www.gesmes.org/xml/2002-08-01'
const vocabulary = 'http://www.ecb.int/vocabulary/2002-08-01/eurofxref'

const frankfurtHour = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Berlin',
  hour: '2-digit',
  hourCycle: 'h23',
})

/**
 * Returns the time of a day's fixing: 16:00 in Frankfurt. Undefined for an invalid day.
 * European Central Bank, "Euro foreign exchange reference rates": updated at around 16:00 CET on every working day.
 */
function readFixTime(day: string): Date | undefined {
  const at = ['14', '15']
    .map((hour) => new Date(`${day}T${hour}:00:00Z`))
    .find((date) => !Number.isNaN(date.getTime()) && frankfurtHour.format(date) === '16')
  return at?.toISOString().startsWith(day) ? at : undefined
}

/** Parses the XML of the reference rates; throws for anything else. A DOCTYPE is refused, so entities never expand. */
function readDays(text: string): Day[] {
  const days: Day[] = []
  let depth = 0
  const parser = sax.parser(true, { xmlns: true, position: false })
  const fail = (reason: string): never => {
    throw new Error(reason)
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- sax has none
  parser.onerror = (error) => fail(error.message.split('\n')[0] ?? '')
  parser.ondoctype = () => fail('it has a DOCTYPE')
  parser.onopentag = (tag) => {
    const { local, uri, attributes } = tag as sax.QualifiedTag
    if (depth === 0 && (local !== 'Envelope' || uri !== envelope)) fail('it is not an envelope of reference rates')
    const isCube = local === 'Cube' && uri === vocabulary
    const readAttribute = (name: string) => attributes[name]?.value ?? fail(`a Cube has no ${name}`)
    if (isCube && depth === 2) days.push({ day: readAttribute('time'), rates: new Map() })
    if (isCube && depth === 3) {
      const rates = days.at(-1)?.rates ?? fail('a rate has no day')
      const currency = readAttribute('currency')
      const rate = readAttribute('rate')
      const isContradicted = rates.has(currency) && rates.get(currency) !== rate
      rates.set(currency, isContradicted ? undefined : rate)
    }
    depth += 1
  }
  parser.onclosetag = () => {
    depth -= 1
  }
  parser.write(text).close()
  return days
}

/** Returns the usable rates of a day, and the currencies without one; undefined for an invalid day. */
function readFixes({ day, rates }: Day): { fixes: RateFix[]; missing: FiatCode[]; asOf: Date } | undefined {
  const asOf = readFixTime(day)
  if (!asOf) return undefined
  const fixes: RateFix[] = []
  const missing: FiatCode[] = []
  for (const quote of quotedCodes) {
    const rate = readRate(rates.get(quote))
    if (rate) fixes.push({ base: 'EUR', quote, rate, asOf })
    else missing.push(quote)
  }
  return { fixes, missing, asOf }
}

/** Parses the single day of the daily file. Currencies without a usable rate are reported; the others are used. */
function readLatest(days: readonly Day[], now: Date): RatesResult {
  const sentence = (text: string): string => `The ECB's reference rates ${text}`
  const unknown = (reason: string): UnknownOutcome => ({ status: 'unknown', reason: sentence(reason) })
  const [day, ...earlierDays] = days
  if (!day || earlierDays.length > 0) return unknown(`are of ${days.length} days instead of one`)
  const read = readFixes(day)
  if (!read) return unknown(`of ${day.day} have no usable time`)
  if (isAhead(read.asOf, now)) return unknown(`of ${day.day} are dated in the future`)
  const { fixes, missing } = read
  if (missing.length === 0) return { status: 'known', fixes }
  const problem = `of ${day.day} have no usable ${missing.join(', ')}`
  return fixes.length === 0 ? unknown(problem) : { status: 'known', fixes, missing: sentence(problem) }
}

/** Returns the usable rates from `from` on. The ECB has not always fixed every currency. */
function readHistory(days: readonly Day[], from: Date, now: Date): RatesResult {
  const fixes = days.flatMap((day) => {
    const read = readFixes(day)
    return !read || read.asOf < from || isAhead(read.asOf, now) ? [] : read.fixes
  })
  return { status: 'known', fixes }
}

/**
 * Euro foreign exchange reference rates of the European Central Bank: every fiat currency against the euro, once per
 * business day. A currency that is missing, implausible or contradictory does not affect the others.
 * https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates
 */
export function createEcbRatesProvider({ url, timeoutMs = 5000, now = systemClock.now }: EcbSettings): RatesProvider {
  async function fetchRates(
    file: string,
    limits: { readonly timeoutMs: number; readonly maxBytes: number },
    read: (days: readonly Day[]) => RatesResult,
  ): Promise<RatesResult> {
    const answer = await readPublic(`${url}/${file}`, limits)
    if (answer.status === 'unknown') return answer
    try {
      return read(readDays(answer.text))
    } catch (error) {
      return { status: 'unknown', reason: `${url}/${file} could not be read: ${describeError(error)}` }
    }
  }
  return {
    name: 'ecb',
    pollEveryMs: 15 * 60_000,
    latest: () =>
      fetchRates('eurofxref-daily.xml', { timeoutMs, maxBytes: maxBytesByFile.daily }, (days) =>
        readLatest(days, now()),
      ),
    history: (from) => {
      const isRecent = from.getTime() > now().getTime() - recentFileDays * dayMs
      const file = isRecent ? 'eurofxref-hist-90d.xml' : 'eurofxref-hist.xml'
      const limits = { timeoutMs: 6 * timeoutMs, maxBytes: maxBytesByFile.history }
      return fetchRates(file, limits, (days) => readHistory(days, from, now()))
    },
  }
}
