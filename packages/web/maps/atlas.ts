// not money: places on the globe.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { countryPlaces, type MappedCountry } from '@tern/drawing/country-places'

export type Place = readonly [longitude: number, latitude: number]
type Ring = readonly Place[]
type Atlas = Topology<{ land: GeometryCollection; countries: GeometryCollection }>

/** ISO 3166-1 numeric codes of the countries of residence, by which Natural Earth identifies countries. */
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

/** Natural Earth at 1:110m and at 1:50m. */
export const smallAtlas = load('countries-110m.json')
export const largeAtlas = load('countries-50m.json')

/** Lines of an atlas in degrees. Land and countries share them, so their coasts still coincide after thinning. */
export function decodeLines({ arcs, transform }: Atlas): Ring[] {
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

/** Copy of an atlas with its lines replaced by `lines`, which are in degrees. */
export const replaceLines = ({ objects }: Atlas, lines: readonly Ring[]): Atlas => ({
  type: 'Topology',
  objects,
  arcs: lines.map((line) => line.map(([x, y]) => [x, y])),
})

const radians = Math.PI / 180
/** Angle between two places in degrees. */
function angleBetween([x1, y1]: Place, [x2, y2]: Place): number {
  const cosine =
    Math.sin(y1 * radians) * Math.sin(y2 * radians) +
    Math.cos(y1 * radians) * Math.cos(y2 * radians) * Math.cos((x1 - x2) * radians)
  return Math.acos(Math.min(1, Math.max(-1, cosine))) / radians
}

/** Degrees from a country's label point beyond which its overseas parts are left out. */
const maxDegreesAway = 60

/** True if a ring, given by one of its places, is near enough to its country to be drawn with it. */
export const isInCountry = (country: MappedCountry, place: Place): boolean =>
  angleBetween(countryPlaces[country].at, place) < maxDegreesAway

/** Drops places closer than `minGap` degrees to the previous one; the ends of a line stay. */
export function thinLine(line: Ring, minGap: number): Ring {
  const thinnedLine: Place[] = []
  line.forEach((place, index) => {
    const last = thinnedLine.at(-1)
    if (!last || index === line.length - 1 || angleBetween(last, place) >= minGap) thinnedLine.push(place)
  })
  return thinnedLine
}

/** Geometry of a country; undefined if the atlas does not draw it. */
export const findGeometry = ({ objects }: Atlas, country: MappedCountry) =>
  objects.countries.geometries.find(({ id }) => id === numbers[country])

/** Polygons of all land or of one country, each a coast with its lakes; empty if the atlas does not draw it. */
export function decodePolygons(atlas: Atlas, country?: MappedCountry): Ring[][] {
  const geometry = country === undefined ? atlas.objects.land : findGeometry(atlas, country)
  if (!geometry) return []
  const countryShape = feature(atlas, geometry)
  const features = countryShape.type === 'FeatureCollection' ? countryShape.features : [countryShape]
  const polygons = features.flatMap(({ geometry: shape }) => {
    if (shape.type === 'Polygon') return [shape.coordinates]
    return shape.type === 'MultiPolygon' ? shape.coordinates : []
  })
  const places = polygons.map((rings) => rings.map((ring) => ring.map(([x = 0, y = 0]): Place => [x, y])))
  return country === undefined ? places : places.filter(([coast]) => coast?.[0] && isInCountry(country, coast[0]))
}

/** Polygons of `decodePolygons` as a flat list of closed lines. */
export const decodeRings = (atlas: Atlas, country?: MappedCountry): Ring[] => decodePolygons(atlas, country).flat()
