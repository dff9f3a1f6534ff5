import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTestDatabase } from '@tern/testkit/database'
import { isFullRun } from '@tern/testkit/length'
import { hasPython, packVerifierPath } from '@tern/testkit/python-verifier'
import { temporaryFolder } from '@tern/testkit/temporary-folder'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('../runner/tern.ts', import.meta.url))
const holders = isFullRun ? 100_000 : 3000
const run = promisify(execFile)

test(`a pack of ${String(holders)} holders is written in little memory, and adds up`, async () => {
  const database = await createTestDatabase()
  const folder = path.join(temporaryFolder(), `pack-${randomUUID()}`)
  try {
    await database.pool.query(`
      set session_replication_role = replica;
      insert into app_user (id, email, username, name, created_at)
        select 2000000000 + n, n || '@tern.example', 'holder' || n, 'Holder ' || n, now() from generate_series(1, ${holders}) n;
      insert into wallet (id, user_id, name, base_currency, created_at)
        select md5(n::text)::uuid, 2000000000 + n, 'Wallet', 'EUR', now() from generate_series(1, ${holders}) n;
      insert into ledger.account (name, kind, currency, floor, balance, version)
        select 'wallet:' || md5(n::text)::uuid || ':EUR', 'wallet', 'EUR', 0, n, 1 from generate_series(1, ${holders}) n;
      reset session_replication_role;
      analyze`)
    const memory = ['--max-old-space-size=64', '--max-semi-space-size=4']
    const { stdout } = await run(process.execPath, [...memory, program, 'resolution-pack', '--out', folder], {
      env: { ...process.env, DATABASE_URL: database.url, DATA_DIR: '/nowhere' },
    })
    // The balances are 1, 2, 3 … cents.
    const cents = (BigInt(holders) * BigInt(holders + 1)) / 2n
    expect(stdout.replaceAll(',', '')).toContain(`owed: ${cents / 100n}.`)
    if (hasPython) expect((await run('python3', [packVerifierPath, folder])).stdout).toContain('The pack adds up.')
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
    await database.drop()
  }
})
