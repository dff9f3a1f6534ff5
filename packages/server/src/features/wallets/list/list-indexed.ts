import type { Db } from '../../../platform/database/db.ts'
import {
  cursorConditions,
  chooseDirections,
  maxCounted,
  type ListFilters,
  buildOrderBy,
  parameters,
  type Parameters,
  type ListSlice,
} from './list-reading.ts'
import { matchesFilters, isWanted, matchedBranches, type PlainList, readBranches } from './list-plain.ts'
import { compareGroups, toFacet, type Facet, type ListedRow, splitGrouped } from './listed-row.ts'
import { type SearchWord, buildTsquery } from './search-terms.ts'
import type { IdRange } from './search-dates.ts'
import { type WordLookup, estimateSearch, type SearchEstimate } from './search-words.ts'

/** A facet of a user's indexed rows, with its number. */
export interface NumberedFacet extends Facet {
  readonly facet: number
  readonly count: number
}

export interface IndexedContent {
  readonly facets: readonly NumberedFacet[]
  /** Rows new or changed since they were indexed. */
  readonly tail: readonly ListedRow[]
  readonly wordLookup: WordLookup | undefined
}

/** A long list from its index, merged with unindexed rows. */
export interface IndexedList {
  readonly userId: bigint
  readonly filters: ListFilters
  readonly matchingFacets: readonly NumberedFacet[]
  readonly hasAll: boolean
  readonly tailIds: readonly string[]
  readonly matchedTail: readonly ListedRow[]
  readonly estimate: SearchEstimate | undefined
  /** Count of indexed matches of the search, once known; `tooManyToCount` above `maxCounted`. */
  readonly hits: { count: number | undefined }
}

export const tooManyToCount = Number.MAX_SAFE_INTEGER

/** Restricts an index to the rows that can pass the filters. */
export function indexedList({ userId, filters }: PlainList, { facets, tail, wordLookup }: IndexedContent): IndexedList {
  const inFilter = facets.filter((facet) => isWanted(filters, facet))
  const numbers = inFilter.map(({ facet }) => facet)
  const rowCount = inFilter.reduce((total, { count }) => total + count, 0)
  const estimate = wordLookup && estimateSearch(wordLookup, numbers, rowCount)
  const indexedFacets = inFilter.filter(({ facet }) => estimate?.facets.has(facet) ?? true)
  const minCount = (estimate?.minCount ?? 0) - tail.length
  const hasTooManyMatches = filters.lowest === undefined && minCount > maxCounted
  return {
    userId,
    filters,
    matchingFacets: indexedFacets,
    hasAll: indexedFacets.length === facets.length,
    tailIds: tail.map((row) => row.id),
    matchedTail: tail.filter((row) => matchesFilters(filters, row)),
    estimate,
    hits: { count: hasTooManyMatches ? tooManyToCount : undefined },
  }
}

/** SQL conditions on indexed rows besides user and facet. */
export function buildConditions({ filters: { lowest }, tailIds }: IndexedList, put: Parameters['put']): string {
  const conditions: string[] = []
  if (lowest !== undefined) conditions.push(`and s.id >= ${put(lowest)}::uuid`)
  if (tailIds.length > 0) conditions.push(`and s.id <> all(${put(tailIds)}::uuid[])`)
  return conditions.join(' ')
}

/** SQL condition that restricts a scan by time or description to the range that can have matches. */
export function buildBounds(
  search: SearchEstimate | undefined,
  sort: ListSlice['sort'],
  put: Parameters['put'],
): string {
  if (sort === 'date' && search?.ids)
    return `and s.id between ${put(search.ids.lowest)}::uuid and ${put(search.ids.highest)}::uuid`
  if (sort !== 'description' || !search?.descriptions) return ''
  return `and s.description between ${put(search.descriptions.lowest)} and ${put(search.descriptions.highest)}`
}

export const facetCondition = (
  { matchingFacets, hasAll }: IndexedList,
  put: Parameters['put'],
  column = 's.facet',
): string => (hasAll ? '' : `and ${column} = any(${put(matchingFacets.map(({ facet }) => facet))}::int[])`)

