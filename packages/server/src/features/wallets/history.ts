import type { Reply } from '@tern/contract/endpoint'
import type { balanceHistory } from '@tern/contract/wallets'
import { walletAccount } from '@tern/ledger/chart'
import { money, toDecimal } from '@tern/money/money'
import type { Queryable } from '../../db.ts'
import type { Wallet } from './wallets.ts'

const dayMs = 24 * 60 * 60_000
const mostPoints = 500

/**
 * How the wallet's spendable base-currency balance went over the last `days` days: the ledger's own running balance
 * after each movement, oldest first. With more than 500 movements the last of each stretch of time stands for it.
 */
export async function readHistory(
  db: Queryable,
  wallet: Wallet,
  days: number,
  to: Date,
): Promise<Reply<typeof balanceHistory>> {
  const from = new Date(to.getTime() - days * dayMs)
  const name = walletAccount(wallet.id, wallet.baseCurrency).name
  const { rows } = await db.query<{ at: Date; balance: bigint; amount: bigint }>(
    `select min(p.created_at) as at, (array_agg(e.balance order by e.version desc))[1] as balance, sum(e.amount) as amount
       from ledger.account a
       join ledger.entry e on e.account_id = a.id
       join ledger.posting p on p.id = e.posting_id
      where a.name = $1 and p.created_at > $2
      group by e.posting_id
      order by min(e.version)`,
    [name, from],
  )
  const current = await db.query<{ balance: bigint }>('select balance from ledger.account where name = $1', [name])
  const decimal = (minor: bigint) => toDecimal(money(wallet.baseCurrency, minor))
  const first = rows[0]
  const closing = current.rows[0]?.balance ?? 0n
  const sum = (wanted: (amount: bigint) => boolean) =>
    rows.reduce((total, row) => (wanted(row.amount) ? total + row.amount : total), 0n)
  return {
    currency: wallet.baseCurrency,
    from: from.toISOString(),
    to: to.toISOString(),
    opening_balance: decimal(first ? first.balance - first.amount : closing),
    closing_balance: decimal(closing),
    money_in: decimal(sum((amount) => amount > 0n)),
    money_out: decimal(-sum((amount) => amount < 0n)),
    points: thin(rows).map((row) => ({ at: row.at.toISOString(), balance: decimal(row.balance) })),
  }
}

function thin<T>(rows: readonly T[]): readonly T[] {
  if (rows.length <= mostPoints) return rows
  const stride = Math.ceil(rows.length / mostPoints) // not money: a count of rows
  return rows.filter((_, index) => index === rows.length - 1 || index % stride === stride - 1)
}
