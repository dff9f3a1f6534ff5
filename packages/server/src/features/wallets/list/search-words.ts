import type { Db } from '../../../platform/database/db.ts'
import { isCountedWord, isWhollyCounted, isYear, type Search, type SoughtWord } from './search-terms.ts'
import type { TransactionWordRow } from '../row-types.ts'

/** A search, with per-facet counts of indexed words that begin with its words. */
export interface LookedUp {
  readonly search: Search
  readonly words: readonly CountedWord[]
}

type CountedWord = Pick<
  TransactionWordRow,
  'word' | 'facet' | 'first_id' | 'last_id' | 'first_description' | 'last_description'
> & {
  /** The searched word. */
  readonly begun: string
  readonly row_count: number
}

interface Range {
  readonly lowest: string
  readonly highest: string
}

/** A search over some facets, with estimates from counted words. */
export interface Sought {
  readonly search: Search
  readonly words: readonly SoughtWord[]
  /** Facets that can have matches. */
  readonly facets: ReadonlySet<number>
  /** Bounds on the number of indexed matches. */
  readonly leastCount: number
  readonly mostCount: number
  /** Ranges of ids and descriptions that contain all indexed matches. */
  readonly ids: Range | undefined
  readonly descriptions: Range | undefined
}

/** Beyond this many words, search by prefix. */
const mostWholeWords = 16

/** Looks up a user's indexed words that begin with the search words. */
export async function lookUpWords(db: Db, userId: bigint, search: Search): Promise<LookedUp> {
  const { rows } = await db.query<CountedWord>(
    `select sought.word as begun, counted.word, counted.facet, counted.row_count::float8 as row_count, counted.first_id,
         counted.last_id, counted.first_description, counted.last_description
       from unnest($2::text[]) as sought (word)
      cross join lateral (
        select distinct w.word from transaction_word w
         where w.user_id = $1 and w.row_count > 0 and w.word >= sought.word collate "C" and w.word < (sought.word || chr(1114111)) collate "C"
         order by w.word limit $3) as whole
       join transaction_word counted on counted.user_id = $1 and counted.word = whole.word
      where counted.row_count > 0`,
    [userId, search.words.filter(isCountedWord), mostWholeWords + 1],
  )
  return { search, words: rows }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
/** Orders like the database's collation "C". */
const isBefore = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
const lower = (a: string, b: string): string => (isBefore(b, a) ? b : a)
const higher = (a: string, b: string): string => (isBefore(a, b) ? b : a)

/** Range that contains all rows with all of the words, given each word's ranges. */
function commonRange(words: readonly (readonly Range[])[]): Range | undefined {
  if (words.length === 0 || words.some((ranges) => ranges.length === 0)) return undefined
  return {
    lowest: words.map((ranges) => ranges.map(({ lowest }) => lowest).reduce(lower)).reduce(higher),
    highest: words.map((ranges) => ranges.map(({ highest }) => highest).reduce(higher)).reduce(lower),
  }
}

const wordsIn = (counted: readonly CountedWord[], facets: ReadonlySet<number>): string[] => [
  ...new Set(counted.filter(({ facet }) => facets.has(facet)).map(({ word }) => word)),
]

/** Estimates a search in these facets from their row counts. */
export function narrowSought({ search, words }: LookedUp, facets: readonly number[], rowCount: number): Sought {
  const facetSet = new Set(facets)
  const byWord = search.words.map((word) => {
    const counted = words.filter(({ begun, facet }) => begun === word && facetSet.has(facet))
    const wholeWords = new Set(words.filter(({ begun }) => begun === word).map((found) => found.word))
    return { word, counted, whole: wholeWords, isKnown: isWhollyCounted(word) && wholeWords.size <= mostWholeWords }
  })
  // An id or a day may match the text without any of the words.
  const known = search.ids || search.dated ? [] : byWord.filter(({ isKnown }) => isKnown)
  const possible = new Set(
    facets.filter((facet) => known.every(({ counted }) => counted.some((found) => found.facet === facet))),
  )
  const counts = known.map(({ counted }) => counted.filter(({ facet }) => possible.has(facet)))
  const ids = (found: CountedWord): Range => ({ lowest: found.first_id, highest: found.last_id })
  const descriptions = (found: CountedWord): Range => ({
    lowest: found.first_description,
    highest: found.last_description,
  })
  const [only, ...laterWords] = byWord
  const countRows = (counted: readonly CountedWord[], fullWord: string) =>
    sum(counted.filter(({ word }) => word === fullWord).map((found) => found.row_count))
  return {
    search,
    words: byWord.map(({ word, counted, isKnown }) => ({
      word,
      found: search.whole.has(word) ? [word] : isKnown ? wordsIn(counted, possible) : undefined,
      isEverywhere: isYear(word) && countRows(counted, word) > rowCount / 2,
    })),
    facets: possible,
    leastCount:
      only && laterWords.length === 0
        ? Math.max(0, ...[...only.whole].map((word) => countRows(only.counted, word)))
        : 0,
    mostCount: Math.min(
      Number.MAX_SAFE_INTEGER,
      ...counts.map((counted) => sum(counted.map((found) => found.row_count))),
    ),
    ids: commonRange(counts.map((counted) => counted.map(ids))),
    descriptions: commonRange(counts.map((counted) => counted.map(descriptions))),
  }
}
