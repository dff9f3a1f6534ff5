/**
 * Draws every map of the product from Natural Earth's coasts (1:110m, public domain). Run it again after a change:
 * `npm run maps -w packages/web`. The results are committed: neither the build nor the browser needs the atlas.
 */
import { writeFile } from 'node:fs/promises'
import { geoInterpolate } from 'd3-geo'
import { drawGlobe, drawRoute, type Place, position } from './drawing.ts'
import { encodeLand } from './land.ts'

const sources = new URL('../src/', import.meta.url)

async function write(file: string, comment: string, values: Record<string, unknown>): Promise<void> {
  const lines = Object.entries(values).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)} as const\n`)
  const text = `// Drawn by maps/draw.ts; change it there. ${comment}\n${lines.join('')}`
  await writeFile(new URL(file, sources), text)
  process.stdout.write(`${file} ${text.length} bytes\n`)
}

const views: Record<string, Place> = {
  atlantic: [-28, 29],
  americas: [-68, 4],
  eurasia: [68, 30],
  pacific: [150, 6],
}

// The globe behind the balance, from one side each. They are data that a page fetches, not script.
for (const [name, centre] of Object.entries(views)) {
  const { graticule, coast } = drawGlobe(centre, { step: 15, coarseness: 3.4 })
  await writeFile(new URL(`ui/maps/${name}.json`, sources), `${JSON.stringify({ centre, graticule, coast })}\n`)
}

// The land that the globe of the landing page is drawn from while it turns.
await write('features/marketing/globe/land.ts', 'All land, decoded by coast.ts.', { land: encodeLand() })

// The autumn way of the Arctic tern: down the African coast, or across to Brazil's latitude, to the Weddell Sea.
const arctic: Place = [-20, 74]
const weddellSea: Place = [-38, -67]
const ternRoute: readonly Place[] = [
  arctic,
  [-31, 60],
  [-33, 48],
  [-27, 38],
  [-23, 27],
  [-20.5, 16],
  [-16.5, 6],
  [-10, -3],
  [2, -15.5],
  [6, -29],
  [-1, -42.5],
  [-18, -54],
  weddellSea,
]

const polar = drawGlobe([-22, 2], { step: 15, coarseness: 4 })
await write('ui/maps/polar.ts', "The Arctic tern's way from pole to pole.", {
  graticule: polar.graticule,
  coast: polar.coast,
  route: drawRoute(polar, ternRoute),
  start: position(polar, arctic),
  end: position(polar, weddellSea),
  bird: position(polar, [-24, 33]),
})

const newYork: Place = [-74, 40.7]
const lyon: Place = [4.8, 45.8]
const between = geoInterpolate([...newYork], [...lyon])
const steps = 8
const atlantic = drawGlobe([-35, 42], { step: 15, coarseness: 7 })
await write('features/marketing/maps/crossing.ts', 'The crossing on the page that tells how it works.', {
  graticule: atlantic.graticule,
  coast: atlantic.coast,
  route: drawRoute(
    atlantic,
    Array.from({ length: steps + 1 }, (_, index) => between(index / steps)),
  ),
  newYork: position(atlantic, newYork),
  lyon: position(atlantic, lyon),
})
