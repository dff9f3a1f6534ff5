import type { IdentityDocument } from '@tern/contract/kyc/documents'
import { expect, test } from 'vitest'
import { findLatest, findRefusal, secondsLeft, requiredSides } from './document-rules.ts'

const file = (size: number, type: string, name = 'passport') => ({ size, type, name })

test('an unacceptable file is refused before its upload, with advice', () => {
  expect(findRefusal(file(0, 'image/jpeg'))).toContain('empty')
  expect(findRefusal(file(52_000_000, 'image/jpeg'))).toContain('52.0 MB is too large')
  expect(findRefusal(file(10, 'image/svg+xml'))).toContain('SVG')
  expect(findRefusal(file(10, '', 'passport.SVG'))).toContain('SVG')
  expect(findRefusal(file(10, 'text/html'))).toContain('photo')
  for (const type of ['image/jpeg', 'image/png', 'image/webp', 'application/pdf', '']) {
    expect(findRefusal(file(10 * 1024 * 1024, type)), type).toBeUndefined()
  }
})

test('a passport has one page, other documents two sides', () => {
  expect(requiredSides('passport')).toEqual(['front'])
  expect(requiredSides('drivers_license')).toEqual(['front', 'back'])
})

test('the newest upload of a side counts', () => {
  const document = (id: string, side: IdentityDocument['side']) =>
    ({ id, side, document_type: 'nric' }) as IdentityDocument
  const documents = [document('c', 'back'), document('b', 'front'), document('a', 'front')]
  expect(findLatest(documents, 'nric', 'front')?.id).toBe('b')
  expect(findLatest(documents, 'passport', 'front')).toBeUndefined()
})

test('remaining upload time is estimated from progress', () => {
  expect(secondsLeft(3_100_000, 4_800_000, 3000)).toBe(2)
  for (const [sent, elapsedMs] of [
    [0, 3000],
    [100, 100],
    [4_800_000, 3000],
  ] as const) {
    expect(secondsLeft(sent, 4_800_000, elapsedMs)).toBeUndefined()
  }
})
