// not money: places on the globe.
import { decodeLines, mappedCountries, type Place, decodeRings, smallAtlas, replaceLines } from './atlas.ts'

/** Must match decodeLand in features/marketing/globe/coast.ts. */
const firstLetter = 35
const maxSteps = 40
const stepsPerDegree = 4
const base = 2 * maxSteps + 1

/** Greatest deviation of a simplified coast in degrees, and least area of a ring in square degrees. */
const tolerance = 0.4
const minArea = 1.2

const longitudeScale = (latitude: number) => Math.cos((latitude * Math.PI) / 180)
/** Difference of longitudes, the short way around. */
const normalizeDegrees = (difference: number) => ((((difference + 180) % 360) + 360) % 360) - 180

function distanceToLine([x, y]: Place, [x1, y1]: Place, [x2, y2]: Place): number {
  const k = longitudeScale(y)
  const [dx, dy, px, py] = [normalizeDegrees(x2 - x1) * k, y2 - y1, normalizeDegrees(x - x1) * k, y - y1]
  const length = dx * dx + dy * dy
  const share = length === 0 ? 0 : Math.max(0, Math.min(1, (px * dx + py * dy) / length))
  return Math.hypot(px - share * dx, py - share * dy)
}

/** Douglas–Peucker simplification of a line. */
function simplify(points: readonly Place[]): Place[] {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || points.length < 3) return [...points]
  let farthestIndex = 0
  let maxDistance = 0
  points.forEach((point, index) => {
    const distance = distanceToLine(point, first, last)
    if (distance > maxDistance) [maxDistance, farthestIndex] = [distance, index]
  })
  if (maxDistance < tolerance) return [first, last]
  return [...simplify(points.slice(0, farthestIndex + 1)).slice(0, -1), ...simplify(points.slice(farthestIndex))]
}

/** Simplifies a closed line in two halves, since its ends coincide. */
function simplifyLine(line: readonly Place[]): Place[] {
  const first = line[0]
  const last = line.at(-1)
  const isClosed = first?.[0] === last?.[0] && first?.[1] === last?.[1]
  if (!isClosed) return simplify(line)
  const middle = Math.floor(line.length / 2)
  return [...simplify(line.slice(0, middle + 1)).slice(0, -1), ...simplify(line.slice(middle))]
}

function computeArea(ring: readonly Place[]): number {
  let area = 0
  ring.forEach(([x, y], index) => {
    const [nextX, nextY] = ring[(index + 1) % ring.length] as Place
    area += normalizeDegrees(nextX - x) * longitudeScale(y) * (nextY + y)
  })
  return Math.abs(area / 2)
}

const encodeNumbers = (...values: number[]) => String.fromCodePoint(...values.map((value) => value + firstLetter))

function encodeRing(ring: readonly Place[]): string {
  const steps = ring.map(([x, y]) => [Math.round(x * stepsPerDegree), Math.round(y * stepsPerDegree)] as const)
  const start = steps[0] as readonly [number, number]
  let [atX, atY] = start
  const [x, y] = [atX + 180 * stepsPerDegree, atY + 90 * stepsPerDegree]
  let text = encodeNumbers(Math.floor(x / base), x % base, Math.floor(y / base), y % base)
  for (const [nextX, nextY] of steps.slice(1)) {
    const [dx, dy] = [normalizeDegrees((nextX - atX) / stepsPerDegree) * stepsPerDegree, nextY - atY]
    if (dx === 0 && dy === 0) continue
    const pieceCount = Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) / maxSteps)
    for (let piece = 1; piece <= pieceCount; piece++) {
      const stepShare = (total: number) => Math.round((total * piece) / pieceCount) - Math.round((total * (piece - 1)) / pieceCount)
      text += encodeNumbers(stepShare(dx) + maxSteps, stepShare(dy) + maxSteps)
    }
    ;[atX, atY] = [nextX, nextY]
  }
  return text
}

/** Lines are simplified before rings are built, so that a country's coast matches the land's. */
const simplifiedAtlas = replaceLines(smallAtlas, decodeLines(smallAtlas).map(simplifyLine))

/** Rings separated by spaces, each point as quarter-degree steps from the previous one. */
const encodeRings = (rings: readonly (readonly Place[])[]): string =>
  rings
    .map((ring) => ring.slice(0, -1))
    .filter((ring) => ring.length > 2 && computeArea(ring) >= minArea)
    .map(encodeRing)
    .join(' ')

/** All land and its lakes as text. */
export const encodeLand = (): string => encodeRings(decodeRings(simplifiedAtlas))

/** Countries of residence as text, by code; empty for Singapore, which this atlas does not draw. */
export const encodeCountries = (): Record<string, string> =>
  Object.fromEntries(mappedCountries.map((country) => [country, encodeRings(decodeRings(simplifiedAtlas, country))]))
