// npm run bench -- lists [--rows 5000000 --share 0.2 --seconds 2] [--screening]
//
// Measures filters, orders, searches and jumps in one person's long list of transactions among many short ones, and
// balance histories. Rows are written in bulk and indexed by the worker's function; then the product's own functions
// run sequentially. Then measures the screening of names against sanctions lists; `--screening` does only that.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { walletAccount } from '../packages/ledger/src/chart.ts'
import type pg from 'pg'
import { connect } from '../packages/server/src/platform/database/db.ts'
import { migrate } from '../packages/server/src/commands/migrate/migrate.ts'
import {
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../packages/server/src/platform/database/embedded-postgres.ts'
import { completeBalanceDays } from '../packages/server/src/features/wallets/history/balance-days.ts'
import { readHistory } from '../packages/server/src/features/wallets/history/history.ts'
import { indexTransactions } from '../packages/server/src/features/wallets/list/transaction-index.ts'
import {
  listTransactions,
  type TransactionFilter,
} from '../packages/server/src/features/wallets/list/transaction-list.ts'
import type { Wallet } from '../packages/server/src/features/wallets/wallets.ts'
import { reportScreening } from './screening/report.ts'
import { runOnce, withDatabase } from '@tern/testkit/database'

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000000' },
    /** The heavy user's share of the rows. */
    share: { type: 'string', default: '0.2' },
    /** Measured seconds per query. */
    seconds: { type: 'string', default: '2' },
    screening: { type: 'boolean', default: false },
  },
})

const rows = Number(options.rows)
const holderRows = Math.round(rows * Number(options.share))
const goalMs = 50
const holderId = 1_234_567_890n
const wallet: Wallet = {
  id: '0199c0de-0000-7000-8000-000000000001',
  userId: holderId,
  name: 'Main',
  baseCurrency: 'USD',
}
const rowsPerOtherHolder = 100
const people = 300
const yearMs = 365 * 86_400_000
const periodEnd = new Date('2026-11-22T12:00:00Z')
const periodStart = new Date(periodEnd.getTime() - yearMs)

/** SQL for a UUIDv7 with the time `at`. */
const buildId = (at: string) =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
    || '8' || substr(md5(random()::text), 1, 15))::uuid`

/** Writes transactions in order of time, so that the rows of different people are mixed as in production. */
async function fillTables(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into app_user (id, email, username, name, kyc_status, created_at)
       select 2000000000 + n, 'person' || n || '@example.com', 'person' || n,
           (array['Ines', 'Lucas', 'Maria', 'Noah', 'Aiko', 'Priya', 'Tom', 'Zoe'])[1 + n % 8] || ' ' ||
           (array['Silva', 'Weber', 'Tanaka', 'Smith', 'Rossi', 'Khan', 'Novak'])[1 + n % 7] || ' ' || n, 'verified', now()
         from generate_series(1, $1) as n`,
    [people],
  )
  await pool.query(
    `insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id,
         description, source_amount, source_currency, target_amount, target_currency, fee_amount, fee_currency)
       select user_id, ${buildId('at')}, gen_random_uuid(), kind, status, at, other, other, gen_random_uuid(),
           case when kind in ('SEND', 'RECEIVE') then description
             when kind = 'EXCHANGE' then format('exchange {"from":"%s","to":"USDT"}', currency)
             else format('withdrawal_returned {"bank":%s}', to_json(description)) end,
           amount, currency, case currency when 'JPY' then amount * 90 else amount end,
           case kind when 'EXCHANGE' then 'USDT' else currency end, amount / 200, currency
         from (
           select $4::timestamptz + ($5::timestamptz - $4::timestamptz) * (n::float8 / $1) as at,
               case when n % $2 = 0 then $3::bigint else 3000000000 + (random() * $1 / $6)::int end as user_id,
               (array['SEND', 'SEND', 'SEND', 'RECEIVE', 'RECEIVE', 'DEPOSIT', 'WITHDRAW', 'EXCHANGE'])[1 + (random() * 8)::int % 8]
                 as kind,
               case when random() < 0.002 then 'FAILED' when random() < 0.001 then 'PENDING' else 'COMPLETED' end as status,
               2000000001 + (random() * ($7 - 1))::int as other,
               case when random() < 0.2 then ''
                 when random() < 0.0001 then 'Zanzibar ferry ticket ' || n
                 else (array['Rent', 'Groceries', 'Coffee with friends', 'Invoice', 'Order', 'Salary', 'Gift', 'Dinner'])
                   [1 + (random() * random() * 8)::int % 8] || case when random() < 0.6 then ' ' || (random() * 99999)::int else '' end
               end as description,
               (100 + random() * random() * 500000)::int as amount,
               (array['USD', 'USD', 'USD', 'EUR', 'JPY', 'GBP'])[1 + (random() * 6)::int % 6] as currency
             from generate_series(1, $1) as n
         ) as made`,
    [rows, Math.round(rows / holderRows), holderId, periodStart, periodEnd, rowsPerOtherHolder, people],
  )
}

