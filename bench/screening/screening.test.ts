import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createScreening,
  type Screening,
} from '../../packages/server/src/features/compliance/screening/matcher/screening.ts'
import { createTestDatabase, type TestDatabase } from '../../tools/testing/test-database.ts'
import { makeQueries, readQueries } from './make-queries.ts'
import { type Figures, importWithout, measure, someOf } from './measure.ts'
import { ordinaryNames } from './ordinary-names.ts'

let database: TestDatabase
let screening: Screening
const queries = readQueries()

beforeAll(async () => {
  database = await createTestDatabase()
  await importWithout(database.pool, queries, new Date())
  screening = createScreening(database)
})
afterAll(() => database.drop())

const shareOf = ({ recalls }: Figures, alteration: string): number => {
  const recall = recalls.find((one) => one.source === 'all' && one.alteration === alteration)
  return recall ? (100 * recall.found) / recall.queries : 0
}

test('the committed queries are what the rules make of the committed lists', () => {
  expect(makeQueries()).toEqual(queries)
  expect(new Set(queries.map(({ query }) => query)).size).toBeGreaterThan(10_000)
  expect(new Set(ordinaryNames).size).toBeGreaterThan(2000)
})

// A few hundred of them; `npm run bench:lists` measures all.
test('altered names are found, and ordinary ones are not', async () => {
  const figures = await measure(database.pool, { queries: someOf(queries, 41), ordinary: someOf(ordinaryNames, 11) })
  expect(shareOf(figures, 'one_typo')).toBeGreaterThanOrEqual(97)
  expect(shareOf(figures, 'two_typos')).toBeGreaterThanOrEqual(86)
  expect(shareOf(figures, 'word_order')).toBeGreaterThanOrEqual(95)
  expect(shareOf(figures, 'transliterated')).toBeGreaterThanOrEqual(86)
  expect((100 * figures.falseHits) / figures.ordinary).toBeLessThanOrEqual(8)
})

// Their names in these scripts are held out of the lists, or never were in them.
test.each([
  ['Arabic', 'صدام حسين التكريتي', 'AL-TIKRITI'],
  ['Arabic, an article more', 'أيمن محمد ربيع الظواهري', 'AL-ZAWAHIRI'],
  ['Cyrillic', 'Тимченко Геннадий', 'TIMCHENKO'],
  ['Cyrillic, the other way round', 'Игорь Сечин', 'SECHIN'],
  ['Chinese', '李芳伟', 'LI, Fangwei'],
  ['Russian, as the French write it', 'Guennadi Timtchenko', 'TIMCHENKO'],
  ['Arabic, as the French write it', 'Oussama ben Laden', 'BIN LADEN, USAMA'],
])('%s: %s', async (_script, name, listed) => {
  const { matches } = await screening.screen({ names: [name] })
  expect(matches.map(({ listedName }) => listedName.toUpperCase()).join('; ')).toContain(listed.toUpperCase())
})

test('birth date and country rank matches, and clear none', async () => {
  const { screen } = screening
  const names = ['Ayman al-Zawahiri']
  const [first] = (await screen({ names, birthDate: '1951-06-19', country: 'EG' })).matches
  expect(first).toMatchObject({ tier: 'hold', evidence: { birthDate: 'same', country: 'same' } })
  const other = (await screen({ names, birthDate: '1990-01-01', country: 'Japan' })).matches
  expect(other.map(({ score }) => score)).toEqual((await screen({ names })).matches.map(({ score }) => score))
  expect(other[0]?.evidence).toEqual({ birthDate: 'differs', country: 'differs' })
})
