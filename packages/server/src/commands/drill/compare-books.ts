// Compares restored books with the running ones: what was committed before the restored moment must be in both.

import type pg from 'pg'

export interface BooksComparison {
  readonly accounts: number
  readonly postings: number
  /** Differences as sentences; empty if the restored books are an earlier state of the running ones. */
  readonly faults: readonly string[]
}

const pageSize = 10_000
const maxShownFaults = 3

/**
 * Every restored balance must be one that the running account had at the same version, and both databases must have
 * as many postings and transactions of each day until `until`.
 */
export async function compareBooks(restored: pg.Pool, running: pg.Pool, until: Date): Promise<BooksComparison> {
  const accounts = await compareAccounts(restored, running)
  const postings = await compareDays({ restored, running }, 'ledger.posting', until)
  const transactions = await compareDays({ restored, running }, 'transaction', until)
  return {
    accounts: accounts.count,
    postings: postings.count,
    faults: [...accounts.faults, ...postings.faults, ...transactions.faults],
  }
}

interface Compared {
  readonly count: number
  readonly faults: readonly string[]
}

interface RestoredAccount {
  readonly id: bigint
  readonly name: string
  readonly version: bigint
  readonly balance: bigint
}

async function compareAccounts(restored: pg.Pool, running: pg.Pool): Promise<Compared> {
  const faults: string[] = []
  let count = 0
  for (let after = 0n; ;) {
    const { rows } = await restored.query<RestoredAccount>(
      'select id, name, version, balance from ledger.account where id > $1 and version > 0 order by id limit $2',
      [after, pageSize],
    )
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.id
    count += rows.length
    faults.push(...(await findOtherBalances(running, rows)))
  }
  return { count, faults: shorten(faults, 'accounts differ') }
}

/** Returns the accounts whose restored balance is not the one that the running account had at that version. */
async function findOtherBalances(running: pg.Pool, accounts: readonly RestoredAccount[]): Promise<string[]> {
  const { rows } = await running.query<{ name: string }>(
    `select restored.name
       from unnest($1::bigint[], $2::text[], $3::bigint[], $4::numeric[]) as restored (id, name, version, balance)
       left join ledger.entry on entry.account_id = restored.id and entry.version = restored.version
      where entry.balance is distinct from restored.balance`,
    [
      accounts.map(({ id }) => id),
      accounts.map(({ name }) => name),
      accounts.map(({ version }) => version),
      accounts.map(({ balance }) => balance),
    ],
  )
  return rows.map(({ name }) => `account ${name} has a balance that it never had at this version`)
}

async function compareDays(
  { restored, running }: { restored: pg.Pool; running: pg.Pool },
  table: 'ledger.posting' | 'transaction',
  until: Date,
): Promise<Compared> {
  const [restoredDays, runningDays] = await Promise.all([
    countDays(restored, table, until),
    countDays(running, table, until),
  ])
  const faults = [...new Set([...restoredDays.keys(), ...runningDays.keys()])]
    .toSorted()
    .filter((day) => restoredDays.get(day) !== runningDays.get(day))
    .map(
      (day) =>
        `${day}: ${restoredDays.get(day) ?? 0} rows of ${table}, the running database has ${runningDays.get(day) ?? 0}`,
    )
  const count = [...restoredDays.values()].reduce((sum, rows) => sum + rows, 0)
  return { count, faults: shorten(faults, 'days differ') }
}

async function countDays(pool: pg.Pool, table: string, until: Date): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ day: string; count: number }>(
    `select (created_at at time zone 'UTC')::date as day, count(*)::int as count
       from ${table} where created_at <= $1 group by 1`,
    [until],
  )
  return new Map(rows.map(({ day, count }) => [day, count]))
}

const shorten = (faults: readonly string[], summary: string): string[] =>
  faults.length <= maxShownFaults ? [...faults] : [...faults.slice(0, maxShownFaults), `${faults.length} ${summary}`]
