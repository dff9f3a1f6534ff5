// node tools/run.mjs simulation/long [--slice n/m] [--kills 1000] [--failovers 20] [--from COMMIT] [--seed …] [--only kills]
//
// Runs at full length the tests that `npm test` shortens (crash, login flood, conversions, orders, races, texts,
// browsers, cells, simulation), all integration tests on the machine's own PostgreSQL, rolling restarts behind nginx,
// an upgrade from version 0.1.0, failovers of a replicated database, a restored backup, and hundreds of kills. Slices can run on different machines:
// each runs its share of the kills, the last one the simulation, and the first one everything else.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Part, parts, shortenedFiles } from './parts.ts'
import { findMissingPackages } from '../failover/cluster.ts'
import { describeReport } from '../failover/report.ts'
import { runFailover } from '../failover/run.ts'
import { runImage } from './image.ts'
import { runBackup } from './backup/backup.ts'
import { runRolling } from './rolling.ts'
import { releasedCommit } from './upgrade/program.ts'
import { describeUpgrade, runUpgrade } from './upgrade/upgrade.ts'
import { type LongRunReport, runLong } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface LongRunArguments {
  readonly seed: string
  readonly kills: number
  readonly failovers: number
  /** Commit of the version to upgrade from. */
  readonly from: string
  readonly slice: number
  readonly slices: number
  readonly selectedParts: readonly Part[]
}

function fail(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}

function readArguments(): LongRunArguments {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: 'tundra' },
      kills: { type: 'string', default: '1000' },
      failovers: { type: 'string', default: '20' },
      from: { type: 'string', default: releasedCommit },
      slice: { type: 'string', default: '1/1' },
      only: { type: 'string' },
    },
  })
  const [slice = 0, slices = 0] = (/^(\d+)\/(\d+)$/.exec(values.slice) ?? []).slice(1).map(Number)
  if (slice < 1 || slice > slices) fail('--slice must be such as 2/5: the second of five.')
  const kills = Number(values.kills)
  if (!Number.isSafeInteger(kills) || kills < slices)
    fail('--kills must be a whole number, at least one for each slice.')
  const failovers = Number(values.failovers)
  if (!Number.isSafeInteger(failovers) || failovers < 1) fail('--failovers must be a whole number above zero.')
  const selectedParts = values.only
    ?.split(',')
    .map((name) => parts.find((part) => part === name) ?? fail(`--only takes ${parts.join(', ')}.`))
  const all: Part[] = [
    ...(slice === 1
      ? ([
          'crash',
          'flood',
          'conversions',
          'orders',
          'races',
          'statements',
          'audit',
          'texts',
          'browsers',
          'postgres',
          'rolling',
          'upgrade',
          'failover',
          'image',
          'cells',
          'backup',
        ] as const)
      : []),
    ...(slice === slices ? ['simulation' as const] : []),
    'kills',
  ]
  return { seed: values.seed, kills, failovers, from: values.from, slice, slices, selectedParts: selectedParts ?? all }
}

/** Runs tests of a Vitest project at full length; returns whether they passed. */
const runProject = async (project: string, ...files: string[]): Promise<boolean> =>
  (await run(vitest(project, ...files))) === 0

const vitest = (project: string, ...files: string[]): string[] => ['vitest', 'run', '--project', project, ...files]
const notInstalledCode = 69

/** Runs the integration tests on the machine's own PostgreSQL, if installed. */
async function runOnOtherPostgres(): Promise<boolean> {
  const code = await run([path.join(root, '.ci', 'with-postgres'), ...vitest('integration')])
  return code === 0 || code === notInstalledCode
}

const buildPages = async (): Promise<boolean> => (await run([process.execPath, 'tools/product/web-build.ts'])) === 0

/** Runs the journeys of unusual browsers and texts at full length. */
const checkBrowsers = async (): Promise<boolean> =>
  (await run(['playwright', 'test', 'browsers/(browsers|naughty)'])) === 0

async function runRollingRestarts(): Promise<boolean> {
  const { requests, restarts, faults } = await runRolling(console.log)
  for (const fault of faults) console.error(`FAULT ${fault}`)
  console.log(`Rolling restart: ${restarts} restarts, ${requests} requests, ${faults.length} faults.`)
  return faults.length === 0
}

async function checkUpgrade(from: string): Promise<boolean> {
  const report = await runUpgrade(from, console.log)
  console.log(`\nMovements, and what people were told first:\n${formatCounts(report.movementsByKind)}`)
  console.log(`Refusals, over all attempts:\n${formatCounts(report.refusals)}`)
  console.log(`Errors in the logs:\n${formatCounts(report.logged)}`)
  for (const line of describeUpgrade(report)) console.log(line)
  return report.faults.length === 0
}

