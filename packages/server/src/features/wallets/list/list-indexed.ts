import type { Db } from '../../../platform/database/db.ts'
import {
  conditionsAfter,
  directionsOf,
  type List,
  mostCounted,
  type Narrowing,
  orderOf,
  parameters,
  type Parameters,
  type Reading,
} from './list-reading.ts'
import { fits, isWanted, knownList, matchedBranches, pageOf, readIds } from './list-plain.ts'
import { compareGroups, facetOf, type Facet, groupedSql, type ListedRow, splitGrouped } from './listed-row.ts'
import { type SoughtWord, tsqueryOf } from './search-terms.ts'
import type { IdRange } from './search-dates.ts'
import { type LookedUp, narrowSought, type Sought } from './search-words.ts'

/** A facet of a user's indexed rows, with its number. */
export interface NumberedFacet extends Facet {
  readonly facet: number
  readonly count: number
}

export interface Indexed {
  readonly facets: readonly NumberedFacet[]
  /** Rows new or changed since they were indexed. */
  readonly tail: readonly ListedRow[]
  /** The search, if any. */
  readonly lookedUp: LookedUp | undefined
}

const sampleSize = 2000
/** From this share of the sample on, count by reading the newest rows. */
const everywhereInSample = sampleSize / 5
const mostWalked = 60_000
/** From this share of matches on, reading in order soon fills a page. */
const enoughInSample = sampleSize / 400
/** Sorting this many rows is faster than skipping the others. */
const mostSorted = 250_000

/** A long list from its index, merged with unindexed rows. */
export function indexedList(db: Db, userId: bigint, narrowing: Narrowing, indexed: Indexed): List {
  const { facets, tail, lookedUp } = indexed
  const inFilter = facets.filter((facet) => isWanted(narrowing, facet))
  const numbers = inFilter.map(({ facet }) => facet)
  const rowCount = inFilter.reduce((total, { count }) => total + count, 0)
  const sought = lookedUp && narrowSought(lookedUp, numbers, rowCount)
  const wanted = inFilter.filter(({ facet }) => sought?.facets.has(facet) ?? true)
  const tailIds = tail.map((row) => row.id)
  const matchedTail = tail.filter((row) => fits(narrowing, row))
  const hasAll = wanted.length === facets.length
  const context: Context = { db, userId, narrowing, wanted, hasAll, tailIds, matchedTail }
  if (wanted.length === 0) return knownList(db, userId, matchedTail)
  return sought ? searchedList(context, sought) : filteredList(context)
}

interface Context {
  readonly db: Db
  readonly userId: bigint
  readonly narrowing: Narrowing
  readonly wanted: readonly NumberedFacet[]
  readonly hasAll: boolean
  readonly tailIds: readonly string[]
  readonly matchedTail: readonly ListedRow[]
}

/** Conditions on indexed rows besides user and facet. */
function conditionsOf({ narrowing: { lowest }, tailIds }: Context, put: Parameters['put']): string {
  const conditions: string[] = []
  if (lowest !== undefined) conditions.push(`and s.id >= ${put(lowest)}::uuid`)
  if (tailIds.length > 0) conditions.push(`and s.id <> all(${put(tailIds)}::uuid[])`)
  return conditions.join(' ')
}

/** Keeps a scan by time or description from starting where nothing can match. */
function boundsOf(search: Sought | undefined, sort: Reading['sort'], put: Parameters['put']): string {
  if (sort === 'date' && search?.ids)
    return `and s.id between ${put(search.ids.lowest)}::uuid and ${put(search.ids.highest)}::uuid`
  if (sort !== 'description' || !search?.descriptions) return ''
  return `and s.description between ${put(search.descriptions.lowest)} and ${put(search.descriptions.highest)}`
}

const facetCondition = ({ wanted, hasAll }: Context, put: Parameters['put'], column = 's.facet'): string =>
  hasAll ? '' : `and ${column} = any(${put(wanted.map(({ facet }) => facet))}::int[])`

