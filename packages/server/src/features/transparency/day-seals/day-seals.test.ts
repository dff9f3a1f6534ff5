import { randomUUID } from 'node:crypto'
import { sendMoney } from '@tern/contract/transfers'
import { openTestApp } from '@tern/testkit/open-test-app'
import { raiseLimits } from '@tern/testkit/people'
import { hashBytes } from '@tern/transparency/merkle'
import { parseLeaf } from '@tern/transparency/posting-leaf'
import { beforeAll, expect, test, vi } from 'vitest'
import { createTransparency } from '../transparency.ts'
import { appendDaySeal, findLastDay } from './append-day-seal.ts'
import { proveSeals } from './verify-seals.ts'

const world = await openTestApp({ unconfirmedPayments: 'any' })
const { transparency, pool } = world.app.product

beforeAll(async () => {
  await raiseLimits(world.database.pool)
  const alice = await world.enroll('alice', 'United States')
  const bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 10_000)
  const body = { recipient_id: bruno.id, amount: '1.00', source_currency: 'USD', description: 'Rent' } as const
  await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })
  await vi.waitFor(
    async () => {
      await transparency.append(pool)
      const { rows } = await pool.query<{ is_whole: boolean }>(
        `select position::text::bigint > (select max(xid) from ledger.posting) as is_whole from transparency_position`,
      )
      expect(rows[0]?.is_whole).toBe(true)
    },
    { timeout: 300_000, interval: 100 },
  )
})

test('a day is sealed a quarter of an hour after its end', () => {
  const until = new Date('2026-11-30T00:00:00Z')
  expect(findLastDay(new Date('2026-11-30T00:15:00Z'))).toEqual({ day: '2026-11-29', until })
  expect(findLastDay(new Date('2026-12-01T00:14:59Z'))).toEqual({ day: '2026-11-29', until })
})

test('of several workers one seals a day, and each seal is in the signed log', async () => {
  const until = new Date()
  const seal = (day: string) => Promise.all([1, 2, 3, 4].map(() => appendDaySeal(pool, { day, until })))
  expect((await seal('2026-01-01')).filter(Boolean)).toHaveLength(1)
  expect((await seal('2026-01-02')).filter(Boolean)).toHaveLength(1)
  expect(await appendDaySeal(pool, { day: '2026-01-01', until })).toBe(false)
  await transparency.append(pool)
  expect(await proveSeals(pool)).toEqual({ checked: 2, faults: [] })
  const { rows } = await pool.query<{ day: string; data: Buffer; content: string }>(
    `select s.day::text, l.data, s.content from day_seal s join transparency_leaf l using (leaf_index) order by s.day`,
  )
  expect(rows.map(({ day }) => day)).toEqual(['2026-01-01', '2026-01-02'])
  for (const { day, data, content } of rows) {
    expect(parseLeaf(new Uint8Array(data))).toEqual({ kind: 'day_seal', day, digest: hashBytes(Buffer.from(content)) })
  }
})

test('the content of a seal counts rows and entries, and adds up balances', async () => {
  const { rows } = await pool.query<{ content: string; postings: number; entries: number; fees: string }>(
    `select content, (select count(*)::int from ledger.posting) as postings, (select count(*)::int from ledger.entry) as entries,
        (select sum(balance)::text from ledger.account where kind = 'fee' and currency = 'USD') as fees
       from day_seal order by day desc limit 1`,
  )
  const [row] = rows
  expect(JSON.parse(row?.content ?? '{}')).toMatchObject({
    day: '2026-01-02',
    balances: { entries: row?.entries },
    rows: { postings: { count: row?.postings }, 'ended transactions': { count: 3 } },
    sums: { 'fee USD': row?.fees },
  })
})

test('the worker seals the day that has ended, once, if the log is older than its end', async () => {
  const tomorrow = new Date(Date.now() + 86_400_000)
  const later = (realNow: () => Date) =>
    createTransparency({ secret: world.app.product.secret, publicUrl: world.url, realNow })
  const readDays = async () =>
    (await pool.query<{ day: string }>('select day::text from day_seal order by day')).rows.map(({ day }) => day)
  await transparency.append(pool)
  expect(await readDays()).toEqual(['2026-01-01', '2026-01-02'])
  for (let round = 0; round < 2; round += 1) await later(() => new Date(tomorrow.setUTCHours(0, 20))).append(pool)
  expect(await readDays()).toEqual(['2026-01-01', '2026-01-02', new Date().toISOString().slice(0, 10)])
})

test('balances are kept from the seal on that the next audit starts from', async () => {
  const sealAndReadDays = async (day: string) => {
    expect(await appendDaySeal(pool, { day, until: new Date() })).toBe(true)
    const { rows } = await pool.query<{ day: string }>('select distinct day::text from day_seal_account order by day')
    return rows.map((row) => row.day)
  }
  expect(await sealAndReadDays('2099-01-01')).toEqual(['2099-01-01'])
  expect(await sealAndReadDays('2099-01-02')).toEqual(['2099-01-01', '2099-01-02'])
  await pool.query(
    'insert into audit_run (id, finished_at, checks, broken, started_at) values ($1, now(), 90, 0, clock_timestamp())',
    [randomUUID()],
  )
  expect(await sealAndReadDays('2099-01-03')).toEqual(['2099-01-02', '2099-01-03'])
})