async function runFailovers(count: number): Promise<boolean> {
  const missing = findMissingPackages()
  if (missing.length > 0) {
    console.error(`FAULT not installed: apt-get install ${missing.join(' ')}`)
    return false
  }
  const report = await runFailover(count, console.log)
  console.log(`\nMovements, and what people were told first:\n${formatCounts(report.movementsByKind)}`)
  console.log(`Errors in the logs:\n${formatCounts(report.logged)}`)
  for (const line of describeReport(report)) console.log(line)
  return report.faults.length === 0
}

async function checkImage(): Promise<boolean> {
  const faults = await runImage(console.log)
  for (const fault of faults) console.error(`FAULT ${fault}`)
  return faults.length === 0
}

async function checkBackup(): Promise<boolean> {
  const { before, after, secondsToRecover, faults } = await runBackup(console.log)
  for (const fault of faults) console.error(`FAULT ${fault}`)
  console.log(
    `Backup: ${before} sends before the restored second, ${after} after it; back on the backup after ${secondsToRecover} s, ${faults.length} faults.`,
  )
  return faults.length === 0
}

async function run([program = '', ...parameters]: readonly string[]): Promise<number | null> {
  const child = spawn(program, parameters, {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      TEST_LENGTH: 'whole',
      PATH: `${path.join(root, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`,
    },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

const formatCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `  ${String(count).padStart(6)}  ${name}`)
    .join('\n')

function print(report: LongRunReport): void {
  const { kills, movements, orders, answers, outcomes, killSeconds, seconds, unexpectedExits, logged, faults } = report
  const sum = Object.values(kills).reduce((total, count) => total + count, 0)
  const perMinute = ((sum * 60) / killSeconds).toFixed(1)
  console.log(
    `\nKills (${sum} in ${killSeconds} s, ${perMinute} a minute; ${seconds} s in all):\n${formatCounts(kills)}`,
  )
  console.log(`Movements, and what people were told first:\n${formatCounts(movements)}`)
  console.log(`Orders:\n${formatCounts(orders)}`)
  console.log(`Answers to orders, over both apps and all attempts:\n${formatCounts(answers)}`)
  console.log(`What became of payments and withdrawals:\n${formatCounts(outcomes)}`)
  console.log(`Processes that ended by themselves and were started again: ${unexpectedExits}`)
  console.log(`Errors in the logs:\n${formatCounts(logged)}`)
  console.log(
    'Checked: orders lost, doubled, refused and moved, quotes used twice, terms, balances, usage of limits, what is held or undecided,',
  )
  console.log('         the audit, the provider’s books, open cases, deadlocks, every process up.')
  for (const fault of faults) console.error(`\nFAULT ${fault}`)
  console.log(faults.length === 0 ? '\nNo fault.' : `\n${faults.length} faults.`)
}

async function main(): Promise<void> {
  const { seed, kills, failovers, from, slice, slices, selectedParts } = readArguments()
  let hasPassed = true
  if (selectedParts.includes('crash')) hasPassed = await runProject('product', 'tools/crash.test.ts')
  if (selectedParts.includes('flood'))
    hasPassed = (await runProject('product', 'tools/login-flood.test.ts')) && hasPassed
  for (const part of ['conversions', 'orders', 'races', 'statements', 'audit', 'texts'] as const) {
    if (selectedParts.includes(part))
      hasPassed = (await runProject('integration', ...shortenedFiles[part])) && hasPassed
  }
  const usesPages = (['browsers', 'postgres', 'rolling', 'upgrade', 'backup'] as const).some((part) =>
    selectedParts.includes(part),
  )
  if (usesPages && !(await buildPages())) fail('The pages could not be built.')
  if (selectedParts.includes('browsers')) hasPassed = (await checkBrowsers()) && hasPassed
  if (selectedParts.includes('postgres')) hasPassed = (await runOnOtherPostgres()) && hasPassed
  if (selectedParts.includes('rolling')) hasPassed = (await runRollingRestarts()) && hasPassed
  if (selectedParts.includes('upgrade')) hasPassed = (await checkUpgrade(from)) && hasPassed
  if (selectedParts.includes('failover')) hasPassed = (await runFailovers(failovers)) && hasPassed
  if (selectedParts.includes('image')) hasPassed = (await checkImage()) && hasPassed
  if (selectedParts.includes('cells')) hasPassed = (await runProject('unit', 'simulation/long/cells')) && hasPassed
  if (selectedParts.includes('backup')) hasPassed = (await checkBackup()) && hasPassed
  if (selectedParts.includes('simulation'))
    hasPassed = (await runProject('product', 'simulation/faults.test.ts')) && hasPassed
  if (selectedParts.includes('kills')) {
    console.log(
      `\nSlice ${slice} of ${slices}: --seed ${seed} --kills ${kills} plans the same orders and the same kills.`,
    )
    const report = await runLong({ seed, kills, slice, slices, signal: abortController.signal, print: console.log })
    print(report)
    hasPassed = report.faults.length === 0 && hasPassed
  }
  process.exitCode = hasPassed ? 0 : 1
}

const abortController = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.on(signal, () => abortController.abort())
process.channel?.unref()
// Exits explicitly, since calls to a stopped product would keep the process alive.
await main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
process.exit()
