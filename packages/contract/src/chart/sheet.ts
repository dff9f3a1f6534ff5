// The chart of one payment, as marks that a page, a PDF and a picture draw alike.

import {
  directionOf,
  earthRadiusKm,
  kilometersBetween,
  type Land,
  placeBetween,
  range,
  routePaths,
  seen,
  type Size,
  type View,
  viewOf,
} from './globe.ts'
import { type Compass, graticuleOn } from './graticule.ts'
import { placeLabels, type Segment } from './label-placement.ts'
import { areaOf, type At, clipped, type Frame, grown, isInside, pathOf, px, simplifiedRing } from './lines.ts'
import { nightOn } from './night.ts'
import type { Position } from './currency-places.ts'
import { segmentOf } from './scale-bar.ts'

/** What a mark is: it says how it looks. */
export type AreaRole = 'ground' | 'sea' | 'land' | 'night'
export type LineRole =
  | 'graticule'
  | 'coast'
  | 'limb'
  | 'route'
  | 'plan'
  | 'tick'
  | 'ring'
  | 'leader'
  | 'degree'
  | 'frame'
  | 'edge'
export type DotRole = 'from' | 'to' | 'halo'
export type TextRole = 'city' | 'note' | 'degrees'

/** What a mark is cut off at: the inner frame, within it the globe too, or nothing. */
export type Clip = 'frame' | 'globe' | 'none'

/** Something drawn, in units of the sheet; the order is that of the list. */
export type Mark =
  | { readonly kind: 'path'; readonly role: AreaRole | LineRole; readonly d: string; readonly clip: Clip }
  | { readonly kind: 'dot'; readonly role: DotRole; readonly x: number; readonly y: number; readonly radius: number }
  | {
      readonly kind: 'text'
      readonly role: TextRole
      readonly x: number
      readonly y: number
      readonly text: string
      readonly size: number
      /** Degrees that it is turned by, clockwise. */
      readonly turn: number
    }

export interface Chart {
  readonly size: Size
  readonly frame: Frame
  /** The globe's disc, as a path. */
  readonly globe: string
  readonly marks: readonly Mark[]
}

/** An end of the route. */
export interface End {
  readonly at: Position
  readonly name: string
  /** Stand under its name. */
  readonly notes: readonly string[]
}

export interface ChartRequest {
  readonly from: End
  /** The same place where nothing crosses the Earth: then rings of distance stand around it. */
  readonly to: End
  readonly size: Size
  readonly land: Land
  /** When the money was delivered; without it the route is planned, and no night is drawn. */
  readonly deliveredAt: Date | undefined
  /** Gives the text of a ring's distance. */
  readonly distanceText: (km: number) => string
  readonly compass: Compass
  /** Of the names of the ends. */
  readonly nameSize: number
  readonly noteSize?: number
}

/** Between the outer and the inner line of the frame stand the degrees. */
const band = 24
const degreeSize = 12
export const ringKm = 500
const ringsThere = [1, 2, 3]
/** What the scale bar of a chart with rings measures. */
export const ringBarKm = ringsThere.length * ringKm
/** Rings stand on the inner part of the drawing. */
const ringPart = 0.42

const rectangle = ({ left, top, right, bottom }: Frame): string =>
  `M${px(left)} ${px(top)}H${px(right)}V${px(bottom)}H${px(left)}z`
const circle = ([x, y]: At, radius: number): string =>
  `M${px(x - radius)} ${px(y)}a${px(radius)} ${px(radius)} 0 1 0 ${px(2 * radius)} 0a${px(radius)} ${px(radius)} 0 1 0 ${px(-2 * radius)} 0z`

const line = (role: LineRole, d: string, clip: Clip = 'frame'): Mark => ({ kind: 'path', role, d, clip })
const area = (role: AreaRole, d: string, clip: Clip): Mark => ({ kind: 'path', role, d, clip })

/** How wide a text is at most. Latin letters are narrower; those of Chinese or Japanese are square. */
function widthOf(text: string, size: number): number {
  let width = 0
  for (const character of text) width += /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(character) ? 1 : 0.56
  return width * size
}

/** Whether there is a route to draw: its ends are not in one place. */
export const crossesTheEarth = (from: Position, to: Position): boolean => kilometersBetween(from, to) >= 1

