import { expect, test } from 'vitest'
import { createSeal } from './seal.ts'

const secret = Buffer.alloc(32, 1)
const seal = createSeal(secret, 'tests')

test('a sealed value can be opened, and looks different each time', () => {
  const sealed = seal.seal('123-45-6789 ü', 'row 1')
  expect(seal.open(sealed, 'row 1')).toBe('123-45-6789 ü')
  expect(sealed.toString('latin1')).not.toContain('123')
  expect(seal.seal('123-45-6789 ü', 'row 1').equals(sealed)).toBe(false)
})

test('no other key or purpose opens it', () => {
  const sealed = seal.seal('123-45-6789', 'row 1')
  expect(() => seal.open(sealed, 'row 2')).toThrow()
  expect(() => createSeal(secret, 'others').open(sealed, 'row 1')).toThrow()
  expect(() => createSeal(Buffer.alloc(32, 2), 'tests').open(sealed, 'row 1')).toThrow()
  expect(() => seal.open(sealed.subarray(0, 20), 'row 1')).toThrow()
  for (let at = 0; at < sealed.length; at += 1) {
    const altered = Buffer.from(sealed)
    altered[at] = (altered[at] ?? 0) ^ 1
    expect(() => seal.open(altered, 'row 1'), `byte ${at}`).toThrow()
  }
})

test('fingerprints are comparable only under one secret and purpose', () => {
  expect(seal.fingerprint('a').equals(createSeal(secret, 'tests').fingerprint('a'))).toBe(true)
  expect(seal.fingerprint('a').equals(seal.fingerprint('b'))).toBe(false)
  expect(seal.fingerprint('a').equals(createSeal(secret, 'others').fingerprint('a'))).toBe(false)
  expect(seal.fingerprint('a').equals(createSeal(Buffer.alloc(32, 2), 'tests').fingerprint('a'))).toBe(false)
})

test('a key ring seals under its first secret and opens values of all, also in the format without key ids', () => {
  const [first, second] = [Buffer.alloc(32, 3), Buffer.alloc(32, 4)]
  const ring = createSeal([second, first], 'tests')
  const sealed = createSeal(first, 'tests').seal('text', 'row')
  expect(ring.open(sealed, 'row')).toBe('text')
  expect(ring.open(Buffer.concat([Buffer.of(1), sealed.subarray(5)]), 'row')).toBe('text')
  expect(createSeal(second, 'tests').open(ring.seal('text', 'row'), 'row')).toBe('text')
  expect(() => createSeal(first, 'tests').open(ring.seal('text', 'row'), 'row')).toThrow('not configured')
  expect(ring.fingerprints('text')).toEqual(
    [first, second].toReversed().map((s) => createSeal(s, 'tests').fingerprint('text')),
  )
})
