import { expect, test } from 'vitest'
import { isUuid, newId } from './ids.ts'

test('ids sort in creation order, also within a millisecond', () => {
  const [now, next] = [new Date('2026-03-01T10:00:00.000Z'), new Date('2026-03-01T10:00:00.001Z')]
  const ids = [now, now, now, now, now, next, next, next].map(newId)
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every(isUuid)).toBe(true)
})
