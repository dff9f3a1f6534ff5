import '../../css/rate-chart.css'
import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import { rateChart as texts } from '#messages/exchange/chart.ts'
import { isolate } from '../../ui/format/format.ts'
import { useWidth } from '../../ui/use-width.ts'
import { findExtremes, labelSide, locateLabel } from './label-places.ts'
import { drawLine, type LineFacts, computePosition, findStep } from './rate-line.ts'
import { countDecimals, computeDepth, fromUnits, scaleAround, type RateScale, toUnits } from './rate-scale.ts'
import { formatLabel, formatPlaces, formatReading, formatSpan, formatTimeLine, needsTime } from './rate-text.ts'
import { ChartLines, type ChartLine, rateLabelHeight } from './ChartLines.tsx'
import { timeLines, type RateRange } from './time-lines.ts'

/** Geometry for overlays of the plot. */
export interface PlotGeometry {
  readonly facts: LineFacts
  readonly scale: RateScale
  /** In CSS pixels. */
  readonly width: number
}

export interface RateChartProps {
  /** Such as "1 EUR in USDT". */
  title: string
  target: string
  range: RateRange
  facts: LineFacts
  /** Horizontal lines at rates, such as those of orders. */
  lines?: readonly ChartLine[]
  /**
   * Rates that must be visible; those of the lines by default. A constant value keeps the scale while a line is
   * dragged.
   */
  frame?: readonly string[] | undefined
  /** Event at the coral dot; without it, the dot marks the present. */
  marker?: { readonly at: number; readonly rate: string; readonly label: string } | undefined
  /** Overlay of the plot, such as the handle of a line. */
  children?: (geometry: PlotGeometry) => ReactNode
}

const glyphWidth = 6.4
const halfTimeLabel = 18
const dotRadius = 8
/** Breaks narrower than this many CSS pixels have no text. */
const minBreakWidth = 48

const toPercent = (value: number): string => `${(value * 100).toFixed(2)}%`

/** Positions on the drawing as CSS variables, set by script, since the page's policy forbids styles in markup. */
const at = (x: number, y?: number) =>
  ({ '--x': toPercent(x), ...(y === undefined ? {} : { '--y': toPercent(y) }) }) as CSSProperties

/** A rate over time as a step line, constant between two fixes. The plot is a slider that reads one fix at a time. */
export function RateChart({ title, target, range, facts, lines = [], frame, marker, children }: RateChartProps) {
  const { place: plot, width } = useWidth<HTMLDivElement>()
  const [reading, setReading] = useState<number>()
  const values = [...facts.steps.map(({ units }) => units), ...(frame ?? lines.map(({ rate }) => rate)).map(toUnits)]
  const scale = scaleAround(marker ? [...values, toUnits(marker.rate)] : values)
  const decimals = Math.max(countDecimals(scale.step), countRateDecimals(scale.top))
  const format = (units: bigint) => formatPlaces(fromUnits(units), decimals)
  const times = timeLines(range, facts.from, facts.until)
  const showsTime = needsTime(facts.steps.map(({ at: time }) => time))
  const readingIndex = reading === undefined ? undefined : Math.min(reading, facts.steps.length - 1)
  const crosshair =
    readingIndex === undefined ? undefined : computePosition(facts.steps[readingIndex]?.at ?? facts.from, facts)
  const geometry = { facts, scale, width }
  // The rate of a line replaces a round value close to it.
  const isFree = (value: bigint) =>
    lines.every(({ rate, lineStyle }) => {
      const distance = computeDepth(toUnits(rate), scale) - computeDepth(value, scale)
      return lineStyle === 'was' || Math.abs(distance) > rateLabelHeight
    })
  return (
    <div className="rate-plot">
      <div className="rate-area" ref={plot}>
        <Drawing {...geometry} times={times} />
        <ChartLines lines={lines} {...geometry} />
        {lines.length === 0 && <ExtremeLabels {...geometry} {...{ range, format, crosshair }} />}
        <Dot facts={facts} scale={scale} marker={marker} />
        <RateReader {...{ title, target, facts, scale, format, showsTime }} index={readingIndex} onRead={setReading} />
        {children?.(geometry)}
      </div>
      <ol className="rate-values tiny faint tabular" aria-hidden="true">
        {scale.lines.filter(isFree).map((value) => (
          <li key={String(value)} style={at(0, computeDepth(value, scale))}>
            {format(value)}
          </li>
        ))}
      </ol>
      <ol className="rate-times tiny faint tabular" aria-hidden="true">
        {times
          .map((time) => ({ time, x: computePosition(time, facts) }))
          .filter(({ x }) => Math.min(x, 1 - x) * width > halfTimeLabel)
          .map(({ time, x }) => (
            <li key={time} style={at(x)}>
              {formatTimeLine(time, range)}
            </li>
          ))}
      </ol>
    </div>
  )
}

