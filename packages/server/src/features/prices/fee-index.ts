import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Corridor, feeIndex } from '@tern/contract/prices/fee-index'
import { worldBank, findWorldBankAverage, findWorldBankRegion } from '@tern/contract/prices/world-bank'
import { fiatCodes } from '@tern/money/currency'
import { ratio, toDecimalPlaces } from '@tern/money/ratio'
import type pg from 'pg'
import { type Db, transact } from '../../platform/database/db.ts'
import { lockName } from '../../platform/database/locks.ts'
import { csvHead, csvLine } from '../../platform/files/csv.ts'
import { refuse } from '../../platform/refuse.ts'
import type { FeeIndexMonthRow } from './row-types.ts'
import type { QuoteRow } from '../exchange/row-types.ts'

/** Minimum count of payers; with fewer, the figures could reveal a single payment. */
const minPayers = 5
/** Number of past months that are counted again, because their payments may still be reversed. */
const recountedMonths = 3
/** Maximum time between a payment and its quote, in either direction. */
const maxQuoteAgeMs = 14 * 86_400_000

const monthText = (date: Date): string => date.toISOString().slice(0, 7)
const monthStart = (month: string): Date => new Date(`${month}-01T00:00:00Z`)
const monthsLater = (month: string, months: number): string => {
  const date = monthStart(month)
  return monthText(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)))
}

/** First day after the month of `now` (UTC), as an ISO date. */
export const nextCountDate = (now: Date): string => `${monthsLater(monthText(now), 1)}-01`