/** Writes the ledger entries of one wallet: one per transaction, over the same year. */
async function fillLedger(pool: pg.Pool): Promise<void> {
  const { name, kind, currency } = walletAccount(wallet.id, 'USD')
  // Disables the guards, which refuse entries in the past.
  await pool.query('alter table ledger.entry disable trigger user; alter table ledger.account disable trigger user')
  const balance = '1000000000 + n * 3 + 5000 * (n % 2)'
  await pool.query(
    `with account as (
       insert into ledger.account (name, kind, currency, floor, balance, version)
         select $1, $2, $3, 0, ${balance}, n from (values ($4::bigint)) as last (n) returning id
     )
     insert into ledger.entry (account_id, version, posting_id, leg, amount, balance, created_at)
       select account.id, n, gen_random_uuid(), 0, case n % 2 when 1 then 5003 else -4997 end, ${balance},
           $5::timestamptz + ($6::timestamptz - $5::timestamptz) * (n::float8 / $4)
         from account, generate_series(1, $4::bigint) as n`,
    [name, kind, currency, holderRows, periodStart, periodEnd],
  )
  await pool.query('alter table ledger.entry enable trigger user; alter table ledger.account enable trigger user')
  await pool.query('vacuum analyze ledger.entry')
}

interface ListFigures {
  readonly name: string
  readonly p50Ms: number
  readonly p95Ms: number
}

async function measure(name: string, work: () => Promise<unknown>): Promise<ListFigures> {
  const end = performance.now() + Number(options.seconds) * 1000
  const latencies: number[] = []
  for (let warmUpTurn = 0; warmUpTurn < 3; warmUpTurn += 1) await work()
  while (performance.now() < end || latencies.length < 20) {
    const sentAt = performance.now()
    await work()
    latencies.push(performance.now() - sentAt)
  }
  latencies.sort((a, b) => a - b)
  const quantile = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return { name, p50Ms: quantile(0.5), p95Ms: quantile(0.95) }
}

const pickRandom = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T
const pickTime = () => new Date(periodStart.getTime() + Math.random() * yearMs)
const formatMonth = (at: Date) => at.toLocaleString('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' })
const formatDay = (at: Date) =>
  at.toLocaleString('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' })
const daysBefore = (days: number) => new Date(periodEnd.getTime() - days * 86_400_000)

/** Name and filter of each measured list; the filter is created anew for each query. */
const lists: readonly (readonly [name: string, filter: () => Partial<TransactionFilter>])[] = [
  ['newest first', () => ({})],
  ['oldest first', () => ({ order: 'asc' })],
  ...(['type', 'description', 'amount', 'status'] as const).flatMap((sort) =>
    (['asc', 'desc'] as const).map((order) => [`by ${sort}, ${order}ending`, () => ({ sort, order })] as const),
  ),
  ['filter: a frequent type', () => ({ type: 'SEND' })],
  ['filter: a rare status', () => ({ status: 'PENDING' })],
  ['filter: a currency', () => ({ currency: pickRandom(['USD', 'EUR', 'USDT']) })],
  ['filter: 7 days', () => ({ since: daysBefore(7) })],
  ['filter: 90 days', () => ({ since: daysBefore(90) })],
  ['filter: all at once', () => ({ type: 'SEND', status: 'COMPLETED', currency: 'EUR', since: daysBefore(30) })],
  ['filter: a type, by amount', () => ({ type: 'SEND', sort: 'amount', order: pickRandom(['asc', 'desc']) })],
  ['filter: 7 days, by amount', () => ({ since: daysBefore(7), sort: 'amount', order: pickRandom(['asc', 'desc']) })],
  ['filter: 30 days, by amount', () => ({ since: daysBefore(30), sort: 'amount', order: pickRandom(['asc', 'desc']) })],
  ['filter: 90 days, by description', () => ({ since: daysBefore(90), sort: 'description' })],
  ['search: a rare word', () => ({ search: 'zanzibar' })],
  ['search: a frequent word', () => ({ search: 'groceries' })],
  ['search: a word of one row in twelve', () => ({ search: 'salary' })],
  ['search: a word everywhere', () => ({ search: 's' })],
  ['search: a number', () => ({ search: String(Math.floor(Math.random() * 99_999)) })],
  ['search: an amount', () => ({ search: (1 + Math.random() * 4000).toFixed(2) })],
  ['search: a name', () => ({ search: pickRandom(['ines silva', 'tanaka', 'noah', 'person77', 'zoe']) })],
  ['search: a date', () => ({ search: pickRandom(['Nov 3, 2026', 'Mar 17', 'Jul 2026']) })],
  ['search: any month or day', () => ({ search: pickRandom([formatMonth(pickTime()), formatDay(pickTime())]) })],
  ['search: a month, a type', () => ({ search: formatMonth(pickTime()), type: pickRandom(['SEND', 'EXCHANGE']) })],
  ['search: two words', () => ({ search: pickRandom(['rent ines', 'salary exchange', 'coffee eur']) })],
  ['search: nothing to be found', () => ({ search: 'xylophone' })],
  ['search: a word, by amount', () => ({ search: pickRandom(['groceries', 'salary', 'zanzibar']), sort: 'amount' })],
  [
    'search: a word, by description',
    () => ({
      search: pickRandom(['groceries', 'salary', 'tanaka', 'zoe']),
      sort: 'description',
      order: pickRandom(['asc', 'desc']),
    }),
  ],
  ['search: a word, a type, 90 days', () => ({ search: 'rent', type: 'RECEIVE', since: daysBefore(90) })],
  ['jump to a date', () => ({ at: pickTime() })],
  ['jump, in a search', () => ({ at: pickTime(), search: pickRandom(['groceries', 'zanzibar', 'salary']) })],
]