/** Counts the matches of a list without a search. */
export async function countFiltered(db: Db, list: IndexedList): Promise<number> {
  const { userId, filters, matchingFacets, matchedTail } = list
  if (filters.lowest === undefined) {
    const countedTotal = matchingFacets.reduce((total, { count }) => total + count, 0)
    return countedTotal - (await countIndexedTail(db, list)) + matchedTail.length
  }
  const { values, put } = parameters(userId)
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from (select from transaction_search s where s.user_id = $1
        ${facetCondition(list, put)} ${buildConditions(list, put)} limit ${String(maxCounted + 1)}) as counted`,
    values,
  )
  return (rows[0]?.count ?? 0) + matchedTail.length
}

async function countIndexedTail(db: Db, { userId, tailIds, matchingFacets }: IndexedList): Promise<number> {
  if (tailIds.length === 0) return 0
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from transaction_search
      where user_id = $1 and id = any($2::uuid[]) and facet = any($3::int[])`,
    [userId, tailIds, matchingFacets.map(({ facet }) => facet)],
  )
  return rows[0]?.count ?? 0
}

/** Part of a list that is read separately, such as one type or currency. */
interface Segment {
  readonly matchingFacets: readonly NumberedFacet[]
  readonly tail: readonly ListedRow[]
  readonly slice: ListSlice
}

const chooseFacetKey = (sort: 'type' | 'status', { kind, status }: Facet): string => (sort === 'type' ? kind : status)

function listSegments({ matchingFacets, matchedTail }: IndexedList, slice: ListSlice): Segment[] {
  const { sort, after } = slice
  if (sort === 'amount') return segmentsByCurrency({ matchingFacets, matchedTail }, slice)
  if (sort !== 'type' && sort !== 'status') return [{ matchingFacets, tail: matchedTail, slice }]
  const facets = [...matchingFacets, ...matchedTail.map(toFacet)]
  const ascending = [...new Set(facets.map((facet) => chooseFacetKey(sort, facet)))].toSorted()
  const { key, id } = chooseDirections(slice)
  const keys = key === 'asc' ? ascending : ascending.toReversed()
  const edge = after === undefined ? undefined : String(after.key)
  return keys
    .filter((value) => edge === undefined || value === edge || (key === 'asc' ? value > edge : value < edge))
    .map((value) => ({
      matchingFacets: matchingFacets.filter((facet) => chooseFacetKey(sort, facet) === value),
      tail: matchedTail.filter((row) => chooseFacetKey(sort, toFacet(row)) === value),
      slice: { ...slice, sort: 'date', order: id, back: false, after: value === edge ? after : undefined },
    }))
}

/** Returns one segment per currency, in group order, since amounts compare only within a currency. */
function segmentsByCurrency(
  { matchingFacets, matchedTail }: Pick<IndexedList, 'matchingFacets' | 'matchedTail'>,
  slice: ListSlice,
): Segment[] {
  const { order, back, after } = slice
  const facets = [...matchingFacets, ...matchedTail.map(toFacet)]
  const forwards = [...new Set(facets.map(({ currency }) => currency))].toSorted(compareGroups)
  const currencies = back ? forwards.toReversed() : forwards
  const edge = after?.key === undefined ? undefined : splitGrouped(BigInt(after.key), order)
  const isAfterCursor = (currency: string): boolean => {
    const distance = edge === undefined ? 1 : compareGroups(currency, edge.currency)
    return back ? distance <= 0 : distance >= 0
  }
  return currencies
    .filter((currency) => edge === undefined || isAfterCursor(currency))
    .map((currency) => {
      const own = after && edge?.currency === currency ? { id: after.id, key: edge.amount } : undefined
      return {
        matchingFacets: matchingFacets.filter((facet) => facet.currency === currency),
        tail: matchedTail.filter((row) => toFacet(row).currency === currency),
        slice: { ...slice, sort: 'own_amount', after: own },
      }
    })
}

/** Reads the list in order by index scans until enough rows are found. */
export async function walkSegments(db: Db, list: IndexedList, slice: ListSlice): Promise<string[]> {
  const segments = listSegments(list, slice)
  const [onlySegment] = segments
  if (segments.length === 1 && onlySegment) return walkSegment(db, list, onlySegment)
  const foundIds: string[] = []
  const maxRows = slice.offset + slice.limit
  for (const segment of segments) {
    if (foundIds.length >= maxRows) break
    const rest = { ...segment.slice, offset: 0, limit: maxRows - foundIds.length }
    foundIds.push(...(await walkSegment(db, list, { ...segment, slice: rest })))
  }
  return foundIds.slice(slice.offset)
}

