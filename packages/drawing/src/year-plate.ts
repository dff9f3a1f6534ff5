// Chart of a year: the earth seen from one country, so that the great circles from there are straight lines.

import type { Atlas } from './atlas.ts'
import type { Box } from './boxes.ts'
import { type Land, range } from './globe.ts'
import { computeArea, type Coordinates, px, simplifyLine, simplifyRing, toPath } from './lines.ts'
import {
  type Chart,
  area,
  circle,
  dotMarks,
  type End,
  joinPaths,
  line,
  type Mark,
  placeNames,
  toSegments,
} from './sheet.ts'
import { angleBetween, createRotation, type Direction, type Place, radians, toDirection } from './sphere.ts'

/** Azimuthal equidistant projection: distances and directions from the centre are true. */
export interface HomeView {
  readonly centre: Place
  /** Position of the centre in the drawing. */
  readonly at: Coordinates
  /** Radius of the disc in the drawing. */
  readonly radius: number
  /** Angle in radians from the centre to the edge of the disc. */
  readonly reach: number
}

/** Returns the angle of a direction from the centre in radians, and its bearing, clockwise from above. */
function measure(rotate: ReturnType<typeof createRotation>, direction: Direction): { angle: number; bearing: number } {
  const [right, up, nearness] = rotate(direction)
  return { angle: Math.acos(Math.min(1, Math.max(-1, nearness))), bearing: Math.atan2(right, up) }
}

const placeAt = ({ at, radius, reach }: HomeView, angle: number, bearing: number): Coordinates => [
  at[0] + Math.sin(bearing) * radius * (angle / reach),
  at[1] - Math.cos(bearing) * radius * (angle / reach),
]

/** Returns the position of a place in the drawing; outside the disc if the place is beyond its edge. */
export function projectFromHome(view: HomeView, place: Place): Coordinates {
  const { angle, bearing } = measure(createRotation(view.centre), toDirection(place))
  return placeAt(view, angle, bearing)
}

/** Share of the disc's radius beyond its edge at which hidden outlines are drawn. */
const outside = 1.06
const maxTurn = radians(12)

/** Returns the shorter way from one bearing to another. */
const turnBetween = (from: number, to: number): number => {
  const turn = to - from
  return turn > Math.PI ? turn - 2 * Math.PI : turn < -Math.PI ? turn + 2 * Math.PI : turn
}

/**
 * Returns a closed outline in the drawing. Beyond the edge it follows a circle just outside the disc. An outline around
 * the point opposite the centre encloses all of that circle's outside, so a circle far out is added to it.
 */
export function projectRing(view: HomeView, ring: readonly Direction[]): Coordinates[][] {
  const rotate = createRotation(view.centre)
  const limit = view.reach * outside
  const points: Coordinates[] = []
  const measured = ring.map((direction) => measure(rotate, direction))
  let turned = 0
  measured.forEach(({ angle, bearing }, index) => {
    const previous = measured.at(index - 1) ?? { angle, bearing }
    const turn = turnBetween(previous.bearing, bearing)
    turned += turn
    // Between two points outside the disc, a straight line could cross it.
    const steps = angle > view.reach && previous.angle > view.reach ? Math.ceil(Math.abs(turn) / maxTurn) : 1
    for (let step = 1; step < steps; step += 1)
      points.push(placeAt(view, limit, previous.bearing + (turn * step) / steps))
    points.push(placeAt(view, Math.min(angle, limit), bearing))
  })
  // Outlines of land run clockwise around the land, seen from above.
  const isAroundOpposite = turned < -Math.PI
  return isAroundOpposite
    ? [points, range(0, 345, 15).map((degree) => placeAt(view, 2 * limit, radians(degree)))]
    : [points]
}

const projectLand = (view: HomeView, land: Land): Coordinates[][] =>
  land.flatMap((ring) =>
    projectRing(view, ring)
      .map((points) => simplifyRing(points, 0.5))
      .filter((points) => points.length > 2 && computeArea(points) > 3),
  )

const isNear = ({ at, radius }: HomeView, [x, y]: Coordinates): boolean => Math.hypot(x - at[0], y - at[1]) <= radius

const graticule: readonly Place[][] = [
  ...range(-180, 150, 30).map((longitude) => range(-75, 75, 5).map((latitude): Place => [longitude, latitude])),
  ...range(-60, 60, 30).map((latitude) => range(-180, 180, 5).map((longitude): Place => [longitude, latitude])),
]

