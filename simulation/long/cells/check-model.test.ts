import { isFullRun } from '@tern/testkit/length'
import { expect, test } from 'vitest'
import { brokenVariants, runExample, simulateModel } from './check-model.ts'

const steps = 100
// In portions that stay far below the timeout of a test on a busy machine.
const { traces, seeds } = isFullRun ? { traces: 1000, seeds: 10 } : { traces: 25, seeds: 1 }

test.each(Array.from({ length: seeds }, (_, index) => `0x${index + 1}`))(
  'cells that crash and are restored neither lose nor double money in random histories of seed %s',
  async (seed) => {
    const { violations, reached, output } = await simulateModel({ variant: 'protocol', traces, steps, seed })
    expect(violations, output).toEqual([])
    for (const state of ['settles', 'returns', 'recovers', ...(isFullRun ? ['covers_a_loss'] : [])]) {
      expect(reached[state], output).toBeGreaterThan(0)
    }
  },
)

test('a restored wallet that can no longer pay is covered by the loss account', async () => {
  const { hasPassed, output } = await runExample()
  expect(hasPassed, output).toBe(true)
})

test.runIf(isFullRun).each(brokenVariants)('the model finds the loss of a protocol %s', async (variant) => {
  const { violations, output } = await simulateModel({ variant, traces: 2000, steps, seed: '0x5' })
  expect(violations, output).toContain('nothing_is_lost_or_doubled')
})
