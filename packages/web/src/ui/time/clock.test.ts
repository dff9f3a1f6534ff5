import { expect, test } from 'vitest'
import { chooseBlock, listBlocks, computeElapsed } from './clock.ts'

const hourMs = 3_600_000

test.each([
  [1, 'minutes', 5, 12],
  [4, 'minutes', 30, 8],
  [24, 'hours', 3, 8],
  [48, 'hours', 3, 16],
  [100, 'days', 1, 5],
  [168, 'days', 1, 7],
  [10_000, 'days', 7, 60],
])('%i hours are measured in blocks of %s, %i each: %i of them', (hours, unit, count, length) => {
  expect(chooseBlock(hours * hourMs)).toMatchObject({ unit, count })
  expect(listBlocks(hours * hourMs)).toHaveLength(length)
})

test('the blocks sum to the whole time, the last one being the rest', () => {
  for (let hours = 1; hours <= 400; hours += 1) {
    const blocks = listBlocks(hours * hourMs)
    const total = blocks.reduce((sum, { length }) => sum + length, 0)
    expect(total).toBeCloseTo(100, 6)
    for (const [index, { from }] of blocks.entries()) {
      expect(from).toBeCloseTo(index === 0 ? 0 : (blocks[index - 1]?.from ?? 0) + (blocks[index - 1]?.length ?? 0), 6)
    }
  }
})

test('elapsed time stays between start and end', () => {
  expect(computeElapsed(100, 200, 150)).toBe(50)
  expect(computeElapsed(100, 200, 50)).toBe(0)
  expect(computeElapsed(100, 200, 900)).toBe(100)
  expect(computeElapsed(100, 100, 100)).toBe(100)
})