/** Returns the lowest id created at a time; ids begin with milliseconds. */
const lowestId = (at: Date): string => {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/**
 * SQL: cost of each send of a month between two fiat currencies, in millionths of the amount: the sender's debit less
 * the recipient's credit, valued at the European Central Bank's rate of the time (else the mid-market rate), rounded
 * half up to a millionth. Joins quotes, their movements and the senders' rows by keys. Excludes reversed payments.
 */
const costs = `
  select t.user_id, t.source_currency, t.target_currency,
      div(2 * 1000000 * ((t.source_amount + t.fee_amount) * r.up - t.target_amount * r.down + t.source_amount * r.up)
        + t.source_amount * r.up, 2 * t.source_amount * r.up) - 1000000 as cost,
      div(2 * t.fee_amount * 1000000 + t.source_amount, 2 * t.source_amount) as fee
    from quote q
    join ledger.token k on k.id = q.id
    join ledger.posting p on p.id = k.posting_id
    join transaction t on t.user_id = q.user_id and t.id = p.reference
    join ledger.currency s on s.code = t.source_currency
    join ledger.currency g on g.code = t.target_currency
    cross join lateral (select coalesce(nullif(q.locked_price -> 'reference', 'null') -> 'rate', q.locked_price -> 'midMarketRate')) as o(rate)
    cross join lateral (select (o.rate ->> 0)::numeric * 10::numeric ^ g.scale, (o.rate ->> 1)::numeric * 10::numeric ^ s.scale) as r(up, down)
   where q.id >= $1 and q.id < $2 and t.created_at >= $3 and t.created_at < $4
     and t.kind = 'SEND' and t.status = 'COMPLETED' and t.source_currency <> t.target_currency and o.rate is not null
     and t.source_currency = any($5::text[]) and t.target_currency = any($5::text[])
     and not exists (select from settlement_line l where l.reference = t.payment_id
       and l.kind in ('refund', 'chargeback', 'debit_return'))`

const countSql = `
  insert into fee_index_month (month, source_currency, target_currency, payments, payers, cost_sum, median_cost, low_cost,
      high_cost, fee_sum, counted_at)
  select $6::date, source_currency, target_currency, count(*), count(distinct user_id), sum(cost),
      percentile_disc(0.5) within group (order by cost), percentile_disc(0.1) within group (order by cost),
      percentile_disc(0.9) within group (order by cost), sum(fee), $7
    from (${costs}) c group by source_currency, target_currency`

async function countMonth(pool: pg.Pool, { month, at }: { readonly month: string; readonly at: Date }): Promise<void> {
  const from = monthStart(month)
  const to = monthStart(monthsLater(month, 1))
  const earliest = new Date(from.getTime() - maxQuoteAgeMs)
  const latest = new Date(to.getTime() + maxQuoteAgeMs)
  await transact(pool, async (tx) => {
    await lockName(tx, `fee index of ${month}`)
    const day = `${month}-01`
    await tx.query('delete from fee_index_month where month = $1', [day])
    await tx.query(countSql, [lowestId(earliest), lowestId(latest), from, to, fiatCodes, day, at])
  })
}

/** Returns the first month with a stored quote. */
async function readFirstMonth(db: Db): Promise<string | undefined> {
  const { rows } = await db.query<Pick<QuoteRow, 'created_at'>>('select created_at from quote order by id limit 1')
  return rows[0] && monthText(rows[0].created_at)
}

/** Counts the past months that were never counted, and the latest ones again. */
export async function countMonths(pool: pg.Pool, at: Date): Promise<void> {
  const first = await readFirstMonth(pool)
  if (first === undefined) return
  const { rows } = await pool.query<{ month: string | null }>(
    `select to_char(max(month), 'YYYY-MM') as month from fee_index_month`,
  )
  const present = monthText(at)
  const recountFrom = monthsLater(present, -recountedMonths)
  const countedMonth = rows[0]?.month
  const from =
    countedMonth === null || countedMonth === undefined
      ? first
      : countedMonth < recountFrom
        ? countedMonth
        : recountFrom
  for (let month = from < first ? first : from; month < present; month = monthsLater(month, 1)) {
    await countMonth(pool, { month, at })
  }
}

type CountedRow = Omit<FeeIndexMonthRow, 'month'>

/** Formats millionths over a count as a percentage with two decimals, rounded half away from zero. */
function percent(sum: bigint, count: bigint): string {
  const magnitude = sum < 0n ? -sum : sum
  // Ratios are positive, so zero is a special case.
  const text = magnitude === 0n ? '0.00' : toDecimalPlaces(ratio(magnitude, count * 10_000n), 2)
  return sum < 0n && /[1-9]/.test(text) ? `-${text}` : text
}

const bankPercent = (basisPoints: bigint): string => percent(basisPoints * 100n, 1n)

function toCorridor(row: CountedRow): Corridor {
  const { source_currency, target_currency, payments, payers } = row
  const region = findWorldBankRegion(target_currency)
  return {
    source_currency,
    target_currency,
    figures:
      payers < BigInt(minPayers)
        ? null
        : {
            payments: Number(payments), // not money: a count of payments
            mean: percent(row.cost_sum, payments),
            median: percent(row.median_cost, 1n),
            low: percent(row.low_cost, 1n),
            high: percent(row.high_cost, 1n),
            fee: percent(row.fee_sum, payments),
          },
    world_bank: { region, average: bankPercent(findWorldBankAverage(region)) },
  }
}

const isShown = ({ payers }: CountedRow): boolean => payers >= BigInt(minPayers)

/** Returns the index of a month, or of the latest one. Refuses `not_found` for a month without counted payments. */
export async function readFeeIndex(
  db: Db,
  wantedMonth: string | undefined,
): Promise<Omit<Reply<typeof feeIndex>, 'is_sandbox' | 'next_count_on'>> {
  const { rows: countedRows } = await db.query<{ month: string }>(
    `select distinct to_char(month, 'YYYY-MM') as month from fee_index_month order by 1 desc`,
  )
  const months = countedRows.map(({ month }) => month)
  const month = wantedMonth ?? months[0]
  if (wantedMonth !== undefined && !months.includes(wantedMonth)) refuse('not_found')
  const { rows } = await db.query<CountedRow>(
    `select * from fee_index_month where month = $1 order by payments desc, source_currency, target_currency`,
    [month === undefined ? null : `${month}-01`],
  )
  const visibleRows = rows.filter(isShown)
  const sum = (of: (row: CountedRow) => bigint) => visibleRows.reduce((total, row) => total + of(row), 0n)
  const payments = sum((row) => row.payments)
  return {
    months,
    month: month ?? null,
    counted_at: rows[0]?.counted_at.toISOString() ?? null,
    fewest_payers: minPayers,
    all:
      payments === 0n
        ? null
        : {
            payments: Number(payments), // not money: a count of payments
            mean: percent(
              sum((row) => row.cost_sum),
              payments,
            ),
          },
    // Corridors with too few payers are sorted by name, because an order by count would reveal it.
    corridors: [...visibleRows, ...rows.filter((row) => !isShown(row)).toSorted(byName)].map(toCorridor),
    world_bank: {
      issue: worldBank.issue,
      quarter: worldBank.quarter,
      global: bankPercent(worldBank.global),
      digital: bankPercent(worldBank.digital),
      digital_only: bankPercent(worldBank.digitalOnly),
      banks: bankPercent(worldBank.banks),
      south_asia: bankPercent(worldBank.southAsia),
    },
  }
}

const formatPair = (row: CountedRow) => `${row.source_currency}/${row.target_currency}`
const byName = (a: CountedRow, b: CountedRow) => (formatPair(a) < formatPair(b) ? -1 : 1)

const csvColumns = [
  'month',
  'source',
  'target',
  'payments',
  'mean_percent',
  'median_percent',
  'low_percent',
  'high_percent',
  'fee_percent',
  'world_bank_percent',
  'world_bank_region',
  'world_bank_source',
]

/** Formats an index as comma-separated values, one line per corridor; figures are empty with too few payers. */
export function feeIndexCsv({ month, corridors, world_bank: bank }: Reply<typeof feeIndex>): string {
  const source = `World Bank, Remittance Prices Worldwide, issue ${bank.issue}, ${bank.quarter}`
  const lines = corridors.map(({ source_currency, target_currency, figures, world_bank: { average, region } }) =>
    csvLine([
      month,
      source_currency,
      target_currency,
      figures?.payments,
      figures?.mean,
      figures?.median,
      figures?.low,
      figures?.high,
      figures?.fee,
      average,
      region,
      source,
    ]),
  )
  return [csvHead(csvColumns), ...lines].join('')
}