function filteredList(context: Context): List {
  const { db, userId, narrowing, wanted, tailIds, matchedTail } = context
  return {
    async count() {
      if (narrowing.lowest === undefined) {
        const counted = wanted.reduce((total, { count }) => total + count, 0)
        return counted - (await countIndexedTail(context)) + matchedTail.length
      }
      const { values, put } = parameters(userId)
      const { rows } = await db.query<{ count: number }>(
        `select count(*)::int as count from (select from transaction_search s where s.user_id = $1
            ${facetCondition(context, put)} ${conditionsOf(context, put)} limit ${String(mostCounted + 1)}) as counted`,
        values,
      )
      return (rows[0]?.count ?? 0) + matchedTail.length
    },
    ids: (reading) => walk(context, reading),
  }
  async function countIndexedTail({ wanted: facetsWanted }: Context): Promise<number> {
    if (tailIds.length === 0) return 0
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::int as count from transaction_search
        where user_id = $1 and id = any($2::uuid[]) and facet = any($3::int[])`,
      [userId, tailIds, facetsWanted.map(({ facet }) => facet)],
    )
    return rows[0]?.count ?? 0
  }
}

/** A separately read part of a list, such as one type or currency. */
interface Segment {
  readonly wanted: readonly NumberedFacet[]
  readonly tail: readonly ListedRow[]
  readonly reading: Reading
}

const keyOfFacet = (sort: 'type' | 'status', { kind, status }: Facet): string => (sort === 'type' ? kind : status)

function segmentsOf({ wanted, matchedTail }: Context, reading: Reading): Segment[] {
  const { sort, after } = reading
  if (sort === 'amount') return segmentsByCurrency({ wanted, matchedTail }, reading)
  if (sort !== 'type' && sort !== 'status') return [{ wanted, tail: matchedTail, reading }]
  const facets = [...wanted, ...matchedTail.map(facetOf)]
  const ascending = [...new Set(facets.map((facet) => keyOfFacet(sort, facet)))].toSorted()
  const { key, id } = directionsOf(reading)
  const keys = key === 'asc' ? ascending : ascending.toReversed()
  const edge = after === undefined ? undefined : String(after.key)
  return keys
    .filter((value) => edge === undefined || value === edge || (key === 'asc' ? value > edge : value < edge))
    .map((value) => ({
      wanted: wanted.filter((facet) => keyOfFacet(sort, facet) === value),
      tail: matchedTail.filter((row) => keyOfFacet(sort, facetOf(row)) === value),
      reading: { ...reading, sort: 'date', order: id, back: false, after: value === edge ? after : undefined },
    }))
}

/** One segment for each currency, in the order of their groups: within one, amounts compare. */
function segmentsByCurrency(
  { wanted, matchedTail }: Pick<Context, 'wanted' | 'matchedTail'>,
  reading: Reading,
): Segment[] {
  const { order, back, after } = reading
  const facets = [...wanted, ...matchedTail.map(facetOf)]
  const forwards = [...new Set(facets.map(({ currency }) => currency))].toSorted(compareGroups)
  const currencies = back ? forwards.toReversed() : forwards
  const edge = after?.key === undefined ? undefined : splitGrouped(BigInt(after.key), order)
  const isBeyond = (currency: string): boolean => {
    const distance = edge === undefined ? 1 : compareGroups(currency, edge.currency)
    return back ? distance <= 0 : distance >= 0
  }
  return currencies
    .filter((currency) => edge === undefined || isBeyond(currency))
    .map((currency) => {
      const own = after && edge?.currency === currency ? { id: after.id, key: edge.amount } : undefined
      return {
        wanted: wanted.filter((facet) => facet.currency === currency),
        tail: matchedTail.filter((row) => facetOf(row).currency === currency),
        reading: { ...reading, sort: 'own_amount', after: own },
      }
    })
}

/** Reads in order, with an index scan per facet, until enough rows are found. */
async function walk(context: Context, reading: Reading, search?: Sought): Promise<string[]> {
  const segments = segmentsOf(context, reading)
  const [only] = segments
  if (segments.length === 1 && only) return walkSegment(context, only, search)
  const found: string[] = []
  const most = reading.offset + reading.limit
  for (const segment of segments) {
    if (found.length >= most) break
    const rest = { ...segment.reading, offset: 0, limit: most - found.length }
    found.push(...(await walkSegment(context, { ...segment, reading: rest }, search)))
  }
  return found.slice(reading.offset)
}

async function walkSegment(context: Context, segment: Segment, search?: Sought): Promise<string[]> {
  const { values, put } = parameters(context.userId)
  const { wanted, reading } = segment
  const indexed = wanted.length === 0 ? [] : indexedBranches(context, segment, put, search)
  const tailIds = segment.tail.map((row) => row.id)
  const fresh = tailIds.length === 0 ? [] : matchedBranches(reading, tailIds, put)
  return readIds(context.db, reading, [...indexed, ...fresh], values)
}

function indexedBranches(
  context: Context,
  { wanted, reading }: Segment,
  put: Parameters['put'],
  search: Sought | undefined,
): string[] {
  const conditions = `${conditionsOf(context, put)} ${boundsOf(search, reading.sort, put)}`
  const key = reading.sort === 'date' ? 's.id' : reading.sort === 'own_amount' ? 's.amount' : `s.${reading.sort}`
  const afters = conditionsAfter(reading, key, 's.id', put)
  const branch = (where: string) =>
    afters.map(
      (after) =>
        `select s.id, ${key} as key from transaction_search s where s.user_id = $1 ${conditions} ${where} and ${after}`,
    )
  const numbers = wanted.map(({ facet }) => facet)
  // By date, the primary key orders all facets together.
  const isWhole = reading.sort === 'date' && wanted.length === context.wanted.length
  if (isWhole && (search || context.hasAll)) {
    const facets = context.hasAll ? '' : `and s.facet = any(${put(numbers)}::int[])`
    return branch(`${facets} ${search ? `and ${matchOf(context.userId, search, put)}` : ''}`)
  }
  if (search) {
    // One facet at a time in their common order, so that one without matches is not read to its end.
    const matching = matchOf(context.userId, search, put)
    return numbers.flatMap((facet) =>
      branch(`and s.facet = ${String(facet)} and ${matching}`).map((ordered) => `${ordered} ${orderOf(reading)}`),
    )
  }
  const most = `${orderOf(reading)} limit ${String(reading.offset + reading.limit)}`
  const heads = branch('and s.facet = f.facet').map((head) => `(${head} ${most})`)
  return [
    `select s.id, s.key from unnest(${put(numbers)}::int[]) as f (facet) cross join lateral (${heads.join(' union all ')}) as s`,
  ]
}

function matchOf(userId: bigint, search: Sought, put: Parameters['put']): string {
  // Words in nearly every row are checked on rows found by the other words.
  const others = search.words.filter(({ isEverywhere }) => !isEverywhere)
  const everywhere = search.words.filter(({ isEverywhere }) => isEverywhere)
  const match = (sought: readonly SoughtWord[]) => `s.terms @@ ${put(tsqueryOf(userId, sought))}::tsquery`
  const words =
    others.length === 0 || everywhere.length === 0
      ? match(search.words)
      : `(${match(others)} and (${match(everywhere)}) is true)`
  const { ids, dated } = search.search
  const within = ([low, high]: IdRange) => `s.id between ${put(low)}::uuid and ${put(high)}::uuid`
  const alternatives = [words]
  if (ids) alternatives.push(`(s.user_id = $1 and ${within(ids)})`)
  if (dated) {
    const others = search.words.filter(({ word }) => dated.words.includes(word))
    const beside = others.length === 0 ? '' : `${match(others)} and`
    // One condition for each day: each is a scan of the primary key.
    alternatives.push(...dated.ranges.map((range) => `(${beside} s.user_id = $1 and ${within(range)})`))
  }
  return alternatives.length === 1 ? words : `(${alternatives.join(' or ')})`
}

const veryMany = Number.MAX_SAFE_INTEGER

/**
 * A search. Frequent words are found by reading in order; rare ones through the index, then sorted. Word counts, a
 * sample of the newest rows, or the index's hits decide.
 */
function searchedList(context: Context, search: Sought): List {
  const { matchedTail, tailIds, narrowing } = context
  const isCounted = narrowing.lowest === undefined && search.leastCount - tailIds.length > mostCounted
  let indexed = isCounted ? veryMany : undefined
  const list: List = {
    async count() {
      if (indexed === undefined)
        await list.ids({ sort: 'date', order: 'desc', back: false, after: undefined, limit: 0, offset: 0 })
      return (indexed ?? 0) + matchedTail.length
    },
    async ids(reading) {
      if (indexed === undefined && search.mostCount > mostCounted && (await isEverywhere(context, search)))
        indexed = veryMany
      const mayBeFar = reading.limit > 0 && search.mostCount > mostCounted && search.mostCount <= mostSorted
      if (mayBeFar && !(await isDense(context, search, reading))) {
        const found = await sortFound(context, search, reading, mostSorted)
        indexed = found.count
        return found.ids
      }
      if (indexed === veryMany) return walk(context, reading, search)
      const found = await sortFound(context, search, reading, mostCounted)
      indexed = found.count > mostCounted ? veryMany : found.count
      return indexed === veryMany ? walk(context, reading, search) : found.ids
    },
  }
  return list
}

/** Whether reading on soon fills a page. By amount, words are spread evenly. */
async function isDense(context: Context, search: Sought, reading: Reading): Promise<boolean> {
  const { sort, after } = reading
  // When paging by description, the word is near.
  if (sort === 'amount' || (sort === 'description' && after)) return true
  const { values, put } = parameters(context.userId)
  const { rows } = await context.db.query<{ count: number }>(
    `select count(*)::int as count from (
       select from (${sort === 'description' ? headsOf(context, search, reading, put) : newestOf(search, reading, put)}) as s
        where ${matchOf(context.userId, search, put)} ${facetCondition(context, put)} ${conditionsOf(context, put)}
        limit ${String(enoughInSample)}) as counted`,
    values,
  )
  return rows[0]?.count === enoughInSample
}

/** The first rows by time, from the reading's place if that is its order. */
function newestOf(search: Sought, reading: Reading, put: Parameters['put']): string {
  const byDate: Reading =
    reading.sort === 'date' ? reading : { ...reading, sort: 'date', order: 'desc', back: false, after: undefined }
  const after = conditionsAfter(byDate, 's.id', 's.id', put).join(' and ')
  return `select s.* from transaction_search s where s.user_id = $1 ${boundsOf(search, 'date', put)} and ${after}
    ${orderOf(byDate)} limit ${String(sampleSize)}`
}

/** The first rows by description, some per facet. */
function headsOf({ wanted }: Context, search: Sought, reading: Reading, put: Parameters['put']): string {
  const { key } = directionsOf(reading)
  const most = Math.max(1, Math.floor(sampleSize / wanted.length)) // not money: rows
  return `select s.* from unnest(${put(wanted.map(({ facet }) => facet))}::int[]) as f (facet) cross join lateral (
    select s.* from transaction_search s where s.user_id = $1 and s.facet = f.facet ${boundsOf(search, 'description', put)}
     order by s.description ${key}, s.id desc limit ${String(most)}) as s`
}

/** Whether a search matches more of the newest rows than are ever counted. */
async function isEverywhere(context: Context, search: Sought): Promise<boolean> {
  const countWalked = async (walked: number, most: number) => {
    const { values, put } = parameters(context.userId)
    const { rows } = await context.db.query<{ count: number }>(
      `select count(*)::int as count from (
         select from (select * from transaction_search where user_id = $1 order by id desc limit ${String(walked)}) as s
          where ${matchOf(context.userId, search, put)} ${facetCondition(context, put)} ${conditionsOf(context, put)}
          limit ${String(most)}) as counted`,
      values,
    )
    return rows[0]?.count ?? 0
  }
  const isFrequent = (await countWalked(sampleSize, everywhereInSample)) === everywhereInSample
  return isFrequent && (await countWalked(mostWalked, mostCounted + 1)) > mostCounted
}

/** Sorts the word index's hits unless above `most`; returns their count, up to one more. */
async function sortFound(
  context: Context,
  search: Sought,
  reading: Reading,
  most: number,
): Promise<{ count: number; ids: string[] }> {
  const { db, userId, matchedTail, narrowing } = context
  const { values, put } = parameters(userId)
  const { sort, order } = reading
  const keys = {
    ...{ date: 's.id', type: 'f.kind', status: 'f.status', description: 's.description', own_amount: 's.amount' },
    amount: groupedSql('s.amount', 'f.currency', order),
  }
  const key = keys[sort]
  const facet =
    sort === 'type' || sort === 'status' || sort === 'amount'
      ? 'join transaction_facet f on f.user_id = $1 and f.facet = s.facet'
      : ''
  const after = conditionsAfter(reading, key, 's.id', put).map((condition) => `(${condition})`)
  const tailIds = matchedTail.map((row) => row.id)
  const fresh = tailIds.length === 0 ? [] : matchedBranches(reading, tailIds, put)
  const indexed = `select s.id, ${key} as key from found s ${facet} where ${after.join(' or ')}`
  // The word index includes the user: `+ 0` keeps the planner from adding indexes that help only for periods.
  const filters =
    narrowing.lowest === undefined
      ? { user: 's.user_id + 0', facet: 's.facet + 0' }
      : { user: 's.user_id', facet: 's.facet' }
  const { rows } = await db.query<{ count: number; ids: string[] | null }>(
    `with found as materialized (
       select s.id, s.facet, s.amount, s.description from transaction_search s
        where ${matchOf(userId, search, put)} and ${filters.user} = $1
          ${facetCondition(context, put, filters.facet)} ${conditionsOf(context, put)} limit ${String(most + 1)}
     ), page as (${pageOf(reading, [indexed, ...fresh])})
     select (select count(*)::int from found) as count, (select array_agg(id ${orderOf(reading)}) from page) as ids`,
    values,
  )
  return { count: rows[0]?.count ?? 0, ids: rows[0]?.ids ?? [] }
}
