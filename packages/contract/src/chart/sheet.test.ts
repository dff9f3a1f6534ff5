import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { kilometersBetween, placeBetween, readLand } from './globe.ts'
import { coordinatesOf } from './graticule.ts'
import { areaOf, clipped } from './lines.ts'
import { isNight, middleOfNight, nightOn } from './night.ts'
import type { Position } from './currency-places.ts'
import { scaleBar, segmentOf } from './scale-bar.ts'
import { barPart, chart, type ChartRequest, crossesTheEarth, type Mark } from './sheet.ts'

const land = readLand(JSON.parse(readFileSync(new URL('land.json', import.meta.url), 'utf8')) as number[][])
const compass = { north: 'N', east: 'E', south: 'S', west: 'W' }
const newYork: Position = [-74.006, 40.713]
const frankfurt: Position = [8.682, 50.11]
const tokyo: Position = [139.692, 35.689]
const suva: Position = [178.442, -18.142]
const honolulu: Position = [-157.858, 21.307]
const madrid: Position = [-3.704, 40.417]
const wellington: Position = [174.776, -41.287]
const saoPaulo: Position = [-46.633, -23.55]
const sheets = [
  { width: 1036, height: 448 },
  { width: 688, height: 400 },
  { width: 358, height: 300 },
  { width: 1000, height: 600 },
]

const drawn = (from: Position, to: Position, more: Partial<ChartRequest> = {}) =>
  chart({
    ...{ from: { at: from, name: 'Here', notes: ['09:15:02 EST'] }, to: { at: to, name: 'There', notes: [] } },
    ...{ size: { width: 1036, height: 448 }, land, deliveredAt: new Date('2026-11-20T14:16:10Z') },
    ...{ compass, nameSize: 22, distanceText: (km: number) => `${km} km` },
    ...more,
  })

const rolesOf = (marks: readonly Mark[]) => new Set(marks.map(({ role }) => role))
const dots = (marks: readonly Mark[]) => marks.flatMap((mark) => (mark.kind === 'dot' ? [mark] : []))
const pathsOf = (marks: readonly Mark[], role: string) =>
  marks.flatMap((mark) => (mark.kind === 'path' && mark.role === role ? [mark.d] : []))

describe('distances', () => {
  // Geodesic lengths on the WGS 84 ellipsoid, by Vincenty's formulas: a sphere differs by up to half a percent.
  test.each([
    ['Equator, one degree', [0, 0], [1, 0], 111.319],
    ['meridian, one degree', [0, 0], [0, 1], 110.574],
    ['pole to pole', [0, 90], [0, -90], 20_003.931],
    ['quarter of the Equator', [0, 0], [90, 0], 10_018.754],
    ['London Heathrow to New York JFK', [-0.4614, 51.4706], [-73.7789, 40.6397], 5_555],
    ['Sydney to Los Angeles', [151.1772, -33.9461], [-118.408, 33.9425], 12_051],
  ] as const)('%s', (_name, from, to, km) => {
    expect(Math.abs(kilometersBetween(from, to) - km) / km).toBeLessThan(0.005)
  })

  test('over the date line the short way is taken', () => {
    expect(kilometersBetween([179, 0], [-179, 0])).toBe(222)
    expect(kilometersBetween(suva, honolulu)).toBeLessThan(5200)
    expect(Math.abs(placeBetween([179, 10], [-179, 10], 0.5)[0])).toBeCloseTo(180)
  })

  test('the way to the other side of the Earth has places; that to the same place is none', () => {
    expect(placeBetween([10, 40], [-170, -40], 0.5)[1]).toBeCloseTo(50)
    expect(placeBetween([10, 40], [-170, -40], 50 / 180)).toEqual([10, 90])
    expect(placeBetween(newYork, newYork, 0.5)).toEqual(newYork)
    expect(crossesTheEarth(newYork, newYork)).toBe(false)
  })
})

