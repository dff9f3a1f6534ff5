import type { Db } from '../../../platform/database/db.ts'
import {
  buildBounds,
  buildConditions,
  countFiltered,
  facetCondition,
  type IndexedList,
  buildMatch,
  tooManyToCount,
  walkSegments,
} from './list-indexed.ts'
import { matchedBranches, buildPageQuery } from './list-plain.ts'
import {
  cursorConditions,
  chooseDirections,
  maxCounted,
  buildOrderBy,
  parameters,
  type Parameters,
  type ListSlice,
} from './list-reading.ts'
import { groupedSql } from './listed-row.ts'
import type { SearchEstimate } from './search-words.ts'

const sampleSize = 2000
/** Matches in the sample at which `maxWalked` of the newest rows are searched for more than `maxCounted` matches. */
const minFrequentSampleMatches = sampleSize / 5
const maxWalked = 60_000
/** Matches in the sample at which reading in order is taken to fill a page soon. */
const minDenseSampleMatches = sampleSize / 400
/** Up to this many matches, finding and sorting them all is faster than reading in order. */
const maxSorted = 250_000

type SearchedList = IndexedList & { readonly estimate: SearchEstimate }

const isSearched = (list: IndexedList): list is SearchedList => list.estimate !== undefined

/** Reads the ids of a page of an indexed list, in reverse for `back`. */
export const readIndexed = (db: Db, list: IndexedList, slice: ListSlice): Promise<string[]> =>
  isSearched(list) ? readSearched(db, list, slice) : walkSegments(db, list, slice)

/** Counts the matches of an indexed list; above `maxCounted` the count is not exact. */
export const countIndexed = (db: Db, list: IndexedList): Promise<number> =>
  isSearched(list) ? countSearched(db, list) : countFiltered(db, list)

const newestFirst = { sort: 'date', order: 'desc', back: false, after: undefined, limit: 0, offset: 0 } as const

async function countSearched(db: Db, list: SearchedList): Promise<number> {
  const { hits, matchedTail } = list
  if (hits.count === undefined) await readSearched(db, list, newestFirst)
  return (hits.count ?? 0) + matchedTail.length
}

/**
 * Reads a page of a search. Frequent words are found by reading in order, rare ones through the word index and sorted.
 * Which applies is decided by counts of words, a sample of rows, or the number of hits.
 */
async function readSearched(db: Db, list: SearchedList, slice: ListSlice): Promise<string[]> {
  const { hits, estimate } = list
  if (hits.count === undefined && estimate.maxCount > maxCounted && (await isEverywhere(db, list))) {
    hits.count = tooManyToCount
  }
  const mayBeFar = slice.limit > 0 && estimate.maxCount > maxCounted && estimate.maxCount <= maxSorted
  if (mayBeFar && !(await isDense(db, list, slice))) {
    const sorted = await sortFound(db, list, { slice, most: maxSorted })
    hits.count = sorted.count
    return sorted.ids
  }
  if (hits.count === tooManyToCount) return walkSegments(db, list, slice)
  const sorted = await sortFound(db, list, { slice, most: maxCounted })
  hits.count = sorted.count > maxCounted ? tooManyToCount : sorted.count
  return hits.count === tooManyToCount ? walkSegments(db, list, slice) : sorted.ids
}

