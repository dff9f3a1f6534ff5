import type { Transaction } from '@tern/contract/transactions'
import type pg from 'pg'
import { onlyRow, type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { refuseField } from '../../../platform/refuse.ts'
import {
  type Cursor,
  type Direction,
  lowestId,
  readCursor,
  refuseCursor,
  type SortName,
  writeCursor,
} from './list-cursor.ts'
import { type IndexedList, indexedList, type NumberedFacet } from './list-indexed.ts'
import { countPlain, findMatches, matchesFilters, keySql, type PlainList, readPlain } from './list-plain.ts'
import { maxCounted, type ListFilters, type ListPlace, type ListSlice } from './list-reading.ts'
import { countIndexed, readIndexed } from './list-searched.ts'
import { type ListedRow, listedColumns, transactionFromSql } from './listed-row.ts'
import type { SearchReader } from './search-dates.ts'
import { parseSearch } from './search-terms.ts'
import { lookUpWords } from './search-words.ts'
import { longList } from './transaction-index.ts'
import { findTransactions } from '../transactions.ts'

export interface TransactionFilter {
  readonly limit: number
  readonly offset: number
  readonly search?: string | undefined
  readonly type?: string | undefined
  readonly status?: string | undefined
  readonly since?: Date | undefined
  readonly currency?: string | undefined
  readonly sort: SortName
  readonly order: Direction
  /** Locale and time zone of the searching user. */
  readonly reader?: SearchReader | undefined
  /** The cursor of a next or previous page. */
  readonly cursor?: string | undefined
  /** Time from which the list is shown, in list order. Only if sorted by date. */
  readonly at?: Date | undefined
}

export interface TransactionPage {
  transactions: Transaction[]
  /** Matching rows, at most 10,000. */
  total: number
  /** False if there are more. */
  total_is_exact: boolean
  next_cursor: string | null
  previous_cursor: string | null
}

interface ListOrder {
  readonly userId: bigint
  readonly filter: TransactionFilter
  /** Lists over this many rows are indexed. */
  readonly threshold?: number
}

/**
 * Reads a page of the user's transactions and the total count from one snapshot, including unindexed rows. Queues lists
 * with more than `threshold` rows for indexing, in the primary. Refuses `invalid_request` naming `cursor` or `at`.
 */
export async function listTransactions(
  { primary }: { readonly primary: pg.Pool },
  db: pg.Pool,
  { userId, filter, threshold = longList }: ListOrder,
): Promise<TransactionPage> {
  const { sort, order, at } = filter
  const cursor = filter.cursor === undefined ? undefined : readCursor(filter.cursor, sort, order)
  if (at && sort !== 'date') refuseField('invalid_request', 'at', 'list_not_by_date')
  if (at && cursor) refuseField('invalid_request', 'at', 'cursor_and_date')
  const read = async (tx: Tx) => {
    const after = cursor ? await findPlace(tx, { userId, cursor }) : at && toPlace(at, order)
    const { list, isToBeIndexed } = await openList(tx, { userId, filter, threshold })
    return { page: await readPage(tx, list, { userId, filter, cursor, after }), isToBeIndexed }
  }
  const { page, isToBeIndexed } = await transact(db, read, snapshotTransaction)
  if (isToBeIndexed) {
    await primary.query('insert into transaction_index_person (user_id) values ($1) on conflict do nothing', [userId])
  }
  return page
}

// Reading a page in index order is faster than sorting all rows, whatever the planner estimates.
const snapshotTransaction = `begin isolation level repeatable read read only; set local enable_seqscan = off;
  set local enable_sort = off; set local max_parallel_workers_per_gather = 0`

interface IndexState {
  readonly position: string | null
  readonly is_ready: boolean | null
  readonly is_here: boolean | null
  readonly is_to_be_indexed: boolean
  readonly facets: readonly NumberedFacet[] | null
}

/** Filtered list, read from `transaction` or from the index. */
type List = PlainList | IndexedList

/** Ids of the list in reading order. */
const readIds = (db: Db, list: List, slice: ListSlice): Promise<string[]> =>
  'matchingFacets' in list ? readIndexed(db, list, slice) : readPlain(db, list, slice)

/** Counts the matches; above `maxCounted` the count is not exact. */
const count = (db: Db, list: List): Promise<number> =>
  'matchingFacets' in list ? countIndexed(db, list) : countPlain(db, list)

/** Returns the list, read from the index if that is ready, and whether it is to be indexed. */
async function openList(
  db: Db,
  { userId, filter, threshold }: Required<ListOrder>,
): Promise<{ list: List; isToBeIndexed: boolean }> {
  const { rows } = await db.query<IndexState>(
    `select i.position::text, p.is_ready, i.cluster = c.system_identifier as is_here,
        p.user_id is null and exists (select from transaction t where t.user_id = $1 offset $2) as is_to_be_indexed,
        (select json_agg(json_build_object('facet', facet, 'kind', kind, 'status', status, 'currency', currency,
             'secondCurrency', second_currency, 'count', row_count))
           from transaction_facet where user_id = $1 and p.is_ready and row_count > 0) as facets
       from pg_control_system() c
       left join transaction_index_position i on true
       left join transaction_index_person p on p.user_id = $1`,
    [userId, threshold],
  )
  const index = onlyRow(rows)
  const filters: ListFilters = {
    kind: filter.type === 'WITHDRAWAL' ? 'WITHDRAW' : filter.type,
    status: filter.status,
    currency: filter.currency,
    lowest: filter.since && lowestId(filter.since),
    search: filter.search === undefined ? undefined : parseSearch(filter.search, filter.reader),
  }
  const plain: PlainList = { userId, filters }
  const ids = await findExact(db, plain)
  if (ids) return { list: { ...plain, ids }, isToBeIndexed: index.is_to_be_indexed }
  if (index.is_ready && index.is_here && index.position !== null) {
    const tail = await db.query<ListedRow>(
      `select ${listedColumns} ${transactionFromSql} where t.xid >= $2::xid8 and t.user_id = $1`,
      [userId, index.position],
    )
    const wordLookup = filters.search && (await lookUpWords(db, userId, filters.search))
    const list = indexedList(plain, { facets: index.facets ?? [], tail: tail.rows, wordLookup })
    const tailList = { ...plain, ids: list.matchedTail.map(({ id }) => id) }
    return { list: list.matchingFacets.length === 0 ? tailList : list, isToBeIndexed: false }
  }
  const list = filters.search ? { ...plain, ids: await findMatches(db, plain) } : plain
  return { list, isToBeIndexed: index.is_to_be_indexed }
}

/** Returns the matching ids if the search text is the whole id or reference of one of the user's rows. */
async function findExact(db: Db, { userId, filters }: PlainList): Promise<string[] | undefined> {
  const [low, high] = filters.search?.ids ?? []
  if (low === undefined || low !== high) return undefined
  const { rows } = await db.query<ListedRow>(
    `select ${listedColumns} ${transactionFromSql} where t.user_id = $1 and t.id = $2`,
    [userId, low],
  )
  return rows[0] && rows.filter((row) => matchesFilters(filters, row)).map((row) => row.id)
}

/** Resolves a cursor. Refuses it if its row is not the user's. */
async function findPlace(
  db: Db,
  { userId, cursor }: { readonly userId: bigint; readonly cursor: Cursor },
): Promise<ListPlace> {
  const { sort, order, value, id } = cursor
  const { rows } = await db.query<{ key: bigint | string }>(
    `select ${keySql({ sort, order })} as key from transaction t where t.user_id = $1 and t.id = $2`,
    [userId, id],
  )
  const key = rows[0]?.key ?? refuseCursor()
  return { id, key: sort === 'type' || sort === 'status' ? value : key }
}

/** Returns the place from which a list begins at a time, in either order. */
const toPlace = (at: Date, order: Direction): ListPlace => ({
  id: lowestId(order === 'asc' ? at : new Date(at.getTime() + 1)),
})

const cursorValue = (sort: SortName, row: Transaction): string =>
  sort === 'type' ? row.transaction_type : sort === 'status' ? row.status : ''

interface PageOrder {
  readonly userId: bigint
  readonly filter: TransactionFilter
  readonly cursor: Cursor | undefined
  readonly after: ListPlace | undefined
}

async function readPage(db: Db, list: List, { userId, filter, cursor, after }: PageOrder): Promise<TransactionPage> {
  const { sort, order, limit, offset } = filter
  const back = cursor?.back ?? false
  const { ids, hasMore, hasBefore } = await readPart(db, list, { sort, order, limit, offset, back, after })
  const total = await count(db, list)
  const transactions = await findTransactions(db, { userId, ids })
  const buildCursor = (row: Transaction | undefined, back: boolean) =>
    row === undefined ? null : writeCursor({ sort, order, back, value: cursorValue(sort, row), id: row.id })
  return {
    transactions,
    total: Math.min(total, maxCounted),
    total_is_exact: total <= maxCounted,
    next_cursor: hasMore ? buildCursor(transactions.at(-1), false) : null,
    previous_cursor: hasBefore ? buildCursor(transactions[0], true) : null,
  }
}

interface ListPart {
  readonly ids: readonly string[]
  readonly hasMore: boolean
  readonly hasBefore: boolean
}

/** Reads a page in list order, and whether there are rows before and after it. */
async function readPart(db: Db, list: List, slice: ListSlice): Promise<ListPart> {
  const { limit, offset, back, after } = slice
  if (limit === 0) return { ids: [], hasMore: false, hasBefore: false }
  const ids = await readIds(db, list, { ...slice, limit: limit + 1 })
  const hasMoreRows = ids.length > limit
  const pageIds = ids.slice(0, limit)
  if (back) {
    // At the beginning, returns the whole first page with any new rows.
    if (!hasMoreRows) return readPart(db, list, { ...slice, back: false, after: undefined, offset: 0 })
    return { ids: pageIds.toReversed(), hasMore: true, hasBefore: true }
  }
  if (after === undefined) return { ids: pageIds, hasMore: hasMoreRows, hasBefore: offset > 0 && pageIds.length > 0 }
  // Past the end, returns the last page.
  const isPast = pageIds.length === 0 && offset === 0
  const previousIds = await readIds(db, list, { ...slice, back: true, offset: 0, limit: isPast ? limit + 1 : 1 })
  if (!isPast) return { ids: pageIds, hasMore: hasMoreRows, hasBefore: previousIds.length > 0 }
  return { ids: previousIds.slice(0, limit).toReversed(), hasMore: false, hasBefore: previousIds.length > limit }
}
