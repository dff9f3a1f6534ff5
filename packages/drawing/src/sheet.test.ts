import { type StoredAtlas, readAtlas } from './atlas.ts'
import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { countryPlaces, type MappedCountry } from './country-places.ts'
import { computeArea, clipRing } from './lines.ts'
import { chart, type ChartRequest, type Mark } from './sheet.ts'

const atlas = readAtlas(JSON.parse(readFileSync(new URL('land.json', import.meta.url), 'utf8')) as StoredAtlas)
const codes = Object.keys(countryPlaces) as MappedCountry[]
const sheets = [
  { width: 1036, height: 448 },
  { width: 688, height: 400 },
  { width: 358, height: 300 },
  { width: 1000, height: 600 },
]

const drawChart = (from: MappedCountry, to: MappedCountry, overrides: Partial<ChartRequest> = {}) =>
  chart({
    from: { code: from, place: countryPlaces[from], name: 'Here', notes: ['09:15:02 EST'] },
    to: { code: to, place: countryPlaces[to], name: 'There', notes: [] },
    size: { width: 1036, height: 448 },
    isDelivered: true,
    nameSize: 14,
    atlas,
    ...overrides,
  })

const listRoles = (marks: readonly Mark[]) => new Set(marks.map(({ role }) => role))
const dots = (marks: readonly Mark[]) => marks.flatMap((mark) => (mark.kind === 'dot' ? [mark] : []))
const listTexts = (marks: readonly Mark[]) => marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []))
const listPaths = (marks: readonly Mark[], role: string) =>
  marks.flatMap((mark) => (mark.kind === 'path' && mark.role === role ? [mark.d] : []))

describe('the sheet', () => {
  test('every route has its ends within the frame, its names on the sheet, and numbers only', () => {
    for (const from of codes) {
      for (const to of codes) {
        const size = sheets[(codes.indexOf(from) + codes.indexOf(to)) % sheets.length] ?? { width: 1000, height: 600 }
        const { marks, frame } = drawChart(from, to, { size })
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

  test('both countries are tinted, each with a dot and its name', () => {
    const { marks } = drawChart('US', 'FR')
    expect(listPaths(marks, 'country')).toHaveLength(2)
    expect(dots(marks).map(({ role }) => role)).toEqual(['halo', 'to', 'from'])
    expect(listTexts(marks)).toEqual(['There', 'Here', '09:15:02 EST'])
  })

  test('nothing on it measures: no degrees, ticks, rings or figures', () => {
    const texts = [...codes].flatMap((to) => listTexts(drawChart('BR', to).marks))
    expect(new Set(texts)).toEqual(new Set(['Here', 'There', '09:15:02 EST']))
  })

  test('an undelivered transfer has a planned route', () => {
    const roles = listRoles(drawChart('US', 'DE', { isDelivered: false }).marks)
    expect([roles.has('plan'), roles.has('route')]).toEqual([true, false])
  })

  test('within one country there is no route', () => {
    const { marks } = drawChart('JP', 'JP')
    const roles = listRoles(marks)
    expect([roles.has('route'), roles.has('plan'), listPaths(marks, 'country').length]).toEqual([false, false, 1])
    expect(dots(marks).map(({ role }) => role)).toEqual(['halo', 'to'])
  })

  test('a country that the atlas lacks keeps its dot', () => {
    const { marks } = drawChart('SG', 'IN', { atlas: { land: atlas.land, countries: {} } })
    expect([listPaths(marks, 'country').length, dots(marks).length]).toEqual([0, 3])
  })

  test('a map stays within nine kilobytes', () => {
    for (const to of codes) {
      const bytes = brotliCompressSync(JSON.stringify(drawChart('CA', to).marks)).length
      expect(bytes, to).toBeLessThan(9 * 1024)
    }
  })
})

test('clipped lines lie within their frame', () => {
  const frame = { left: 0, top: 0, right: 10, bottom: 10 }
  const clippedRing = clipRing(
    [
      [-5, -5],
      [15, -5],
      [15, 15],
      [-5, 15],
    ],
    frame,
  )
  expect(computeArea(clippedRing)).toBe(100)
})
