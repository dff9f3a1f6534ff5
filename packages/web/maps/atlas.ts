// not money: places on the globe.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { countryPlaces, type MappedCountry } from '@tern/contract/chart/country-places'

export type Place = readonly [longitude: number, latitude: number]
type Ring = readonly Place[]
type Atlas = Topology<{ land: GeometryCollection; countries: GeometryCollection }>

/** Numeric ISO 3166-1 codes, by which Natural Earth knows the countries of residence. */
const numbers: Readonly<Record<MappedCountry, string>> = {
  US: '840',
  GB: '826',
  CA: '124',
  AU: '036',
  DE: '276',
  FR: '250',
  JP: '392',
  SG: '702',
  IN: '356',
  BR: '076',
}
export const mappedCountries = Object.keys(numbers) as MappedCountry[]

const load = (file: string): Atlas =>
  JSON.parse(readFileSync(createRequire(import.meta.url).resolve(`world-atlas/${file}`), 'utf8')) as Atlas

/** Natural Earth at 1:110m, and at 1:50m. */
export const smallAtlas = load('countries-110m.json')
export const largeAtlas = load('countries-50m.json')

/** The lines of an atlas in degrees. Land and countries share them, so that coasts coincide however lines are thinned. */
export function linesOf({ arcs, transform }: Atlas): Ring[] {
  const [scaleX, scaleY] = transform?.scale ?? [1, 1]
  const [left, bottom] = transform?.translate ?? [0, 0]
  return arcs.map((arc) => {
    let x = 0
    let y = 0
    return arc.map(([dx = 0, dy = 0]): Place => {
      x += dx
      y += dy
      return [x * scaleX + left, y * scaleY + bottom]
    })
  })
}

/** The same atlas with other lines. */
export const withLines = ({ objects }: Atlas, lines: readonly Ring[]): Atlas => ({
  type: 'Topology',
  objects,
  arcs: lines.map((line) => line.map(([x, y]) => [x, y])),
})

const radians = Math.PI / 180
/** The angle between two places, in degrees. */
function angleBetween([x1, y1]: Place, [x2, y2]: Place): number {
  const cosine =
    Math.sin(y1 * radians) * Math.sin(y2 * radians) +
    Math.cos(y1 * radians) * Math.cos(y2 * radians) * Math.cos((x1 - x2) * radians)
  return Math.acos(Math.min(1, Math.max(-1, cosine))) / radians
}

/** Overseas parts that lie farther than this from a country's label point are left out. */
const mostDegreesAway = 60

/** Whether a ring, given by one of its places, is drawn with its country. */
export const belongsTo = (country: MappedCountry, place: Place): boolean =>
  angleBetween(countryPlaces[country].at, place) < mostDegreesAway

/** Drops places that lie closer than `least` degrees to the one before; the ends of a line stay. */
export function thinLine(line: Ring, least: number): Ring {
  const kept: Place[] = []
  line.forEach((place, index) => {
    const last = kept.at(-1)
    if (!last || index === line.length - 1 || angleBetween(last, place) >= least) kept.push(place)
  })
  return kept
}

/** A geometry of the atlas by its object and, for a country, its number. */
export const geometryOf = ({ objects }: Atlas, country: MappedCountry) =>
  objects.countries.geometries.find(({ id }) => id === numbers[country])

/** The polygons of all land, or of one country; none where the atlas does not draw it. Each is a coast with its lakes. */
export function polygonsOf(atlas: Atlas, country?: MappedCountry): Ring[][] {
  const geometry = country === undefined ? atlas.objects.land : geometryOf(atlas, country)
  if (!geometry) return []
  const drawn = feature(atlas, geometry)
  const features = drawn.type === 'FeatureCollection' ? drawn.features : [drawn]
  const polygons = features.flatMap(({ geometry: shape }) => {
    if (shape.type === 'Polygon') return [shape.coordinates]
    return shape.type === 'MultiPolygon' ? shape.coordinates : []
  })
  const places = polygons.map((rings) => rings.map((ring) => ring.map(([x = 0, y = 0]): Place => [x, y])))
  return country === undefined ? places : places.filter(([coast]) => coast?.[0] && belongsTo(country, coast[0]))
}

/** The same as closed lines. */
export const ringsOf = (atlas: Atlas, country?: MappedCountry): Ring[] => polygonsOf(atlas, country).flat()