describe('the sheet', () => {
  const hard: [Position, Position][] = [
    [newYork, frankfurt],
    [saoPaulo, tokyo],
    [madrid, wellington],
    [suva, honolulu],
    [
      [10, 40],
      [-170, -40],
    ],
    [newYork, newYork],
  ]

  test('every route has its ends within the frame, and numbers only', () => {
    for (const [from, to] of hard) {
      for (const size of sheets) {
        const { marks, frame } = drawn(from, to, { size })
        expect(JSON.stringify(marks)).not.toMatch(/NaN|null|Infinity/)
        for (const { x, y } of dots(marks)) {
          expect([x > frame.left, x < frame.right, y > frame.top, y < frame.bottom]).toEqual([true, true, true, true])
        }
        for (const mark of marks) {
          if (mark.kind !== 'text') continue
          expect(mark.x > 0 && mark.x < size.width && mark.y > 0 && mark.y < size.height, mark.text).toBe(true)
        }
      }
    }
  })

  test('there is one tick for each segment of the scale bar', () => {
    const { marks } = drawn(newYork, frankfurt)
    const { segment, segments, total } = scaleBar(kilometersBetween(newYork, frankfurt))
    expect([segment, total, segments.length]).toEqual([1000, 6203, 7])
    expect(pathsOf(marks, 'tick')[0]?.match(/M/g)).toHaveLength(6)
  })

  test('what is not delivered has a planned route and no night', () => {
    const roles = rolesOf(drawn(newYork, frankfurt, { deliveredAt: undefined }).marks)
    expect([roles.has('plan'), roles.has('route'), roles.has('night')]).toEqual([true, false, false])
  })

  test('in one city rings of distance take the place of the route, at the scale of the bar', () => {
    const size = { width: 688, height: 400 }
    const { marks } = drawn(newYork, newYork, { size })
    expect(rolesOf(marks).has('route')).toBe(false)
    const radii = pathsOf(marks, 'ring').map((d) => Number(/a([\d.]+)/.exec(d)?.[1]))
    expect(radii).toHaveLength(3)
    expect(radii[2]).toBeCloseTo(barPart(false, size) * size.width, 0)
    expect(radii[0]! / radii[2]!).toBeCloseTo(Math.sin(500 / 6371) / Math.sin(1500 / 6371), 2)
  })

  test('degrees stand along the frame on their sides', () => {
    const degrees = drawn(newYork, frankfurt).marks.flatMap((mark) => (mark.role === 'degrees' ? [mark] : []))
    const texts = degrees.map((mark) => (mark.kind === 'text' ? mark.text : ''))
    expect(texts).toContain('40°N')
    expect(texts).toContain('70°W')
    expect(texts).toContain('0°')
    for (const mark of degrees) {
      if (mark.kind === 'text') expect(mark.turn === 0).toBe(/[EW]$|^0°$/.test(mark.text))
    }
    expect(coordinatesOf(newYork, compass)).toBe('40.71° N, 74.01° W')
  })

  test('a map stays within six and a half kilobytes', () => {
    for (const [from, to] of hard) {
      const bytes = brotliCompressSync(JSON.stringify(drawn(from, to).marks)).length
      expect(bytes).toBeLessThan(6.5 * 1024)
    }
  })
})

describe('night', () => {
  test('it is where the sun is not', () => {
    const noon = new Date('2026-03-20T12:00:00Z')
    expect([isNight([0, 0], noon), isNight([180, 0], noon)]).toEqual([false, true])
    expect(isNight(newYork, new Date('2026-11-20T14:16:10Z'))).toBe(false)
    expect(isNight(newYork, new Date('2026-11-20T04:00:00Z'))).toBe(true)
    // The polar night and the midnight sun.
    expect([
      isNight([0, 80], new Date('2026-12-21T12:00:00Z')),
      isNight([0, 80], new Date('2026-06-21T00:00:00Z')),
    ]).toEqual([true, false])
    expect(middleOfNight(new Date('2026-06-21T12:00:00Z'))[1]).toBeCloseTo(-23.4, 0)
  })

  test('its shape covers the disc at midnight, nothing at noon, half at the terminator', () => {
    const size = { width: 200, height: 200 }
    const at = new Date('2026-03-20T12:00:00Z')
    const [longitude, latitude] = middleOfNight(at)
    const seenFrom = (centre: Position) => areaOf(nightOn(at, { centre, radius: 100, shift: [0, 0] }, size))
    const disc = Math.PI * 100 ** 2
    expect(seenFrom([longitude, latitude]) / disc).toBeCloseTo(1, 1)
    expect(seenFrom([longitude + 180, -latitude]) / disc).toBeCloseTo(0, 1)
    expect(seenFrom([longitude + 90, 0]) / disc).toBeCloseTo(0.5, 1)
  })
})

test('the scale bar divides the distance truly', () => {
  for (const total of [1, 7, 306, 640, 6203, 18_500]) {
    const { segments, segment } = scaleBar(total)
    expect(segments.at(-1)?.to).toBe(1)
    expect(segments[0]?.to).toBeCloseTo(Math.min(1, segment / total))
    expect(segments.length).toBeLessThanOrEqual(10)
  }
  expect([segmentOf(306), segmentOf(6203)]).toEqual([50, 1000])
})

test('what is cut off at a frame lies within it', () => {
  const frame = { left: 0, top: 0, right: 10, bottom: 10 }
  const whole = clipped(
    [
      [-5, -5],
      [15, -5],
      [15, 15],
      [-5, 15],
    ],
    frame,
  )
  expect(areaOf(whole)).toBe(100)
})
