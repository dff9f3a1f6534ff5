import { expect, test } from 'vitest'
import { parseReference, deriveReference } from './transaction-reference.ts'

const id = '019b76da-a800-7481-9a46-7fe0ad296a37'

test('a reference is short, and leads back to its id in any notation', () => {
  const reference = deriveReference(id)
  expect(reference).toMatch(/^TRN(-[0-9A-HJKMNP-TV-Z]{4}){3}$/)
  const [lowest, highest] = parseReference(reference) ?? ['', '']
  expect(lowest <= id && id <= highest).toBe(true)
  expect(lowest.slice(0, 18)).toBe(id.slice(0, 18))
  for (const variant of [reference.toLowerCase(), reference.replaceAll('-', ' '), reference.replaceAll('0', 'o')]) {
    expect(parseReference(` ${variant} `)).toEqual([lowest, highest])
  }
})

test('ids of one moment differ in the first group', () => {
  const other = '019b76da-a800-7482-9a46-7fe0ad296a37'
  expect(deriveReference(other).slice(0, 8)).not.toBe(deriveReference(id).slice(0, 8))
})

test.each(['', 'TRN', 'TRN-8F41', 'TRN-8F41-20C7-06DU', 'rent', id, `TRN-${'A'.repeat(13)}`])(
  '%j is no reference',
  (text) => {
    expect(parseReference(text)).toBeUndefined()
  },
)
