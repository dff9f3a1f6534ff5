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
import { matchesNarrowing, isWanted, matchedBranches, type PlainList, readBranches } from './list-plain.ts'
import { compareGroups, toFacet, type Facet, type ListedRow, splitGrouped } from './listed-row.ts'
import { type SearchWord, buildTsquery } from './search-terms.ts'
import type { IdRange } from './search-dates.ts'
import { type WordLookup, narrowSought, type SearchEstimate } from './search-words.ts'

/** A facet of a user's indexed rows, with its number. */
export interface NumberedFacet extends Facet {
  readonly facet: number
  readonly count: number
}

export interface IndexedContent {
  readonly facets: readonly NumberedFacet[]
  /** Rows new or changed since they were indexed. */
  readonly tail: readonly ListedRow[]
  /** The search, if any. */
  readonly lookedUp: WordLookup | undefined
}

/** A long list from its index, merged with unindexed rows. */
export interface IndexedList {
  readonly userId: bigint
  readonly narrowing: ListFilters
  readonly wanted: readonly NumberedFacet[]
  readonly hasAll: boolean
  readonly tailIds: readonly string[]
  readonly matchedTail: readonly ListedRow[]
  /** The search, if any. */
  readonly sought: SearchEstimate | undefined
  /** Indexed matches of the search, once they are known; `tooManyToCount` above the maximum counted. */
  readonly hits: { count: number | undefined }
}

export const tooManyToCount = Number.MAX_SAFE_INTEGER

/** Part of the index that passes these filters. */
export function indexedList({ userId, narrowing }: PlainList, { facets, tail, lookedUp }: IndexedContent): IndexedList {
  const inFilter = facets.filter((facet) => isWanted(narrowing, facet))
  const numbers = inFilter.map(({ facet }) => facet)
  const rowCount = inFilter.reduce((total, { count }) => total + count, 0)
  const narrowedSearch = lookedUp && narrowSought(lookedUp, numbers, rowCount)
  const indexedFacets = inFilter.filter(({ facet }) => narrowedSearch?.facets.has(facet) ?? true)
  const minCount = (narrowedSearch?.leastCount ?? 0) - tail.length
  const hasTooManyMatches = narrowing.lowest === undefined && minCount > maxCounted
  return {
    userId,
    narrowing,
    wanted: indexedFacets,
    hasAll: indexedFacets.length === facets.length,
    tailIds: tail.map((row) => row.id),
    matchedTail: tail.filter((row) => matchesNarrowing(narrowing, row)),
    sought: narrowedSearch,
    hits: { count: hasTooManyMatches ? tooManyToCount : undefined },
  }
}

/** Conditions on indexed rows besides user and facet. */
export function buildConditions({ narrowing: { lowest }, tailIds }: IndexedList, put: Parameters['put']): string {
  const conditions: string[] = []
  if (lowest !== undefined) conditions.push(`and s.id >= ${put(lowest)}::uuid`)
  if (tailIds.length > 0) conditions.push(`and s.id <> all(${put(tailIds)}::uuid[])`)
  return conditions.join(' ')
}

/** Bounds that keep a scan by time or description from starting where nothing can match. */
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

export const facetCondition = ({ wanted, hasAll }: IndexedList, put: Parameters['put'], column = 's.facet'): string =>
  hasAll ? '' : `and ${column} = any(${put(wanted.map(({ facet }) => facet))}::int[])`

