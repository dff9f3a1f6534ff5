import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readKeyRing, findWeakness } from './secret.ts'

const throwSentence = (sentence: string): never => {
  throw new Error(sentence)
}

test.each([
  ['short', 'it has 5 characters'],
  ['x'.repeat(64), 'it repeats itself'],
  ['f3Kq9vTz'.repeat(5), 'it repeats itself'],
  ['f3Kq9vTzf3Kq9vTzf3Kq9vTzf3Kq9vTzf3Kq', 'it repeats itself'],
  ['please-change-this-in-production-0', 'examples'],
  ['my super secret value for the wallet', 'examples'],
  ['abcdefghijklmnopqrstuvwxyz0123456789', 'in sequence'],
  ['01234567890123456789abcdefabcdefabcdef', 'in sequence'],
  ['aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbcccccccc1', 'in sequence'],
])('%s is too easy to guess', (secret, reason) => {
  expect(findWeakness(secret)).toContain(reason)
  expect(() => readKeyRing({ TERN_SECRET: secret }, true, throwSentence)).toThrow(/^TERN_SECRET /)
})

test('128 random bits or more are good in any usual spelling', () => {
  for (let round = 0; round < 300; round += 1) {
    for (const secret of [
      randomBytes(16).toString('hex'),
      randomBytes(32).toString('hex'),
      randomBytes(24).toString('base64url'),
      randomBytes(32).toString('base64'),
    ]) {
      expect(findWeakness(secret), secret).toBeUndefined()
    }
  }
})

test('a weak secret seals only outside production, but opens anywhere until it is replaced', () => {
  const [weakSecret, strongSecret] = ['x'.repeat(32), randomBytes(32).toString('base64')]
  expect(readKeyRing({ TERN_SECRET: weakSecret }, false, throwSentence)).toHaveLength(1)
  expect(() => readKeyRing({ TERN_SECRET: weakSecret }, true, throwSentence)).toThrow(
    'give the present one as TERN_OLD_SECRET',
  )
  const keyRing = readKeyRing(
    { TERN_SECRET: strongSecret, TERN_OLD_SECRET_10: 'c', TERN_OLD_SECRET: weakSecret },
    true,
    throwSentence,
  )
  expect(keyRing).toHaveLength(3)
  expect(keyRing[1]).toEqual(readKeyRing({ TERN_SECRET: weakSecret }, false, throwSentence)[0])
  expect(() => readKeyRing({ TERN_SECRET: strongSecret, TERN_OLD_SECRET: strongSecret }, true, throwSentence)).toThrow(
    'must differ',
  )
})
