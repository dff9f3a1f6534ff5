import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { isFullRun } from '@tern/testkit/length'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { beforeAll, expect, test } from 'vitest'
import { readCatalogues } from '../../platform/messages.ts'
import { readStatementPaper } from './files/paper-file.ts'
import { type FileSource, streamFile } from './files/statement-file.ts'
import { resolvePeriod } from './period.ts'
import { readMovements } from './read-movements.ts'

const database = await openTestDatabase()
// Allows direct inserts, since the posting function writes no entries in the past.
await database.pool.query(
  ['entry', 'account', 'posting'].map((table) => `alter table ledger.${table} disable trigger user`).join('; '),
)

const count = isFullRun ? 200_000 : 20_000
const start = new Date('2026-01-01T00:00:00Z')
const stepMs = 60_000
const wallet = { id: randomUUID(), userId: 1n }
const mb = 1024 * 1024
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Inserts entries of an account: one posting per entry, one minute apart. */
async function insertEntries(account: bigint, entries: number): Promise<void> {
  await database.pool.query(
    `with made as (
       select n, gen_random_uuid() as id, $2::timestamptz + make_interval(secs => n * $4::float8 / 1000) as at
         from generate_series(1, $3::int) as n
     ), posted as (
       insert into ledger.posting (id, request_hash, kind, reference, created_at)
         select id, '', 'transfer', gen_random_uuid(), at from made
     )
     insert into ledger.entry (account_id, version, posting_id, leg, amount, balance, created_at)
       select $1, n, id, 0, case when n % 2 = 1 then 300 else -100 end, (n + 1) / 2 * 300 - n / 2 * 100, at from made`,
    [account, start, entries, stepMs],
  )
}

async function openAccount({ name, kind, currency }: ReturnType<typeof walletAccount>, version: number) {
  const { rows } = await database.pool.query<{ id: bigint }>(
    `insert into ledger.account (name, kind, currency, floor, balance, version) values ($1, $2, $3, 0, $4, $5) returning id`,
    [name, kind, currency, version * 100 + (version % 2) * 200, version],
  )
  return rows[0]?.id ?? 0n
}

beforeAll(async () => {
  await insertEntries(await openAccount(walletAccount(wallet.id, 'USD'), count), count)
  await insertEntries(await openAccount(holdAccount(wallet.id, 'USD'), 50), 50)
})

const period = resolvePeriod({ from: '2026-01-01', to: '2027-12-31' }, new Date('2030-01-01T00:00:00Z'))

async function createSource(): Promise<FileSource> {
  const messages = (await readCatalogues()).get('en')
  if (!messages) throw new Error('there is no English catalogue')
  const issuer = { name: null, registration: null, license: null, contact: null }
  return { db: database.pool, wallet, currency: 'USD', period, issuer, messages }
}

test('a long history is read in order, with memory that does not depend on its length', async () => {
  let last = 0n
  let read = 0
  let highest = 0
  let lowest = 0
  for await (const { changes } of readMovements(database.pool, {
    wallet,
    from: period.startsAt,
    until: period.endsAt,
  })) {
    const change = changes.find(({ part }) => part === 'available')
    if (!change) continue
    if (change.version !== last + 1n) throw new Error(`entry ${change.version} follows entry ${last}`)
    last = change.version
    read += 1
    if (read % 2000 !== 0) continue
    collectGarbage()
    const { heapUsed } = process.memoryUsage()
    if (read === 4000) lowest = heapUsed
    if (read > 4000) highest = Math.max(highest, heapUsed)
  }
  expect(read).toBe(count)
  // All movements together would take over 500 bytes each.
  expect(highest - lowest).toBeLessThan(8 * mb)
})

test('a file that is read slowly is written only as fast, and has every line', async () => {
  const stream = streamFile('csv', await createSource())
  let lines = 0
  let tail = ''
  let ahead = 0
  for await (const piece of stream) {
    const text = tail + String(piece)
    const parts = text.split('\r\n')
    tail = parts.pop() ?? ''
    lines += parts.length
    ahead = Math.max(ahead, stream.readableLength)
    if (lines < 2000) await sleep(5)
  }
  expect(lines).toBe(count + 1)
  expect(ahead).toBeLessThan(mb)
})

test('a statement with more lines than a PDF may have is refused', async () => {
  await expect(readStatementPaper(await createSource())).rejects.toMatchObject({ code: 'statement_too_long' })
})
