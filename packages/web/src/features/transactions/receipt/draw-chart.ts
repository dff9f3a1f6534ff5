import type { AreaRole, Chart, DotRole, LineRole, Mark } from '@tern/drawing/sheet'

const ink = '#0c1f2d'
const sea = '#00536b'
export const pictureInk = { ink, dim: '#3f5160', sheet: '#fffefb', sea, beak: '#dd5a35' } as const

const areas: Readonly<Record<AreaRole, string>> = {
  ground: pictureInk.sheet,
  sea: '#e9f2f5',
  land: '#fbfaf6',
  country: '#d5ebf2',
}
const strokes: Readonly<Record<LineRole | 'shore', { color: string; width: number; dash?: number[] }>> = {
  graticule: { color: '#c9d6db', width: 1 },
  coast: { color: '#c3d8e0', width: 12 },
  shore: { color: '#5b6c78', width: 1 },
  limb: { color: '#7b8a94', width: 1 },
  route: { color: sea, width: 4 },
  plan: { color: sea, width: 3, dash: [0.1, 9] },
  leader: { color: '#7b8a94', width: 1 },
  edge: { color: ink, width: 2 },
}
const dots: Readonly<Record<DotRole, { fill?: string; stroke?: string; width?: number }>> = {
  from: { fill: pictureInk.sheet, stroke: sea, width: 3 },
  to: { fill: pictureInk.beak },
  halo: { stroke: ink, width: 1.2 },
}

export const faces = { text: '"Tern Text", "Tern Signs", sans-serif', display: '"Tern Display", "Tern Text", serif' }

type MarkOfKind<Kind extends Mark['kind']> = Extract<Mark, { kind: Kind }>

const isArea = (role: AreaRole | LineRole): role is AreaRole => role in areas

/** Fills a path with the current style. */
export function fillPath(canvas: CanvasRenderingContext2D, path: Path2D): void {
  // Canvas fill, not Array.prototype.fill.
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type
  canvas.fill(path, 'evenodd')
}

function drawPath(
  canvas: CanvasRenderingContext2D,
  { role, clip, d }: MarkOfKind<'path'>,
  { frame, globe }: Chart,
): void {
  const path = new Path2D(d)
  if (clip !== 'none') {
    const clipPath = new Path2D()
    clipPath.rect(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top)
    canvas.clip(clipPath)
  }
  if (clip === 'globe') canvas.clip(new Path2D(globe))
  if (isArea(role)) {
    canvas.fillStyle = areas[role]
    fillPath(canvas, path)
  }
  const stroke = role === 'land' || role === 'country' ? strokes.shore : isArea(role) ? undefined : strokes[role]
  if (!stroke) return
  Object.assign(canvas, { strokeStyle: stroke.color, lineWidth: stroke.width, lineJoin: 'round' })
  if (stroke.dash) {
    canvas.setLineDash(stroke.dash)
    canvas.lineCap = 'round'
  }
  canvas.stroke(path)
}

function drawDot(canvas: CanvasRenderingContext2D, { role, x, y, radius }: MarkOfKind<'dot'>): void {
  const { fill, stroke, width = 0 } = dots[role]
  canvas.beginPath()
  canvas.arc(x, y, radius, 0, 2 * Math.PI)
  if (fill) canvas.fillStyle = fill
  if (fill) canvas.fill()
  if (stroke) Object.assign(canvas, { strokeStyle: stroke, lineWidth: width })
  if (stroke) canvas.stroke()
}

function drawText(canvas: CanvasRenderingContext2D, { role, x, y, text, size }: MarkOfKind<'text'>): void {
  const isName = role === 'name'
  canvas.font = `${isName ? 600 : 500} ${size}px ${faces.text}`
  Object.assign(canvas, { textAlign: 'center', textBaseline: 'middle' })
  canvas.fillStyle = isName ? ink : pictureInk.dim
  canvas.fillText(text, x, y)
}

/** Draws a chart on a canvas with its current transformation. */
export function drawChart(canvas: CanvasRenderingContext2D, chart: Chart): void {
  for (const mark of chart.marks) {
    canvas.save()
    if (mark.kind === 'path') drawPath(canvas, mark, chart)
    else if (mark.kind === 'dot') drawDot(canvas, mark)
    else drawText(canvas, mark)
    canvas.restore()
  }
}
