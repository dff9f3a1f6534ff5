// View of the globe for one route, from above a point near the middle of the route, at a scale that fits the route.

import type { CountryPlace } from './country-places.ts'
import { px } from './lines.ts'
import { interpolateGreatCircle, degrees } from './great-circle.ts'
import { angleBetween, type Direction, toDirection, dotProduct, type Place, radians, createRotation } from './sphere.ts'

/** Closed outlines of land areas. */
export type Land = readonly (readonly Direction[])[]

/** Viewpoint and scale of the globe. */
export interface View {
  readonly centre: Place
  /** Radius of the globe in units of the drawing. */
  readonly radius: number
  /** Offset of the globe's centre from the centre of the drawing, to the right and down, in multiples of `radius`. */
  readonly shift: readonly [x: number, y: number]
  /** Clockwise rotation of the globe in radians; 0 (north up) by default. */
  readonly roll?: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Point {
  readonly x: number
  readonly y: number
  /** False on the far side of the globe; x and y are then moved onto the limb. */
  readonly visible: boolean
}

/**
 * Returns the place at the fraction `part` of the great circle between two places; between antipodes, of the meridian
 * over the pole nearer to `from`.
 */
export const placeBetween = (from: Place, to: Place, part: number): Place =>
  interpolateGreatCircle(from, to, part) ?? crossPole(from, part)

function crossPole(from: Place, part: number): Place {
  const pole = from[1] < 0 ? -90 : 90
  const poleDistance = Math.abs(pole - from[1])
  const turnedDegrees = 180 * part
  return turnedDegrees <= poleDistance
    ? [from[0], from[1] + Math.sign(pole) * turnedDegrees]
    : [from[0] + 180, Math.sign(pole) * (90 - (turnedDegrees - poleDistance))]
}

/** Returns the function that projects directions onto a drawing of this size. */
export function createProjection(
  { centre, radius, shift, roll = 0 }: View,
  { width, height }: Size,
): (direction: Direction) => Point {
  const rotate = createRotation(centre)
  const middleX = width / 2 + shift[0] * radius
  const middleY = height / 2 + shift[1] * radius
  return (direction) => {
    const [eastward, northward, nearness] = rotate(direction)
    const x = eastward * Math.cos(roll) + northward * Math.sin(roll)
    const y = northward * Math.cos(roll) - eastward * Math.sin(roll)
    const visible = nearness > -1e-9
    const scale = visible ? radius : radius / (Math.hypot(x, y) || 1)
    return { x: middleX + scale * x, y: middleY - scale * y, visible }
  }
}

const maxTilt = 34
/** Minimum cosine of the angle between an end of the route and the centre of the view. */
const minCosine = 0.12

/** Returns the view that shows a route with the countries at its ends, or a single country. */
export function frameRoute(from: CountryPlace, to: CountryPlace | undefined, size: Size): View {
  if (!to || from.at === to.at) {
    return { centre: from.at, radius: computeRadius(from, size, 0.42), shift: noShift }
  }
  const ends = [from.at, to.at] as const
  const middle = placeBetween(...ends, 0.5)
  const length = degrees(angleBetween(...ends))
  const canSeeEnds = (centre: Place) =>
    ends.every((end) => dotProduct(toDirection(end), toDirection(centre)) > minCosine)
  let tilt = Math.min(maxTilt, Math.max(0, ((length - 8) / 32) * maxTilt), Math.abs(middle[1]))
  const tiltCentre = (): Place => [middle[0], middle[1] - Math.sign(middle[1]) * tilt]
  // Tilting the view towards the equator bends the route into an arch. The tilt is limited so that no end disappears
  // behind the limb.
  while (tilt > 0 && !canSeeEnds(tiltCentre())) tilt = Math.max(0, tilt - 2)
  const centre = tiltCentre()
  const projectedPoints = [0, 0.25, 0.5, 0.75, 1]
    .map((part) => toDirection(placeBetween(...ends, part)))
    .map(createProjection({ centre, radius: 1, shift: noShift }, { width: 0, height: 0 }))
  const [x, y] = [
    measureSpan(projectedPoints.map((point) => point.x)),
    measureSpan(projectedPoints.map((point) => point.y)),
  ]
  const largerCountry = from.reach > to.reach ? from : to
  const radius = Math.min(
    (size.width * 0.34) / x.half,
    (size.height * 0.28) / y.half,
    computeRadius(largerCountry, size, 0.62),
  )
  return { centre, radius, shift: [-x.middle, -y.middle] }
}

/** Minimum reach assumed for a small country, in degrees; at a larger scale, coasts would look like straight lines. */
const minReach = 8

/** Returns the radius of the globe at which a country's reach from its dot is this fraction of the drawing's height. */
const computeRadius = ({ reach }: CountryPlace, { height }: Size, part: number): number =>
  (height * part) / Math.sin(radians(Math.max(reach, minReach)))

const noShift = [0, 0] as const

/** Returns the centre and half the extent of a set of values. */
function measureSpan(values: readonly number[]): { middle: number; half: number } {
  const [minimum, maximum] = [Math.min(...values), Math.max(...values)]
  return { middle: (minimum + maximum) / 2, half: Math.max((maximum - minimum) / 2, 1e-6) }
}

/** Interpolates between two views; `part` is from 0 to 1. */
export const viewBetween = (from: View, to: View, part: number): View => ({
  centre: placeBetween(from.centre, to.centre, part),
  radius: from.radius * (to.radius / from.radius) ** part,
  shift: [from.shift[0] + (to.shift[0] - from.shift[0]) * part, from.shift[1] + (to.shift[1] - from.shift[1]) * part],
})

const formatPoint = ({ x, y }: Point): string => `${px(x)} ${px(y)}`

/** Returns closed lines as one SVG path; points on the far side are moved onto the limb. */
export function areaPath(rings: Land, view: View, size: Size): string {
  const project = createProjection(view, size)
  return rings
    .map((ring) => {
      const points = ring.map(project)
      const isInView = points.some(
        ({ x, y, visible }) =>
          visible && x > -size.width && x < 2 * size.width && y > -size.height && y < 2 * size.height,
      )
      return isInView ? `M${points.map(formatPoint).join('L')}Z` : ''
    })
    .join('')
}

/** Returns an open line as an SVG path, with gaps on the far side. */
export function linePath(places: readonly Place[], view: View, size: Size): string {
  const project = createProjection(view, size)
  let path = ''
  let isOn = false
  for (const place of places) {
    const point = project(toDirection(place))
    if (point.visible) path += `${isOn ? 'L' : 'M'}${formatPoint(point)}`
    isOn = point.visible
  }
  return path
}

export const range = (first: number, last: number, step: number): number[] =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step) // not money: places

const meridians = range(-180, 165, 15).map((longitude) =>
  range(-90, 90, 5).map((latitude): Place => [longitude, latitude]),
)
const parallels = range(-75, 75, 15).map((latitude) =>
  range(-180, 180, 5).map((longitude): Place => [longitude, latitude]),
)

export const graticulePath = (view: View, size: Size): string =>
  [...meridians, ...parallels].map((line) => linePath(line, view, size)).join('')

const steps = 48

/** Returns the great circle between two positions as an SVG path. */
export const routePath = (from: Place, to: Place, view: View, size: Size): string =>
  linePath(
    range(0, steps, 1).map((step) => placeBetween(from, to, step / steps)),
    view,
    size,
  )
