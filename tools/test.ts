// `npm test`: everything that checks the project, step by step; the first step that fails ends it.
//   npm test -- --only types,lint          these steps alone
//   npm test -- --only integration ledger  and of their tests only the files whose path contains `ledger`

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import manifest from '../package.json' with { type: 'json' }

interface Counts {
  passed: number
  failed: number
}

interface Step {
  name: string
  /** A shell command; `npm run`'s own folder of programs is on its path. */
  command: string
  /** Steps that count tests write what they counted to a file; the others are silent unless they fail. */
  countsFrom?: (report: never) => Counts
}

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  testResults: { status: string; assertionResults: unknown[] }[]
}

interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number }
  errors: unknown[]
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
  // A file that cannot even be loaded has no test in it, but it is a failure.
  countsFrom: ({ numPassedTests, numFailedTests, testResults }: VitestReport) => ({
    passed: numPassedTests,
    failed:
      numFailedTests +
      testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length,
  }),
})

const steps: Step[] = [
  { name: 'types', command: manifest.scripts.types },
  { name: 'lint', command: 'oxlint --type-aware --deny-warnings' },
  { name: 'format', command: 'oxfmt --check' },
  vitest('rules'),
  // Before the tests, since some of them look at the built pages.
  { name: 'web', command: 'node tools/product/web-build.ts && node tools/rules/byte-budgets.ts' },
  vitest('unit'),
  vitest('integration'),
  {
    name: 'journeys',
    command: `playwright test${filter} --reporter=list,json`,
    countsFrom: ({ stats, errors }: PlaywrightReport) => ({
      passed: stats.expected + stats.flaky,
      failed: stats.unexpected + (stats.unexpected === 0 ? errors.length : 0),
    }),
  },
  vitest('product'),
  // Last, because it reads the logs of the steps before it.
  { name: 'secrets', command: 'node tools/rules/log-secrets.ts' },
]

function reportOf(name: string): string {
  return path.join(cache, `report-${name}.json`)
}

function chooseSteps(): Step[] {
  if (values.only === undefined) return steps
  return values.only.split(',').map((name) => {
    const step = steps.find((candidate) => candidate.name === name)
    if (step !== undefined) return step
    console.error(`There is no step "${name}". The steps: ${steps.map((candidate) => candidate.name).join(', ')}.`)
    process.exit(1)
  })
}

let endCurrentStep = () => {}

function runStep(step: Step): Promise<number> {
  const child = spawn(step.command, {
    shell: true,
    cwd: root,
    // A group of its own, so that one signal ends the whole step.
    detached: true,
    stdio: ['ignore', step.countsFrom ? 'inherit' : 'pipe', step.countsFrom ? 'inherit' : 'pipe'],
    env: {
      ...process.env,
      PATH: `${path.join(root, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`,
      PLAYWRIGHT_JSON_OUTPUT_NAME: reportOf(step.name),
      TERN_TEST_LOGS: ownLogs,
    },
  })
  endCurrentStep = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT')
  }
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk))
  return new Promise((resolve) => {
    child.once('close', (code) => {
      if (code !== 0) process.stdout.write(Buffer.concat(output))
      resolve(code ?? 1)
    })
  })
}

function countsOf(step: Step): Counts {
  if (step.countsFrom === undefined || !fs.existsSync(reportOf(step.name))) return { passed: 0, failed: 0 }
  return step.countsFrom(JSON.parse(fs.readFileSync(reportOf(step.name), 'utf8')) as never)
}

/** The logs of the last run stay to be looked at; those of a run that goes on beside this one are left alone. */
function makeRoomForLogs(): void {
  fs.mkdirSync(ownLogs, { recursive: true })
  for (const run of fs.readdirSync(logs)) {
    if (run === String(process.pid) || isAlive(Number(run))) continue
    fs.rmSync(path.join(logs, run), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function main(): Promise<void> {
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) {
    process.on(signal, () => {
      if (!isStopping) endCurrentStep()
      isStopping = true
    })
  }
  process.channel?.unref()
  makeRoomForLogs()
  const total: Counts = { passed: 0, failed: 0 }
  for (const step of chooseSteps()) {
    fs.rmSync(reportOf(step.name), { force: true })
    console.log(`\n── ${step.name}`)
    const startedAt = performance.now()
    const code = await runStep(step)
    const counts = countsOf(step)
    total.passed += counts.passed
    total.failed += code === 0 ? counts.failed : Math.max(counts.failed, 1)
    console.log(
      `── ${step.name}: ${code === 0 ? 'passed' : 'FAILED'} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
    )
    if (code !== 0) process.exitCode = 1
    if (code !== 0 || isStopping) break
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed`)
}

await main()
