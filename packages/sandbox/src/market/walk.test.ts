import { expect, test } from 'vitest'
import type { CurrencyKind } from '../server/currency.ts'
import { computeDeviation, stepMs } from './walk.ts'

const start = new Date('2026-03-02T00:00:00Z').getTime()
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const defaults = { seed: 1, volatilityPercent: 100 }
const deviation = (atMs: number, seed = 1, code = 'EUR', kind: CurrencyKind = 'fiat') =>
  Number(computeDeviation(code, kind, { ...defaults, seed }, new Date(atMs)))

/** Returns the changes over a span, from each of four hundred days in ten markets. */
function changes(spanMs: number, code: string, kind: CurrencyKind): number[] {
  return Array.from({ length: 4000 }, (_, index) => {
    const [seed, atMs] = [1 + (index % 10), start + Math.floor(index / 10) * dayMs]
    return deviation(atMs + spanMs, seed, code, kind) - deviation(atMs, seed, code, kind)
  })
}

const spread = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length)

test('a moment has one value, however often it is read, and each market and currency its own', () => {
  const hours = Array.from({ length: 48 }, (_, hour) => start + hour * hourMs)
  const walk = hours.map((at) => deviation(at))
  expect(hours.toReversed().map((at) => deviation(at))).toEqual(walk.toReversed())
  expect(hours.map((at) => deviation(at, 2))).not.toEqual(walk)
  expect(hours.map((at) => deviation(at, 1, 'GBP'))).not.toEqual(walk)
  // The product may have stored these prices, so later versions must produce the same ones.
  expect(walk.slice(0, 3)).toMatchInlineSnapshot(`
    [
      -1757,
      -2056,
      -505,
    ]
  `)
})

test('a value holds for a step and changes in small ones, also before 1970', () => {
  for (const from of [start, -1000 * dayMs]) {
    const steps = Array.from({ length: 200 }, (_, index) => from + index * stepMs)
    for (const at of steps) expect(deviation(at + stepMs - 1)).toBe(deviation(at))
    const stepChanges = steps.map((at) => Math.abs(deviation(at + stepMs) - deviation(at)))
    expect(Math.max(...stepChanges)).toBeLessThan(500)
    expect(new Set(stepChanges).size).toBeGreaterThan(50)
  }
})

test.each([
  ['EUR', 'fiat', 5000],
  ['USDT', 'stablecoin', 300],
  ['BTC', 'crypto', 25_000],
] as const)('%s moves like a %s, and returns to its level', (code, kind, partsPerMillion) => {
  const day = spread(changes(dayMs, code, kind))
  expect(day / partsPerMillion).toBeGreaterThan(0.9)
  expect(day / partsPerMillion).toBeLessThan(1.1)
  // Up to a day, changes grow like those of a random walk; over a quarter, they stay below five times those of a day.
  expect(spread(changes(hourMs, code, kind)) / day).toBeCloseTo(1 / Math.sqrt(24), 1)
  expect(spread(changes(90 * dayMs, code, kind)) / day).toBeLessThan(5)
  const all = Array.from({ length: 4000 }, (_, index) => deviation(start + index * dayMs, 1 + (index % 10), code, kind))
  expect(Math.abs(all.reduce((sum, value) => sum + value, 0) / all.length)).toBeLessThan(partsPerMillion / 2)
})

test('volatility stretches the same walk', () => {
  const at = new Date(start)
  const measureDeviation = (volatilityPercent: number) =>
    Number(computeDeviation('BTC', 'crypto', { seed: 1, volatilityPercent }, at))
  expect(measureDeviation(0)).toBe(0)
  expect(Math.abs(measureDeviation(300) - 3 * measureDeviation(100))).toBeLessThanOrEqual(3)
})
