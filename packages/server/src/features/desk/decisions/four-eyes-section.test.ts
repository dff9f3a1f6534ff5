import { expect, test } from 'vitest'
import { buildFourEyesSection } from './four-eyes-section.ts'

test('two operators decide from a threshold on, or for any value', () => {
  expect(buildFourEyesSection(2_500_00n, 1_000_00n).rules).toMatchObject([
    {
      rule: 'two_people',
      inputs: [
        { label: 'worth', amount: '2500.00' },
        { label: 'two_above', amount: '1000.00' },
      ],
    },
  ])
  expect(buildFourEyesSection(undefined, null).rules).toMatchObject([{ inputs: [] }])
})