async function walkSegment(db: Db, list: IndexedList, segment: Segment): Promise<string[]> {
  const { values, put } = parameters(list.userId)
  const { matchingFacets, slice } = segment
  const indexed = matchingFacets.length === 0 ? [] : indexedBranches(list, segment, put)
  const tailIds = segment.tail.map((row) => row.id)
  const tailBranches = tailIds.length === 0 ? [] : matchedBranches(slice, tailIds, put)
  return readBranches(db, { slice, branches: [...indexed, ...tailBranches], values })
}

function indexedBranches(list: IndexedList, { matchingFacets, slice }: Segment, put: Parameters['put']): string[] {
  const { estimate: search } = list
  const conditions = `${buildConditions(list, put)} ${buildBounds(search, slice.sort, put)}`
  const key = slice.sort === 'date' ? 's.id' : slice.sort === 'own_amount' ? 's.amount' : `s.${slice.sort}`
  const afterConditions = cursorConditions(slice, key, 's.id', put)
  const branch = (where: string) =>
    afterConditions.map(
      (condition) =>
        `select s.id, ${key} as key from transaction_search s where s.user_id = $1 ${conditions} ${where} and ${condition}`,
    )
  const numbers = matchingFacets.map(({ facet }) => facet)
  // If the list is sorted by date, one scan of the primary key returns the rows of all facets in order.
  const isWhole = slice.sort === 'date' && matchingFacets.length === list.matchingFacets.length
  if (isWhole && (search || list.hasAll)) {
    const facets = list.hasAll ? '' : `and s.facet = any(${put(numbers)}::int[])`
    return branch(`${facets} ${search ? `and ${buildMatch(list.userId, search, put)}` : ''}`)
  }
  if (search) {
    // Each facet has a branch of its own, so that one without matches is not read to its end.
    const matchCondition = buildMatch(list.userId, search, put)
    return numbers.flatMap((facet) =>
      branch(`and s.facet = ${String(facet)} and ${matchCondition}`).map(
        (branchSql) => `${branchSql} ${buildOrderBy(slice)}`,
      ),
    )
  }
  const pageLimit = `${buildOrderBy(slice)} limit ${String(slice.offset + slice.limit)}`
  const heads = branch('and s.facet = f.facet').map((head) => `(${head} ${pageLimit})`)
  return [
    `select s.id, s.key from unnest(${put(numbers)}::int[]) as f (facet) cross join lateral (${heads.join(' union all ')}) as s`,
  ]
}

export function buildMatch(userId: bigint, search: SearchEstimate, put: Parameters['put']): string {
  // Finds rows by the rarer words first, then checks the words that most rows contain.
  const rareWords = search.words.filter(({ isEverywhere }) => !isEverywhere)
  const everywhereWords = search.words.filter(({ isEverywhere }) => isEverywhere)
  const match = (words: readonly SearchWord[]) => `s.terms @@ ${put(buildTsquery(userId, words))}::tsquery`
  const words =
    rareWords.length === 0 || everywhereWords.length === 0
      ? match(search.words)
      : `(${match(rareWords)} and (${match(everywhereWords)}) is true)`
  const { ids, dateMatch } = search.search
  const within = ([low, high]: IdRange) => `s.id between ${put(low)}::uuid and ${put(high)}::uuid`
  const alternatives = [words]
  if (ids) alternatives.push(`(s.user_id = $1 and ${within(ids)})`)
  if (dateMatch) {
    const dateWords = search.words.filter(({ word }) => dateMatch.words.includes(word))
    const besideCondition = dateWords.length === 0 ? '' : `${match(dateWords)} and`
    // One condition per day, each a scan of the primary key.
    alternatives.push(...dateMatch.ranges.map((range) => `(${besideCondition} s.user_id = $1 and ${within(range)})`))
  }
  return alternatives.length === 1 ? words : `(${alternatives.join(' or ')})`
}
