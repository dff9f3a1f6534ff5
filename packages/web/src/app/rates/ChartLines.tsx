import type { CSSProperties, ReactNode } from 'react'
import { spreadDepths, placeNames } from './label-places.ts'
import type { LineFacts } from './rate-line.ts'
import { computeDepth, type RateScale, toUnits } from './rate-scale.ts'

/** A horizontal line at a rate, with its name in a break of the line. */
export interface ChartLine {
  readonly key: string
  readonly rate: string
  readonly lineStyle: 'limit' | 'stop' | 'alert' | 'was'
  readonly name: string
  /** Name where space is short. */
  readonly shortText?: string
  readonly icon?: ReactNode
  /** Rate at the end of the line, over the axis; undefined if a handle is shown there. */
  readonly value?: string | undefined
}

interface ChartLinesProps {
  lines: readonly ChartLine[]
  facts: LineFacts
  scale: RateScale
  /** Width of the plot in CSS pixels. */
  width: number
}

const glyphWidth = 7.2
const iconWidth = 20
const padding = 16
/** Plots narrower than this many CSS pixels use short names. */
const narrowWidth = 480
/** Height of a name with its margin, as a share of the plot. */
const nameHeight = 0.09
/** Height of a rate over the axis, as a share of the plot. */
export const rateLabelHeight = 0.07

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`

/** Horizontal lines such as those of orders, behind the crosshair and in front of the rates. */
export function ChartLines({ lines, facts, scale, width }: ChartLinesProps) {
  const placedLines = lines.map((line) => ({
    line,
    depth: computeDepth(toUnits(line.rate), scale),
    text: width < narrowWidth ? (line.shortText ?? line.name) : line.name,
  }))
  const estimateWidth = (text: string, hasIcon: boolean) =>
    Math.min(0.94, (text.length * glyphWidth + (hasIcon ? iconWidth : 0) + padding) / Math.max(1, width))
  const names = placedLines.map(({ line, depth, text }) => ({
    depth,
    width: estimateWidth(text, line.icon !== undefined),
  }))
  const places = placeNames(names, nameHeight, facts, scale)
  const values = spreadDepths(
    placedLines.map(({ depth }) => depth),
    rateLabelHeight,
  )
  return placedLines.map(({ line: { key, lineStyle, icon, value }, text, depth }, index) => (
    <div
      key={key}
      className={`rate-order rate-order-${lineStyle}`}
      style={
        {
          '--y': percent(depth),
          '--x': percent(places[index] ?? 0),
          // Relative to the plot, since the line itself has no height.
          '--value': (values[index] ?? depth) - depth,
        } as CSSProperties
      }
    >
      <span className="rate-order-name">
        {icon}
        {text}
      </span>
      {value !== undefined && <span className="rate-order-value tabular">{value}</span>}
    </div>
  ))
}
