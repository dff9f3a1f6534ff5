import type { Db } from '../../../platform/database/db.ts'
import { isCountedWord, isCountable, isYear, type Search, type SearchWord } from './search-terms.ts'
import type { TransactionWordRow } from '../row-types.ts'

/** Search with the counts, per facet, of the indexed words that begin with its words. */
export interface WordLookup {
  readonly search: Search
  readonly words: readonly CountedWord[]
}

type CountedWord = Pick<
  TransactionWordRow,
  'word' | 'facet' | 'first_id' | 'last_id' | 'first_description' | 'last_description'
> & {
  /** Word of the search with which it begins. */
  readonly begun: string
  readonly row_count: number
}

interface TextRange {
  readonly lowest: string
  readonly highest: string
}

/** Search of some facets, with estimates from word counts. */
export interface SearchEstimate {
  readonly search: Search
  readonly words: readonly SearchWord[]
  /** Facets that can have matches. */
  readonly facets: ReadonlySet<number>
  /** Bounds on the number of indexed matches. */
  readonly minCount: number
  readonly maxCount: number
  /** Ranges of ids and descriptions that contain all indexed matches. */
  readonly ids: TextRange | undefined
  readonly descriptions: TextRange | undefined
}

/** Maximum of whole words to search for; above it, the prefix is searched. */
const maxWholeWords = 16

/** Looks up a user's indexed words that begin with the search words. */
export async function lookUpWords(db: Db, userId: bigint, search: Search): Promise<WordLookup> {
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
    [userId, search.words.filter(isCountedWord), maxWholeWords + 1],
  )
  return { search, words: rows }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
/** Compares texts like the database's collation "C". */
const isBefore = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
const earlierText = (a: string, b: string): string => (isBefore(b, a) ? b : a)
const laterText = (a: string, b: string): string => (isBefore(a, b) ? b : a)

/** Returns a range that contains all rows with all of the words, given each word's ranges. */
function intersectRanges(words: readonly (readonly TextRange[])[]): TextRange | undefined {
  if (words.length === 0 || words.some((ranges) => ranges.length === 0)) return undefined
  return {
    lowest: words.map((ranges) => ranges.map(({ lowest }) => lowest).reduce(earlierText)).reduce(laterText),
    highest: words.map((ranges) => ranges.map(({ highest }) => highest).reduce(laterText)).reduce(earlierText),
  }
}

const listWords = (countedWords: readonly CountedWord[], facets: ReadonlySet<number>): string[] => [
  ...new Set(countedWords.filter(({ facet }) => facets.has(facet)).map(({ word }) => word)),
]

/** Estimates the matches of a search in these facets, which have `rowCount` rows. */
export function estimateSearch(
  { search, words }: WordLookup,
  facets: readonly number[],
  rowCount: number,
): SearchEstimate {
  const facetSet = new Set(facets)
  const byWord = search.words.map((word) => {
    const counted = words.filter(({ begun, facet }) => begun === word && facetSet.has(facet))
    const fullWords = new Set(words.filter(({ begun }) => begun === word).map((found) => found.word))
    return { word, counted, whole: fullWords, isKnown: isCountable(word) && fullWords.size <= maxWholeWords }
  })
  // An id or a day may match the text without any of the words.
  const knownWords = search.ids || search.dateMatch ? [] : byWord.filter(({ isKnown }) => isKnown)
  const possibleFacets = new Set(
    facets.filter((facet) => knownWords.every(({ counted }) => counted.some((found) => found.facet === facet))),
  )
  const counts = knownWords.map(({ counted }) => counted.filter(({ facet }) => possibleFacets.has(facet)))
  const ids = (found: CountedWord): TextRange => ({ lowest: found.first_id, highest: found.last_id })
  const descriptions = (found: CountedWord): TextRange => ({
    lowest: found.first_description,
    highest: found.last_description,
  })
  const [firstWord, ...laterWords] = byWord
  const countRows = (countedWords: readonly CountedWord[], fullWord: string) =>
    sum(countedWords.filter(({ word }) => word === fullWord).map((found) => found.row_count))
  return {
    search,
    words: byWord.map(({ word, counted, isKnown }) => ({
      word,
      found: search.whole.has(word) ? [word] : isKnown ? listWords(counted, possibleFacets) : undefined,
      isEverywhere: isYear(word) && countRows(counted, word) > rowCount / 2,
    })),
    facets: possibleFacets,
    minCount:
      firstWord && laterWords.length === 0
        ? Math.max(0, ...[...firstWord.whole].map((word) => countRows(firstWord.counted, word)))
        : 0,
    maxCount: Math.min(
      Number.MAX_SAFE_INTEGER,
      ...counts.map((countedWords) => sum(countedWords.map((found) => found.row_count))),
    ),
    ids: intersectRanges(counts.map((countedWords) => countedWords.map(ids))),
    descriptions: intersectRanges(counts.map((countedWords) => countedWords.map(descriptions))),
  }
}
