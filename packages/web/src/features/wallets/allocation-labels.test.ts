import { expect, test } from 'vitest'
import { labelStarts } from './allocation-labels.ts'

test('labels begin at their parts, stay within the bar and off one another', () => {
  expect(labelStarts([0, 200], 80, 400)).toEqual([0, 200])
  expect(labelStarts([188, 295], 80, 310)).toEqual([140, 230])
  expect(labelStarts([0, 10, 190], 80, 260)).toEqual([0, 90, 180])
})

test('a label without room is left out', () => {
  expect(labelStarts([0, 5], 80, 100)).toEqual([0, undefined])
})
