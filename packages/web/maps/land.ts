// not money: places on the globe.
import { linesOf, mappedCountries, type Place, ringsOf, smallAtlas, withLines } from './atlas.ts'

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

/** A closed line is simplified in two parts, so that its ends may not stand in one place. */
function simplifyLine(line: readonly Place[]): Place[] {
  const first = line[0]
  const last = line.at(-1)
  const isClosed = first?.[0] === last?.[0] && first?.[1] === last?.[1]
  if (!isClosed) return simplify(line)
  const middle = Math.floor(line.length / 2)
  return [...simplify(line.slice(0, middle + 1)).slice(0, -1), ...simplify(line.slice(middle))]
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

/** Lines are simplified before rings are made of them: so a country's coast is the land's. */
const simplified = withLines(smallAtlas, linesOf(smallAtlas).map(simplifyLine))

/** Rings parted by spaces, each point by steps of a quarter degree from the one before. */
const encodeRings = (rings: readonly (readonly Place[])[]): string =>
  rings
    .map((ring) => ring.slice(0, -1))
    .filter((ring) => ring.length > 2 && areaOf(ring) >= smallest)
    .map(encode)
    .join(' ')

/** All land and its lakes as text. */
export const encodeLand = (): string => encodeRings(ringsOf(simplified))

/** The countries of residence as text, by their codes; Singapore is too small to be drawn. */
export const encodeCountries = (): Record<string, string> =>
  Object.fromEntries(mappedCountries.map((country) => [country, encodeRings(ringsOf(simplified, country))]))
