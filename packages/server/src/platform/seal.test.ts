import { expect, test } from 'vitest'
import { createSeal } from './seal.ts'

const secret = Buffer.alloc(32, 1)
const seal = createSeal(secret, 'tests')

test('a sealed value can be opened, and looks different each time', () => {
  const sealedText = seal.seal('123-45-6789 ü', 'row 1')
  expect(seal.open(sealedText, 'row 1')).toBe('123-45-6789 ü')
  expect(sealedText.toString('latin1')).not.toContain('123')
  expect(seal.seal('123-45-6789 ü', 'row 1').equals(sealedText)).toBe(false)
})

test('no other key or purpose opens it', () => {
  const sealedText = seal.seal('123-45-6789', 'row 1')
  expect(() => seal.open(sealedText, 'row 2')).toThrow()
  expect(() => createSeal(secret, 'others').open(sealedText, 'row 1')).toThrow()
  expect(() => createSeal(Buffer.alloc(32, 2), 'tests').open(sealedText, 'row 1')).toThrow()
  expect(() => seal.open(sealedText.subarray(0, 20), 'row 1')).toThrow()
  for (let at = 0; at < sealedText.length; at += 1) {
    const corruptBytes = Buffer.from(sealedText)
    corruptBytes[at] = (corruptBytes[at] ?? 0) ^ 1
    expect(() => seal.open(corruptBytes, 'row 1'), `byte ${at}`).toThrow()
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
  const rotatedSeal = createSeal([second, first], 'tests')
  const sealedText = createSeal(first, 'tests').seal('text', 'row')
  expect(rotatedSeal.open(sealedText, 'row')).toBe('text')
  expect(rotatedSeal.open(Buffer.concat([Buffer.of(1), sealedText.subarray(5)]), 'row')).toBe('text')
  expect(createSeal(second, 'tests').open(rotatedSeal.seal('text', 'row'), 'row')).toBe('text')
  expect(() => createSeal(first, 'tests').open(rotatedSeal.seal('text', 'row'), 'row')).toThrow('not configured')
  expect(rotatedSeal.fingerprints('text')).toEqual(
    [first, second].toReversed().map((s) => createSeal(s, 'tests').fingerprint('text')),
  )
})
