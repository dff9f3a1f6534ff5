// npm run bench [-- --seconds 3 --rounds 3 --quiet --only http,quotes --callers 64,256 --posters 1,4 --people 8
// --warm-up 2]
//
// Each point measures pgbench, then within seconds the product on the same server, and reports the ratio. Prints the
// medians of the rounds; fsync and synchronous_commit stay on.

import { randomBytes } from 'node:crypto'
import { migrate } from '../packages/server/src/commands/migrate/migrate.ts'
import { runOnce, withDatabase } from '@tern/testkit/database'
import { measureHttp } from './http/points.ts'
import { measureQuotes } from './http/quotes.ts'
import { type Stack, startStack } from './http/stack.ts'
import { measureStorage, printStorage } from './http/storage.ts'
import { findPgbench, preparePgbench, runPgbench } from './movements/pgbench.ts'
import { type Movements, startMovements } from './movements/rounds.ts'
import { measureOperations } from './operations/operations.ts'
import { printOperations } from './operations/report.ts'
import { options } from './options.ts'
import { listGoals, isMissedGoal, printGoals } from './reports/goals.ts'
import type { BenchRound } from './reports/rounds.ts'
import { printRounds } from './reports/tables.ts'
import { findServer } from './server.ts'

const quoteCallers = 64

interface PreparedParts {
  readonly program: string
  readonly url: string
  readonly pgbenchUrl: string
  readonly template: string
}

/** Starts the services of the chosen parts, measures the rounds, and verifies the books. */
async function measureRounds(preparedParts: PreparedParts): Promise<BenchRound[]> {
  const movements = options.only.has('movements') ? await startMovements(preparedParts.url) : undefined
  const needsStack = ['http', 'quotes', 'operations', 'sizes'].some((part) => options.only.has(part))
  const sizes = options.only.has('http') || options.only.has('sizes') ? options.people : options.people.slice(0, 1)
  const stack = needsStack ? await startStack(server.url, preparedParts.template, sizes) : undefined
  const rounds: BenchRound[] = []
  for (let round = 1; round <= options.rounds; round += 1) {
    console.log(`round ${round}`)
    rounds.push(await measureRound(preparedParts, { movements, stack }))
  }
  if (stack && options.only.has('operations')) printOperations(await measureOperations(stack))
  if (stack && options.only.has('sizes')) printStorage(await measureStorage(stack))
  await movements?.close()
  await stack?.close()
  return rounds
}

interface Parts {
  readonly movements: Movements | undefined
  readonly stack: Stack | undefined
}

async function measureRound(preparedParts: PreparedParts, { movements, stack }: Parts): Promise<BenchRound> {
  const { seconds, callers } = options
  const reference = { ...preparedParts, seconds }
  const movementRound = await movements?.measure(reference)
  const http: BenchRound['http'][number][] = []
  const quotes: BenchRound['quotes'][number][] = []
  if (stack && options.only.has('http')) {
    for (const people of options.people) {
      for (const count of callers.http) {
        http.push(await measureHttp(stack, reference, { callers: count, people }))
        console.log(`HTTP: ${count} callers, ${people} people`)
      }
    }
  }
  if (stack && options.only.has('quotes')) {
    const pgbench = await runPgbench(preparedParts.program, preparedParts.pgbenchUrl, { clients: 16, seconds })
    quotes.push({ callers: quoteCallers, pgbench, measured: await measureQuotes(stack, quoteCallers, seconds) })
  }
  return {
    points: movementRound?.points ?? [],
    ...(movementRound ? { oneByOne: movementRound.oneByOne } : {}),
    http,
    quotes,
  }
}

const program = findPgbench()
const server = await findServer()
const name = `tern_bench_${randomBytes(4).toString('hex')}`
const databases = { core: name, pgbench: `${name}_pgbench`, template: `${name}_template` }
try {
  console.log('preparing …')
  for (const database of Object.values(databases)) await runOnce(server.url, `create database ${database}`)
  const url = withDatabase(server.url, databases.core)
  const pgbenchUrl = withDatabase(server.url, databases.pgbench)
  await migrate(url)
  await migrate(withDatabase(server.url, databases.template))
  await preparePgbench(program, pgbenchUrl)
  const rounds = await measureRounds({ program, url, pgbenchUrl, template: databases.template })
  const [build] = await runOnce(server.url, 'select version()')
  console.log(`\n${String(build?.version)}`)
  printRounds(rounds)
  const goals = listGoals({ rounds, isMachineQuiet: options.quiet })
  printGoals(goals)
  if (goals.some(isMissedGoal)) process.exitCode = 1
} finally {
  for (const database of Object.values(databases)) {
    await runOnce(server.url, `drop database if exists ${database} with (force)`)
  }
  await server.remove()
}
