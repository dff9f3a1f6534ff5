import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveHashKey } from '../../platform/seal.ts'
import { createOperatorPseudonyms, pseudonymKeyPurpose } from './pseudonyms.ts'

const [newestKey, oldKey, currentKey] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const kim = createOperatorPseudonyms(oldKey)('Kim')

test('a pseudonym is stable, and cannot be reversed with a list of names', () => {
  expect(kim).toMatch(/^Operator [\dA-F]{8}$/)
  expect(createOperatorPseudonyms(oldKey)('Kim')).toBe(kim)
  expect(createOperatorPseudonyms(oldKey)('Lea')).not.toBe(kim)
  expect(createOperatorPseudonyms(currentKey)('Kim'), 'with another secret').not.toBe(kim)
  const unkeyedHash = createHash('sha256').update('tern operator Kim').digest('hex').toUpperCase()
  expect(unkeyedHash).not.toContain(kim.slice('Operator '.length))
})

test('a new secret changes none, neither while the old one is configured nor once its key is retained', () => {
  const retainedKey = deriveHashKey(oldKey, pseudonymKeyPurpose)
  expect(createOperatorPseudonyms([currentKey, oldKey])('Kim')).toBe(kim)
  expect(createOperatorPseudonyms(currentKey, [retainedKey])('Kim')).toBe(kim)
  expect(
    createOperatorPseudonyms(
      [newestKey, currentKey],
      [retainedKey, deriveHashKey(currentKey, pseudonymKeyPurpose)],
    )('Kim'),
  ).toBe(kim)
})
