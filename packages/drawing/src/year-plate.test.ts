import { expect, test } from 'vitest'
import { readAtlas } from './atlas.ts'
import { countryPlaces, findCountryPlace } from './country-places.ts'
import land from './land.json' with { type: 'json' }
import type { Coordinates } from './lines.ts'
import { angleBetween, type Place } from './sphere.ts'
import type { End, Mark } from './sheet.ts'
import { projectFromHome, projectRing, routeWidth, yearPlate, type YearRoute } from './year-plate.ts'

const atlas = readAtlas(land)
const at: Coordinates = [300, 300]
const createEnd = (code: string): End => {
  const place = findCountryPlace(code)
  if (!place) throw new Error(`${code} is on no map`)
  return { code, place, name: code, notes: [] }
}
const createRoute = (code: string, direction: YearRoute['direction'] = 'sent', flights = 1): YearRoute => ({
  ...{ end: createEnd(code), direction, flights },
})
const drawYear = (home: string, routes: readonly YearRoute[], side = 600) =>
  yearPlate({ home: createEnd(home), routes, side, atlas, nameSize: 14 })

const distanceFrom = ([x, y]: Coordinates): number => Math.hypot(x - at[0], y - at[1])

test('distances from home are true, north is up and east is right', () => {
  const view = { centre: [0, 0], at, radius: 180, reach: Math.PI } as const
  const place = (longitude: number, latitude: number) => projectFromHome(view, [longitude, latitude])
  expect(place(0, 90).map(Math.round)).toEqual([300, 210])
  expect(place(45, 0).map(Math.round)).toEqual([345, 300])
  for (const { at: other } of Object.values(countryPlaces))
    expect(distanceFrom(projectFromHome(view, other))).toBeCloseTo((angleBetween([0, 0], other) * 180) / Math.PI)
})

/** Counts the edges that a ray from the point to the right crosses; odd inside. */
const isInside = ([x, y]: Coordinates, rings: readonly (readonly Coordinates[])[]): boolean =>
  rings
    .flatMap((ring) => ring.map((point, index) => [point, ring[(index + 1) % ring.length] ?? point] as const))
    .filter(([[ax, ay], [bx, by]]) => ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)).length %
    2 ===
  1

const onLand: readonly Place[] = [
  [-100, 45],
  [-60, -10],
  [20, 5],
  [100, 60],
  [134, -25],
  [78, 20],
  [10, 51],
  [-75, -2],
]
const atSea: readonly Place[] = [
  [-40, 30],
  [-25, -30],
  [-150, 0],
  [170, 30],
  [80, -30],
  [-110, -40],
  [60, -50],
]

test('from every country, land stays land and sea stays sea', () => {
  for (const [code, { at: centre }] of Object.entries(countryPlaces)) {
    const view = { centre, at, radius: 256, reach: 2.9 } as const
    const rings = atlas.land.flatMap((ring) => projectRing(view, ring))
    const look = (places: readonly Place[]) =>
      places
        .filter((place) => angleBetween(centre, place) < view.reach)
        .map((place) => isInside(projectFromHome(view, place), rings))
    expect([code, new Set(look(onLand)), new Set(look(atSea))]).toEqual([code, new Set([true]), new Set([false])])
  }
})

const listPaths = (marks: readonly Mark[], role: string) =>
  marks.flatMap((mark) => (mark.kind === 'path' && mark.role === role ? [mark] : []))
const listTexts = (marks: readonly Mark[]) => marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []))

test('each country has a name, each route a line, and only the farthest country the last dot', () => {
  const { marks } = drawYear('US', [createRoute('IN', 'sent', 9), createRoute('FR'), createRoute('SG', 'received', 4)])
  expect(listTexts(marks).toSorted()).toEqual(['FR', 'IN', 'SG', 'US'])
  expect(listPaths(marks, 'route').map(({ width }) => width)).toEqual([routeWidth(9), routeWidth(1)])
  expect(listPaths(marks, 'plan').map(({ width }) => width)).toEqual([routeWidth(4)])
  // Singapore is too small for a tint.
  expect(listPaths(marks, 'country')).toHaveLength(3)
  const ends = marks.flatMap((mark) => (mark.kind === 'dot' && mark.role === 'to' ? [mark] : []))
  const { at: singapore } = countryPlaces.SG
  expect(ends).toHaveLength(1)
  // Singapore lies north of the United States over the pole.
  expect(ends[0]!.y).toBeLessThan(300)
  expect(Math.hypot(ends[0]!.x - 300, ends[0]!.y - 300)).toBeCloseTo(
    264 *
      (angleBetween(countryPlaces.US.at, singapore) /
        (angleBetween(countryPlaces.US.at, singapore) + (14 * Math.PI) / 180)),
  )
})

test('routes to a country and back do not cover each other', () => {
  const { marks } = drawYear('DE', [createRoute('BR', 'sent'), createRoute('BR', 'received')])
  const [there, back] = [listPaths(marks, 'route')[0], listPaths(marks, 'plan')[0]]
  const middleOf = (d = '') => d.split(/[ML]/)[9]?.split(' ').map(Number) as [number, number]
  const [a, b] = [middleOf(there?.d), middleOf(back?.d)]
  expect(Math.hypot(a[0] - b[0], a[1] - b[1])).toBeGreaterThan(15)
  expect(listTexts(marks)).toEqual(['BR', 'DE'])
})

test('names stay on the drawing, on the smallest phone too', () => {
  const all = Object.keys(countryPlaces)
  for (const home of all) {
    const { marks } = drawYear(
      home,
      all.filter((code) => code !== home).map((code) => createRoute(code)),
      340,
    )
    const texts = marks.flatMap((mark) => (mark.kind === 'text' ? [mark] : []))
    expect(texts.map(({ text }) => text).toSorted()).toEqual(all.toSorted())
    for (const { x, y } of texts) expect(Math.min(x, y, 340 - x, 340 - y)).toBeGreaterThan(0)
  }
})
