import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { type Bank, findUnsound, openBank } from '../test/bank.ts'

let database: TestDatabase
let bank: Bank

beforeAll(async () => {
  database = await createTestDatabase()
  bank = await openBank(database.pool)
})
afterAll(() => database.drop())

const program = fileURLToPath(new URL('../test/post-until-killed.ts', import.meta.url))

/** Kills a posting process with SIGKILL while it posts; returns the ids it acknowledged. */
async function postUntilKilled(from: bigint, to: bigint, acknowledgements: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, database.url, String(from), String(to), String(bank.fee)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => {
    output += text
    if (output.length > acknowledgements * 37) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
  await waitForLastBatch()
  return output.split('\n').slice(0, -1)
}

/** Waits for the server, which finishes its batch before it notices that the client is gone. */
async function waitForLastBatch(): Promise<void> {
  for (;;) {
    const { rowCount } = await database.pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'tern poster'`,
    )
    if (rowCount === 0) return
    await delay(20)
  }
}

test('a process killed during its batches has posted every acknowledged movement once, and none partially', async () => {
  const [from, to] = [await bank.wallet(1_000_000n), await bank.wallet()]
  const acknowledgedIds: string[] = []
  for (const count of [40, 300, 700]) acknowledgedIds.push(...(await postUntilKilled(from, to, count)))
  expect(acknowledgedIds.length).toBeGreaterThan(1_000)
  expect(new Set(acknowledgedIds).size).toBe(acknowledgedIds.length)

  const { rows } = await database.pool.query(
    `select posting_id as id, count(*)::int as entries from ledger.entry e
      where exists (select from ledger.posting p where p.id = e.posting_id and p.kind = 'test')
        and exists (select from ledger.entry s where s.posting_id = e.posting_id and s.account_id = $1 and s.amount = -2)
      group by posting_id`,
    [from],
  )
  const entriesById = new Map(rows.map((row) => [row.id, row.entries]))
  expect(acknowledgedIds.filter((id) => entriesById.get(id) !== 4)).toEqual([])
  // Each of the three kills leaves at most the 32 movements in flight posted but not acknowledged.
  expect(entriesById.size - acknowledgedIds.length).toBeLessThanOrEqual(3 * 32)
  expect(await bank.balance(to)).toBe(2n * BigInt(entriesById.size))
  expect(await bank.balance(from)).toBe(1_000_000n - 3n * BigInt(entriesById.size))
  expect(await findUnsound(database.pool)).toEqual([])
})
