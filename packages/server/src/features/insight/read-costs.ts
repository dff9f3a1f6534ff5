import type { CostCorridor, insightCosts } from '@tern/contract/insight'
import { findWorldBankAverage, findWorldBankRegion, worldBank } from '@tern/contract/prices/world-bank'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { currencyCodes, currencyOf, type CurrencyCode, type FiatCode } from '@tern/money/currency'
import { averageBankBasisPoints, computeFee } from '@tern/money/fee'
import { money, toDecimal } from '@tern/money/money'
import { ratio, toDecimalPlaces } from '@tern/money/ratio'
import type { Db } from '../../platform/database/db.ts'
import type { TransactionKind } from '../wallets/move.ts'
import type { FlowQuery } from './read-flows.ts'
import { lowestId } from './period.ts'
import { viewPeriod } from './period-view.ts'

/** Sum of completed transactions of one kind and corridor. */
export interface CostSum {
  readonly kind: TransactionKind
  readonly source_currency: CurrencyCode
  readonly target_currency: CurrencyCode
  /** True if the balance alone paid. */
  readonly is_from_balance: boolean
  readonly sent: bigint
  readonly fees: bigint
  readonly transactions: bigint
}

export const worldBankView = {
  issue: worldBank.issue,
  quarter: worldBank.quarter,
  banks: formatBasisPoints(averageBankBasisPoints),
}

/** Sums the user's completed sends, exchanges, withdrawals and converted deposits of a period. */
export async function readCostSums(db: Db, { wallet, period }: FlowQuery): Promise<CostSum[]> {
  const { rows } = await db.query<CostSum>(
    `select kind, source_currency, target_currency,
        kind = 'WITHDRAW' or coalesce(payment_source, 'wallet') = 'wallet' as is_from_balance,
        sum(source_amount) as sent, sum(fee_amount) as fees, count(*) as transactions
       from transaction
      where user_id = $1 and id >= $2 and id < $3 and status = 'COMPLETED'
        and (kind in ('SEND', 'EXCHANGE') or kind = 'WITHDRAW' and description like 'withdrawal %'
          or kind = 'DEPOSIT' and fee_amount > 0)
      group by 1, 2, 3, 4`,
    [wallet.userId, lowestId(period.from), lowestId(period.to)],
  )
  return rows
}

/** Fees that returned withdrawals and disputes gave back in a period, less those that were taken again. */
async function readReturnedFees(db: Db, { wallet, period }: FlowQuery) {
  const { rows } = await db.query<{ currency: CurrencyCode; fees: bigint }>(
    `select currency, sum(fees) as fees from (
       select o.currency, o.fee_minor - coalesce((select sum(r.fee_minor) from dispute_posting r
           where r.posting_id = t.posting_id and r.kind = 'recovered'), 0) as fees
         from payout o
         join transaction t on t.user_id = o.user_id and t.payment_id = o.id
        where o.user_id = $1 and o.status = 'returned' and o.fee_minor > 0 and t.id >= $2 and t.id < $3
          and t.status = 'COMPLETED' and t.kind = 'DEPOSIT'
       union all
       select y.currency, case when y.kind in ('provisional', 'final') then y.fee_minor else -y.fee_minor end
         from dispute d
         join dispute_posting y on y.dispute_id = d.id
        where d.user_id = $1 and y.transaction_id >= $2 and y.transaction_id < $3
     ) returned group by currency having sum(fees) <> 0`,
    [wallet.userId, lowestId(period.from), lowestId(period.to)],
  )
  return rows
}

/** Returns the fees of a period, beside the averages of the World Bank. */
export async function readCosts(db: Db, query: FlowQuery): Promise<Reply<typeof insightCosts>> {
  const { wallet, period } = query
  const sums = await readCostSums(db, query)
  const returned = await readReturnedFees(db, query)
  return {
    ...(await viewPeriod(db, { userId: wallet.userId, period })),
    base_currency: wallet.baseCurrency,
    corridors: listCorridors(sums),
    exchanges: listFees(sums, 'EXCHANGE'),
    withdrawals: listFees(sums, 'WITHDRAW'),
    deposits: listFees(sums, 'DEPOSIT'),
    returned: returned.map(({ currency, fees }) => ({ currency, fees: toDecimal(money(currency, fees)) })),
    total: compareWithBank(wallet.baseCurrency, sums),
    from_balance: compareWithBank(
      wallet.baseCurrency,
      sums.filter((sum) => sum.is_from_balance),
    ),
    world_bank: worldBankView,
  }
}

