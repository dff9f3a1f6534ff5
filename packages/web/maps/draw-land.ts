/**
 * Writes the land and the countries of route maps from the public Natural Earth atlas: `node tools/run.mjs
 * packages/web/maps/draw-land.ts`. The result is committed, so neither the build nor the browser needs the atlas.
 */
import { writeFile } from 'node:fs/promises'
import type { GeometryObject } from 'topojson-specification'
import { belongsTo, findGeometry, largeAtlas, decodeLines, mappedCountries, type Place } from './atlas.ts'

/** Least distance between places of a line, in tenths of a degree; finer for Singapore, which is too small for it. */
const least = 4
const leastInSingapore = 1

/** A line in tenths of a degree, without places closer than `apart` to the previous one. */
function inTenths(line: readonly Place[], apart: number): Place[] {
  const kept: Place[] = []
  line.forEach(([longitude, latitude], index) => {
    const [x, y] = [Math.round(longitude * 10), Math.round(latitude * 10)]
    const last = kept.at(-1)
    const isClose = last !== undefined && Math.hypot(x - last[0], y - last[1]) < apart
    if (isClose && index < line.length - 1) return
    kept.push([x, y])
  })
  return kept
}

const singapore = new Set(listRings(findGeometry(largeAtlas, 'SG')).flat())
const lines = decodeLines(largeAtlas).map((line, index) => inTenths(line, singapore.has(index) ? leastInSingapore : least))
const lineAt = (index: number): Place[] => lines[index < 0 ? ~index : index] ?? []
const countPoints = (ring: readonly number[]): number => ring.reduce((sum, index) => sum + lineAt(index).length - 1, 0)

function listRings(geometry: GeometryObject | undefined): number[][] {
  if (!geometry) return []
  if (geometry.type === 'GeometryCollection') return geometry.geometries.flatMap(listRings)
  if (geometry.type === 'Polygon') return geometry.arcs
  return geometry.type === 'MultiPolygon' ? geometry.arcs.flat() : []
}

/** Excludes rings that shrink to almost nothing. */
const isDrawn = (ring: readonly number[]): boolean => countPoints(ring) > 3

const land = listRings(largeAtlas.objects.land).filter(isDrawn)
const countries = Object.fromEntries(
  mappedCountries.map((code) => {
    const isOwn = ([first = 0]: readonly number[]) => belongsTo(code, inDegrees(first))
    return [code, listRings(findGeometry(largeAtlas, code)).filter((ring) => isOwn(ring) && isDrawn(ring))]
  }),
)

function inDegrees(index: number): Place {
  const [x = 0, y = 0] = lineAt(index)[0] ?? []
  return [x / 10, y / 10]
}

// Stores only the lines that are drawn, renumbered.
const used = new Map<number, number>()
const renumbered = (rings: readonly (readonly number[])[]) =>
  rings.map((ring) =>
    ring.map((index) => {
      const line = index < 0 ? ~index : index
      if (!used.has(line)) used.set(line, used.size)
      const number = used.get(line) ?? 0
      return index < 0 ? ~number : number
    }),
  )
const stored = {
  land: renumbered(land),
  countries: Object.fromEntries(Object.entries(countries).map(([code, rings]) => [code, renumbered(rings)])),
  lines: [...used.keys()].map((index) => {
    let [lastX, lastY] = [0, 0]
    return lineAt(index).flatMap(([x, y]) => {
      const step = [x - lastX, y - lastY]
      ;[lastX, lastY] = [x, y]
      return step
    })
  }),
}
await writeFile(new URL('../../drawing/src/land.json', import.meta.url), `${JSON.stringify(stored)}\n`)
