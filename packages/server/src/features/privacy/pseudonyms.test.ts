import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveHashKey } from '../../platform/seal.ts'
import { createOperatorPseudonyms, pseudonymKeyPurpose } from './pseudonyms.ts'

const [newest, old, current] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const kim = createOperatorPseudonyms(old)('Kim')

test('a pseudonym is stable, and cannot be reversed with a list of names', () => {
  expect(kim).toMatch(/^Operator [\dA-F]{8}$/)
  expect(createOperatorPseudonyms(old)('Kim')).toBe(kim)
  expect(createOperatorPseudonyms(old)('Lea')).not.toBe(kim)
  expect(createOperatorPseudonyms(current)('Kim'), 'with another secret').not.toBe(kim)
  const unkeyed = createHash('sha256').update('tern operator Kim').digest('hex').toUpperCase()
  expect(unkeyed).not.toContain(kim.slice('Operator '.length))
})

test('a new secret changes none, neither while the old one is configured nor once its key is retained', () => {
  const retained = deriveHashKey(old, pseudonymKeyPurpose)
  expect(createOperatorPseudonyms([current, old])('Kim')).toBe(kim)
  expect(createOperatorPseudonyms(current, [retained])('Kim')).toBe(kim)
  expect(
    createOperatorPseudonyms([newest, current], [retained, deriveHashKey(current, pseudonymKeyPurpose)])('Kim'),
  ).toBe(kim)
})