/** Matches of a list without search. */
export async function countFiltered(db: Db, list: IndexedList): Promise<number> {
  const { userId, narrowing, wanted, matchedTail } = list
  if (narrowing.lowest === undefined) {
    const countedTotal = wanted.reduce((total, { count }) => total + count, 0)
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

async function countIndexedTail(db: Db, { userId, tailIds, wanted }: IndexedList): Promise<number> {
  if (tailIds.length === 0) return 0
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from transaction_search
      where user_id = $1 and id = any($2::uuid[]) and facet = any($3::int[])`,
    [userId, tailIds, wanted.map(({ facet }) => facet)],
  )
  return rows[0]?.count ?? 0
}

/** Part of a list that is read separately, such as one type or currency. */
interface Segment {
  readonly wanted: readonly NumberedFacet[]
  readonly tail: readonly ListedRow[]
  readonly reading: ListSlice
}

const chooseFacetKey = (sort: 'type' | 'status', { kind, status }: Facet): string => (sort === 'type' ? kind : status)

function listSegments({ wanted, matchedTail }: IndexedList, reading: ListSlice): Segment[] {
  const { sort, after } = reading
  if (sort === 'amount') return segmentsByCurrency({ wanted, matchedTail }, reading)
  if (sort !== 'type' && sort !== 'status') return [{ wanted, tail: matchedTail, reading }]
  const facets = [...wanted, ...matchedTail.map(toFacet)]
  const ascending = [...new Set(facets.map((facet) => chooseFacetKey(sort, facet)))].toSorted()
  const { key, id } = chooseDirections(reading)
  const keys = key === 'asc' ? ascending : ascending.toReversed()
  const edge = after === undefined ? undefined : String(after.key)
  return keys
    .filter((value) => edge === undefined || value === edge || (key === 'asc' ? value > edge : value < edge))
    .map((value) => ({
      wanted: wanted.filter((facet) => chooseFacetKey(sort, facet) === value),
      tail: matchedTail.filter((row) => chooseFacetKey(sort, toFacet(row)) === value),
      reading: { ...reading, sort: 'date', order: id, back: false, after: value === edge ? after : undefined },
    }))
}

/** One segment per currency, in group order: amounts compare only within one. */
function segmentsByCurrency(
  { wanted, matchedTail }: Pick<IndexedList, 'wanted' | 'matchedTail'>,
  slice: ListSlice,
): Segment[] {
  const { order, back, after } = slice
  const facets = [...wanted, ...matchedTail.map(toFacet)]
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
        wanted: wanted.filter((facet) => facet.currency === currency),
        tail: matchedTail.filter((row) => toFacet(row).currency === currency),
        reading: { ...slice, sort: 'own_amount', after: own },
      }
    })
}

/** Reads in order, with an index scan per facet, until enough rows are found. */
export async function walkSegments(db: Db, list: IndexedList, slice: ListSlice): Promise<string[]> {
  const segments = listSegments(list, slice)
  const [onlySegment] = segments
  if (segments.length === 1 && onlySegment) return walkSegment(db, list, onlySegment)
  const foundIds: string[] = []
  const maxRows = slice.offset + slice.limit
  for (const segment of segments) {
    if (foundIds.length >= maxRows) break
    const rest = { ...segment.reading, offset: 0, limit: maxRows - foundIds.length }
    foundIds.push(...(await walkSegment(db, list, { ...segment, reading: rest })))
  }
  return foundIds.slice(slice.offset)
}

async function walkSegment(db: Db, list: IndexedList, segment: Segment): Promise<string[]> {
  const { values, put } = parameters(list.userId)
  const { wanted, reading } = segment
  const indexed = wanted.length === 0 ? [] : indexedBranches(list, segment, put)
  const tailIds = segment.tail.map((row) => row.id)
  const tailBranches = tailIds.length === 0 ? [] : matchedBranches(reading, tailIds, put)
  return readBranches(db, { reading, branches: [...indexed, ...tailBranches], values })
}

function indexedBranches(list: IndexedList, { wanted, reading }: Segment, put: Parameters['put']): string[] {
  const { sought: search } = list
  const conditions = `${buildConditions(list, put)} ${buildBounds(search, reading.sort, put)}`
  const key = reading.sort === 'date' ? 's.id' : reading.sort === 'own_amount' ? 's.amount' : `s.${reading.sort}`
  const afterConditions = cursorConditions(reading, key, 's.id', put)
  const branch = (where: string) =>
    afterConditions.map(
      (condition) =>
        `select s.id, ${key} as key from transaction_search s where s.user_id = $1 ${conditions} ${where} and ${condition}`,
    )
  const numbers = wanted.map(({ facet }) => facet)
  // By date, the primary key orders all facets together.
  const isWhole = reading.sort === 'date' && wanted.length === list.wanted.length
  if (isWhole && (search || list.hasAll)) {
    const facets = list.hasAll ? '' : `and s.facet = any(${put(numbers)}::int[])`
    return branch(`${facets} ${search ? `and ${buildMatch(list.userId, search, put)}` : ''}`)
  }
  if (search) {
    // One facet at a time, so that one without matches is not read to its end.
    const matchCondition = buildMatch(list.userId, search, put)
    return numbers.flatMap((facet) =>
      branch(`and s.facet = ${String(facet)} and ${matchCondition}`).map(
        (branchSql) => `${branchSql} ${buildOrderBy(reading)}`,
      ),
    )
  }
  const pageLimit = `${buildOrderBy(reading)} limit ${String(reading.offset + reading.limit)}`
  const heads = branch('and s.facet = f.facet').map((head) => `(${head} ${pageLimit})`)
  return [
    `select s.id, s.key from unnest(${put(numbers)}::int[]) as f (facet) cross join lateral (${heads.join(' union all ')}) as s`,
  ]
}

export function buildMatch(userId: bigint, search: SearchEstimate, put: Parameters['put']): string {
  // Words in nearly every row are checked on rows found by the other words.
  const rareWords = search.words.filter(({ isEverywhere }) => !isEverywhere)
  const everywhereWords = search.words.filter(({ isEverywhere }) => isEverywhere)
  const match = (words: readonly SearchWord[]) => `s.terms @@ ${put(buildTsquery(userId, words))}::tsquery`
  const words =
    rareWords.length === 0 || everywhereWords.length === 0
      ? match(search.words)
      : `(${match(rareWords)} and (${match(everywhereWords)}) is true)`
  const { ids, dated } = search.search
  const within = ([low, high]: IdRange) => `s.id between ${put(low)}::uuid and ${put(high)}::uuid`
  const alternatives = [words]
  if (ids) alternatives.push(`(s.user_id = $1 and ${within(ids)})`)
  if (dated) {
    const dateWords = search.words.filter(({ word }) => dated.words.includes(word))
    const besideCondition = dateWords.length === 0 ? '' : `${match(dateWords)} and`
    // One condition per day, each a scan of the primary key.
    alternatives.push(...dated.ranges.map((range) => `(${besideCondition} s.user_id = $1 and ${within(range)})`))
  }
  return alternatives.length === 1 ? words : `(${alternatives.join(' or ')})`
}
