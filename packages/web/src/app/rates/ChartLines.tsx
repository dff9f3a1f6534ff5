import type { CSSProperties, ReactNode } from 'react'
import { namePlaces } from './label-places.ts'
import type { LineFacts } from './rate-line.ts'
import { depthOf, type RateScale, unitsOf } from './rate-scale.ts'

/** A horizontal line at a rate, with its name in a break of the line. */
export interface ChartLine {
  readonly key: string
  readonly rate: string
  readonly look: 'limit' | 'stop' | 'alert' | 'was'
  readonly name: string
  /** In front of the name. */
  readonly icon?: ReactNode
  /** The rate at the end of the line, over the axis; not where a grip stands there. */
  readonly value?: string | undefined
}

interface ChartLinesProps {
  lines: readonly ChartLine[]
  facts: LineFacts
  scale: RateScale
  /** Of the plot, in CSS pixels. */
  width: number
}

const glyphWidth = 7.2
const iconWidth = 20
/** Height of a name with its room, as a share of the plot. */
const nameHeight = 0.09

/** Lines such as those of orders, behind the crosshair and in front of the rates. */
export function ChartLines({ lines, facts, scale, width }: ChartLinesProps) {
  const depths = lines.map(({ rate }) => depthOf(unitsOf(rate), scale))
  const longest = Math.max(0, ...lines.map(({ name, icon }) => name.length * glyphWidth + (icon ? iconWidth : 0) + 16))
  const places = namePlaces(depths, { width: Math.min(0.9, longest / width), height: nameHeight }, facts, scale)
  return lines.map(({ key, look, name, icon, value }, index) => (
    <div
      key={key}
      className={`rate-order rate-order-${look}`}
      style={
        {
          '--y': `${((depths[index] ?? 0) * 100).toFixed(2)}%`,
          '--x': `${((places[index] ?? 0) * 100).toFixed(2)}%`,
        } as CSSProperties
      }
    >
      <span className="rate-order-name">
        {icon}
        {name}
      </span>
      {value !== undefined && <span className="rate-order-value tabular">{value}</span>}
    </div>
  ))
}