/** The land as it is seen: closed lines cut off shortly outside the frame, without what is too small to print. */
function landOn(land: Land, view: View, size: Size, frame: Frame): At[][] {
  const see = seen(view, size)
  const near = grown(frame, 20)
  return land.flatMap((ring) => {
    const points = ring.map(see)
    if (!points.some(({ visible }) => visible)) return []
    const part = clipped(
      points.map(({ x, y }): At => [x, y]),
      near,
    )
    const simple = simplifiedRing(part, 0.6)
    return simple.length > 2 && areaOf(simple) > 5 ? [simple] : []
  })
}

const segmentsOf = (points: readonly At[], isClosed: boolean): Segment[] =>
  points.flatMap(([x, y], index): Segment[] => {
    const next = points[index + 1] ?? (isClosed ? points[0] : undefined)
    return next ? [[x, y, next[0], next[1]]] : []
  })

/** How much of a chart's width its bar takes, so that it is true: a route's is the length of the route, rings have a scale. */
export const barPart = (isRoute: boolean, { width, height }: Size): number =>
  isRoute ? 1 : ((height - 2 * band) * ringPart) / width

/** The view around one place that holds the rings. */
const viewOfRings = (at: Position, size: Size): View => ({
  centre: at,
  radius: (size.height * ringPart) / Math.sin((ringsThere.length * ringKm) / earthRadiusKm),
  shift: [0, 0],
})

function ringMarks(at: Position, view: View, size: Size, text: (km: number) => string): Mark[] {
  const { x, y } = seen(view, size)(directionOf(at))
  return ringsThere.flatMap((count): Mark[] => {
    const radius = view.radius * Math.sin((count * ringKm) / earthRadiusKm)
    const label = { x, y: y + radius - 6, text: text(count * ringKm), size: degreeSize, turn: 0 }
    return [line('ring', circle([x, y], radius)), { kind: 'text', role: 'note', ...label }]
  })
}

function degreeMarks(view: View, size: Size, frame: Frame, compass: Compass): Mark[] {
  const { lines, degrees } = graticuleOn(view, size, frame, compass)
  const turns = { left: -90, right: 90, top: 0, bottom: 0 }
  const outwards = { left: [-1, 0], right: [1, 0], top: [0, -1], bottom: [0, 1] } as const
  return [
    line('graticule', lines.map((points) => pathOf(points, false)).join('')),
    ...degrees.flatMap(({ at: [x, y], side, text }): Mark[] => {
      const [dx, dy] = outwards[side]
      const [middleX, middleY] = [x + (dx * band) / 2, y + (dy * band) / 2]
      return [
        line('degree', `M${px(x)} ${px(y)}l${px(dx * 4)} ${px(dy * 4)}`, 'none'),
        { kind: 'text', role: 'degrees', x: middleX, y: middleY, text, size: degreeSize, turn: turns[side] },
      ]
    }),
  ]
}

const boxOf = (mark: Mark): Frame[] => {
  if (mark.kind !== 'text') return []
  const half = widthOf(mark.text, mark.size) / 2 + 3
  return [{ left: mark.x - half, right: mark.x + half, top: mark.y - mark.size, bottom: mark.y + mark.size }]
}

interface Lettering {
  readonly ends: readonly End[]
  readonly on: (at: Position) => At
  readonly coast: readonly Segment[]
  readonly route: readonly Segment[]
  readonly frame: Frame
  readonly nameSize: number
  readonly noteSize: number
  readonly taken: readonly Frame[]
}

