// npm run bench [-- --seconds 4 --rounds 3 --quiet]
//
// Paired: each round measures pgbench and then the product within seconds of each other on the same server, and what
// counts is the ratio of the two. Medians of the rounds; fsync and synchronous_commit stay on.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { connect, migrate } from '../packages/server/src/db.ts'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '../packages/server/src/embedded-postgres.ts'
import { createMover, type MoveRequest } from '../packages/server/src/features/wallets/move.ts'
import { audit } from '../packages/server/src/audit.ts'
import { runOnce, withDatabase } from '../tools/test-database.ts'
import { measure, type Measured, median } from './load.ts'
import { type Stack, startStack } from './http.ts'
import { moveOneByOne, prepareOneByOne } from './one-by-one.ts'
import { findPgbench, preparePgbench, runPgbench } from './pgbench.ts'
import { crossSend, plainSend, settleTown } from './traffic.ts'

const callers = 64
const connectionsOneByOne = 32

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    /** The machine has nothing else to do: latency goals count too. */
    quiet: { type: 'boolean', default: false },
  },
})

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

interface Round {
  readonly pgbench: number
  readonly plain: Measured
  readonly cross: Measured
  readonly oneByOne: Measured
  readonly http: Measured
}

interface Prepared {
  readonly url: string
  readonly pgbenchUrl: string
  readonly stack: Stack
}

/** Fills the database, measures, proves afterwards that the books are sound, and gives the rounds. */
async function measureRounds(program: string, { url, pgbenchUrl, stack }: Prepared): Promise<Round[]> {
  const durationMs = Number(options.seconds) * 1000
  const pool = connect(url, connectionsOneByOne)
  const town = await settleTown(pool, url)
  await prepareOneByOne(pool)
  const mover = createMover({ databaseUrl: url })
  const move = async (request: MoveRequest): Promise<void> => {
    const outcome = await mover.move(request)
    if (outcome.status !== 'posted') throw new Error(`a movement of the benchmark was ${JSON.stringify(outcome)}`)
  }
  const rounds: Round[] = []
  try {
    for (let round = 1; round <= Number(options.rounds); round += 1) {
      const measured: Round = {
        pgbench: await runPgbench(program, pgbenchUrl, durationMs / 1000),
        plain: await measure(callers, durationMs, () => move(plainSend(town))),
        cross: await measure(callers, durationMs, () => move(crossSend(town))),
        oneByOne: await measure(callers, durationMs, () => moveOneByOne(pool, crossSend(town))),
        http: await stack.measure(callers, durationMs / 1000),
      }
      console.log(`round ${round}: ${describeRound(measured)}`)
      rounds.push(measured)
    }
    await noteFunding(pool)
    await requireSoundBooks(pool)
    return rounds
  } finally {
    await mover.close()
    await pool.end()
  }
}

/** Notes what everybody started with as captures, as if a provider had brought it. */
async function noteFunding(pool: pg.Pool): Promise<void> {
  await pool.query(`insert into settlement_line
    select 'bench', p.id::text, 'capture', -e.amount, a.currency, p.reference, p.id, p.created_at
      from ledger.entry e
      join ledger.account a on a.id = e.account_id and a.kind = 'card_settlement'
      join ledger.posting p on p.id = e.posting_id`)
}

async function requireSoundBooks(pool: pg.Pool): Promise<void> {
  const { checks } = await audit(pool)
  const broken = checks.filter(({ ok }) => !ok)
  if (broken.length > 0) throw new Error(`the books do not add up: ${JSON.stringify(broken)}`)
}

const perSecond = (value: number): string => Math.round(value).toLocaleString('en-US')

const describeRound = ({ pgbench, plain, cross, oneByOne, http }: Round): string =>
  `pgbench ${perSecond(pgbench)}/s, plain ${perSecond(plain.perSecond)}/s, cross-currency ${perSecond(cross.perSecond)}/s, ` +
  `one by one ${perSecond(oneByOne.perSecond)}/s, HTTP ${perSecond(http.perSecond)}/s`