/** Lines of the plot, with texts in its breaks. */
function Drawing({ facts, scale, width, times }: PlotGeometry & { times: readonly number[] }) {
  const { line, dottedLine, breaks } = drawLine(facts, scale)
  return (
    <>
      <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
        <path d={scale.lines.map((value) => `M0 ${computeDepth(value, scale) * 1000}H1000`).join('')} />
        <path d={times.map((time) => `M${computePosition(time, facts) * 1000} 0V1000`).join('')} />
        <path className="rate-edge" d={drawEdges(breaks)} />
        <path className="rate-dotted" d={dottedLine} />
        <path className="rate-line" d={line} />
      </svg>
      {breaks
        .map(({ start, end }) => ({ middle: (start + end) / 2, breakWidth: (end - start) * width }))
        .filter(({ breakWidth }) => breakWidth > minBreakWidth)
        .map(({ middle, breakWidth }) => (
          <span key={middle} className="rate-break" style={{ ...at(middle), maxWidth: breakWidth }}>
            {texts.noRates}
          </span>
        ))}
    </>
  )
}

/** The coral dot: the present, or the marked event. */
function Dot({ facts, scale, marker }: Omit<PlotGeometry, 'width'> & Pick<RateChartProps, 'marker'>) {
  if (marker) {
    const x = computePosition(marker.at, facts)
    const place = at(x, computeDepth(toUnits(marker.rate), scale))
    return (
      <>
        <i className="rate-dot" style={place} />
        <span className={`rate-label rate-label-${x > 0.5 ? 'end' : 'start'}`} style={place}>
          <b>{marker.label}</b>
        </span>
      </>
    )
  }
  const last = facts.steps.at(-1)
  const isCurrent = facts.gaps.every((gap) => gap.until < facts.until)
  return last && isCurrent ? <i className="rate-dot" style={at(1, computeDepth(last.units, scale))} /> : null
}

/** Four decimals for rates below a hundred, two for larger ones, four significant digits for rates below one. */
function countRateDecimals(units: bigint): number {
  const [integerPart = '', fraction = ''] = fromUnits(units).split('.')
  if (integerPart !== '0') return integerPart.length > 2 ? 2 : 4
  return Math.min(12, (/^0*/.exec(fraction)?.[0].length ?? 0) + 4)
}

/** Hairlines on both sides of each break, except at the edges of the plot. */
const drawEdges = (breaks: readonly { start: number; end: number }[]): string =>
  breaks
    .flatMap(({ start, end }) => [start, end])
    .filter((edge) => edge > 0 && edge < 1)
    .map((edge) => `M${edge * 1000} 0V1000`)
    .join('')

interface ExtremesProps extends PlotGeometry {
  range: RateRange
  format: (units: bigint) => string
  crosshair: number | undefined
}

/** Labels of the highest and the lowest rate, clear of the crosshair. */
function ExtremeLabels({ facts, scale, range, format, width, crosshair }: ExtremesProps) {
  const extremes = findExtremes(facts)
  if (!extremes) return null
  return (['high', 'low'] as const).map((extreme) => {
    const step = facts.steps[extremes[extreme]]
    if (!step) return null
    const { x, y } = locateLabel(extremes[extreme], facts, scale)
    const [rate, when] = [format(step.units), formatLabel(step.at, range)]
    const half = ((rate.length + when.length + 1) * glyphWidth + 8) / 2 / width
    const side = labelSide(x, half, crosshair)
    return (
      side && (
        <span
          key={extreme}
          // A label at the present needs no pointer: the dot already marks it.
          className={`rate-label rate-label-${extreme} rate-label-${side}${(1 - x) * width < dotRadius ? ' rate-label-bare' : ''}`}
          style={at(x, y)}
          aria-hidden="true"
        >
          <b>{rate}</b> {when}
        </span>
      )
    )
  })
}

interface ReaderProps extends Omit<PlotGeometry, 'width'> {
  title: string
  target: string
  showsTime: boolean
  format: (units: bigint) => string
  index: number | undefined
  onRead: (index: number | undefined) => void
}

const pageSteps = 5

/** Crosshair: follows the pointer to the fix in force there, and is a slider for the keyboard. */
function RateReader({ title, target, showsTime, facts, scale, format, index, onRead }: ReaderProps) {
  const last = facts.steps.length - 1
  const current = index ?? last
  const step = facts.steps[current]
  if (!step) return null
  const [rate, when] = [format(step.units), formatReading(step.at, showsTime)]
  const trackPointer = ({ clientX, currentTarget }: PointerEvent<HTMLInputElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    onRead(findStep((clientX - left) / width, facts))
  }
  const page = (event: KeyboardEvent<HTMLInputElement>) => {
    const by = { PageUp: pageSteps, PageDown: -pageSteps }[event.key]
    if (by === undefined) return
    event.preventDefault()
    onRead(Math.min(last, Math.max(0, current + by)))
  }
  return (
    <div
      className="rate-reader"
      style={at(computePosition(step.at, facts), computeDepth(step.units, scale))}
      data-reading={index !== undefined || undefined}
    >
      <input
        type="range"
        min={0}
        max={last}
        value={current}
        aria-label={texts.slider(title, formatSpan(facts.from), formatSpan(facts.until))}
        aria-valuetext={texts.reading(when, isolate(`${rate} ${target}`))}
        onChange={(event) => onRead(event.target.valueAsNumber)}
        onKeyDown={page}
        onFocus={() => onRead(current)}
        onBlur={() => onRead(undefined)}
        onPointerMove={trackPointer}
        onPointerDown={trackPointer}
        onPointerLeave={({ currentTarget }) => document.activeElement !== currentTarget && onRead(undefined)}
      />
      <i className="rate-hair" />
      <i className="rate-ring" />
      <p className="rate-reading tabular" aria-hidden="true">
        <b>{rate}</b> {when}
      </p>
    </div>
  )
}
