import { toDirection, dotProduct } from './sphere.ts'
import { type StoredAtlas, readAtlas } from './atlas.ts'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { countryPlaces, type MappedCountry } from './country-places.ts'
import { type Land, placeBetween, routePath, createProjection, viewBetween, frameRoute } from './globe.ts'

const codes = Object.keys(countryPlaces) as MappedCountry[]
const size = { width: 640, height: 280 }
const atlas = readAtlas(JSON.parse(readFileSync(new URL('land.json', import.meta.url), 'utf8')) as StoredAtlas)

/**
 * Returns the coast around a country's dot: in a view from above the dot, a ray to the right crosses that coast an odd
 * number of times.
 */
function findSurroundingCoast(code: MappedCountry, land: Land): Land[number] | undefined {
  const { at } = countryPlaces[code]
  const project = createProjection({ centre: at, radius: 1000, shift: [0, 0] }, { width: 0, height: 0 })
  return land.find((ring) => {
    const points = ring.map(project)
    const crossings = points.filter(({ x, y }, index) => {
      const next = points[(index + 1) % points.length] ?? { x, y }
      return y > 0 !== next.y > 0 && ((next.x - x) * -y) / (next.y - y) + x > 0
    })
    return crossings.length % 2 === 1
  })
}

test.each(codes)('the dot of %s is on its own land, which extends about as far as stated', (code) => {
  const coast = findSurroundingCoast(code, atlas.countries[code] ?? [])
  const from = toDirection(countryPlaces[code].at)
  const angles = (coast ?? []).map((direction) => (Math.acos(Math.min(1, dotProduct(direction, from))) * 180) / Math.PI)
  expect(angles.length).toBeGreaterThan(4)
  expect(Math.max(...angles)).toBeLessThan(countryPlaces[code].reach * 1.25)
})

test('a country’s coast coincides with that of its land', () => {
  const points = new Set(atlas.land.flat().map(String))
  const australia = (atlas.countries.AU ?? []).flat().map(String)
  expect(australia.length).toBeGreaterThan(100)
  expect(australia.filter((point) => !points.has(point))).toEqual([])
})

test('every route between two countries lies in the drawing, with both ends visible', () => {
  for (const from of codes) {
    for (const to of codes.filter((code) => code !== from)) {
      const ends = [countryPlaces[from], countryPlaces[to]] as const
      const project = createProjection(frameRoute(...ends, size), size)
      for (const part of [0, 0.25, 0.5, 0.75, 1]) {
        const { x, y, visible } = project(toDirection(placeBetween(ends[0].at, ends[1].at, part)))
        expect([from, to, part, visible]).toEqual([from, to, part, true])
        expect(x).toBeGreaterThan(40)
        expect(x).toBeLessThan(size.width - 40)
        expect(y).toBeGreaterThan(20)
        expect(y).toBeLessThan(size.height - 20)
      }
    }
  }
})

test.each(codes)('%s alone is centred, as large as fits', (code) => {
  const place = countryPlaces[code]
  const view = frameRoute(place, undefined, size)
  const { x, y, visible } = createProjection(view, size)(toDirection(place.at))
  expect([visible, Math.round(x)]).toEqual([true, size.width / 2])
  expect(Math.round(y)).toBe(size.height / 2)
  expect(frameRoute(place, place, size)).toEqual(view)
})

test('a route is one line without marks of distance', () => {
  const { US, DE } = countryPlaces
  expect(routePath(US.at, DE.at, frameRoute(US, DE, size), size).match(/M/g)).toHaveLength(1)
})

test('intermediate places lie on the shortest path', () => {
  expect(placeBetween([0, 0], [90, 0], 0.5)[0]).toBeCloseTo(45)
  expect(Math.abs(placeBetween([179, 10], [-179, 10], 0.5)[0])).toBeCloseTo(180)
  expect(placeBetween([10, 40], [-170, -40], 0.5)[1]).toBeCloseTo(50)
  expect(placeBetween([10, 40], [-170, -40], 50 / 180)).toEqual([10, 90])
  expect(placeBetween([10, 40], [10, 40], 0.5)).toEqual([10, 40])
})

test('a turn begins and ends at its views', () => {
  const { US, JP } = countryPlaces
  const singleView = frameRoute(US, undefined, size)
  const route = frameRoute(US, JP, size)
  expect(viewBetween(singleView, route, 0).radius).toBeCloseTo(singleView.radius)
  expect(viewBetween(singleView, route, 1).centre[0]).toBeCloseTo(route.centre[0])
})
