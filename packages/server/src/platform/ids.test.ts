import { expect, test } from 'vitest'
import { v5 } from 'uuid'
import { derivedId, isUuid, newId } from './ids.ts'

test('ids sort in creation order, also within a millisecond', () => {
  const [now, next] = [new Date('2026-03-01T10:00:00.000Z'), new Date('2026-03-01T10:00:00.001Z')]
  const ids = [now, now, now, now, now, next, next, next].map(newId)
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every(isUuid)).toBe(true)
})

test('a derived id is the UUIDv5 of its parts', () => {
  expect(derivedId('transfer', 1234567890n, '01a21f30-7b68-704f-aaeb-dbb8d4d25739')).toBe(
    '607a041e-1447-5025-b49d-f57b38b833a9',
  )
  const parts = ['payment', 'naïve — 支付']
  expect(derivedId(...parts)).toBe(v5(parts.join('\n'), '5d0c1f5e-3b0e-4f53-9a43-6d2c7a6c7e11'))
})
