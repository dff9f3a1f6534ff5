// npm run bench [-- --seconds 3 --rounds 3 --quiet --callers 64,256 --posters 1,4]
//
// Paired: each point measures pgbench and then the product within seconds on the same server, and reports the ratio.
// Medians of the rounds; fsync and synchronous_commit stay on.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { audit } from '../packages/server/src/commands/audit/audit.ts'
import { connect } from '../packages/server/src/platform/database/db.ts'
import {
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../packages/server/src/platform/database/embedded-postgres.ts'
import { migrate } from '../packages/server/src/commands/migrate/migrate.ts'
import { runOnce, withDatabase } from '../tools/testing/test-database.ts'
import { measurePoint } from './curve.ts'
import { startStack } from './http.ts'
import { measure } from './load.ts'
import { moveOneByOne, prepareOneByOne } from './one-by-one.ts'
import { findPgbench, preparePgbench, runPgbench } from './pgbench.ts'
import { goalsOf, isMissed, printCurve, printGoals, type Round } from './report.ts'
import { crossSend, createTown } from './traffic.ts'

const connectionsOneByOne = 32
const httpCallers = 64

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '1' },
    callers: { type: 'string', default: '1,16,64,256,1024' },
    posters: { type: 'string', default: '1,2,4' },
    /** The machine is otherwise idle: check latency goals too. */
    quiet: { type: 'boolean', default: false },
  },
})

const numbers = (text: string): number[] => text.split(',').map(Number)

interface Server {
  readonly url: string
  remove(): Promise<void>
}

async function findServer(): Promise<Server> {
  const outside = process.env.DATABASE_URL
  if (outside !== undefined) return { url: outside, remove: async () => {} }
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-bench-'))
  fs.chmodSync(dataDir, 0o755)
  const { url } = await startEmbeddedPostgres({ dataDir })
  return {
    url,
    async remove() {
      await removeEmbeddedPostgres(dataDir)
      fs.rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

interface Prepared {
  readonly program: string
  readonly url: string
  readonly pgbenchUrl: string
  readonly template: string
}

async function measureRounds({ program, url, pgbenchUrl, template }: Prepared): Promise<Round[]> {
  const seconds = Number(options.seconds)
  const pool = connect(url, connectionsOneByOne)
  const town = await createTown(pool, url)
  await prepareOneByOne(pool)
  const stack = await startStack(server.url, template)
  const curve = { databaseUrl: url, town, program, pgbenchUrl, seconds }
  const rounds: Round[] = []
  try {
    for (let round = 1; round <= Number(options.rounds); round += 1) {
      const points: Round['points'][number][] = []
      for (const posters of numbers(options.posters)) {
        for (const callers of numbers(options.callers)) {
          points.push(await measurePoint(curve, { callers, posters }))
          console.log(`round ${round}: ${callers} callers, ${posters} posters`)
        }
      }
      const pgbench = await runPgbench(program, pgbenchUrl, { clients: 16, seconds })
      const oneByOne = await measure(httpCallers, seconds * 1000, () => moveOneByOne(pool, crossSend(town)))
      const http = await stack.measure(httpCallers, seconds)
      const quotes = await stack.measureQuotes(httpCallers, seconds)
      rounds.push({ points, oneByOne, http, quotes, pgbench })
    }
    await noteFunding(pool)
    await requireSoundBooks(pool)
    return rounds
  } finally {
    await stack.close()
    await pool.end()
  }
}

/** Records initial funds as captures, as if from a provider, and wallets never opened. */
async function noteFunding(pool: pg.Pool): Promise<void> {
  await pool.query(`insert into wallet (id, user_id, name, base_currency, created_at)
    select wallet_id, user_id, 'Bench', min(target_currency), min(created_at) from transaction where kind = 'DEPOSIT' group by 1, 2
    on conflict do nothing`)
  await pool.query(`insert into payment (id, user_id, purpose, method, status, amount_minor, currency, provider, capture_id,
      idempotency_key, request_hash, transaction_id, created_at, updated_at, last_polled_at)
    select payment_id, user_id, 'deposit', 'card', 'completed', source_amount, source_currency, 'bench', posting_id::text,
        gen_random_uuid(), '', id, created_at, created_at, created_at
      from transaction where kind = 'DEPOSIT'`)
  await pool.query(`insert into settlement_line (provider, id, kind, amount_minor, currency, reference, posting_id, occurred_at)
    select 'bench', posting_id::text, 'capture', source_amount, source_currency, payment_id, posting_id, created_at
      from transaction where kind = 'DEPOSIT'`)
}

async function requireSoundBooks(pool: pg.Pool): Promise<void> {
  const { checks } = await audit(pool)
  const broken = checks.filter(({ ok }) => !ok)
  if (broken.length > 0) throw new Error(`the books do not add up: ${JSON.stringify(broken)}`)
}

const program = findPgbench()
const server = await findServer()
const name = `tern_bench_${randomBytes(4).toString('hex')}`
const databases = { core: name, pgbench: `${name}_pgbench`, template: `${name}_template` }
try {
  console.log('preparing …')
  for (const database of Object.values(databases)) await runOnce(server.url, `create database ${database}`)
  const [url, pgbenchUrl] = [withDatabase(server.url, databases.core), withDatabase(server.url, databases.pgbench)]
  await migrate(url)
  await migrate(withDatabase(server.url, databases.template))
  await preparePgbench(program, pgbenchUrl)
  const rounds = await measureRounds({ program, url, pgbenchUrl, template: databases.template })
  const [build] = await runOnce(server.url, 'select version()')
  console.log(`\n${String(build?.version)}`)
  printCurve(rounds)
  const goals = goalsOf(rounds, options.quiet)
  printGoals(goals)
  if (goals.some(isMissed)) process.exitCode = 1
} finally {
  for (const database of Object.values(databases)) {
    await runOnce(server.url, `drop database if exists ${database} with (force)`)
  }
  await server.remove()
}
