// `npm test`: runs every check of the project, stage by stage. A failing step does not stop the others.
//   npm test -- --only types,lint          runs only these steps
//   npm test -- --only integration ledger  of these tests, runs only files whose path contains `ledger`

import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isAlive } from './product/data-folder.ts'
import { type TestOutcome, readPlaywright, readVitest } from '@tern/testkit/reports'
import { listDescendants, killAll } from '@tern/testkit/processes/process-tree'

interface Step {
  name: string
  /** Shell command, with npm's program folder on its path. */
  command: string
  /** Reads the report of a step that runs tests; other steps are silent unless they fail. */
  read?: (report: never) => TestOutcome
}

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = path.join(root, '.cache')
const logs = path.join(cache, 'test-logs')
const runLogs = path.join(logs, String(process.pid))

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } })
const filter = positionals.map((text) => ` '${text.replaceAll("'", '')}'`).join('')

const vitest = (project: string): Step => ({
  name: project,
  command: `vitest run --project ${project}${filter} --reporter=default --reporter=json --outputFile.json=${reportPath(project)}`,
  read: readVitest,
})

/** Lanes run in parallel, the steps of a lane in sequence. */
type Stage = Step[][]

const stages: Stage[] = [
  [
    [{ name: 'web', command: 'node tools/product/web-build.ts && node tools/rules/byte-budgets.ts' }],
    [
      { name: 'types', command: 'tsc --noEmit -p tsconfig.json && tsc --noEmit -p packages/web/tsconfig.json' },
      { name: 'lint', command: 'oxlint --type-aware --deny-warnings' },
      { name: 'format', command: 'oxfmt --check' },
      vitest('rules'),
    ],
  ],
  // Runs after web, since some tests read the built pages. Unit and product tests mostly wait, so they run beside the
  // integration tests; they run one after the other, since product tests measure response times.
  [[vitest('integration')], [vitest('unit'), vitest('product')]],
  [
    [
      {
        name: 'journeys',
        command: `playwright test${filter} --reporter=list,json`,
        read: readPlaywright,
      },
    ],
  ],
  // `start` runs alone, since it measures startup time. `secrets` runs last, since it searches the logs of all steps.
  [[vitest('start'), { name: 'secrets', command: 'node tools/rules/log-secrets.ts' }]],
]

function reportPath(name: string): string {
  return path.join(cache, `report-${name}.json`)
}

function chooseStages(): Stage[] {
  if (values.only === undefined) return stages
  const wanted = values.only.split(',')
  const known = stages.flat(2).map(({ name }) => name)
  for (const name of wanted.filter((name) => !known.includes(name))) {
    console.error(`There is no step "${name}". The steps: ${known.join(', ')}.`)
    process.exit(1)
  }
  const selectedStages = stages.map((stage) => stage.map((lane) => lane.filter(({ name }) => wanted.includes(name))))
  return selectedStages.map((stage) => stage.filter((lane) => lane.length > 0))
}

const killDelayMs = 1500
const runningChildren = new Set<ChildProcess>()
let isStopping = false

/** Descendant processes at the time of stopping. */
let descendants: readonly number[] = []

/** Interrupts the running steps; kills remaining processes after `killDelayMs`. */
function stop(): void {
  isStopping = true
  descendants = listDescendants(process.pid)
  for (const { pid } of runningChildren) if (pid !== undefined) process.kill(-pid, 'SIGINT')
  setTimeout(() => killAll(descendants), killDelayMs).unref()
}

/** Runs one step and forwards its output; returns its exit code. */
function runStep(step: Step, onOutput: (chunk: Buffer) => void): Promise<number> {
  const child = spawn(step.command, {
    shell: true,
    cwd: root,
    // Own process group, so that one signal ends the whole step.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      PATH: `${path.join(root, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`,
      PLAYWRIGHT_JSON_OUTPUT_NAME: reportPath(step.name),
      // Otherwise every worker of Vitest and Playwright would compile the same modules again.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(cache, 'node'),
      TERN_TEST_LOGS: runLogs,
    },
  })
  runningChildren.add(child)
  child.once('exit', () => runningChildren.delete(child))
  for (const stream of [child.stdout, child.stderr]) stream.on('data', onOutput)
  return new Promise((resolve) => {
    child.once('close', (code) => resolve(code ?? 1))
  })
}

function readOutcome(step: Step): TestOutcome {
  if (step.read === undefined || !fs.existsSync(reportPath(step.name))) return { passedCount: 0, failures: [] }
  return step.read(JSON.parse(fs.readFileSync(reportPath(step.name), 'utf8')) as never)
}

/** Deletes the logs of earlier runs that have ended. */
function removeOldLogs(): void {
  fs.mkdirSync(runLogs, { recursive: true })
  for (const run of fs.readdirSync(logs)) {
    if (run === String(process.pid) || isAlive(Number(run))) continue
    fs.rmSync(path.join(logs, run), { recursive: true, force: true })
  }
}

/** Output lines shown for a step that failed without a failed test, for example by an unhandled error. */
const maxLastLines = 30

let passedCount = 0
const failures: string[] = []

/** Runs the steps of a lane in sequence. Tests of the first lane print their output live, others when they end. */
async function runLane(lane: Step[], isFirst: boolean): Promise<void> {
  for (const step of lane) {
    if (isStopping) return
    await runAndReport(step, isFirst && step.read !== undefined)
  }
}

async function runAndReport(step: Step, isLive: boolean): Promise<void> {
  fs.rmSync(reportPath(step.name), { force: true })
  console.log(`── ${step.name}: begins`)
  const startedAt = performance.now()
  const outputChunks: Buffer[] = []
  const code = await runStep(step, (chunk) => {
    outputChunks.push(chunk)
    if (isLive) process.stdout.write(chunk)
  })
  if (isStopping) return
  const output = Buffer.concat(outputChunks)
  if (!isLive && (code !== 0 || step.read)) process.stdout.write(output)
  const outcome = readOutcome(step)
  passedCount += outcome.passedCount
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`── ${step.name}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s`)
  if (code === 0) return
  process.exitCode = 1
  const lastLines = output.toString().trimEnd().split('\n').slice(-maxLastLines).join('\n')
  const reasons = outcome.failures.length > 0 ? outcome.failures : [lastLines]
  failures.push(...reasons.map((failure) => `${step.name}: ${failure}`))
}

async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) {
    process.on(signal, () => {
      process.exitCode = 1
      if (!isStopping) stop()
    })
  }
  process.channel?.unref()
  removeOldLogs()
  for (const stage of chooseStages()) {
    if (isStopping) break
    await Promise.all(stage.map((lane, index) => runLane(lane, index === 0)))
  }
  // Test databases outlive the process that started them.
  if (isStopping) killAll(descendants)
  // Repeated at the end, since often only the last lines of a long run are kept.
  if (failures.length > 0) console.log(`\nFailed, with more in the output above:\n\n${failures.join('\n\n')}`)
  console.log(`\n${passedCount} passed, ${failures.length} failed`)
}

await main()