/** True if reading in order soon fills a page. Assumed for lists by amount, where words are spread evenly. */
async function isDense(db: Db, list: SearchedList, slice: ListSlice): Promise<boolean> {
  const { userId, estimate } = list
  const { sort, after } = slice
  // Further pages by description begin near the matches.
  if (sort === 'amount' || (sort === 'description' && after)) return true
  const { values, put } = parameters(userId)
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from (
       select from (${sort === 'description' ? buildHeadsQuery(list, slice, put) : buildNewestQuery(estimate, slice, put)}) as s
        where ${buildMatch(userId, estimate, put)} ${facetCondition(list, put)} ${buildConditions(list, put)}
        limit ${String(minDenseSampleMatches)}) as counted`,
    values,
  )
  return rows[0]?.count === minDenseSampleMatches
}

/** SQL: sample of the newest rows or, for a list by date, of the rows after its place. */
function buildNewestQuery(search: SearchEstimate, slice: ListSlice, put: Parameters['put']): string {
  const byDate: ListSlice =
    slice.sort === 'date' ? slice : { ...slice, sort: 'date', order: 'desc', back: false, after: undefined }
  const cursorCondition = cursorConditions(byDate, 's.id', 's.id', put).join(' and ')
  return `select s.* from transaction_search s where s.user_id = $1 ${buildBounds(search, 'date', put)} and ${cursorCondition}
    ${buildOrderBy(byDate)} limit ${String(sampleSize)}`
}

/** SQL: sample of the first rows by description, equally many per facet. */
function buildHeadsQuery({ matchingFacets, estimate }: SearchedList, slice: ListSlice, put: Parameters['put']): string {
  const { key } = chooseDirections(slice)
  const rowsPerFacet = Math.max(1, Math.floor(sampleSize / matchingFacets.length)) // not money: rows
  return `select s.* from unnest(${put(matchingFacets.map(({ facet }) => facet))}::int[]) as f (facet) cross join lateral (
    select s.* from transaction_search s where s.user_id = $1 and s.facet = f.facet ${buildBounds(estimate, 'description', put)}
     order by s.description ${key}, s.id desc limit ${String(rowsPerFacet)}) as s`
}

/** True if more than `maxCounted` of the newest rows match the search. */
async function isEverywhere(db: Db, list: SearchedList): Promise<boolean> {
  const { userId, estimate } = list
  const countWalked = async (walkedCount: number, maxMatches: number) => {
    const { values, put } = parameters(userId)
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::int as count from (
         select from (select * from transaction_search where user_id = $1 order by id desc limit ${String(walkedCount)}) as s
          where ${buildMatch(userId, estimate, put)} ${facetCondition(list, put)} ${buildConditions(list, put)}
          limit ${String(maxMatches)}) as counted`,
      values,
    )
    return rows[0]?.count ?? 0
  }
  const isFrequent = (await countWalked(sampleSize, minFrequentSampleMatches)) === minFrequentSampleMatches
  return isFrequent && (await countWalked(maxWalked, maxCounted + 1)) > maxCounted
}

/** Finds up to `most` + 1 hits through the word index; returns their count, and the sorted page of them. */
async function sortFound(
  db: Db,
  list: SearchedList,
  { slice, most }: { readonly slice: ListSlice; readonly most: number },
): Promise<{ count: number; ids: string[] }> {
  const { userId, estimate, matchedTail, filters } = list
  const { values, put } = parameters(userId)
  const { sort, order } = slice
  const keys = {
    date: 's.id',
    type: 'f.kind',
    status: 'f.status',
    description: 's.description',
    own_amount: 's.amount',
    amount: groupedSql('s.amount', 'f.currency', order),
  }
  const key = keys[sort]
  const facet =
    sort === 'type' || sort === 'status' || sort === 'amount'
      ? 'join transaction_facet f on f.user_id = $1 and f.facet = s.facet'
      : ''
  const afterConditions = cursorConditions(slice, key, 's.id', put).map((condition) => `(${condition})`)
  const tailIds = matchedTail.map((row) => row.id)
  const tailBranches = tailIds.length === 0 ? [] : matchedBranches(slice, tailIds, put)
  const indexed = `select s.id, ${key} as key from found s ${facet} where ${afterConditions.join(' or ')}`
  // The word index includes the user: `+ 0` keeps the planner from adding indexes that help only for periods.
  const scopeColumns =
    filters.lowest === undefined
      ? { user: 's.user_id + 0', facet: 's.facet + 0' }
      : { user: 's.user_id', facet: 's.facet' }
  const { rows } = await db.query<{ count: number; ids: string[] | null }>(
    `with found as materialized (
       select s.id, s.facet, s.amount, s.description from transaction_search s
        where ${buildMatch(userId, estimate, put)} and ${scopeColumns.user} = $1
          ${facetCondition(list, put, scopeColumns.facet)} ${buildConditions(list, put)} limit ${String(most + 1)}
     ), page as (${buildPageQuery(slice, [indexed, ...tailBranches])})
     select (select count(*)::int from found) as count, (select array_agg(id ${buildOrderBy(slice)}) from page) as ids`,
    values,
  )
  return { count: rows[0]?.count ?? 0, ids: rows[0]?.ids ?? [] }
}
