import { rateChart as texts } from '#messages/exchange/chart.ts'
import { formatDate, formatDateTime, formatTime } from '../../ui/format/format.ts'
import { personLocale, textLocale } from '../../ui/format/locale.ts'
import type { RateHistory } from './rate-queries.ts'
import type { RateRange } from './time-lines.ts'

const formatMoment = (at: number, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(textLocale(), options).format(new Date(at))

export const formatPlaces = (rate: string, decimals: number): string =>
  new Intl.NumberFormat(personLocale(), {
    numberingSystem: 'latn',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(rate as Intl.StringNumericLiteral)

/** True if two of these moments are on one day, so that their labels need the time. */
export const needsTime = (moments: readonly number[]): boolean =>
  new Set(moments.map((at) => new Date(at).toDateString())).size < moments.length

/** "Tue, Nov 12" or "Tue, Nov 12, 4:00 PM". */
export function formatReading(at: number, showsTime: boolean): string {
  const day = formatMoment(at, { weekday: 'short', month: 'short', day: 'numeric' })
  return showsTime ? `${day}, ${formatTime(new Date(at))}` : day
}

/** Such as "Nov 20". */
export const formatDay = (at: number): string => formatMoment(at, { month: 'short', day: 'numeric' })

/** "Nov 4" or, in a chart of one day, "4:00 PM": for the label of a value. */
export const formatLabel = (at: number, range: RateRange): string =>
  range === '24h' ? formatTime(new Date(at)) : formatDay(at)

/** Label of a vertical line: "6:00 PM", "4 Mon", "Nov 4", "Jan". */
export function formatTimeLine(at: number, range: RateRange): string {
  if (range === '24h') return formatTime(new Date(at))
  if (range === '7d') return formatMoment(at, { weekday: 'short', day: 'numeric' })
  return range === '30d' ? formatDay(at) : formatMoment(at, { month: 'short' })
}

export const formatSpan = (at: number): string => formatDate(new Date(at))

/** "+0.25%" or "−2.68%" from hundredths of a percent. */
export const formatChange = (basisPoints: number): string =>
  new Intl.NumberFormat(personLocale(), {
    numberingSystem: 'latn',
    style: 'percent',
    minimumFractionDigits: 2,
    signDisplay: 'exceptZero',
  })
    .format(`${basisPoints}e-4` as Intl.StringNumericLiteral)
    .replace('-', '−')

const isKnownSource = (name: string): name is Exclude<keyof typeof texts.sources, 'other'> =>
  Object.hasOwn(texts.sources, name) && name !== 'other'

/** Sentences about the sources of a history's rates, its rests and its latest change. */
export function describeSource({ source, steps, rests }: RateHistory): string {
  const names = source.split('+').filter(Boolean)
  const last = steps.at(-1)
  return [
    ...names.map((name) => (isKnownSource(name) ? texts.sources[name] : texts.sources.other(name))),
    ...(rests.length > 0 ? [texts.rests] : []),
    ...(last ? [texts.lastChange(formatDateTime(last.time))] : []),
  ].join(' ')
}

/** "1.00%" from a percentage as a decimal string. */
export const formatDecimalPercent = (percent: string, decimals = 2): string =>
  new Intl.NumberFormat(personLocale(), {
    numberingSystem: 'latn',
    style: 'percent',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(`${percent}e-2` as Intl.StringNumericLiteral)
