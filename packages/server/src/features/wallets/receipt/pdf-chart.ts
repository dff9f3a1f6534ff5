import type { AreaRole, Chart, DotRole, LineRole, Mark } from '@tern/drawing/sheet'
import { ink, type Paper } from '../../../platform/paper/pdf-paper.ts'

interface Stroke {
  readonly color: string
  readonly width: number
  readonly dash?: readonly [length: number, space: number]
}

const seaColor = '#00536b'
const areaStyles: Readonly<Partial<Record<AreaRole, { readonly color: string; readonly opacity: number }>>> = {
  sea: { color: '#e9f2f5', opacity: 1 },
  land: { color: '#fbfaf6', opacity: 1 },
  country: { color: '#d5ebf2', opacity: 1 },
}
/** Line styles of the map; its frame is drawn separately. */
const strokes: Readonly<Partial<Record<LineRole | 'shore', Stroke>>> = {
  graticule: { color: '#d3dde1', width: 0.75 },
  coast: { color: '#d8e6eb', width: 9 },
  shore: { color: '#5b6c78', width: 0.8 },
  limb: { color: '#7b8a94', width: 0.75 },
  route: { color: seaColor, width: 2.5 },
  plan: { color: seaColor, width: 1.75, dash: [0.1, 6] },
  leader: { color: '#7b8a94', width: 0.75 },
}
const dotStyles: Readonly<Record<DotRole, { readonly fill?: string; readonly stroke?: Stroke }>> = {
  from: { fill: seaColor },
  to: { fill: '#dd5a35' },
  halo: { stroke: { color: ink, width: 0.9 } },
}
/** Distance from the middle of a text line to its baseline, as a share of the type size. */
const baseBelowMiddle = 0.36

const chooseStroke = (role: AreaRole | LineRole): Stroke | undefined => {
  if (role === 'land' || role === 'country') return strokes.shore
  return role === 'ground' || role === 'sea' ? undefined : strokes[role]
}

const chooseFill = (role: AreaRole | LineRole) =>
  role === 'sea' || role === 'land' || role === 'country' ? areaStyles[role] : undefined

function drawPath({ document }: Paper, mark: Extract<Mark, { kind: 'path' }>, chart: Chart): void {
  const { left, top, right, bottom } = chart.frame
  if (mark.d === '') return
  document.save()
  if (mark.clip !== 'none') document.rect(left, top, right - left, bottom - top).clip()
  if (mark.clip === 'globe') document.path(chart.globe).clip()
  const areaFill = chooseFill(mark.role)
  if (areaFill) document.path(mark.d).fillOpacity(areaFill.opacity).fill(areaFill.color, 'even-odd')
  const stroke = chooseStroke(mark.role)
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
  const { fill, stroke } = dotStyles[role]
  if (fill) document.circle(x, y, radius).fill(fill)
  if (stroke) document.lineWidth(stroke.width).circle(x, y, radius).stroke(stroke.color)
}

function drawName(paper: Paper, { x, y, text, size }: Extract<Mark, { kind: 'text' }>): void {
  paper.write(text, x, y + size * baseBelowMiddle, { size, face: 'strong', align: 'middle' })
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Draws a chart without its frame into a box: the map, and the names of the two places. */
export function drawChart(paper: Paper, chart: Chart, { x, y, width, height }: Box): void {
  const { document } = paper
  const { left, top, right } = chart.frame
  document.save()
  document.rect(x, y, width, height).clip()
  document
    .translate(x, y)
    .scale(width / (right - left))
    .translate(-left, -top)
  for (const mark of chart.marks) {
    if (mark.kind === 'path') drawPath(paper, mark, chart)
    else if (mark.kind === 'dot') drawDot(paper, mark)
    else if (mark.role === 'name') drawName(paper, mark)
  }
  document.restore()
}
