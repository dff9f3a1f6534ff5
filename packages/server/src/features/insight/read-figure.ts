import type { Category, FlowKind, insightTransactions } from '@tern/contract/insight'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { onlyRow, type Db } from '../../platform/database/db.ts'
import { findTransactions, type Wallet } from '../wallets/wallets.ts'
import { flowSql } from './flow-rows.ts'
import { lowestId, type Period } from './period.ts'

const pageSize = 50

/** Figure of `readFlows`: a kind of money in a currency, all of it or of one category or counterparty. */
export interface Figure {
  readonly currency: CurrencyCode
  readonly kind: FlowKind
  readonly category: Category | undefined
  /** Counterparty, or `guests` for payers without an account. */
  readonly party: bigint | 'guests' | undefined
}

interface FigureQuery {
  readonly wallet: Wallet
  readonly period: Period
  readonly figure: Figure
  /** Id of the last transaction of the previous page. */
  readonly after: string | undefined
}

interface FlowRow {
  readonly id: string
  readonly amount: bigint
  readonly category: Category | null
  readonly own_category: Category | null
  readonly person_category: Category | null
}

const conditionSql = `kind = $4 and currency = $5 and ($6::text is null or category = $6)
  and ($7::bigint is null or other_id = $7) and (not $8::boolean or is_guest)`

/** Returns a page of the transactions that add up to a figure, newest first; with the first page, the figure. */
export async function readFigure(
  db: Db,
  { wallet, period, figure, after }: FigureQuery,
): Promise<Reply<typeof insightTransactions>> {
  const { currency, kind, category, party } = figure
  const values = [
    wallet.userId,
    lowestId(period.from),
    lowestId(period.to),
    kind,
    currency,
    category,
    typeof party === 'bigint' ? party : null,
    party === 'guests',
  ]
  const sum = after === undefined ? await readSum(db, values) : null
  const { rows } = await db.query<FlowRow>(
    `with ${flowSql(kind)} select id, amount, category, own_category, person_category from flow
      where ${conditionSql} and id < $9::uuid order by id desc limit $10`,
    [...values, after ?? lowestId(period.to), pageSize + 1],
  )
  const page = rows.slice(0, pageSize)
  const transactions = await findTransactions(db, { userId: wallet.userId, ids: page.map(({ id }) => id) })
  const views = new Map(transactions.map((transaction) => [transaction.id, transaction]))
  const sign = kind === 'spending' ? -1n : 1n
  const decimal = (minor: bigint) => toDecimal(money(currency, sign * minor))
  return {
    sum: sum === null ? null : decimal(sum),
    transactions: page.flatMap((row) => {
      const transaction = views.get(row.id)
      return transaction
        ? [{ transaction, amount: decimal(row.amount), category: row.category, category_origin: findOrigin(row) }]
        : []
    }),
    next: rows.length > pageSize ? (page.at(-1)?.id ?? null) : null,
  }
}

async function readSum(db: Db, values: readonly unknown[]): Promise<bigint> {
  const { rows } = await db.query<{ sum: bigint }>(
    `with ${flowSql()} select coalesce(sum(amount), 0) as sum from flow where ${conditionSql}`,
    [...values],
  )
  return onlyRow(rows).sum
}

const findOrigin = ({ category, own_category: own, person_category: person }: FlowRow) =>
  category === null ? null : own !== null ? 'transaction' : person !== null ? 'person' : 'default'
