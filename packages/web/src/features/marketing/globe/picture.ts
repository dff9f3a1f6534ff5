// not money: sizes on a drawing.
import type { Box, Segment } from '@tern/drawing/boxes'
import type { Direction, Place } from '@tern/drawing/sphere'
import { drawCoast, drawGraticule, toPath, toSegments } from './coast.ts'
import { type LabelPlace, type LabelSize, placeLabels } from './labels.ts'
import { arcPoints, type Point, projectPlace, type View } from './view.ts'

/** Drawing of a globe, as attribute values of its elements. */
export interface Picture {
  readonly graticule: string
  readonly coast: string
  readonly countries: string
  readonly arc: string
  /** Undefined on the far side. */
  readonly ends: readonly [Point | undefined, Point | undefined]
  readonly lines: readonly Segment[]
}

/** Land, and the tinted countries of a route. */
export interface Ground {
  readonly land: readonly Direction[][]
  readonly countries: readonly Direction[][]
}

/** Draws the globe from `view` with the route between two places. */
export function drawPicture(view: View, [from, to]: readonly [Place, Place], { land, countries }: Ground): Picture {
  const coast = drawCoast(view, land)
  const arc = arcPoints(view, from, to)
  return {
    graticule: drawGraticule(view),
    coast: coast.path,
    countries: drawCoast(view, countries).path,
    arc: toPath(arc, 1),
    ends: [projectPlace(view, from), projectPlace(view, to)],
    lines: [...coast.segments, ...toSegments(arc), ...toSegments(edgePoints(view))],
  }
}

const edgePoints = ({ x, y, radius }: View): Point[] =>
  Array.from({ length: 49 }, (_, index) => {
    const angle = (index * Math.PI) / 24
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
  })

/** Average letter width at 13 units of font size. */
const averageLetter = 7.6
const lineHeight = 16
const timeWidth = 66

/**
 * Places the labels of both ends, the second with its local time below if `hasTime`. A route within one country labels
 * only its end. Letters are `scale` times 13 units high.
 */
export function placeEndNames(
  { ends, lines }: Picture,
  [fromName, toName]: readonly [string, string],
  freeBox: Box,
  hasTime: boolean,
  scale = 1,
): readonly [LabelPlace | undefined, LabelPlace | undefined] {
  const [start, end] = ends
  if (!start || !end) return [undefined, undefined]
  const buildRequest = (at: Point, name: string, rows: number): LabelSize => ({
    at,
    width: Math.max(name.length * averageLetter, rows > 1 ? timeWidth : 0) * scale + 2,
    height: rows * lineHeight * scale,
  })
  const endLabel = buildRequest(end, toName, hasTime ? 2 : 1)
  if (fromName === toName) return [undefined, placeLabels([endLabel], lines, freeBox)[0]]
  const [first, second] = placeLabels([buildRequest(start, fromName, 1), endLabel], lines, freeBox)
  return [first, second]
}