interface Total {
  readonly sent: bigint
  readonly fees: bigint
  readonly transactions: bigint
}

const addUp = (sums: readonly CostSum[]): Total =>
  sums.reduce<Total>(
    (total, { sent, fees, transactions }) => ({
      sent: total.sent + sent,
      fees: total.fees + fees,
      transactions: total.transactions + transactions,
    }),
    { sent: 0n, fees: 0n, transactions: 0n },
  )

const toCount = (count: bigint): number => Number(count) // not money: a count of transactions

const isFiat = (code: CurrencyCode): boolean => currencyOf(code).kind === 'fiat'

/** Lists the corridors of sends, the most used first. */
export function listCorridors(sums: readonly CostSum[]): CostCorridor[] {
  const pairs = currencyCodes.flatMap((source) => currencyCodes.map((target) => ({ source, target })))
  return pairs
    .flatMap(({ source, target }) => {
      const isOfPair = (sum: CostSum) => sum.source_currency === source && sum.target_currency === target
      const total = addUp(sums.filter((sum) => sum.kind === 'SEND' && isOfPair(sum)))
      return total.transactions === 0n ? [] : [viewCorridor(source, target, total)]
    })
    .toSorted((a, b) => b.sends - a.sends)
}

function viewCorridor(source: CurrencyCode, target: CurrencyCode, { sent, fees, transactions }: Total): CostCorridor {
  const decimal = (minor: bigint) => toDecimal(money(source, minor))
  const region = findWorldBankRegion(target)
  const averagePoints = findWorldBankAverage(region)
  const cost = computeFee(money(source, sent), averagePoints).minor
  const isCompared = source !== target && isFiat(source) && isFiat(target)
  return {
    source_currency: source,
    target_currency: target,
    sends: toCount(transactions),
    sent: decimal(sent),
    fees: decimal(fees),
    cost_percent: sent === 0n ? null : formatPercent(fees, sent),
    average: isCompared
      ? { region, percent: formatBasisPoints(averagePoints), cost: decimal(cost), kept: decimal(cost - fees) }
      : null,
  }
}

/** Formats a share as a percentage with two decimals, rounded half up. */
function formatPercent(part: bigint, whole: bigint): string {
  return part <= 0n ? '0.00' : toDecimalPlaces(ratio(part * 100n, whole), 2)
}

function formatBasisPoints(basisPoints: bigint): string {
  return formatPercent(basisPoints, 10_000n)
}

function listFees(sums: readonly CostSum[], kind: TransactionKind) {
  return currencyCodes.flatMap((currency) => {
    const total = addUp(sums.filter((sum) => sum.kind === kind && sum.source_currency === currency))
    return total.transactions === 0n
      ? []
      : [{ currency, transactions: toCount(total.transactions), fees: toDecimal(money(currency, total.fees)) }]
  })
}

/**
 * Compares the fees in a currency with an average bank: its price for the sends to other fiat currencies, rounded half
 * up once, less all fees of sends, exchanges and withdrawals. Equals `readTotals` for sums that the balance alone paid.
 */
export function compareWithBank(currency: FiatCode, sums: readonly CostSum[]) {
  const own = sums.filter((sum) => sum.kind !== 'DEPOSIT' && sum.source_currency === currency)
  const abroadSums = own.filter(
    ({ kind, target_currency: target }) => kind === 'SEND' && target !== currency && isFiat(target),
  )
  const abroad = addUp(abroadSums).sent
  const { fees } = addUp(own)
  const bankCost = computeFee(money(currency, abroad), averageBankBasisPoints).minor
  const decimal = (minor: bigint) => toDecimal(money(currency, minor))
  return {
    fees: decimal(fees),
    abroad: decimal(abroad),
    bank_cost: decimal(bankCost),
    kept: decimal(bankCost - fees),
  }
}
