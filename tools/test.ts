// `npm test`: everything that checks the project, stage by stage. A step that fails hides none of the others.
//   npm test -- --only types,lint          these steps alone
//   npm test -- --only integration ledger  and of their tests only the files whose path contains `ledger`

import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isAlive } from './product/data-folder.ts'
import { type Outcome, readPlaywright, readVitest } from './testing/reports/test-reports.ts'
import { descendantsOf, killAll } from './testing/processes/process-tree.ts'

interface Step {
  name: string
  /** A shell command, with npm's folder of programs on its path. */
  command: string
  /** Steps that run tests write a report, which this reads; the others are silent unless they fail. */
  read?: (report: never) => Outcome
}

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = path.join(root, '.cache')
const logs = path.join(cache, 'test-logs')
const ownLogs = path.join(logs, String(process.pid))

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } })
const filter = positionals.map((text) => ` '${text.replaceAll("'", '')}'`).join('')

const vitest = (project: string): Step => ({
  name: project,
  command: `vitest run --project ${project}${filter} --reporter=default --reporter=json --outputFile.json=${reportOf(project)}`,
  read: readVitest,
})

/** Lanes run side by side, the steps of a lane one after another. */
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
  // After web, since some tests read the built pages. Unit and product tests wait for timers and restarts, which leaves
  // their cores to the integration tests; one after the other, since product tests also measure answers under load.
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
  // Alone, since it measures how long a start takes. Secrets last: they are searched for in the logs of all steps.
  [[vitest('start'), { name: 'secrets', command: 'node tools/rules/log-secrets.ts' }]],
]

function reportOf(name: string): string {
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
  const chosen = stages.map((stage) => stage.map((lane) => lane.filter(({ name }) => wanted.includes(name))))
  return chosen.map((stage) => stage.filter((lane) => lane.length > 0))
}

const patienceMs = 1500
const running = new Set<ChildProcess>()
let isStopping = false

/** Processes below this one when it was stopped. */
let stopped: readonly number[] = []

/** Interrupts the running steps, and kills what has not ended after a second and a half. */
function stop(): void {
  isStopping = true
  stopped = descendantsOf(process.pid)
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGINT')
  setTimeout(() => killAll(stopped), patienceMs).unref()
}

/** Runs one step and passes on its output. */
function runStep(step: Step, onOutput: (chunk: Buffer) => void): Promise<number> {
  const child = spawn(step.command, {
    shell: true,
    cwd: root,
    // A group of its own, so that one signal ends the whole step.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      PATH: `${path.join(root, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`,
      PLAYWRIGHT_JSON_OUTPUT_NAME: reportOf(step.name),
      // Every worker of Vitest and Playwright would otherwise compile the same modules again.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(cache, 'node'),
      TERN_TEST_LOGS: ownLogs,
    },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  for (const stream of [child.stdout, child.stderr]) stream.on('data', onOutput)
  return new Promise((resolve) => {
    child.once('close', (code) => resolve(code ?? 1))
  })
}

function outcomeOf(step: Step): Outcome {
  if (step.read === undefined || !fs.existsSync(reportOf(step.name))) return { passed: 0, failures: [] }
  return step.read(JSON.parse(fs.readFileSync(reportOf(step.name), 'utf8')) as never)
}

/** The logs of the last run stay to be looked at; those of a run that goes on beside this one are left alone. */
function makeRoomForLogs(): void {
  fs.mkdirSync(ownLogs, { recursive: true })
  for (const run of fs.readdirSync(logs)) {
    if (run === String(process.pid) || isAlive(Number(run))) continue
    fs.rmSync(path.join(logs, run), { recursive: true, force: true })
  }
}

/** Lines of output shown for a step that failed without a failed test, such as by an unhandled error. */
const lastLinesOfAStep = 30

let passed = 0
const failures: string[] = []

/** Runs the steps of a lane in order. Tests of the first lane show their output live, others when they end. */
async function runLane(lane: Step[], isFirst: boolean): Promise<void> {
  for (const step of lane) {
    if (isStopping) return
    await runAndReport(step, isFirst && step.read !== undefined)
  }
}

async function runAndReport(step: Step, isLive: boolean): Promise<void> {
  fs.rmSync(reportOf(step.name), { force: true })
  console.log(`── ${step.name}: begins`)
  const startedAt = performance.now()
  const kept: Buffer[] = []
  const code = await runStep(step, (chunk) => {
    kept.push(chunk)
    if (isLive) process.stdout.write(chunk)
  })
  if (isStopping) return
  const output = Buffer.concat(kept)
  if (!isLive && (code !== 0 || step.read)) process.stdout.write(output)
  const outcome = outcomeOf(step)
  passed += outcome.passed
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`── ${step.name}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s`)
  if (code === 0) return
  process.exitCode = 1
  const lastLines = output.toString().trimEnd().split('\n').slice(-lastLinesOfAStep).join('\n')
  const found = outcome.failures.length > 0 ? outcome.failures : [lastLines]
  failures.push(...found.map((failure) => `${step.name}: ${failure}`))
}

async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) {
    process.on(signal, () => {
      process.exitCode = 1
      if (!isStopping) stop()
    })
  }
  process.channel?.unref()
  makeRoomForLogs()
  for (const stage of chooseStages()) {
    if (isStopping) break
    await Promise.all(stage.map((lane, index) => runLane(lane, index === 0)))
  }
  // Databases of tests outlive the process that started them.
  if (isStopping) killAll(stopped)
  // Repeated at the end, since often only the last lines of a long run are kept.
  if (failures.length > 0) console.log(`\nFailed, with more in the output above:\n\n${failures.join('\n\n')}`)
  console.log(`\n${passed} passed, ${failures.length} failed`)
}

await main()
