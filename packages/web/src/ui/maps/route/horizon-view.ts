import { toPlace } from '@tern/drawing/great-circle'
import { type Direction, type Place, angleBetween, toDirection, dotProduct } from '@tern/drawing/sphere'
import type { CountryPlace } from '@tern/drawing/country-places'
import { placeBetween, type Size, type View } from '@tern/drawing/globe'

// View of the upper part of the globe: its edge arches over the drawing, and the route runs below it from left to
// right.

/** Distance from the globe's middle, in radii: of the route's highest point or, for one country alone, of its dot. */
const apexShare = { route: 0.9, alone: 0.55 }
/** Distance of the ends from the middle of the drawing, as a share of its width. */
const halfRoute = 0.364
/** Radius of the globe for short routes, as a share of the drawing's width. */
const maxRadius = 1.05
/** Radius for one country alone, as a share of the drawing's width. */
const aloneRadius = 0.4
/** Margins of the drawing as shares of its height: above the globe, and below the ends of the route. */
const margin = { above: 0.105, below: 0.16 }

/** View in which a route runs from left to right below the globe's edge; a single country is upright. */
export function horizonView(from: CountryPlace, to: CountryPlace | undefined, size: Size): View {
  const middle = to ? placeBetween(from.at, to.at, 0.5) : from.at
  const topDirection = toDirection(middle)
  const right = directionRight(from.at, to?.at, topDirection)
  const side = crossProduct(right, topDirection)
  const height = to ? apexShare.route : apexShare.alone
  const towards = addDirections(
    scaleDirection(side, height),
    scaleDirection(topDirection, Math.sqrt(1 - height * height)),
  )
  const centre = toPlace(towards)
  const [longitude, latitude] = [(centre[0] * Math.PI) / 180, (centre[1] * Math.PI) / 180]
  const east: Direction = [-Math.sin(longitude), Math.cos(longitude), 0]
  const northDirection: Direction = [
    -Math.sin(latitude) * Math.cos(longitude),
    -Math.sin(latitude) * Math.sin(longitude),
    Math.cos(latitude),
  ]
  const roll = Math.atan2(dotProduct(right, northDirection), dotProduct(right, east))
  const radius = to ? computeRadius(angleBetween(from.at, to.at) / 2, size) : size.width * aloneRadius
  return { centre, radius, roll, shift: [0, (size.height * (margin.above - 0.5)) / radius + 1] }
}

/** Radius of the globe at which a route of twice this angle, in radians, spans the drawing and stays inside. */
function computeRadius(half: number, { width, height }: Size): number {
  const radiusByWidth = (width * halfRoute) / Math.max(Math.sin(half), 1e-6)
  const radiusByHeight = (height * (1 - margin.above - margin.below)) / (1 - Math.cos(half) * apexShare.route)
  return Math.min(radiusByWidth, radiusByHeight, width * maxRadius)
}

/** Direction of the route at its middle, perpendicular to `middle`; due east for one country alone. */
function directionRight(from: Place, to: Place | undefined, middle: Direction): Direction {
  if (!to) return toDirection([from[0] + 90, 0])
  const chord = addDirections(toDirection(to), scaleDirection(toDirection(from), -1))
  const square = addDirections(chord, scaleDirection(middle, -dotProduct(chord, middle)))
  return scaleDirection(square, 1 / Math.hypot(...square))
}

const scaleDirection = ([x, y, z]: Direction, by: number): Direction => [x * by, y * by, z * by]
const addDirections = (a: Direction, b: Direction): Direction => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
const crossProduct = (a: Direction, b: Direction): Direction => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
