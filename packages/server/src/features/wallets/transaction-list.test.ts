import { randomUUID } from 'node:crypto'
import type { CurrencyCode } from '@tern/money/currency'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../tools/test-database.ts'
import { newId } from '../../ids.ts'
import type { Refusal } from '../../refuse.ts'
import { indexTransactions } from './transaction-index.ts'
import { listTransactions, type TransactionFilter } from './transaction-list.ts'

let database: TestDatabase
let owner = 1_000_000_000n
const never = 1_000_000

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => {
  owner += 10n
})

interface Row {
  readonly id: string
  readonly kind: string
  status: string
  readonly description: string
  readonly source: CurrencyCode
  readonly target: CurrencyCode
  readonly sourceAmount: number
  readonly targetAmount: number
  readonly fee: number
  readonly other: bigint | null
}

const kinds = ['DEPOSIT', 'WITHDRAW', 'SEND', 'RECEIVE', 'EXCHANGE'] as const
const names = ['Ines', 'Lucas', 'Zoë'] as const
const people = names.map((name, index) => ({ id: 9_000_000_000n + BigInt(index), name }))

/** Somebody who can be named by rows. */
async function register(id: bigint, username: string, name: string): Promise<void> {
  await database.pool.query(
    `insert into app_user (id, email, username, name, created_at) values ($1, $2, $3, $4, now()) on conflict do nothing`,
    [id, `${username}@example.com`, username, name],
  )
}

async function write(userId: bigint, row: Row): Promise<void> {
  await database.pool.query(
    `insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id, description,
         source_amount, source_currency, target_amount, target_currency, fee_amount, fee_currency)
       values ($1, $2, gen_random_uuid(), $3, $4, now(), $5, $5, gen_random_uuid(), $6, $7, $8, $9, $10, $11, $8)`,
    [
      userId,
      row.id,
      row.kind,
      row.status,
      row.other,
      row.description,
      row.sourceAmount,
      row.source,
      row.targetAmount,
      row.target,
      row.fee,
    ],
  )
}

const start = Date.parse('2026-01-01T00:00:00Z')
const hourMs = 3_600_000

const anyRow = fc.record({
  id: fc.integer({ min: 0, max: 400 }).map((hours) => newId(new Date(start + hours * hourMs))),
  kind: fc.constantFrom(...kinds),
  status: fc.constantFrom('COMPLETED', 'COMPLETED', 'PENDING', 'FAILED'),
  description: fc.constantFrom('', 'Rent', 'rent for March', 'Coffee', 'Invoice 17.5', 'émile & co'),
  source: fc.constantFrom<CurrencyCode[]>('USD', 'EUR', 'JPY'),
  target: fc.constantFrom<CurrencyCode[]>('USD', 'EUR', 'USDT'),
  sourceAmount: fc.constantFrom(100, 100, 250, 9999),
  targetAmount: fc.constantFrom(100, 320, 320),
  fee: fc.constantFrom(0, 5),
  other: fc.constantFrom(...people.map(({ id }) => id), null),
})

const anyFilter = fc.record({
  type: fc.constantFrom(undefined, undefined, ...kinds),
  status: fc.constantFrom(undefined, undefined, 'COMPLETED', 'PENDING', 'FAILED'),
  currency: fc.constantFrom(undefined, undefined, 'USD', 'EUR', 'USDT'),
  since: fc.constantFrom(undefined, undefined, new Date(start + 200 * hourMs)),
  search: fc.constantFrom(undefined, 'rent', 'REN', 'co', 'ines', 'zoe', 'usdt', '17.5', '1', 'rent march', 'nothing'),
  sort: fc.constantFrom('date', 'type', 'description', 'amount', 'status'),
  order: fc.constantFrom('asc', 'desc'),
  limit: fc.integer({ min: 1, max: 12 }),
} as const)
type AnyFilter = typeof anyFilter extends fc.Arbitrary<infer T> ? T : never

const isIncoming = (row: Row) => row.kind === 'RECEIVE' || row.kind === 'DEPOSIT'
const amountOf = (row: Row) => (isIncoming(row) ? row.targetAmount : -(row.sourceAmount + row.fee))
const scales: Partial<Record<CurrencyCode, number>> = { JPY: 0, USDT: 6 }
const written = (minor: number, currency: CurrencyCode) =>
  (minor / 10 ** (scales[currency] ?? 2)).toFixed(scales[currency] ?? 2)

/** The words a row should be found by, put together without the product's own code; times are left out. */
function wordsOf(row: Row): string[] {
  const isOthers = row.kind === 'SEND' || row.kind === 'RECEIVE'
  const name = isOthers ? (people.find(({ id }) => id === row.other)?.name ?? '') : ''
  const words = `${row.description} ${name} ${row.kind} ${row.source} ${row.target}`
    .replaceAll(/[ëé]/g, 'e')
    .toLowerCase()
    .split(/[ &]+/)
  const paid = isIncoming(row) ? [] : [written(row.sourceAmount + row.fee, row.source)]
  return [...words, written(row.sourceAmount, row.source), written(row.targetAmount, row.target), ...paid, '5']
}

