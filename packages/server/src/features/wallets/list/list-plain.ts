import type { Db } from '../../../platform/database/db.ts'
import {
  cursorConditions,
  maxCounted,
  type ListFilters,
  buildOrderBy,
  parameters,
  type Parameters,
  type ListSlice,
} from './list-reading.ts'
import {
  amountSql,
  type Facet,
  toFacet,
  groupedAmountSql,
  type ListedRow,
  listedColumns,
  transactionFromSql,
  shownSql,
} from './listed-row.ts'
import { matchesSearch } from './search-terms.ts'

const rowsAtOnce = 5000

const fixedKeys = {
  date: 't.id',
  type: 't.kind',
  status: 't.status',
  description: `(${shownSql})`,
  own_amount: amountSql,
} as const

/** SQL: sort key of a row `t`. */
export const keySql = ({ sort, order }: Pick<ListSlice, 'sort' | 'order'>): string =>
  sort === 'amount' ? groupedAmountSql(order) : fixedKeys[sort]

/** True if the rows of a facet can pass the filters. */
export const isWanted = ({ kind, status, currency }: ListFilters, facet: Facet): boolean =>
  (kind === undefined || facet.kind === kind) &&
  (status === undefined || facet.status === status) &&
  (currency === undefined || facet.currency === currency || facet.secondCurrency === currency)

export const matchesFilters = (filters: ListFilters, row: ListedRow): boolean =>
  isWanted(filters, toFacet(row)) &&
  (filters.lowest === undefined || row.id >= filters.lowest) &&
  (filters.search === undefined || matchesSearch(filters.search, row))

function buildConditions({ kind, status, currency, lowest }: ListFilters, put: Parameters['put']): string {
  const conditions = ['t.user_id = $1']
  if (kind !== undefined) conditions.push(`t.kind = ${put(kind)}`)
  if (status !== undefined) conditions.push(`t.status = ${put(status)}`)
  if (lowest !== undefined) conditions.push(`t.id >= ${put(lowest)}::uuid`)
  if (currency !== undefined) {
    conditions.push(`${put(currency)} in (case when t.kind in ('RECEIVE', 'DEPOSIT') then t.target_currency else t.source_currency end,
      case when t.kind = 'EXCHANGE' then t.target_currency end)`)
  }
  return conditions.join(' and ')
}

/** List read directly from `transaction`: either of rows with known ids, or without a search. */
export interface PlainList {
  readonly userId: bigint
  readonly filters: ListFilters
  /** Ids of the rows, if known. */
  readonly ids?: readonly string[]
}

export async function countPlain(db: Db, { userId, filters, ids }: PlainList): Promise<number> {
  if (ids) return ids.length
  const { values, put } = parameters(userId)
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from (select from transaction t where ${buildConditions(filters, put)}
       limit ${String(maxCounted + 1)}) as counted`,
    values,
  )
  return rows[0]?.count ?? 0
}

export async function readPlain(db: Db, { userId, filters, ids }: PlainList, slice: ListSlice): Promise<string[]> {
  const { values, put } = parameters(userId)
  const branches = ids ? matchedBranches(slice, ids, put) : buildBranches(slice, buildConditions(filters, put), put)
  return readBranches(db, { slice, branches, values })
}

/** SQL branches for a user's rows with these ids. */
export const matchedBranches = (slice: ListSlice, ids: readonly string[], put: Parameters['put']): string[] =>
  buildBranches(slice, `t.user_id = $1 and t.id = any(${put(ids)}::uuid[])`, put)

const buildBranches = (slice: ListSlice, where: string, put: Parameters['put']): string[] =>
  cursorConditions(slice, keySql(slice), 't.id', put).map(
    (condition) => `select t.id, ${keySql(slice)} as key from transaction t where ${where} and ${condition}`,
  )

/** Returns the ids of matching rows in ascending order, testing every row of the user in the period. */
export async function findMatches(db: Db, { userId, filters }: PlainList): Promise<string[]> {
  const matchedIds: string[] = []
  for (let last = filters.lowest ?? '00000000-0000-0000-0000-000000000000'; ;) {
    const { rows } = await db.query<ListedRow>(
      `select ${listedColumns} ${transactionFromSql} where t.user_id = $1 and t.id > $2 order by t.id limit $3`,
      [userId, last, rowsAtOnce],
    )
    for (const row of rows) if (matchesFilters(filters, row)) matchedIds.push(row.id)
    last = rows.at(-1)?.id ?? last
    if (rows.length < rowsAtOnce) return matchedIds
  }
}

/** SQL: merges the branches into one ordered page with the columns `id` and `key`. */
export const buildPageQuery = (slice: ListSlice, branches: readonly string[]): string =>
  `select id, key from (${branches.map((branch) => `(${branch})`).join(' union all ')}) as row
    ${buildOrderBy(slice)} limit ${String(slice.limit)} offset ${String(slice.offset)}`

interface Statement {
  readonly slice: ListSlice
  readonly branches: readonly string[]
  readonly values: readonly unknown[]
}

/** Runs the branches as one ordered list and returns the page's ids. */
export async function readBranches(db: Db, { slice, branches, values }: Statement): Promise<string[]> {
  if (branches.length === 0) return []
  const { rows } = await db.query<{ id: string }>(buildPageQuery(slice, branches), [...values])
  return rows.map((row) => row.id)
}
