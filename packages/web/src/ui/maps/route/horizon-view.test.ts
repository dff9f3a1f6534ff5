import { toDirection } from '@tern/drawing/sphere'
import { countryPlaces, type MappedCountry } from '@tern/drawing/country-places'
import { placeBetween, createProjection } from '@tern/drawing/globe'
import { expect, test } from 'vitest'
import { horizonView } from './horizon-view.ts'

const codes = Object.keys(countryPlaces) as MappedCountry[]

test.each([
  ['wide', { width: 872, height: 340 }],
  ['on a phone', { width: 390, height: 190 }],
])('every route arches from left to right inside the drawing %s', (_name, size) => {
  for (const from of codes) {
    for (const to of codes) {
      if (from === to) continue
      const ends = [countryPlaces[from], countryPlaces[to]] as const
      const project = createProjection(horizonView(...ends, size), size)
      const [left, right] = ends.map(({ at }) => project(toDirection(at)))
      const top = project(toDirection(placeBetween(ends[0].at, ends[1].at, 0.5)))
      const description = `${from} ${to} ${JSON.stringify([left, top, right])}`
      expect(left!.visible && right!.visible, description).toBe(true)
      expect(left!.x, description).toBeLessThan(top.x)
      expect(right!.x, description).toBeGreaterThan(top.x)
      expect(left!.x, description).toBeGreaterThan(size.width * 0.08)
      expect(right!.x, description).toBeLessThan(size.width * 0.92)
      expect(left!.y, description).toBeCloseTo(right!.y, 3)
      expect(top.y, description).toBeLessThan(left!.y)
      expect(left!.y, description).toBeLessThan(size.height * 0.9)
      expect(top.y, description).toBeGreaterThan(size.height * 0.1)
    }
  }
})

test('a single country is upright and centred', () => {
  const size = { width: 872, height: 340 }
  for (const code of codes) {
    const place = countryPlaces[code]
    const project = createProjection(horizonView(place, undefined, size), size)
    const dot = project(toDirection(place.at))
    const northPoint = project(toDirection([place.at[0], place.at[1] + 1]))
    expect(dot.x, code).toBeCloseTo(size.width / 2, 3)
    expect(dot.y, code).toBeLessThan(size.height * 0.8)
    expect(northPoint.y, code).toBeLessThan(dot.y)
  }
})