async function measureLists(pool: pg.Pool): Promise<ListFigures[]> {
  const list = (filter: Partial<TransactionFilter>) =>
    listTransactions({ primary: pool }, pool, {
      userId: holderId,
      filter: { limit: 25, offset: 0, sort: 'date', order: 'desc', ...filter },
    })
  const figures: ListFigures[] = []
  const measureNamed = async (name: string, work: () => Promise<unknown>) => {
    const figure = await measure(name, work)
    console.log(formatLine(figure))
    figures.push(figure)
  }
  await measureNamed('a round trip to the database alone', () => pool.query('select 1'))
  for (const [name, filter] of lists) await measureNamed(name, () => list(filter()))
  // An unmeasured query with an offset provides the cursor of a deep page.
  for (const sort of ['date', 'amount', 'description', 'type', 'status'] as const) {
    for (const order of ['asc', 'desc'] as const) {
      const shallowList = await list({ sort, order, offset: Math.min(100_000, Math.floor(holderRows / 3)) })
      const cursor = shallowList.next_cursor ?? undefined
      await measureNamed(`deep page by ${sort}, ${order}ending`, () => list({ sort, order, cursor }))
    }
  }
  for (const days of [365, 90, 30]) {
    await measureNamed(`history of a balance, ${days} days`, () => readHistory(pool, { wallet, days, to: periodEnd }))
  }
  return figures
}

function formatLine({ name, p50Ms, p95Ms }: ListFigures): string {
  const ms = (value: number) => `${value.toFixed(1).padStart(8)} ms`
  return `${name.padEnd(40)} p50 ${ms(p50Ms)}   p95 ${ms(p95Ms)}   ${p95Ms < goalMs ? 'met' : `MISSED (goal ${goalMs} ms)`}`
}

async function timeStep<T>(label: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  console.log(`${label}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}

async function runLists(url: string): Promise<void> {
  await migrate(url)
  const pool = connect(url, 4)
  try {
    await timeStep(`${rows.toLocaleString('en-US')} rows written`, () => fillTables(pool))
    await timeStep('vacuum', () => pool.query('vacuum analyze transaction'))
    await pool.query('insert into transaction_index_person (user_id) values ($1) on conflict do nothing', [holderId])
    await timeStep(`${holderRows.toLocaleString('en-US')} rows of one person indexed`, () => indexTransactions(pool))
    await timeStep('vacuum', () => pool.query('vacuum analyze transaction_search'))
    await timeStep(`${holderRows.toLocaleString('en-US')} entries of one balance written`, () => fillLedger(pool))
    await timeStep('its days summed up', () => completeBalanceDays(pool, periodEnd))
    const size = await pool.query<{ size: string }>(
      `select pg_size_pretty(pg_total_relation_size('transaction_search')) as size`,
    )
    console.log(`transaction_search: ${size.rows[0]?.size}\n`)
    const figures = await measureLists(pool)
    if (figures.some(({ p95Ms }) => p95Ms >= goalMs)) process.exitCode = 1
  } finally {
    await pool.end()
  }
}

async function runScreening(url: string): Promise<void> {
  await migrate(url)
  const pool = connect(url, 4)
  try {
    if (!(await reportScreening(pool, (line) => console.log(line)))) process.exitCode = 1
  } finally {
    await pool.end()
  }
}

const externalUrl = process.env.DATABASE_URL
const dataDir = externalUrl === undefined ? fs.mkdtempSync(path.join(os.tmpdir(), 'tern-bench-')) : undefined
if (dataDir !== undefined) fs.chmodSync(dataDir, 0o755)
const serverUrl = dataDir === undefined ? (externalUrl ?? '') : (await startEmbeddedPostgres({ dataDir })).url

/** Runs `work` on a temporary database. */
async function withOwnDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const name = `tern_lists_${randomBytes(4).toString('hex')}`
  await runOnce(serverUrl, `create database ${name}`)
  try {
    await work(withDatabase(serverUrl, name))
  } finally {
    await runOnce(serverUrl, `drop database if exists ${name} with (force)`)
  }
}

try {
  if (!options.screening) await withOwnDatabase(runLists)
  await withOwnDatabase(runScreening)
} finally {
  if (dataDir !== undefined) {
    await removeEmbeddedPostgres(dataDir)
    fs.rmSync(dataDir, { recursive: true, force: true })
  }
}
