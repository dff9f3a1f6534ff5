import type { Queryable } from '../../../platform/database/db.ts'
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
import { amountSql, facetOf, listedDescription, type ListedRow, listedColumns, listedFrom } from './listed-row.ts'
import { finds } from './search-terms.ts'

const rowsAtOnce = 5000

export const keySql: Record<Reading['sort'], string> = {
  date: 't.id',
  type: 't.kind',
  status: 't.status',
  description: `(${listedDescription}) collate "C"`,
  amount: amountSql,
}

/** Whether a row passes every filter. */
export function fits({ kind, status, currency, lowest, search }: Narrowing, row: ListedRow): boolean {
  const facet = facetOf(row)
  return (
    (kind === undefined || facet.kind === kind) &&
    (status === undefined || facet.status === status) &&
    (currency === undefined || facet.currency === currency || facet.secondCurrency === currency) &&
    (lowest === undefined || row.id >= lowest) &&
    (search === undefined || finds(search, row))
  )
}

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
export function plainList(db: Queryable, userId: bigint, narrowing: Narrowing): List {
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
      const where = conditionsOf(narrowing, put)
      const branches = conditionsAfter(reading, keySql[reading.sort], 't.id', put)
      return readIds(
        db,
        reading,
        branches.map(
          (after) => `select t.id, ${keySql[reading.sort]} as key from transaction t where ${where} and ${after}`,
        ),
        values,
      )
    },
  }
}

/** One user's rows by id. */
export const matchedBranches = (reading: Reading, ids: readonly string[], put: Parameters['put']): string[] => {
  const listed = put(ids)
  return conditionsAfter(reading, keySql[reading.sort], 't.id', put).map(
    (after) =>
      `select t.id, ${keySql[reading.sort]} as key from transaction t where t.user_id = $1 and t.id = any(${listed}::uuid[]) and ${after}`,
  )
}

/** A list of rows already found. */
export const knownList = (db: Queryable, userId: bigint, rows: readonly ListedRow[]): List => ({
  count: async () => rows.length,
  async ids(reading) {
    const { values, put } = parameters(userId)
    const ids = rows.map((row) => row.id)
    return readIds(db, reading, matchedBranches(reading, ids, put), values)
  },
})

/** A list searched row by row. */
export function matchedList(db: Queryable, userId: bigint, narrowing: Narrowing): List {
  let found: Promise<string[]> | undefined
  const matched = () => (found ??= matchRows(db, userId, narrowing))
  return {
    count: async () => (await matched()).length,
    async ids(reading) {
      const { values, put } = parameters(userId)
      return readIds(db, reading, matchedBranches(reading, await matched(), put), values)
    },
  }
}

async function matchRows(db: Queryable, userId: bigint, narrowing: Narrowing): Promise<string[]> {
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
  db: Queryable,
  reading: Reading,
  branches: readonly string[],
  values: readonly unknown[],
): Promise<string[]> {
  if (branches.length === 0) return []
  const { rows } = await db.query<{ id: string }>(pageOf(reading, branches), [...values])
  return rows.map((row) => row.id)
}
