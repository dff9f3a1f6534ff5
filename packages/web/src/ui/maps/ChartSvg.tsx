import '../../css/sheet-chart.css'
import type { Chart, Mark } from '@tern/drawing/sheet'
import { useId } from 'react'

/** Chart as inline SVG; `label` is its text alternative. */
export function ChartSvg({ chart, label }: { chart: Chart; label: string }) {
  const id = useId()
  const { width, height } = chart.size
  const { left, top, right, bottom } = chart.frame
  return (
    <svg className="sheet-chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <clipPath id={`${id}frame`}>
        <rect x={left} y={top} width={right - left} height={bottom - top} />
      </clipPath>
      <clipPath id={`${id}globe`} clipPath={`url(#${id}frame)`}>
        <path d={chart.globe} />
      </clipPath>
      {chart.marks.map((mark, index) => (
        <MarkSvg key={index} mark={mark} clips={id} />
      ))}
    </svg>
  )
}

function MarkSvg({ mark, clips }: { mark: Mark; clips: string }) {
  if (mark.kind === 'dot') return <circle className={`mark-${mark.role}`} cx={mark.x} cy={mark.y} r={mark.radius} />
  if (mark.kind === 'text') {
    const { x, y, size, role, text } = mark
    return (
      <text className={`mark-${role}`} x={x} y={y} fontSize={size}>
        {text}
      </text>
    )
  }
  const clipPath = mark.clip === 'none' ? undefined : `url(#${clips}${mark.clip})`
  if (mark.role !== 'coast') {
    const style = mark.width === undefined ? undefined : { strokeWidth: mark.width }
    return <path className={`mark-${mark.role}`} d={mark.d} clipPath={clipPath} style={style} />
  }
  return (
    <g clipPath={clipPath}>
      {waterLines.map((name) => (
        <path key={name} className={`mark-${name}`} d={mark.d} />
      ))}
    </g>
  )
}

/** Three thin lines along the coasts, drawn as edges of stacked broad strokes. */
const waterLines = ['water-3', 'between-3', 'water-2', 'between-2', 'water-1', 'between-1']