interface Goal {
  readonly what: string
  readonly unit: '×' | 'ms'
  readonly value: number
  readonly must: number
  readonly stretch: number
  /** Whether missing it fails the run. */
  readonly counts: boolean
}

function goalsOf(rounds: readonly Round[]): Goal[] {
  const middle = (value: (round: Round) => number): number => median(rounds.map(value))
  const quiet = options.quiet
  return [
    {
      what: 'plain / pgbench',
      unit: '×',
      value: middle(({ plain, pgbench }) => plain.perSecond / pgbench),
      must: 2,
      stretch: 3,
      counts: true,
    },
    {
      what: 'cross-currency / pgbench',
      unit: '×',
      value: middle(({ cross, pgbench }) => cross.perSecond / pgbench),
      must: 1.3,
      stretch: 2,
      counts: true,
    },
    {
      what: 'cross-currency / one by one',
      unit: '×',
      value: middle(({ cross, oneByOne }) => cross.perSecond / oneByOne.perSecond),
      must: 10,
      stretch: 20,
      counts: true,
    },
    {
      what: 'HTTP sends / pgbench',
      unit: '×',
      value: middle(({ http, pgbench }) => http.perSecond / pgbench),
      must: 0.5,
      stretch: 1,
      counts: quiet,
    },
    { what: 'plain, p99', unit: 'ms', value: middle(({ plain }) => plain.p99Ms), must: 15, stretch: 8, counts: quiet },
    { what: 'cross, p99', unit: 'ms', value: middle(({ cross }) => cross.p99Ms), must: 15, stretch: 8, counts: quiet },
  ]
}

const isMet = ({ unit, value }: Goal, goal: number): boolean => (unit === 'ms' ? value <= goal : value >= goal)

function printResults(rounds: readonly Round[], goals: readonly Goal[]): void {
  const middle = (value: (round: Round) => number): number => median(rounds.map(value))
  const line = (name: string, of: (round: Round) => Measured) => {
    const p50 = middle((round) => of(round).p50Ms).toFixed(1)
    const p99 = middle((round) => of(round).p99Ms).toFixed(1)
    const speed = perSecond(middle((round) => of(round).perSecond))
    console.log(`${name.padEnd(34)}${speed.padStart(9)}/s   p50 ${p50.padStart(6)} ms   p99 ${p99.padStart(6)} ms`)
  }
  console.log(`\nmedians of ${rounds.length} rounds, ${callers} callers`)
  console.log(
    `${'pgbench, TPC-B-like, 16 clients'.padEnd(34)}${perSecond(middle(({ pgbench }) => pgbench)).padStart(9)}/s`,
  )
  line('plain sends', ({ plain }) => plain)
  line('cross-currency sends', ({ cross }) => cross)
  line('cross-currency, one by one', ({ oneByOne }) => oneByOne)
  line('HTTP sends, the whole stack', ({ http }) => http)
  console.log(`\n${'goal'.padEnd(34)}${'measured'.padStart(9)}  ${'must'.padStart(6)}  ${'stretch'.padStart(7)}`)
  for (const goal of goals) {
    const verdict = isMet(goal, goal.stretch)
      ? 'stretch met'
      : isMet(goal, goal.must)
        ? 'met'
        : goal.counts
          ? 'MISSED'
          : 'missed (counts on a quiet machine only: --quiet)'
    const value = `${goal.value.toFixed(goal.unit === 'ms' ? 1 : 2)} ${goal.unit}`
    const limits = `${String(goal.must).padStart(6)}  ${String(goal.stretch).padStart(7)}`
    console.log(`${goal.what.padEnd(34)}${value.padStart(9)}  ${limits}  ${verdict}`)
  }
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
  const stack = await startStack(server.url, databases.template)
  const rounds = await measureRounds(program, { url, pgbenchUrl, stack })
  await stack.close()
  const goals = goalsOf(rounds)
  printResults(rounds, goals)
  if (goals.some((goal) => goal.counts && !isMet(goal, goal.must))) process.exitCode = 1
} finally {
  for (const database of Object.values(databases)) {
    await runOnce(server.url, `drop database if exists ${database} with (force)`)
  }
  await server.remove()
}