/** What the list should be, by the simplest means. */
function expected(rows: readonly Row[], filter: AnyFilter): string[] {
  const direction = filter.order === 'asc' ? 1 : -1
  const compare = <T>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)
  const key = (row: Row) =>
    ({ date: '', type: row.kind, status: row.status, description: row.description, amount: amountOf(row) })[filter.sort]
  const hours = (id: string) => Number.parseInt(id.slice(0, 13).replace('-', ''), 16)
  return rows
    .filter((row) => filter.type === undefined || row.kind === filter.type)
    .filter((row) => filter.status === undefined || row.status === filter.status)
    .filter((row) => {
      const touched = [isIncoming(row) ? row.target : row.source, row.kind === 'EXCHANGE' ? row.target : '']
      return filter.currency === undefined || touched.includes(filter.currency)
    })
    .filter((row) => filter.since === undefined || hours(row.id) >= filter.since.getTime())
    .filter((row) =>
      (filter.search ?? '')
        .toLowerCase()
        .split(' ')
        .every((word) => wordsOf(row).some((found) => found.startsWith(word))),
    )
    .toSorted((a, b) =>
      filter.sort === 'date'
        ? direction * compare(a.id, b.id)
        : direction * compare(key(a), key(b)) || compare(b.id, a.id),
    )
    .map((row) => row.id)
}

const list = (filter: Partial<TransactionFilter>, userId = owner) =>
  listTransactions(database.pool, userId, { limit: 10, offset: 0, sort: 'date', order: 'desc', ...filter }, never)

/** Every page of a list, by the cursors of one direction; `between` happens before each further page. */
async function turn(
  filter: Partial<TransactionFilter>,
  { way = 'next', between }: { way?: 'next' | 'previous'; between?: () => Promise<unknown> } = {},
): Promise<string[]> {
  const found: string[] = []
  for (let cursor = filter.cursor; ;) {
    const page = await list({ ...filter, cursor })
    const ids = page.transactions.map(({ id }) => id)
    if (way === 'next') found.push(...ids)
    else found.unshift(...ids)
    cursor = (way === 'next' ? page.next_cursor : page.previous_cursor) ?? undefined
    if (cursor === undefined) return found
    await between?.()
  }
}

/** Gives the list of a person to the index, as their next look at a long list would. */
async function index(userId = owner): Promise<void> {
  await database.pool.query('insert into transaction_index_person (user_id) values ($1) on conflict do nothing', [
    userId,
  ])
  await indexTransactions({ pool: database.pool, threshold: never })
}

test('every filter, order and search gives the same rows from the index, from its tail and without it', async () => {
  for (const { id, name } of people) await register(id, name.toLowerCase().replace('ë', 'e'), name)
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRow, { minLength: 5, maxLength: 60 }),
      fc.array(anyFilter, { minLength: 4, maxLength: 8 }),
      fc.constantFrom('none', 'all', 'part'),
      async (generated, filters, indexed) => {
        const rows = generated.map((row) => ({ ...row }))
        owner += 10n
        const half = indexed === 'part' ? rows.length / 2 : rows.length
        for (const row of rows.filter((_, place) => place < half)) await write(owner, row)
        if (indexed !== 'none') await index()
        for (const row of rows.filter((_, place) => place >= half)) await write(owner, row)
        // The worker does not know yet that these have ended.
        const ending =
          indexed === 'part' ? rows.filter(({ status }, place) => status === 'PENDING' && place % 2 === 0) : []
        for (const row of ending) {
          row.status = 'COMPLETED'
          await database.pool.query(
            `update transaction set status = 'COMPLETED', xid = pg_current_xact_id() where user_id = $1 and id = $2`,
            [owner, row.id],
          )
        }
        for (const filter of filters) {
          const ids = expected(rows, filter)
          expect(await turn(filter), 'forwards').toEqual(ids)
          const all = await list({ ...filter, limit: 100, offset: 3 })
          expect(
            all.transactions.map(({ id }) => id),
            'by offset',
          ).toEqual(ids.slice(3))
          expect([all.total, all.total_is_exact]).toEqual([ids.length, true])
          const last = await list({ ...filter, offset: Math.max(0, ids.length - filter.limit) })
          const back =
            last.previous_cursor === null
              ? []
              : await turn({ ...filter, cursor: last.previous_cursor }, { way: 'previous' })
          // At the beginning the first page is shown whole, so some of its rows come twice.
          const seen = new Set([...back, ...last.transactions.map(({ id }) => id)])
          expect([...seen], 'backwards').toEqual(ids)
        }
      },
    ),
    { numRuns: 25 },
  )
})
