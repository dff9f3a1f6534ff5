import type { Quote } from '@tern/contract/exchange'
import { rateSources as texts } from '#messages/exchange/exchange.ts'
import { daysAgo, formatDateTime, formatTime } from '../../ui/format/format.ts'
import { formatDay } from './rate-text.ts'

const sourceName = (source: string): string =>
  Object.hasOwn(texts.names, source) ? texts.names[source as keyof typeof texts.names] : source

/**
 * Name of a rate's source, such as "ECB rate of Nov 20", "Bitstamp, 6:04 PM" or "ECB and Bitstamp", and its publication
 * time.
 */
export function describeSource(source: string, time: string): { name: string; published: string } {
  const names = source.split('+').filter(Boolean)
  if (source === 'ecb')
    return { name: texts.ecbFix(formatDay(Date.parse(time))), published: texts.published(formatDateTime(time)) }
  const [first = '', second] = names.map(sourceName)
  if (second) return { name: texts.and(first, second), published: texts.older(formatDateTime(time)) }
  return {
    name: texts.at(first, daysAgo(time) === 0 ? formatTime(time) : formatDay(Date.parse(time))),
    published: texts.published(formatDateTime(time)),
  }
}

/** Source of a quote's rate, and its distance from mid-market, such as "ECB rate of Nov 20 + 0.00%". */
export function describeQuoteSource(quote: Pick<Quote, 'rate_source' | 'rate_as_of' | 'spread_percent'>) {
  const { name, published } = describeSource(quote.rate_source, quote.rate_as_of)
  return { name: texts.withSpread(name, quote.spread_percent), published }
}