/** The names with their notes: clear of coasts, the route and each other, or else beside their dots. */
function nameMarks({ ends, on, coast, route, frame, nameSize, noteSize, taken }: Lettering): Mark[] {
  const [nameHeight, noteHeight] = [nameSize * 1.2, noteSize * 1.3]
  const requests = ends.map(({ name, notes, at }) => ({
    x: on(at)[0],
    y: on(at)[1],
    width: notes.reduce((widest, note) => Math.max(widest, widthOf(note, noteSize)), widthOf(name, nameSize)),
    height: nameHeight + notes.length * noteHeight,
  }))
  const inner = grown(frame, -6)
  const marks: Mark[] = []
  placeLabels(requests, { coast, routes: route }, inner, taken).forEach((placed, index) => {
    const [end, request] = [ends[index], requests[index]]
    if (!end || !request) return
    const { width, height } = request
    const above = request.y - 14 - height > inner.top ? request.y - 14 - height : request.y + 14
    const middle = placed ? (placed.box.left + placed.box.right) / 2 : request.x
    const top = placed?.box.top ?? above
    const x = Math.min(inner.right - width / 2, Math.max(inner.left + width / 2, middle))
    if (placed?.leader) {
      const [x1, y1, x2, y2] = placed.leader
      marks.push(line('leader', `M${px(x1)} ${px(y1)}L${px(x2)} ${px(y2)}`))
    }
    marks.push({ kind: 'text', role: 'city', x, y: top + nameHeight / 2, text: end.name, size: nameSize, turn: 0 })
    end.notes.forEach((text, row) => {
      const y = top + nameHeight + (row + 0.5) * noteHeight
      marks.push({ kind: 'text', role: 'note', x, y, text, size: noteSize, turn: 0 })
    })
  })
  return marks
}

const dotMarks = ([x, y]: At, isEnd: boolean): Mark[] =>
  isEnd
    ? [
        { kind: 'dot', role: 'halo', x, y, radius: 9.5 },
        { kind: 'dot', role: 'to', x, y, radius: 5.5 },
      ]
    : [{ kind: 'dot', role: 'from', x, y, radius: 4.5 }]

/**
 * The chart of a payment between two places: the globe from above a point beside the middle of the great circle, the night
 * at delivery, the degrees along the frame, one tick for each segment of the scale bar. In one place rings of distance.
 */
export function chart(request: ChartRequest): Chart {
  const { from, to, size, land, deliveredAt, compass, nameSize, noteSize = 12 } = request
  const frame: Frame = { left: band, top: band, right: size.width - band, bottom: size.height - band }
  const inner = { width: size.width - 2 * band, height: size.height - 2 * band }
  const isRoute = crossesTheEarth(from.at, to.at)
  const view = isRoute ? viewOf(from.at, to.at, inner) : viewOfRings(to.at, inner)
  const see = seen(view, size)
  const on = (at: Position): At => {
    const { x, y } = see(directionOf(at))
    return [x, y]
  }
  const globe: At = [size.width / 2 + view.shift[0] * view.radius, size.height / 2 + view.shift[1] * view.radius]
  const disc = circle(globe, view.radius)
  const rings = landOn(land, view, size, frame)
  const night = deliveredAt && clipped(nightOn(deliveredAt, view, size), grown(frame, 10))
  const tickKm = segmentOf(kilometersBetween(from.at, to.at))
  const route = isRoute ? routePaths(from.at, to.at, view, size, tickKm) : undefined
  const ends = isRoute ? [to, from] : [to]
  const way = isRoute ? range(0, 16, 1).map((part) => on(placeBetween(from.at, to.at, part / 16))) : []
  const coast = rings.flatMap((ring) => segmentsOf(ring, true)).filter(([x, y]) => isInside(grown(frame, 10), [x, y]))
  const shape = rings.map((ring) => pathOf(ring, true)).join('')
  const ringsAround = isRoute ? [] : ringMarks(to.at, view, size, request.distanceText)
  const [graticule, ...degrees] = degreeMarks(view, size, frame, compass)
  return {
    size,
    frame,
    globe: disc,
    marks: [
      area('ground', rectangle(grown(frame, band)), 'none'),
      area('sea', disc, 'frame'),
      line('coast', shape, 'globe'),
      ...(graticule ? [graticule] : []),
      area('land', shape, 'globe'),
      ...(night && night.length > 2 ? [area('night', pathOf(night, true), 'globe')] : []),
      line('limb', disc),
      ...ringsAround,
      ...(route ? [line(deliveredAt ? 'route' : 'plan', route.line), line('tick', route.ticks)] : []),
      ...degrees,
      line('frame', rectangle(frame), 'none'),
      line('edge', rectangle(grown(frame, band - 1)), 'none'),
      ...ends.flatMap(({ at }, index) => dotMarks(on(at), index === 0)),
      ...nameMarks({
        ends,
        on,
        coast,
        route: segmentsOf(way, false),
        frame,
        nameSize,
        noteSize,
        taken: ringsAround.flatMap(boxOf),
      }),
    ],
  }
}
