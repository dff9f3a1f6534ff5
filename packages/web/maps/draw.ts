/**
 * Draws the globe maps of the product from Natural Earth's coasts (1:110m, public domain). Run it again after a change:
 * `node tools/run.mjs packages/web/maps/draw.ts`, then `npx oxfmt`. The results are committed, so neither the build nor
 * the browser needs the atlas.
 */
import { writeFile } from 'node:fs/promises'
import { geoInterpolate } from 'd3-geo'
import { countryPlaces } from '@tern/drawing/country-places'
import { plateHeight, buildPlate, plateWidth, type ViewName, views } from '../src/ui/maps/views.ts'
import { drawGlobe, drawRoute, type Place, computePosition } from './drawing.ts'
import { encodeCountries, encodeLand } from './land.ts'

const sources = new URL('../src/', import.meta.url)

async function writeModule(file: string, comment: string, values: Record<string, unknown>): Promise<void> {
  const lines = Object.entries(values).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)} as const\n`)
  const text = `// Drawn by maps/draw.ts; change it there. ${comment}\n${lines.join('')}`
  await writeFile(new URL(file, sources), text)
  process.stdout.write(`${file} ${text.length} bytes\n`)
}

/** Colours of css/tokens.css, repeated because an image cannot read them. */
const lightColors = { sea: '.956 .011 212', line: '.885 .01 225', land: '.984 .005 95', coast: '.6 .022 232' }
const darkColors = { sea: '.226 .032 232', line: '.335 .026 238', land: '.19 .024 243', coast: '.6 .028 232' }
const buildStyle = ({ sea, line, land, coast }: typeof lightColors) =>
  `.sea{fill:oklch(${sea})}.net{stroke:oklch(${line})}.coast{fill:oklch(${land})}.coast,.limb{stroke:oklch(${coast})}`

// Globe behind the balance from several sides, as images that show before the app's script loads.
for (const name of Object.keys(views) as ViewName[]) {
  const { x, y, radius, centre } = buildPlate(name)
  const { graticule, coast, countries } = drawGlobe(centre, { step: 15, coarseness: 2.2, disc: { x, y, radius } })
  const disc = `cx="${x}" cy="${y}" r="${radius}"`
  // Invisible here; the page fills the countries at a route's ends.
  const shapes = Object.entries(countries).map(([code, shape]) => `<path class="${code}" d="${shape}"/>`)
  const style = `path,circle{fill:none;stroke-linejoin:round}.net{stroke-width:.75}.coast{stroke-width:.9}`
  await writeFile(
    new URL(`ui/maps/${name}.svg`, sources),
    `<svg xmlns="http://www.w3.org/2000/svg" width="${plateWidth}" height="${plateHeight}"><style>${style}${buildStyle(lightColors)}@media(prefers-color-scheme:dark){${buildStyle(darkColors)}}</style><circle class="sea" ${disc}/><path class="net" d="${graticule}"/><path class="coast" d="${coast}"/><circle class="limb" ${disc}/>${shapes.join('')}</svg>\n`,
  )
}

// Land for the turning globe of the landing page.
await writeModule('features/marketing/globe/land.ts', 'All land and the countries of residence, decoded by coast.ts.', {
  land: encodeLand(),
  countries: encodeCountries(),
})

// Autumn route of the Arctic tern: from Greenland along the African coast to the Weddell Sea.
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
await writeModule('ui/maps/polar.ts', "The Arctic tern's way from pole to pole.", {
  graticule: polar.graticule,
  coast: polar.coast,
  route: drawRoute(polar, ternRoute),
  start: computePosition(polar, arctic),
  end: computePosition(polar, weddellSea),
  bird: computePosition(polar, [-24, 33]),
})

const unitedStates: Place = countryPlaces.US.at
const france: Place = countryPlaces.FR.at
const interpolate = geoInterpolate([...unitedStates], [...france])
const steps = 8
const atlantic = drawGlobe([-45, 40], { step: 15, coarseness: 7 })
await writeModule('features/marketing/maps/crossing.ts', 'The crossing on the page that tells how it works.', {
  graticule: atlantic.graticule,
  coast: atlantic.coast,
  route: drawRoute(
    atlantic,
    Array.from({ length: steps + 1 }, (_, index) => interpolate(index / steps)),
  ),
  countries: [atlantic.countries.US, atlantic.countries.FR],
  unitedStates: computePosition(atlantic, unitedStates),
  france: computePosition(atlantic, france),
})
