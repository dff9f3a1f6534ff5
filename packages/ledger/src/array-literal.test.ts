import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { plainArray, textArray } from './array-literal.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const identity = <T>(value: T): T => value

test('any text arrives unchanged in the database', async () => {
  const textArbitrary = fc.oneof(
    fc.string({ unit: 'binary' }).filter((text) => !text.includes('\u0000') && text.isWellFormed()),
    fc.constantFrom('', 'NULL', '{}', '"', '\\', ',', ' a ', '{"a,b"}', '\n', '𝔸é'),
    fc.constant(undefined),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(textArbitrary), async (texts) => {
      const { rows } = await database.pool.query('select $1::text[] as texts', [textArray(texts, identity)])
      expect(rows[0].texts).toEqual(texts.map((text) => text ?? null))
    }),
    { numRuns: 200, seed: 20_261_128 },
  )
})

test('numbers, ids and nulls arrive unchanged', async () => {
  const { rows } = await database.pool.query('select $1::numeric[]::text[] as numbers, $2::uuid[] as ids', [
    plainArray([1n, -5n, undefined, 10n ** 30n], identity),
    plainArray(['0190c7a0-0000-7000-8000-000000000001', undefined], identity),
  ])
  expect(rows).toEqual([
    {
      numbers: ['1', '-5', null, String(10n ** 30n)],
      ids: ['0190c7a0-0000-7000-8000-000000000001', null],
    },
  ])
})

test.each(['a,b', '', ' ', '"', '{', '}', '\\', 'a b', 'ä', 'null', 'Null'])(
  '%j is refused because it would need quoting',
  (text) => {
    expect(() => plainArray([text], identity)).toThrow('is no plain value')
  },
)
