import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { findExtremes, labelSide, spreadDepths, placeNames } from './label-places.ts'
import { drawLine, type LineFacts, findStep } from './rate-line.ts'
import {
  computeRateChange,
  countDecimals,
  computeDepth,
  fromUnits,
  scaleAround,
  toUnits,
  computeValue,
} from './rate-scale.ts'
import { timeLines } from './time-lines.ts'

const units = (...rates: string[]) => rates.map(toUnits)
const hour = 3_600_000

/** Line through these rates, one per hour. */
const buildLine = (rates: string[], overrides: Partial<LineFacts> = {}): LineFacts => ({
  steps: rates.map((rate, index) => ({ at: index * hour, units: toUnits(rate) })),
  from: 0,
  until: rates.length * hour,
  rests: [],
  gaps: [],
  ...overrides,
})

describe('the scale', () => {
  test('has round values inside, and room for names above and below', () => {
    const scale = scaleAround(units('1.0533', '1.0904', '1.0562'))
    expect(scale.lines.map(fromUnits)).toEqual(['1.09', '1.08', '1.07', '1.06', '1.05'])
    expect(countDecimals(scale.step)).toBe(2)
    expect(computeDepth(toUnits('1.0904'), scale)).toBeGreaterThan(0.05)
    expect(computeDepth(toUnits('1.0533'), scale)).toBeLessThan(0.95)
  })

  test('centres a rate that never changed', () => {
    const scale = scaleAround(units('1'))
    expect(computeDepth(toUnits('1'), scale)).toBeCloseTo(0.5, 1)
    expect(scale.lines.length).toBeGreaterThanOrEqual(3)
  })

  test('contains three to five lines and every rate, for any rates', () => {
    const rates = fc.array(fc.bigInt({ min: 1n, max: 10n ** 24n }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(rates, (values) => {
        const scale = scaleAround(values)
        expect(scale.lines.length).toBeGreaterThanOrEqual(3)
        expect(scale.lines.length).toBeLessThanOrEqual(5)
        for (const value of [...values, ...scale.lines]) {
          expect(value >= scale.ground && value <= scale.top).toBe(true)
          expect(computeDepth(value, scale)).toBeGreaterThanOrEqual(0)
          expect(computeDepth(value, scale)).toBeLessThanOrEqual(1)
        }
      }),
      { seed: 20_261_128 },
    )
  })

  test('converts a depth back to its rate', () => {
    const scale = scaleAround(units('0.92', '0.95'))
    expect(fromUnits(computeValue(computeDepth(toUnits('0.9455'), scale), scale))).toBe('0.9455')
  })

  test('keeps every decimal of a rate', () => {
    expect(['0.000012345678', '65000', '1.0562', '149.2537'].map((rate) => fromUnits(toUnits(rate)))).toEqual([
      '0.000012345678',
      '65000',
      '1.0562',
      '149.2537',
    ])
  })

  test('states a change in hundredths of a percent, rounded half away from zero', () => {
    const change = (before: string, after: string) => computeRateChange(toUnits(before), toUnits(after))
    expect(change('1.0853', '1.0562')).toBe(-268)
    expect(change('1', '1.00005')).toBe(1)
    expect(change('1', '0.99995')).toBe(-1)
    expect(change('2', '2')).toBe(0)
  })
})

describe('the line', () => {
  const rates = ['1', '3', '2', '2.5']
  const drawFacts = (overrides?: Partial<LineFacts>) => {
    const facts = buildLine(rates, overrides)
    return drawLine(facts, { ground: 0n, top: toUnits('4'), lines: [], step: 1n })
  }

  test('has horizontal and vertical steps only, and holds the last rate to the end', () => {
    expect(drawFacts()).toEqual({ line: 'M0 750H250V250H500V500H750V375H1000', dottedLine: '', breaks: [] })
  })

  test('is dotted where no rate was fixed', () => {
    expect(drawFacts({ rests: [{ from: 1.5 * hour, until: 2 * hour }] })).toMatchObject({
      line: 'M0 750H250V250H375M500 250V500H750V375H1000',
      dottedLine: 'M375 250H500',
    })
  })

  test('is solid through a pause too narrow for dots', () => {
    expect(drawFacts({ rests: [{ from: 1.5 * hour, until: 1.51 * hour }] }).dottedLine).toBe('')
  })

  test('breaks where no rate is stored, and restarts at the next one', () => {
    expect(drawFacts({ gaps: [{ from: 1.5 * hour, until: 2 * hour }] })).toEqual({
      line: 'M0 750H250V250H375M500 500H750V375H1000',
      dottedLine: '',
      breaks: [{ start: 0.375, end: 0.5 }],
    })
  })

  test('is read at the fix in force', () => {
    const facts = buildLine(rates)
    expect([0, 0.24, 0.26, 0.99, 1].map((share) => findStep(share, facts))).toEqual([0, 0, 1, 3, 3])
  })
})

describe('labels', () => {
  test('name the highest and the lowest visible rate', () => {
    const facts = buildLine(['2', '9', '3', '1'], { gaps: [{ from: hour, until: 2 * hour }] })
    expect(findExtremes(facts)).toEqual({ high: 2, low: 3 })
    expect(findExtremes(buildLine(['2', '2']))).toBeUndefined()
  })

  test('stay within the plot and move off the crosshair', () => {
    expect(labelSide(0.5, 0.1, undefined)).toBe('center')
    expect(labelSide(0.04, 0.1, undefined)).toBe('start')
    expect(labelSide(0.96, 0.1, undefined)).toBe('end')
    expect(labelSide(0.5, 0.1, 0.45)).toBe('start')
    expect(labelSide(0.5, 0.1, 0.55)).toBe('end')
    expect(labelSide(0.96, 0.1, 0.9)).toBeUndefined()
  })

  test('of lines are placed where the rates leave room, without overlaps', () => {
    const facts = buildLine(['3', '3', '1', '1', '1', '1'])
    const scale = { ground: 0n, top: toUnits('4'), lines: [], step: 1n }
    const line = (depth: number, width = 0.3) => ({ depth, width })
    const [freePosition, crossedPosition] = placeNames([line(0.1), line(0.25)], 0.1, facts, scale)
    expect(freePosition).toBeCloseTo(0.02)
    // The rates cover the first third of the line at depth 0.25.
    expect(crossedPosition).toBeGreaterThan(0.33)
    const [firstPosition, secondPosition] = placeNames([line(0.5), line(0.52)], 0.1, facts, scale)
    expect(Math.abs((firstPosition ?? 0) - (secondPosition ?? 0))).toBeGreaterThanOrEqual(0.3)
    // Both a long and a short name start after the rates.
    const [longPosition, shortPosition] = [line(0.25, 0.5), line(0.25, 0.1)].map(
      (namedLine) => placeNames([namedLine], 0.1, facts, scale)[0],
    )
    expect(longPosition).toBeGreaterThan(0.33)
    expect(shortPosition).toBeGreaterThan(0.33)
    // Without a free place, the name stays within the plot.
    const full = buildLine(['2', '2', '2', '2', '2', '2'])
    const [start] = placeNames([line(0.5, 0.9)], 0.1, full, { ...scale, top: toUnits('4') })
    expect((start ?? 0) + 0.9).toBeLessThanOrEqual(1)
  })

  test('of many lines never overlap while there is room beside them', () => {
    const facts = buildLine(['1', '1', '1', '1'])
    const scale = { ground: 0n, top: toUnits('4'), lines: [], step: 1n }
    const lines = [0.3, 0.31, 0.32, 0.33].map((depth) => ({ depth, width: 0.2 }))
    const startPositions = placeNames(lines, 0.1, facts, scale).toSorted((a, b) => a - b)
    for (const [index, start] of startPositions.entries()) {
      if (index > 0) expect(start - (startPositions[index - 1] ?? 0)).toBeGreaterThanOrEqual(0.2 - 1e-9)
    }
  })

  test('on the axis are moved apart as little as necessary, and stay inside', () => {
    const spreadAndRound = (depths: number[], gap: number) =>
      spreadDepths(depths, gap).map((depth) => Number(depth.toFixed(3)))
    expect(spreadAndRound([0.2, 0.6], 0.1)).toEqual([0.2, 0.6])
    expect(spreadAndRound([0.5, 0.45, 0.9], 0.1)).toEqual([0.55, 0.45, 0.9])
    expect(spreadAndRound([0.97, 0.99, 1], 0.1)).toEqual([0.8, 0.9, 1])
    expect(spreadAndRound([], 0.1)).toEqual([])
  })
})

test('vertical lines stand at midnights of Mondays and of quarters, and at every sixth hour', () => {
  const until = new Date(2026, 10, 25, 15, 30).getTime()
  const day = 24 * hour
  const formatLines = (range: Parameters<typeof timeLines>[0], length: number) =>
    timeLines(range, until - length, until).map((at) => {
      const date = new Date(at)
      return `${date.getMonth() + 1}-${date.getDate()} ${date.getHours()}`
    })
  expect(formatLines('30d', 28 * day)).toEqual(['11-2 0', '11-9 0', '11-16 0', '11-23 0'])
  expect(formatLines('1y', 365 * day)).toEqual(['1-1 0', '4-1 0', '7-1 0', '10-1 0'])
  expect(formatLines('24h', day)).toEqual(['11-24 18', '11-25 0', '11-25 6', '11-25 12'])
  expect(formatLines('7d', 7 * day).at(-1)).toBe('11-25 0')
})

test('hour lines keep to every sixth hour across a clock change', () => {
  vi.stubEnv('TZ', 'Europe/Berlin')
  const until = new Date(2026, 9, 25, 15, 30).getTime()
  const hours = timeLines('24h', until - 24 * hour, until).map((at) => new Date(at).getHours())
  vi.unstubAllEnvs()
  expect(hours).toEqual([18, 0, 6, 12])
})
