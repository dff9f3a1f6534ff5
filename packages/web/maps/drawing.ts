import { geoGraticule, geoOrthographic, geoPath, type GeoProjection } from 'd3-geo'
import type { MappedCountry } from '@tern/drawing/country-places'
import { decodeLines, mappedCountries, type Place, decodePolygons, smallAtlas, thinLine, replaceLines } from './atlas.ts'

export type { Place } from './atlas.ts'

interface Globe {
  readonly projection: GeoProjection
  readonly graticule: string
  readonly coast: string
  /** Path data of the visible countries of residence, by code. */
  readonly countries: Readonly<Partial<Record<MappedCountry, string>>>
}

/** Default radius of the globe's disc, in a square of `size`. */
export const radius = 430
export const size = 900

/** Rings with fewer places enclose no area. */
const minRingPoints = 4

/** Polygons as one shape, without degenerate rings. */
const toShape = (polygons: readonly (readonly (readonly Place[])[])[]) => ({
  type: 'MultiPolygon' as const,
  coordinates: polygons
    .filter(([coast = []]) => coast.length >= minRingPoints)
    .map((rings) =>
      rings.filter((ring) => ring.length >= minRingPoints).map((ring) => ring.map(([x, y]): [number, number] => [x, y])),
    ),
})

const parsePoint = (text: string): [number, number] => {
  const [x = 0, y = 0] = text.split(',').map(Number)
  return [x, y]
}

/** Drops points closer than `minGap` to the previous one. */
function thinPoints(points: readonly [number, number][], minGap: number): [number, number][] {
  const thinnedPoints: [number, number][] = []
  for (const point of points) {
    const last = thinnedPoints.at(-1)
    if (!last || Math.hypot(point[0] - last[0], point[1] - last[1]) >= minGap) thinnedPoints.push(point)
  }
  return thinnedPoints
}

/** A line as whole-number steps, which take far fewer bytes than positions. */
function toDeltas(points: readonly [number, number][], isClosed: boolean): string {
  const wholePoints = points.map(([x, y]) => [Math.round(x), Math.round(y)] as const)
  const [start, ...rest] = wholePoints
  if (!start || rest.length === 0) return ''
  let at = start
  let steps = ''
  for (const next of rest) {
    const dx = next[0] - at[0]
    const dy = next[1] - at[1]
    at = next
    if (dx === 0 && dy === 0) continue
    steps += `${steps === '' || dx < 0 ? '' : ' '}${dx}${dy < 0 ? '' : ' '}${dy}`
  }
  return steps === '' ? '' : `M${start.join(' ')}l${steps}${isClosed ? 'Z' : ''}`
}

/** Rewrites an absolute path of straight lines as thinned deltas; islands that shrink to a line are dropped. */
function compactPath(path: string, minGap: number): string {
  return (path.match(/M[^MZ]*Z?/g) ?? [])
    .map((part) => {
      const isClosed = part.endsWith('Z')
      const points = part.replace(/[MZ]/g, '').split('L').map(parsePoint)
      const thinnedPoints = thinPoints(points, minGap)
      if (isClosed) return thinnedPoints.length < 3 ? '' : toDeltas(thinnedPoints, true)
      const end = points.at(-1)
      return toDeltas(end && thinnedPoints.at(-1) !== end ? [...thinnedPoints, end] : thinnedPoints, false)
    })
    .join('')
}

interface GlobeOptions {
  tilt?: number
  step: number
  coarseness: number
  /** Disc of the globe; centred in the square by default. */
  disc?: { x: number; y: number; radius: number }
}

/** The globe seen from above `centre`, turned by `tilt` degrees: graticule and coasts as path data. */
export function drawGlobe(centre: Place, options: GlobeOptions): Globe {
  const disc = options.disc ?? { x: size / 2, y: size / 2, radius }
  const projection = geoOrthographic()
    .scale(disc.radius)
    .translate([disc.x, disc.y])
    .rotate([-centre[0], -centre[1], options.tilt ?? 0])
    .clipAngle(90)
    .precision(0.6)
  const path = geoPath(projection).digits(1)
  const graticule = geoGraticule().step([options.step, options.step])()
  // Lines are thinned on the globe, not on the drawing, so that a country's coast matches the land's.
  const minGap = ((options.coarseness / disc.radius) * 180) / Math.PI
  const atlas = replaceLines(smallAtlas, decodeLines(smallAtlas).map((line) => thinLine(line, minGap)))
  const drawCountry = (country?: MappedCountry) => compactPath(path(toShape(decodePolygons(atlas, country))) ?? '', 0)
  const countries = mappedCountries.map((country) => [country, drawCountry(country)] as const)
  return {
    projection,
    graticule: compactPath(path(graticule) ?? '', 8),
    coast: drawCountry(),
    countries: Object.fromEntries(countries.filter(([, shape]) => shape !== '')),
  }
}

/** Smooth curve through points: quadratic pieces that meet halfway between them. */
function smoothPath(points: readonly [number, number][]): string {
  const roundedPoints = points.map(([x, y]) => [Math.round(x), Math.round(y)] as const)
  const [start, ...rest] = roundedPoints
  if (!start) return ''
  const curves = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? point
    const end = index === rest.length - 2 ? next : [(point[0] + next[0]) / 2, (point[1] + next[1]) / 2]
    return `Q${point.join(' ')} ${end.map((value) => Math.round(value)).join(' ')}`
  })
  return `M${start.join(' ')}${curves.join('')}`
}

export const drawRoute = ({ projection }: Globe, places: readonly Place[]): string =>
  smoothPath(places.map((place) => projection([...place]) ?? [0, 0]))

/** Position of a place on the drawing, in whole units. */
export function computePosition({ projection }: Globe, place: Place): readonly [number, number] {
  const [x, y] = projection([...place]) ?? [0, 0]
  return [Math.round(x), Math.round(y)]
}
