import type { Reply } from '@tern/contract/protocol/endpoint'
import type { balanceHistory } from '@tern/contract/wallets'
import { walletAccount } from '@tern/ledger/chart'
import { money, toDecimal } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { isReplica } from '../../../platform/database/replicas/replica-pool.ts'
import {
  completeDays,
  type AccountVersion,
  maxUncachedEntries,
  findFirstEntryAfter,
  sumBetween,
  sumEntries,
} from './balance-days.ts'
import type { Wallet } from '../wallets.ts'
import type { AccountRow } from '@tern/ledger/row-types'

const dayMs = 24 * 60 * 60_000
const maxPoints = 500

interface Point {
  readonly at: Date
  readonly balance: bigint
}

/**
 * Reads the base-currency balance over the last `days` days: the ledger's running balance after each movement, oldest
 * first, sampled if there are more than 500. Reads only entries of that period, or the sums of its days.
 */
export async function readHistory(
  db: Db,
  { wallet, days, to }: { readonly wallet: Wallet; readonly days: number; readonly to: Date },
): Promise<Reply<typeof balanceHistory>> {
  const from = new Date(to.getTime() - days * dayMs)
  const name = walletAccount(wallet.id, wallet.baseCurrency).name
  // Entries are append-only, so reading up to this version is consistent.
  const { rows } = await db.query<Pick<AccountRow, 'id' | 'version' | 'balance'>>(
    'select id, version, balance from ledger.account where name = $1',
    [name],
  )
  const account = rows[0]
  const history = account ? await readEntries(db, { account, from, to }) : { sums: { in: 0n, out: 0n }, points: [] }
  const closing = account?.balance ?? 0n
  const decimal = (minor: bigint) => toDecimal(money(wallet.baseCurrency, minor))
  return {
    currency: wallet.baseCurrency,
    from: from.toISOString(),
    to: to.toISOString(),
    opening_balance: decimal(closing - history.sums.in + history.sums.out),
    closing_balance: decimal(closing),
    money_in: decimal(history.sums.in),
    money_out: decimal(history.sums.out),
    points: history.points.map((point) => ({ at: point.at.toISOString(), balance: decimal(point.balance) })),
  }
}

interface Period {
  readonly account: AccountVersion
  readonly from: Date
  readonly to: Date
}

/** Entries of an account from version `first` on. */
interface EntryRange {
  readonly account: AccountVersion
  readonly first: bigint
}

async function readEntries(db: Db, { account, from, to }: Period) {
  const first = await findFirstEntryAfter(db, { account, at: from })
  const count = account.version - first + 1n
  if (count <= maxUncachedEntries) {
    const sums = await sumBetween(db, { id: account.id, first, last: account.version })
    return { sums, points: thinRows(await readMovements(db, { account, first })) }
  }
  if (!isReplica(db)) await completeDays(db, { account, now: to })
  return { sums: await sumEntries(db, { account, first }), points: await samplePoints(db, { account, first }) }
}

/** Reads one point per movement, in order. */
async function readMovements(db: Db, { account, first }: EntryRange) {
  const { rows } = await db.query<Point>(
    `select min(created_at) as at, (array_agg(balance order by version desc))[1] as balance
       from ledger.entry where account_id = $1 and version between $2 and $3
      group by posting_id order by min(version)`,
    [account.id, first, account.version],
  )
  return rows
}

function thinRows<T>(rows: readonly T[]): readonly T[] {
  if (rows.length <= maxPoints) return rows
  const stride = Math.ceil(rows.length / maxPoints) // not money: a count of rows
  return rows.filter((_, index) => index === rows.length - 1 || index % stride === stride - 1)
}

/** Reads the balance after evenly spaced entries, found by version, since versions have no gaps. */
async function samplePoints(db: Db, { account, first }: EntryRange): Promise<Point[]> {
  const count = account.version - first + 1n
  const stride = (count + BigInt(maxPoints) - 1n) / BigInt(maxPoints)
  const { rows } = await db.query<Point>(
    // A movement's entries are adjacent; the last of them replaces a sampled one.
    `select distinct on (ending.version) ending.created_at as at, ending.balance
       from (select least(v, $3::bigint) as version
               from generate_series($2::bigint + $4::bigint - 1, $3::bigint + $4::bigint - 1, $4::bigint) as v) as sample
       join ledger.entry e on e.account_id = $1 and e.version = sample.version
       cross join lateral (
         select near.version, near.created_at, near.balance from ledger.entry near
          where near.account_id = $1 and near.version between sample.version and least(sample.version + 9, $3)
            and near.posting_id = e.posting_id
          order by near.version desc limit 1) as ending
      order by ending.version`,
    [account.id, first, account.version, stride],
  )
  return rows
}
