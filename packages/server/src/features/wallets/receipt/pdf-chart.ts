import type { AreaRole, Chart, DotRole, LineRole, Mark } from '@tern/contract/chart/sheet'
import type { Paper } from './pdf-paper.ts'

interface Stroke {
  readonly color: string
  readonly width: number
  readonly dash?: readonly [length: number, space: number]
}

const ink = '#0c1f2d'
const sea = '#00536b'
const areas: Readonly<Record<AreaRole, { readonly color: string; readonly opacity: number }>> = {
  ground: { color: '#ffffff', opacity: 1 },
  sea: { color: '#edf4f6', opacity: 1 },
  land: { color: '#ffffff', opacity: 1 },
  country: { color: '#d5ebf2', opacity: 1 },
}
const strokes: Readonly<Record<LineRole | 'shore', Stroke>> = {
  graticule: { color: '#ccd6da', width: 0.75 },
  coast: { color: '#cddde3', width: 9 },
  shore: { color: '#4d5d68', width: 0.8 },
  limb: { color: '#7b8a94', width: 0.75 },
  route: { color: sea, width: 2.5 },
  plan: { color: sea, width: 1.75, dash: [0.1, 6] },
  leader: { color: '#7b8a94', width: 0.75 },
  edge: { color: ink, width: 1.5 },
}
const dots: Readonly<Record<DotRole, { readonly fill?: string; readonly stroke?: Stroke }>> = {
  from: { fill: '#ffffff', stroke: { color: sea, width: 2.25 } },
  to: { fill: '#dd5a35' },
  halo: { stroke: { color: ink, width: 0.9 } },
}
/** From the middle of a line of text down to its base, in its sizes. */
const baseBelowMiddle = 0.36

const isArea = (role: AreaRole | LineRole): role is AreaRole => role in areas

function drawPath({ document }: Paper, mark: Extract<Mark, { kind: 'path' }>, chart: Chart): void {
  const { left, top, right, bottom } = chart.frame
  if (mark.d === '') return
  document.save()
  if (mark.clip !== 'none') document.rect(left, top, right - left, bottom - top).clip()
  if (mark.clip === 'globe') document.path(chart.globe).clip()
  const { role } = mark
  if (isArea(role)) {
    const { color, opacity } = areas[role]
    document.path(mark.d).fillOpacity(opacity).fill(color, 'even-odd')
  }
  const stroke = role === 'land' || role === 'country' ? strokes.shore : isArea(role) ? undefined : strokes[role]
  if (stroke) {
    document
      .lineWidth(stroke.width)
      .lineJoin('round')
      .lineCap(stroke.dash ? 'round' : 'butt')
    if (stroke.dash) document.dash(stroke.dash[0], { space: stroke.dash[1] })
    document.path(mark.d).stroke(stroke.color)
  }
  document.restore()
}

function drawDot({ document }: Paper, { role, x, y, radius }: Extract<Mark, { kind: 'dot' }>): void {
  const { fill, stroke } = dots[role]
  if (fill) document.circle(x, y, radius).fill(fill)
  if (stroke) document.lineWidth(stroke.width).circle(x, y, radius).stroke(stroke.color)
}

function drawText(paper: Paper, { role, x, y, text, size }: Extract<Mark, { kind: 'text' }>): void {
  paper.write(text, x, y + size * baseBelowMiddle, {
    size,
    face: role === 'name' ? 'strong' : 'text',
    color: role === 'name' ? ink : '#3f5160',
    align: 'middle',
  })
}

/** Draws a chart with its upper left corner at a point of the paper, so much smaller. */
export function drawChart(paper: Paper, chart: Chart, x: number, y: number, scale: number): void {
  const { document } = paper
  document.save()
  document.translate(x, y).scale(scale)
  for (const mark of chart.marks) {
    if (mark.kind === 'path') drawPath(paper, mark, chart)
    else if (mark.kind === 'dot') drawDot(paper, mark)
    else drawText(paper, mark)
  }
  document.restore()
}
