// not money: sizes on a drawing.
import { coastOf, graticuleOf, pathOf, type Segment, segmentsOf } from './coast.ts'
import { type Box, type LabelPlace, type LabelWish, placeLabels } from './labels.ts'
import { arcPoints, type Direction, type Place, type Point, pointOf, type View } from './sphere.ts'

/** What is drawn on a globe, as the attributes of its elements. */
export interface Picture {
  readonly graticule: string
  readonly coast: string
  readonly arc: string
  /** Undefined behind the globe. */
  readonly ends: readonly [Point | undefined, Point | undefined]
  readonly lines: readonly Segment[]
}

/** Draws the globe from `view` with the route between two places; without one if they are the same. */
export function drawPicture(view: View, [from, to]: readonly [Place, Place], land: readonly Direction[][]): Picture {
  const coast = coastOf(view, land)
  const isOnePlace = from[0] === to[0] && from[1] === to[1]
  const arc = arcPoints(view, from, to)
  return {
    graticule: graticuleOf(view),
    coast: coast.path,
    arc: isOnePlace ? '' : pathOf(arc, 1),
    ends: [pointOf(view, from), pointOf(view, to)],
    lines: [...coast.segments, ...segmentsOf(arc), ...segmentsOf(edgePoints(view))],
  }
}

const edgePoints = ({ x, y, radius }: View): Point[] =>
  Array.from({ length: 49 }, (_, index) => {
    const angle = (index * Math.PI) / 24
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
  })

/** Of letters 13 units high. */
const averageLetter = 7.6
const lineHeight = 16
const timeWidth = 66

interface NameStyle {
  /** Letters are so many times 13 units high. */
  readonly scale?: number
  /** The local time stands below the second name. */
  readonly hasTime: boolean
}

/** Places the names of both ends. A route within one country has one name. */
export function nameEnds(
  { ends, lines }: Picture,
  [fromName, toName]: readonly [string, string],
  room: Box,
  { scale = 1, hasTime }: NameStyle,
): readonly [LabelPlace | undefined, LabelPlace | undefined] {
  const [start, end] = ends
  if (!start || !end) return [undefined, undefined]
  const wish = (at: Point, name: string, rows: number): LabelWish => ({
    at,
    width: Math.max(name.length * averageLetter, rows > 1 ? timeWidth : 0) * scale + 2,
    height: rows * lineHeight * scale,
  })
  const last = wish(end, toName, hasTime ? 2 : 1)
  if (fromName === toName) return [undefined, placeLabels([last], lines, room)[0]]
  const [first, second] = placeLabels([wish(start, fromName, 1), last], lines, room)
  return [first, second]
}
