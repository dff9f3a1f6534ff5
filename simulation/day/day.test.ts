import { expect, test } from 'vitest'
import { createRandom } from '../random.ts'
import { countries, habits, hourShares, paydayFactor } from './assumptions.ts'
import { simulateBatches } from './batches.ts'
import { drawPoisson, simulateDay } from './day.ts'

const people = 1_000_000
const seed = 'test'

test('shares of countries and hours add up to everybody and to a day', () => {
  expect(Object.values(countries).reduce((sum, { share }) => sum + share, 0)).toBe(1000)
  expect(hourShares.reduce((sum, share) => sum + share, 0)).toBe(1000)
})

test('a day has as many sends as the habits say, and a payday three times as many', () => {
  const ordinary = simulateDay({ people, seed, isPayday: false })
  const payday = simulateDay({ people, seed, isPayday: true })
  const expected = people * habits.plain_send
  expect(Math.abs(ordinary.activities.plain_send - expected) / expected).toBeLessThan(0.01)
  expect(Math.abs(payday.activities.plain_send / ordinary.activities.plain_send - paydayFactor)).toBeLessThan(0.05)
  expect(payday.activities.list_read / ordinary.activities.list_read).toBeCloseTo(1, 1)
})

test('the same seed gives the same day', () => {
  expect(simulateDay({ people, seed, isPayday: false })).toEqual(simulateDay({ people, seed, isPayday: false }))
})

test('more load makes batches larger, and later commits', () => {
  const calm = simulateBatches({ movementsPerSecond: 100, seconds: 20, seed })
  const busy = simulateBatches({ movementsPerSecond: 8000, seconds: 20, seed })
  expect(busy.movementsPerBatch).toBeGreaterThan(calm.movementsPerBatch * 10)
  expect(busy.p50Ms).toBeGreaterThan(calm.p50Ms)
})

test.each([4, 400])('counts of mean %i have that mean and variance', (mean) => {
  const random = createRandom(seed, mean)
  const counts = Array.from({ length: 5000 }, () => drawPoisson(mean, random))
  const average = counts.reduce((sum, count) => sum + count, 0) / counts.length
  const variance = counts.reduce((sum, count) => sum + (count - average) ** 2, 0) / counts.length
  expect(Math.abs(average / mean - 1)).toBeLessThan(0.03)
  expect(Math.abs(variance / mean - 1)).toBeLessThan(0.1)
})
