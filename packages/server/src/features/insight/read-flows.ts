import type { FlowKind, Category, InsightBalance, insightFlows } from '@tern/contract/insight'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { currencyCodes, type CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type { Db } from '../../platform/database/db.ts'
import type { Wallet } from '../wallets/wallets.ts'
import { flowSql } from './flow-rows.ts'
import { readPartyViews, type PartyView } from './parties.ts'
import { lowestId, type Period } from './period.ts'
import { viewPeriod } from './period-view.ts'

/** Sum of flows with the same currency, kind, party and category. */
interface FlowSum {
  readonly kind: FlowKind
  readonly currency: CurrencyCode
  readonly other_id: bigint | null
  readonly is_guest: boolean
  readonly person_category: Category | null
  readonly category: Category | null
  readonly amount: bigint
  readonly fee: bigint
  readonly transactions: bigint
}

const maxCounterparties = 50

export interface FlowQuery {
  readonly wallet: Wallet
  readonly period: Period
}

/** Returns the user's spending, income and own money of a period. */
export async function readFlows(db: Db, { wallet, period }: FlowQuery): Promise<Reply<typeof insightFlows>> {
  const { rows } = await db.query<FlowSum>(
    `with ${flowSql()}
     select kind, currency, other_id, is_guest, person_category, category, sum(amount) as amount, sum(fee) as fee,
         sum(transactions) as transactions
       from flow group by 1, 2, 3, 4, 5, 6`,
    [wallet.userId, lowestId(period.from), lowestId(period.to)],
  )
  const balances = groupBy(rows, ({ currency }) => currency)
  const shownCodes = currencyCodes.filter((code) => balances.has(code) && code !== wallet.baseCurrency)
  const plans = [wallet.baseCurrency, ...shownCodes].map((currency) =>
    planBalance(currency, balances.get(currency) ?? []),
  )
  const ids = plans.flatMap(({ parties }) => parties.flatMap(({ rows: [first] }) => first?.other_id ?? []))
  const views = await readPartyViews(db, ids)
  return {
    ...(await viewPeriod(db, { userId: wallet.userId, period })),
    base_currency: wallet.baseCurrency,
    balances: plans.map((plan) => viewBalance(plan, views)),
  }
}

const groupBy = <T, Key>(rows: readonly T[], toKey: (row: T) => Key): ReadonlyMap<Key, readonly T[]> => {
  const groups = new Map<Key, T[]>()
  for (const row of rows) {
    const key = toKey(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}

interface Sums {
  readonly spending: bigint
  readonly income: bigint
  readonly fees: bigint
  readonly transactions: bigint
}

/** Sums of spending and income. Spending has no sign unless more came back than left. */
export function sumFlows(rows: readonly Pick<FlowSum, 'kind' | 'amount' | 'fee' | 'transactions'>[]): Sums {
  return rows.reduce<Sums>(
    (sums, { kind, amount, fee, transactions }) => ({
      spending: sums.spending - (kind === 'spending' ? amount : 0n),
      income: sums.income + (kind === 'income' ? amount : 0n),
      fees: sums.fees + (kind === 'spending' ? fee : 0n),
      transactions: sums.transactions + transactions,
    }),
    { spending: 0n, income: 0n, fees: 0n, transactions: 0n },
  )
}

interface Group {
  readonly rows: readonly FlowSum[]
  readonly sums: Sums
}

interface BalancePlan {
  readonly currency: CurrencyCode
  readonly all: Sums
  readonly categories: readonly Group[]
  /** Largest first. */
  readonly parties: readonly Group[]
  readonly others: readonly Group[]
  readonly own: readonly Group[]
}

const ownKinds: readonly FlowKind[] = ['added', 'charged', 'exchanged', 'withdrawn']

function planBalance(currency: CurrencyCode, rows: readonly FlowSum[]): BalancePlan {
  const crossing = rows.filter(({ kind }) => kind === 'spending' || kind === 'income')
  const group = (toKey: (row: FlowSum) => unknown, from: readonly FlowSum[] = crossing): Group[] =>
    [...groupBy(from, toKey).values()]
      .map((members) => ({ rows: members, sums: sumFlows(members) }))
      .toSorted((a, b) => compareLargest(a.sums, b.sums))
  const parties = group(({ other_id: id }) => id)
  return {
    currency,
    all: sumFlows(crossing),
    categories: group(({ category }) => category),
    parties: parties.slice(0, maxCounterparties),
    others: parties.slice(maxCounterparties),
    own: ownKinds.flatMap((kind) =>
      group(
        () => kind,
        rows.filter((row) => row.kind === kind),
      ),
    ),
  }
}

const findLargest = ({ spending, income }: Sums): bigint => (spending > income ? spending : income)
const compareLargest = (a: Sums, b: Sums): number => {
  const difference = findLargest(b) - findLargest(a)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

const toCount = (count: bigint): number => Number(count) // not money: a count of transactions

function viewBalance(plan: BalancePlan, views: ReadonlyMap<bigint, PartyView>): InsightBalance {
  const { currency, all, categories, parties, others, own } = plan
  const decimal = (minor: bigint) => toDecimal(money(currency, minor))
  const amounts = ({ spending, income, transactions }: Sums) => ({
    spending: decimal(spending),
    income: decimal(income),
    transactions: toCount(transactions),
  })
  const viewCategory = ({ rows: [row], sums }: Group) => ({ category: row?.category ?? 'other', ...amounts(sums) })
  const viewCounterparty = ({ rows: [row], sums }: Group) => ({
    party: (row?.other_id === null ? undefined : views.get(row?.other_id ?? 0n)) ?? guests,
    category: row?.person_category ?? null,
    ...amounts(sums),
  })
  return {
    currency,
    ...amounts(all),
    fees: decimal(all.fees),
    categories: categories.map(viewCategory),
    counterparties: parties.map(viewCounterparty),
    others:
      others.length === 0
        ? null
        : { people: others.length, ...amounts(sumFlows(others.flatMap(({ rows: members }) => members))) },
    own: own.map(({ rows: members, sums }) => ({
      kind: members[0]?.kind ?? 'added',
      amount: decimal(members.reduce((sum, { amount }) => sum + amount, 0n)),
      fees: decimal(members.reduce((sum, { fee }) => sum + fee, 0n)),
      transactions: toCount(sums.transactions),
    })),
  }
}

/** Payers without an account. */
const guests: PartyView = { id: null, username: null, name: null, country: null }
