import '../../css/chart.css'
import type { ReactNode } from 'react'

interface Point {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Height on the scale from `ground` to `top`: a coordinate, not an amount. */
  readonly height: number
}

interface StepChartProps {
  /** In order of time. The first point applies from the left edge on. */
  points: readonly Point[]
  /** Text alternative of the drawing, with amounts. */
  label: string
  /** From the top to the ground line, evenly spaced; `top` and `ground` are the first and last as heights. */
  yLabels: readonly string[]
  xLabels: readonly string[]
  top: number
  ground: number
  from: number
  until: number
  /** Overlay of the line, such as a crosshair. */
  children?: ReactNode
}

const width = 600
const height = 232

function stepPath({ points, top, ground, from, until }: StepChartProps): { line: string; endHeight: number } {
  const x = (at: number) => (((at - from) / (until - from)) * width).toFixed(1)
  const y = (value: number) => (height - ((value - ground) / (top - ground)) * height).toFixed(1)
  const [first, ...rest] = points
  const start = y(first?.height ?? ground)
  const line = rest.map((point) => `H${x(point.at)}V${y(point.height)}`).join('')
  return { line: `M0 ${start}${line}H${width}`, endHeight: Number(y(points.at(-1)?.height ?? ground)) }
}

/** Balance over time as steps, since it is constant between movements; the last point is the present. */
export function StepChart(props: StepChartProps) {
  const { line, endHeight } = stepPath(props)
  const lines = props.yLabels.length - 1
  const grid = Array.from({ length: lines }, (_, row) => `M0 ${((row * height) / lines).toFixed(1)}H${width}`).join('')
  return (
    <div className="chart">
      <div className="chart-plot">
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={props.label}>
          <path className="chart-area" d={`${line}V${height}H0Z`} />
          <path className="chart-grid" d={grid} />
          <path className="chart-ground" d={`M0 ${height}H${width}`} />
          <path className="chart-line" d={line} />
          <path className="chart-now" d={`M${width} ${endHeight}h.01`} />
        </svg>
        {props.children}
      </div>
      <ol className="chart-y tiny faint tabular" aria-hidden="true">
        {props.yLabels.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ol>
      <ol className="chart-x tiny faint tabular" aria-hidden="true">
        {props.xLabels.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ol>
    </div>
  )
}
