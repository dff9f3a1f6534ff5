import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { addRounds, countSends, createPayers, fillLog } from '@tern/testkit/books/large-books'
import { isFullRun } from '@tern/testkit/length'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { expect, test, vi } from 'vitest'
import { appendDaySeal } from '../../../features/transparency/day-seals/append-day-seal.ts'
import { createTransparency } from '../../../features/transparency/transparency.ts'
import { connect } from '../../../platform/database/db.ts'
import { audit, auditSinceSeal } from '../audit.ts'

const database = await openTestDatabase()
const { pool } = database

const old = isFullRun ? { people: 12_500, rounds: 200 } : { people: 100, rounds: 10 }
const fresh = { ...old, rounds: 2 }
const day = '2026-01-01'
const mb = 1024 * 1024

const transparency = createTransparency({
  secret: [Buffer.alloc(32, 7)],
  publicUrl: 'https://tern.example',
})

/** Appends until the log contains every committed posting. Older transactions of other tests may delay it. */
const catchUp = () =>
  vi.waitFor(
    async () => {
      await transparency.append(pool)
      const { rows } = await pool.query<{ is_whole: boolean }>(
        `select position::text::bigint > (select max(xid) from ledger.posting) as is_whole from transparency_position`,
      )
      expect(rows[0]?.is_whole).toBe(true)
    },
    { timeout: 300_000, interval: 100 },
  )

/** Runs `work` on a connection; returns its seconds and the peak of the backend's own memory, in bytes. */
async function measure<T>(work: (auditPool: typeof pool) => Promise<T>) {
  const auditPool = connect(database.url, 1)
  const { rows } = await auditPool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const start = performance.now()
  const running = work(auditPool)
  let isOver = false
  const watch = async () => {
    let peak = 0
    while (!isOver) {
      peak = Math.max(peak, await readMemory(rows[0]?.pid ?? 0))
      await sleep(50)
    }
    return peak
  }
  const watching = watch()
  const result = await running
  const seconds = (performance.now() - start) / 1000
  isOver = true
  await auditPool.end()
  return { result, seconds, memory: await watching }
}

/** Memory of a process that it shares with no other; 0 where the system does not tell. */
async function readMemory(pid: number): Promise<number> {
  const status = await fs.readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024 // not money: bytes
}

test('the audit since a seal reads a day of large books in a minute, with flat memory', async () => {
  await createPayers(pool, old)
  await addRounds(pool, { ...old, before: 0, from: `now() - interval '200 days'` })
  await transparency.ensureKey(pool)
  if (isFullRun) await fillLog(pool)
  await pool.query('vacuum analyze')
  await catchUp()
  expect(await appendDaySeal(pool, { day, until: new Date() })).toBe(true)
  await pool.query(
    'insert into audit_run (id, finished_at, checks, broken, started_at) values ($1, now(), 90, 0, now())',
    [randomUUID()],
  )
  await addRounds(pool, { ...fresh, before: old.rounds, from: `now() - interval '1 millisecond'` })
  await catchUp()
  const { result, seconds, memory } = await measure((auditPool) => auditSinceSeal(auditPool))
  expect(result?.checks.filter(({ ok }) => !ok)).toEqual([])
  const entries = result?.checks.find(({ name }) => name === 'entries carry the time of their posting')
  expect(entries?.detail).toBe(`${4 * countSends(fresh)} checked`)
  expect(memory).toBeLessThan(256 * mb)
  // The log of the large books was not made by the product.
  if (isFullRun) expect(seconds).toBeLessThan(60)
  else expect((await audit(pool)).checks.filter(({ ok }) => !ok)).toEqual([])
}, 3_600_000)
