// not money: places on the globe.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'

type Place = readonly [longitude: number, latitude: number]

const atlas = createRequire(import.meta.url).resolve('world-atlas/land-110m.json')
const world = JSON.parse(readFileSync(atlas, 'utf8')) as Topology<{ land: GeometryCollection }>

/** As decodeLand of features/marketing/globe/coast.ts reads them. */
const firstLetter = 35
const mostSteps = 40
const stepsPerDegree = 4
const base = 2 * mostSteps + 1

/** A point is left out where the coast without it stays this close, in degrees; islands smaller than this square too. */
const tolerance = 0.4
const smallest = 1.2

const across = (latitude: number) => Math.cos((latitude * Math.PI) / 180)
/** A difference of longitudes, the short way around. */
const turned = (difference: number) => ((((difference + 180) % 360) + 360) % 360) - 180

function distanceToLine([x, y]: Place, [x1, y1]: Place, [x2, y2]: Place): number {
  const k = across(y)
  const [dx, dy, px, py] = [turned(x2 - x1) * k, y2 - y1, turned(x - x1) * k, y - y1]
  const length = dx * dx + dy * dy
  const way = length === 0 ? 0 : Math.max(0, Math.min(1, (px * dx + py * dy) / length))
  return Math.hypot(px - way * dx, py - way * dy)
}

/** Douglas and Peucker's simplification of a line. */
function simplify(points: readonly Place[]): Place[] {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || points.length < 3) return [...points]
  let farthest = 0
  let most = 0
  points.forEach((point, index) => {
    const distance = distanceToLine(point, first, last)
    if (distance > most) [most, farthest] = [distance, index]
  })
  if (most < tolerance) return [first, last]
  return [...simplify(points.slice(0, farthest + 1)).slice(0, -1), ...simplify(points.slice(farthest))]
}

/** A ring is two lines, so that its ends may not stand in one place. */
function simplifyRing(ring: readonly Place[]): Place[] {
  const middle = Math.floor(ring.length / 2)
  const halves = [ring.slice(0, middle + 1), [...ring.slice(middle), ring[0] as Place]]
  return halves.flatMap((half) => simplify(half).slice(0, -1))
}

function areaOf(ring: readonly Place[]): number {
  let area = 0
  ring.forEach(([x, y], index) => {
    const [nextX, nextY] = ring[(index + 1) % ring.length] as Place
    area += turned(nextX - x) * across(y) * (nextY + y)
  })
  return Math.abs(area / 2)
}

const letters = (...values: number[]) => String.fromCodePoint(...values.map((value) => value + firstLetter))

function encode(ring: readonly Place[]): string {
  const steps = ring.map(([x, y]) => [Math.round(x * stepsPerDegree), Math.round(y * stepsPerDegree)] as const)
  const start = steps[0] as readonly [number, number]
  let [atX, atY] = start
  const [x, y] = [atX + 180 * stepsPerDegree, atY + 90 * stepsPerDegree]
  let text = letters(Math.floor(x / base), x % base, Math.floor(y / base), y % base)
  for (const [nextX, nextY] of steps.slice(1)) {
    const [dx, dy] = [turned((nextX - atX) / stepsPerDegree) * stepsPerDegree, nextY - atY]
    if (dx === 0 && dy === 0) continue
    const pieces = Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) / mostSteps)
    for (let piece = 1; piece <= pieces; piece++) {
      const part = (whole: number) => Math.round((whole * piece) / pieces) - Math.round((whole * (piece - 1)) / pieces)
      text += letters(part(dx) + mostSteps, part(dy) + mostSteps)
    }
    ;[atX, atY] = [nextX, nextY]
  }
  return text
}

/** All land and its lakes as text: rings parted by spaces, each point by steps of a quarter degree from the one before. */
export function encodeLand(): string {
  const { features } = feature(world, world.objects.land)
  const polygons = features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon' ? geometry.coordinates : geometry.type === 'Polygon' ? [geometry.coordinates] : [],
  )
  return polygons
    .flat()
    .map((ring) => ring.slice(0, -1).map(([x = 0, y = 0]): Place => [x, y]))
    .filter((ring) => areaOf(ring) >= smallest)
    .map(simplifyRing)
    .filter((ring) => ring.length > 2)
    .map(encode)
    .join(' ')
}
