/**
 * Writes the land and the countries of route maps from the public Natural Earth atlas: `node tools/run.mjs
 * packages/web/maps/draw-land.ts`. The result is committed, so neither the build nor the browser needs the atlas.
 */
import { writeFile } from 'node:fs/promises'
import type { GeometryObject } from 'topojson-specification'
import { isInCountry, findGeometry, largeAtlas, decodeLines, mappedCountries, type Place } from './atlas.ts'

/**
 * Minimum distance between places of a line, in tenths of a degree; smaller for Singapore, which would otherwise
 * vanish.
 */
const minGap = 4
const minGapInSingapore = 1

/** A line in tenths of a degree, without places closer than `gap` to the previous one. */
function toTenths(line: readonly Place[], gap: number): Place[] {
  const places: Place[] = []
  line.forEach(([longitude, latitude], index) => {
    const [x, y] = [Math.round(longitude * 10), Math.round(latitude * 10)]
    const previous = places.at(-1)
    const isClose = previous !== undefined && Math.hypot(x - previous[0], y - previous[1]) < gap
    if (isClose && index < line.length - 1) return
    places.push([x, y])
  })
  return places
}

const singapore = new Set(listRings(findGeometry(largeAtlas, 'SG')).flat())
const lines = decodeLines(largeAtlas).map((line, index) => toTenths(line, singapore.has(index) ? minGapInSingapore : minGap))
const getLine = (index: number): Place[] => lines[index < 0 ? ~index : index] ?? []
const countPoints = (ring: readonly number[]): number => ring.reduce((sum, index) => sum + getLine(index).length - 1, 0)

function listRings(geometry: GeometryObject | undefined): number[][] {
  if (!geometry) return []
  if (geometry.type === 'GeometryCollection') return geometry.geometries.flatMap(listRings)
  if (geometry.type === 'Polygon') return geometry.arcs
  return geometry.type === 'MultiPolygon' ? geometry.arcs.flat() : []
}

/** False for rings that shrink to almost nothing. */
const isDrawn = (ring: readonly number[]): boolean => countPoints(ring) > 3

const land = listRings(largeAtlas.objects.land).filter(isDrawn)
const countries = Object.fromEntries(
  mappedCountries.map((code) => {
    const isOfCountry = ([first = 0]: readonly number[]) => isInCountry(code, toDegrees(first))
    return [code, listRings(findGeometry(largeAtlas, code)).filter((ring) => isOfCountry(ring) && isDrawn(ring))]
  }),
)

function toDegrees(index: number): Place {
  const [x = 0, y = 0] = getLine(index)[0] ?? []
  return [x / 10, y / 10]
}

// Keeps only the drawn lines, renumbered.
const newIndexes = new Map<number, number>()
const renumber = (rings: readonly (readonly number[])[]) =>
  rings.map((ring) =>
    ring.map((index) => {
      const line = index < 0 ? ~index : index
      if (!newIndexes.has(line)) newIndexes.set(line, newIndexes.size)
      const number = newIndexes.get(line) ?? 0
      return index < 0 ? ~number : number
    }),
  )
const storedAtlas = {
  land: renumber(land),
  countries: Object.fromEntries(Object.entries(countries).map(([code, rings]) => [code, renumber(rings)])),
  lines: [...newIndexes.keys()].map((index) => {
    let [lastX, lastY] = [0, 0]
    return getLine(index).flatMap(([x, y]) => {
      const step = [x - lastX, y - lastY]
      ;[lastX, lastY] = [x, y]
      return step
    })
  }),
}
await writeFile(new URL('../../drawing/src/land.json', import.meta.url), `${JSON.stringify(storedAtlas)}\n`)
