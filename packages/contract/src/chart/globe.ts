// The chart of one route: the globe as it is seen from above a point beside the route's middle, at a scale that fits it.

import type { CountryPlace, Position } from './country-places.ts'
import { px } from './lines.ts'

export type Direction = readonly [number, number, number]

/** Closed lines around land. */
export type Land = readonly (readonly Direction[])[]

/** From where and how large the globe is seen. */
export interface View {
  readonly centre: Position
  /** Of the globe, in units of the drawing. */
  readonly radius: number
  /** From the middle of the drawing to the globe's, in its radii, right and down. */
  readonly shift: readonly [x: number, y: number]
  /** Angle in radians by which the globe is turned clockwise; north is up unless given. */
  readonly roll?: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Point {
  readonly x: number
  readonly y: number
  /** False on the far side; x and y are then on the limb. */
  readonly visible: boolean
}

export const radians = (degrees: number): number => (degrees * Math.PI) / 180
export const degrees = (angle: number): number => (angle * 180) / Math.PI

export function directionOf([longitude, latitude]: Position): Direction {
  const [lambda, phi] = [radians(longitude), radians(latitude)]
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
}

export const positionOf = ([x, y, z]: Direction): Position => [
  degrees(Math.atan2(y, x)),
  degrees(Math.atan2(z, Math.hypot(x, y))),
]

export const dot = (a: Direction, b: Direction): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

/** The angle between two places as seen from the middle of the Earth, in radians. */
export const angleBetween = (a: Position, b: Position): number =>
  Math.acos(Math.min(1, Math.max(-1, dot(directionOf(a), directionOf(b)))))

/** The place at a part of the way between two places, along the great circle. */
export function placeBetween(from: Position, to: Position, part: number): Position {
  const angle = angleBetween(from, to)
  // The arc cosine of almost one is exact to 1e-8 only.
  if (angle < 1e-7) return from
  // Of the many ways to the other side of the Earth the one over the nearer pole.
  if (Math.PI - angle < 1e-6) return overPole(from, part)
  const [a, b] = [Math.sin((1 - part) * angle) / Math.sin(angle), Math.sin(part * angle) / Math.sin(angle)]
  const [start, end] = [directionOf(from), directionOf(to)]
  return positionOf([a * start[0] + b * end[0], a * start[1] + b * end[1], a * start[2] + b * end[2]])
}

function overPole(from: Position, part: number): Position {
  const pole = from[1] < 0 ? -90 : 90
  const way = Math.abs(pole - from[1])
  const gone = 180 * part
  return gone <= way
    ? [from[0], from[1] + Math.sign(pole) * gone]
    : [from[0] + 180, Math.sign(pole) * (90 - (gone - way))]
}

/** Where directions fall on a drawing of this size. */
export function seen(
  { centre, radius, shift, roll = 0 }: View,
  { width, height }: Size,
): (direction: Direction) => Point {
  const [lambda, phi] = [radians(centre[0]), radians(centre[1])]
  const east: Direction = [-Math.sin(lambda), Math.cos(lambda), 0]
  const north: Direction = [-Math.sin(phi) * Math.cos(lambda), -Math.sin(phi) * Math.sin(lambda), Math.cos(phi)]
  const towards = directionOf(centre)
  const [middleX, middleY] = [width / 2 + shift[0] * radius, height / 2 + shift[1] * radius]
  return (direction) => {
    const eastward = dot(direction, east)
    const northward = dot(direction, north)
    const x = eastward * Math.cos(roll) + northward * Math.sin(roll)
    const y = northward * Math.cos(roll) - eastward * Math.sin(roll)
    const visible = dot(direction, towards) > -1e-9
    const stretch = visible ? radius : radius / (Math.hypot(x, y) || 1)
    return { x: middleX + stretch * x, y: middleY - stretch * y, visible }
  }
}

const mostTilt = 34
/** The cosine of how far from the middle of the globe an end may be. */
const leastInSight = 0.12

/** The view that shows a route and the countries at its ends, or one country alone. */
export function viewOf(from: CountryPlace, to: CountryPlace | undefined, size: Size): View {
  if (!to || from.at === to.at) {
    return { centre: from.at, radius: radiusFor(from, size, 0.42), shift: level }
  }
  const ends = [from.at, to.at] as const
  const middle = placeBetween(...ends, 0.5)
  const length = degrees(angleBetween(...ends))
  const isSeenFrom = (centre: Position) =>
    ends.every((end) => dot(directionOf(end), directionOf(centre)) > leastInSight)
  let tilt = Math.min(mostTilt, Math.max(0, ((length - 8) / 32) * mostTilt), Math.abs(middle[1]))
  const tilted = (): Position => [middle[0], middle[1] - Math.sign(middle[1]) * tilt]
  // Seen from the equator's side, the route arches; not so far that an end sinks behind the limb.
  while (tilt > 0 && !isSeenFrom(tilted())) tilt = Math.max(0, tilt - 2)
  const centre = tilted()
  const on = [0, 0.25, 0.5, 0.75, 1]
    .map((part) => directionOf(placeBetween(...ends, part)))
    .map(seen({ centre, radius: 1, shift: level }, { width: 0, height: 0 }))
  const [x, y] = [spanOf(on.map((point) => point.x)), spanOf(on.map((point) => point.y))]
  const larger = from.reach > to.reach ? from : to
  const radius = Math.min((size.width * 0.34) / x.half, (size.height * 0.28) / y.half, radiusFor(larger, size, 0.62))
  return { centre, radius, shift: [-x.middle, -y.middle] }
}

/** Around a small country so many degrees are shown: closer, coasts turn into straight lines. */
const leastReach = 8

/** The globe's radius at which a country reaches over this part of a drawing's height, from its dot. */
const radiusFor = ({ reach }: CountryPlace, { height }: Size, part: number): number =>
  (height * part) / Math.sin(radians(Math.max(reach, leastReach)))

const level = [0, 0] as const

/** The middle of some figures, and how far from it the outermost lie. */
function spanOf(values: readonly number[]): { middle: number; half: number } {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return { middle: (least + most) / 2, half: Math.max((most - least) / 2, 1e-6) }
}

/** The view at a part of the turn from one to another. */
export const viewBetween = (from: View, to: View, part: number): View => ({
  centre: placeBetween(from.centre, to.centre, part),
  radius: from.radius * (to.radius / from.radius) ** part,
  shift: [from.shift[0] + (to.shift[0] - from.shift[0]) * part, from.shift[1] + (to.shift[1] - from.shift[1]) * part],
})

const at = ({ x, y }: Point): string => `${px(x)} ${px(y)}`

/** Closed lines as one path; what lies behind is drawn along the limb. */
export function areaPath(rings: Land, view: View, size: Size): string {
  const see = seen(view, size)
  return rings
    .map((ring) => {
      const points = ring.map(see)
      const isSeen = points.some(
        ({ x, y, visible }) =>
          visible && x > -size.width && x < 2 * size.width && y > -size.height && y < 2 * size.height,
      )
      return isSeen ? `M${points.map(at).join('L')}Z` : ''
    })
    .join('')
}

/** An open line as a path; cut off where it goes behind. */
export function linePath(places: readonly Position[], view: View, size: Size): string {
  const see = seen(view, size)
  let path = ''
  let isOn = false
  for (const place of places) {
    const point = see(directionOf(place))
    if (point.visible) path += `${isOn ? 'L' : 'M'}${at(point)}`
    isOn = point.visible
  }
  return path
}

export const range = (first: number, last: number, step: number): number[] =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step) // not money: places

