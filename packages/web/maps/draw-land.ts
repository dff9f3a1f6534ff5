/**
 * Writes the coasts that a route is drawn on, from the public Natural Earth atlas: `npm run maps:land -w packages/web`. The
 * result is committed: neither the build nor the browser needs the atlas.
 */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'

const atlas = createRequire(import.meta.url).resolve('world-atlas/land-50m.json')
const world = JSON.parse(readFileSync(atlas, 'utf8')) as Topology<{ land: GeometryCollection }>

/** Tenths of a degree, as steps from point to point. Rings that shrink to almost nothing are left out. */
function compact(ring: readonly (readonly number[])[]): number[] | undefined {
  const steps: number[] = []
  let [lastX, lastY] = [0, 0]
  let kept = 0
  for (const [longitude = 0, latitude = 0] of ring) {
    const [x, y] = [Math.round(longitude * 10), Math.round(latitude * 10)]
    if (kept > 0 && Math.hypot(x - lastX, y - lastY) < 4) continue
    steps.push(x - lastX, y - lastY)
    ;[lastX, lastY] = [x, y]
    kept += 1
  }
  return kept > 4 ? steps : undefined
}

const rings = feature(world, world.objects.land).features.flatMap(({ geometry }) => {
  if (geometry.type === 'Polygon') return geometry.coordinates
  return geometry.type === 'MultiPolygon' ? geometry.coordinates.flat() : []
})
const land = rings.map(compact).filter((ring) => ring !== undefined)
await writeFile(new URL('../../contract/src/chart/land.json', import.meta.url), `${JSON.stringify(land)}\n`)
