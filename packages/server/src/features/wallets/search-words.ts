import type { Queryable } from '../../db.ts'
import { isCountedWord, type Search, type SoughtWord } from './search-terms.ts'

/** A search of somebody's indexed rows, with what their words say about it beforehand. */
export interface Sought extends Search {
  readonly known: readonly SoughtWord[]
  /** Whether no indexed row can be found. */
  readonly isNowhere: boolean
  /** So many indexed rows are found at least, and at most. */
  readonly leastCount: number
  readonly mostCount: number
  /** No indexed row outside of these ids is found. */
  readonly lowest: string | undefined
  readonly highest: string | undefined
}

/** Beginnings of more words than this are looked up as beginnings. */
const mostWholeWords = 16

interface KnownWord {
  readonly begun: string
  readonly word: string
  readonly row_count: bigint
  readonly first_id: string
  readonly last_id: string
}

/** Looks up the words of somebody's rows that begin with the words of a search. */
export async function lookUpWords(db: Queryable, userId: bigint, search: Search): Promise<Sought> {
  const { rows } = await db.query<KnownWord>(
    `select sought.word as begun, known.word, known.row_count, known.first_id, known.last_id
       from unnest($2::text[]) as sought (word)
      cross join lateral (
        select * from transaction_word w
         where w.user_id = $1 and w.row_count > 0
           and w.word >= sought.word collate "C" and w.word < (sought.word || chr(1114111)) collate "C"
         order by w.word limit $3) as known`,
    [userId, search.words.filter(isCountedWord), mostWholeWords + 1],
  )
  const byWord = search.words.map((word) => {
    const found = rows.filter(({ begun }) => begun === word)
    return { word, found, isKnown: isCountedWord(word) && found.length <= mostWholeWords }
  })
  // An id that begins with the text may be found without any of the words.
  const whole = search.ids ? [] : byWord.filter(({ isKnown }) => isKnown)
  const counts = (found: readonly KnownWord[]) => found.map(({ row_count: count }) => Number(count)) // not money: rows
  const edge = (ids: readonly string[], isBetter: (a: string, b: string) => boolean) =>
    ids.reduce<string | undefined>((best, id) => (best === undefined || isBetter(id, best) ? id : best), undefined)
  const outermost = (isBetter: (a: string, b: string) => boolean, idOf: (known: KnownWord) => string) =>
    whole.flatMap(({ found }) => edge(found.map(idOf), isBetter) ?? [])
  const isLower = (a: string, b: string) => a < b
  const isHigher = (a: string, b: string) => a > b
  return {
    ...search,
    known: byWord.map(({ word, found, isKnown }) => ({
      word,
      found: isKnown ? found.map((known) => known.word) : undefined,
    })),
    isNowhere: whole.some(({ found }) => found.length === 0),
    leastCount: byWord.length === 1 ? Math.max(0, ...counts(rows)) : 0,
    mostCount: Math.min(
      Number.MAX_SAFE_INTEGER,
      ...whole.map(({ found }) => counts(found).reduce((total, count) => total + count, 0)),
    ),
    lowest: edge(
      outermost(isLower, ({ first_id: id }) => id),
      isHigher,
    ),
    highest: edge(
      outermost(isHigher, ({ last_id: id }) => id),
      isLower,
    ),
  }
}