function drawGraticule(view: HomeView): string {
  const rotate = createRotation(view.centre)
  return graticule
    .flatMap((places) => {
      const runs: Coordinates[][] = [[]]
      for (const place of places) {
        const { angle, bearing } = measure(rotate, toDirection(place))
        if (angle < view.reach) runs.at(-1)?.push(placeAt(view, angle, bearing))
        else runs.push([])
      }
      return runs.filter((run) => run.length > 1).map((run) => toPath(simplifyLine(run, 0.3), false))
    })
    .join('')
}

/** Transfers with one country in one direction. */
export interface YearRoute {
  readonly end: End
  readonly direction: 'sent' | 'received'
  readonly flights: number
}

export interface YearRequest {
  readonly home: End
  readonly routes: readonly YearRoute[]
  /** Width and height of the square drawing. */
  readonly side: number
  readonly atlas: Atlas
  readonly nameSize: number
}

/** Width of the margin, in which names may stand. */
const computeMargin = (side: number): number => Math.max(24, side * 0.06)

const [minReach, maxReach, beyond] = [radians(75), radians(166), radians(14)]
/** Height of an arc as a share of its length. */
const bend = 0.1

/** Returns the points of a route: a straight line if `side` is 0, or an arc to that side. */
function drawRoute(from: Coordinates, to: Coordinates, side: -1 | 0 | 1): Coordinates[] {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
  return range(0, 16, 1).map((step): Coordinates => {
    const part = step / 16
    const lift = side * bend * 4 * part * (1 - part)
    return [from[0] + dx * part - dy * lift, from[1] + dy * part + dx * lift]
  })
}

/** Returns the width of a route's line, whose square grows with the count of transfers. */
export const routeWidth = (flights: number): number => Math.min(7, 1 + Math.sqrt(flights) * 0.75)

/**
 * Returns the chart of a year, with one line for each country and direction; received money is drawn as `plan`, dashed.
 * The last dot is that of the farthest country.
 */
export function yearPlate({ home, routes, side, atlas, nameSize }: YearRequest): Chart {
  const ends = [...new Map(routes.map(({ end }) => [end.code, end])).values()]
  const distance = ({ place }: End): number => angleBetween(home.place.at, place.at)
  const farthest = ends.toSorted((a, b) => distance(b) - distance(a))
  const reach = Math.min(maxReach, Math.max(minReach, farthest[0] ? distance(farthest[0]) + beyond : minReach))
  const middle: Coordinates = [side / 2, side / 2]
  const view: HomeView = { centre: home.place.at, at: middle, radius: side / 2 - computeMargin(side), reach }
  const positionOf = ({ place }: End): Coordinates => projectFromHome(view, place.at)
  const frame: Box = { left: 0, top: 0, right: side, bottom: side }
  const disc = circle(middle, view.radius)
  const land = projectLand(view, atlas.land)
  const shape = joinPaths(land)
  const lines = routes.map(({ end, direction, flights }) => {
    // Two routes with the same country are arcs on either side of the straight line.
    const isPaired = routes.some((other) => other.end.code === end.code && other.direction !== direction)
    const points = drawRoute(middle, positionOf(end), isPaired ? (direction === 'sent' ? 1 : -1) : 0)
    return { points, direction, width: routeWidth(flights) }
  })
  const limb = range(0, 354, 6).map((degree) => placeAt(view, reach, radians(degree)))
  const coast = [
    ...land.flatMap((ring) => toSegments(ring, true)).filter(([x, y]) => isNear(view, [x, y])),
    ...toSegments(limb, true),
  ]
  return {
    size: { width: side, height: side },
    frame,
    globe: disc,
    marks: [
      area('sea', disc, 'none'),
      line('coast', shape, 'globe'),
      line('graticule', drawGraticule(view), 'globe'),
      area('land', shape, 'globe'),
      ...[home, ...ends]
        .map(({ code }) => joinPaths(projectLand(view, atlas.countries[code] ?? [])))
        .filter((country) => country !== '')
        .map((country) => area('country', country, 'globe')),
      line('edge', disc, 'none'),
      ...lines.map(({ points, direction, width }): Mark => ({
        ...line(direction === 'sent' ? 'route' : 'plan', drawLine(points), 'none'),
        width,
      })),
      ...dotMarks(middle, false),
      ...farthest.toReversed().flatMap((end) => dotMarks(positionOf(end), end === farthest[0])),
      ...placeNames({
        ends: [...farthest, home],
        projectPlace: (place) => projectFromHome(view, place),
        coast,
        route: lines.flatMap(({ points }) => toSegments(points, false)),
        frame,
        nameSize,
        noteSize: nameSize,
      }),
    ],
  }
}

const drawLine = (points: readonly Coordinates[]): string =>
  points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${px(x)} ${px(y)}`).join('')