const meridians = range(-180, 165, 15).map((longitude) =>
  range(-90, 90, 5).map((latitude): Position => [longitude, latitude]),
)
const parallels = range(-75, 75, 15).map((latitude) =>
  range(-180, 180, 5).map((longitude): Position => [longitude, latitude]),
)

export const graticulePath = (view: View, size: Size): string =>
  [...meridians, ...parallels].map((line) => linePath(line, view, size)).join('')

const steps = 48

/** The great circle between two places. */
export const routePath = (from: Position, to: Position, view: View, size: Size): string =>
  linePath(
    range(0, steps, 1).map((step) => placeBetween(from, to, step / steps)),
    view,
    size,
  )

/** Land and the countries on it, as they are drawn. */
export interface Atlas {
  readonly land: Land
  /** By ISO 3166-1 alpha-2. */
  readonly countries: Readonly<Partial<Record<string, Land>>>
}

/** An atlas as it is stored: lines in tenths of a degree, each point as a step from the last; rings as numbers of lines. */
export interface StoredAtlas {
  /** A line backwards has its number's complement. */
  readonly land: readonly (readonly number[])[]
  readonly countries: Readonly<Record<string, readonly (readonly number[])[]>>
  readonly lines: readonly (readonly number[])[]
}

/** The atlas of `land.json`. Coasts of land and of countries are the same lines. */
export function readAtlas({ land, countries, lines }: StoredAtlas): Atlas {
  const read = lines.map(readLine)
  const ringOf = (numbers: readonly number[]): Direction[] =>
    numbers.flatMap((number) => {
      const line = number < 0 ? (read[~number] ?? []).toReversed() : (read[number] ?? [])
      return line.slice(0, -1)
    })
  return {
    land: land.map(ringOf),
    countries: Object.fromEntries(Object.entries(countries).map(([code, rings]) => [code, rings.map(ringOf)])),
  }
}

function readLine(steps: readonly number[]): Direction[] {
  const line: Direction[] = []
  let [x, y] = [0, 0]
  for (let index = 0; index + 1 < steps.length; index += 2) {
    x += steps[index] ?? 0
    y += steps[index + 1] ?? 0
    line.push(directionOf([x / 10, y / 10]))
  }
  return line
}
