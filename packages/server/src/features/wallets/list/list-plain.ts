import type { Db } from '../../../platform/database/db.ts'
import {
  conditionsAfter,
  type List,
  mostCounted,
  type Narrowing,
  orderOf,
  parameters,
  type Parameters,
  type Reading,
} from './list-reading.ts'
import {
  amountSql,
  type Facet,
  facetOf,
  groupedAmountSql,
  type ListedRow,
  listedColumns,
  listedFrom,
  shownSql,
} from './listed-row.ts'
import { finds } from './search-terms.ts'

const rowsAtOnce = 5000

const fixedKeys = {
  date: 't.id',
  type: 't.kind',
  status: 't.status',
  description: `(${shownSql})`,
  own_amount: amountSql,
} as const

/** What a list is sorted by, of a row `t`. */
export const keySql = ({ sort, order }: Pick<Reading, 'sort' | 'order'>): string =>
  sort === 'amount' ? groupedAmountSql(order) : fixedKeys[sort]

/** Whether rows of a facet can pass the filters. */
export const isWanted = ({ kind, status, currency }: Narrowing, facet: Facet): boolean =>
  (kind === undefined || facet.kind === kind) &&
  (status === undefined || facet.status === status) &&
  (currency === undefined || facet.currency === currency || facet.secondCurrency === currency)

/** Whether a row passes every filter. */
export const fits = (narrowing: Narrowing, row: ListedRow): boolean =>
  isWanted(narrowing, facetOf(row)) &&
  (narrowing.lowest === undefined || row.id >= narrowing.lowest) &&
  (narrowing.search === undefined || finds(narrowing.search, row))

function conditionsOf({ kind, status, currency, lowest }: Narrowing, put: Parameters['put']): string {
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

/** A list without search, straight from `transaction`; by date it uses the primary key. */
export function plainList(db: Db, userId: bigint, narrowing: Narrowing): List {
  return {
    async count() {
      const { values, put } = parameters(userId)
      const { rows } = await db.query<{ count: number }>(
        `select count(*)::int as count from (select from transaction t where ${conditionsOf(narrowing, put)}
           limit ${String(mostCounted + 1)}) as counted`,
        values,
      )
      return rows[0]?.count ?? 0
    },
    async ids(reading) {
      const { values, put } = parameters(userId)
      return readIds(db, reading, branchesOf(reading, conditionsOf(narrowing, put), put), values)
    },
  }
}

/** One user's rows by id. */
export const matchedBranches = (reading: Reading, ids: readonly string[], put: Parameters['put']): string[] =>
  branchesOf(reading, `t.user_id = $1 and t.id = any(${put(ids)}::uuid[])`, put)

const branchesOf = (reading: Reading, where: string, put: Parameters['put']): string[] =>
  conditionsAfter(reading, keySql(reading), 't.id', put).map(
    (after) => `select t.id, ${keySql(reading)} as key from transaction t where ${where} and ${after}`,
  )

/** A list of rows already found. */
export const knownList = (db: Db, userId: bigint, rows: readonly ListedRow[]): List =>
  listOfIds(db, userId, async () => rows.map((row) => row.id))

/** A list searched row by row. */
export function matchedList(db: Db, userId: bigint, narrowing: Narrowing): List {
  let found: Promise<string[]> | undefined
  return listOfIds(db, userId, () => (found ??= matchRows(db, userId, narrowing)))
}

const listOfIds = (db: Db, userId: bigint, find: () => Promise<string[]>): List => ({
  count: async () => (await find()).length,
  async ids(reading) {
    const { values, put } = parameters(userId)
    return readIds(db, reading, matchedBranches(reading, await find(), put), values)
  },
})

async function matchRows(db: Db, userId: bigint, narrowing: Narrowing): Promise<string[]> {
  const matched: string[] = []
  for (let last = narrowing.lowest ?? '00000000-0000-0000-0000-000000000000'; ;) {
    const { rows } = await db.query<ListedRow>(
      `select ${listedColumns} ${listedFrom} where t.user_id = $1 and t.id > $2 order by t.id limit $3`,
      [userId, last, rowsAtOnce],
    )
    for (const row of rows) if (fits(narrowing, row)) matched.push(row.id)
    last = rows.at(-1)?.id ?? last
    if (rows.length < rowsAtOnce) return matched
  }
}

/** Merges the branches into one ordered page with the columns `id` and `key`. */
export const pageOf = (reading: Reading, branches: readonly string[]): string =>
  `select id, key from (${branches.map((branch) => `(${branch})`).join(' union all ')}) as row
    ${orderOf(reading)} limit ${String(reading.limit)} offset ${String(reading.offset)}`

/** Runs the branches as one ordered list and returns the page's ids. */
export async function readIds(
  db: Db,
  reading: Reading,
  branches: readonly string[],
  values: readonly unknown[],
): Promise<string[]> {
  if (branches.length === 0) return []
  const { rows } = await db.query<{ id: string }>(pageOf(reading, branches), [...values])
  return rows.map((row) => row.id)
}
