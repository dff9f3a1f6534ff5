import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyListedNames } from '../../packages/server/src/features/compliance/screening/matcher/listed-names.ts'
import {
  findMatches,
  type ScreenedPerson,
} from '../../packages/server/src/features/compliance/screening/matcher/screening.ts'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { makeQueries, readQueries } from './make-queries.ts'
import { importLists, measure, sampleQueries, takeEvery } from './measure.ts'
import { ordinaryNames } from './ordinary-names.ts'

let database: TestDatabase
const ctx = { listedNames: emptyListedNames() }
const queries = readQueries()
const screen = (person: ScreenedPerson) => findMatches(ctx, database.pool, person)

beforeAll(async () => {
  database = await createTestDatabase()
  await importLists(database.pool, queries, new Date())
})
afterAll(() => database.drop())

test('the committed queries are what the rules make of the committed lists', () => {
  expect(makeQueries()).toEqual(queries)
  expect(new Set(queries.map(({ query }) => query)).size).toBeGreaterThan(10_000)
  expect(new Set(ordinaryNames).size).toBeGreaterThan(2000)
})

// Samples a few hundred names of each list; `npm run bench -- lists` measures all of them, with timing.
test('altered names are found on every list, and ordinary ones on none', async () => {
  const sample = { queries: sampleQueries(queries, 150), ordinary: takeEvery(ordinaryNames, 4) }
  const { recalls, ordinary, falseHits, falseHitsBySource } = await measure(database.pool, sample)
  const minimumShares = { one_typo: 98, two_typos: 93, transliterated: 90 } as const
  const shares = recalls.flatMap(({ source, alteration, foundCount, queries: count }) =>
    alteration in minimumShares ? [{ source, alteration, count, share: (100 * foundCount) / count }] : [],
  )
  expect(new Set(shares.map(({ source }) => source))).toEqual(new Set(['ofac_sdn', 'ofac_consolidated', 'un', 'all']))
  expect(shares.filter(({ count }) => count < 70)).toEqual([])
  expect(
    shares.filter(({ alteration, share }) => share < minimumShares[alteration as keyof typeof minimumShares]),
  ).toEqual([])
  for (const [source, hitCount] of [...falseHitsBySource, ['all', falseHits] as const])
    expect((100 * hitCount) / ordinary, source).toBeLessThanOrEqual(6)
})

// The imported lists contain none of these spellings: `importLists` removed them, or they were never listed.
test.each([
  ['Arabic', 'صدام حسين التكريتي', 'AL-TIKRITI'],
  ['Arabic, an article more', 'أيمن محمد ربيع الظواهري', 'AL-ZAWAHIRI'],
  ['Cyrillic', 'Тимченко Геннадий', 'TIMCHENKO'],
  ['Cyrillic, the other way round', 'Игорь Сечин', 'SECHIN'],
  ['Chinese', '李芳伟', 'LI, Fangwei'],
  ['Russian, as the French write it', 'Guennadi Timtchenko', 'TIMCHENKO'],
  ['Arabic, as the French write it', 'Oussama ben Laden', 'BIN LADEN, USAMA'],
])('%s: %s', async (_script, name, expectedName) => {
  const { matches } = await screen({ names: [name] })
  expect(matches.map(({ listedName }) => listedName.toUpperCase()).join('; ')).toContain(expectedName.toUpperCase())
})

test('birth date and country rank matches, and clear none', async () => {
  const names = ['Ayman al-Zawahiri']
  const [first] = (await screen({ names, birthDate: '1951-06-19', country: 'EG' })).matches
  expect(first).toMatchObject({ tier: 'hold', evidence: { birthDate: 'same', country: 'same' } })
  const other = (await screen({ names, birthDate: '1990-01-01', country: 'Japan' })).matches
  expect(other.map(({ score }) => score)).toEqual((await screen({ names })).matches.map(({ score }) => score))
  expect(other[0]?.evidence).toEqual({ birthDate: 'differs', country: 'differs' })
})
