// Child process that is restarted whenever it exits on its own.

import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export interface SupervisedProcessOptions {
  name: string
  parameters: string[]
  environment: NodeJS.ProcessEnv
  /** Output file; defaults to this process's output. */
  logFile?: string | undefined
  log: (sentence: string) => void
  /** Time that the process may keep serving after SIGTERM, in addition to the usual limit. */
  gracePeriodMs?: number
}

const killDelayMs = 10_000
const maxPauseMs = 10_000
const minPauseMs = 50
const stableAfterMs = 1000
const maxLogBytes = 10_000_000
/** EX_CONFIG of sysexits.h. */
const misconfiguredCode = 78
const preload = new URL('./exit-with-parent.ts', import.meta.url).href

export type SupervisedProcess = ReturnType<typeof startSupervisedProcess>

/** Starts `node` with the given parameters and restarts it until stopped. */
export function startSupervisedProcess(options: SupervisedProcessOptions) {
  const { name, logFile, log, gracePeriodMs = 0 } = options
  let child: ChildProcess | undefined
  let isStopping = false
  let deaths = 0
  let lastCode: number | null = null
  let pauseMs = minPauseMs

  const launch = () => {
    if (isStopping) return
    const startedAt = Date.now()
    child = spawnChild(options)
    child.once('exit', (code, signal) => {
      child = undefined
      if (isStopping) return
      deaths += 1
      lastCode = code
      // Doubles the delay only if the process exits soon after its start.
      const wasStable = Date.now() - startedAt > stableAfterMs
      pauseMs = wasStable ? minPauseMs : Math.min(pauseMs * 2, maxPauseMs)
      log(`The ${name} ended unexpectedly (${signal ?? `code ${code}`}) and is started again.`)
      setTimeout(launch, pauseMs)
    })
  }
  launch()

  return {
    name,
    /** Process id; undefined between restarts. */
    pid: () => child?.pid,
    /** Number of unexpected exits. */
    deaths: () => deaths,
    /** Returns whether the last exit was due to an unusable configuration. */
    isMisconfigured: () => lastCode === misconfiguredCode,
    /** Last lines of output, if written to a file. */
    lastLines: () => (logFile === undefined ? '' : readEnd(logFile)),
    /** Stops the process; kills it after `gracePeriodMs` plus ten seconds, or at once if immediate. */
    async stop(mode: 'graceful' | 'immediate' = 'graceful'): Promise<void> {
      isStopping = true
      const exitingChild = child
      if (exitingChild === undefined) return
      const exit = new Promise<void>((resolve) => exitingChild.once('exit', () => resolve()))
      exitingChild.kill(mode === 'graceful' ? 'SIGTERM' : 'SIGKILL')
      await Promise.race([exit, delay(gracePeriodMs + killDelayMs, undefined, { ref: false })])
      exitingChild.kill('SIGKILL')
      await exit
    },
  }
}

// Runs in its own process group, so that Ctrl-C reaches only the supervisor.
function spawnChild({ parameters, environment, logFile, log, name }: SupervisedProcessOptions): ChildProcess {
  const output = logFile === undefined ? 'inherit' : openLogIfPossible(logFile)
  const child = spawn(process.execPath, ['--import', preload, ...parameters], {
    env: environment,
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  })
  if (typeof output === 'number') fs.closeSync(output)
  child.on('error', (error) => log(`The ${name} could not be started: ${error.message}`))
  return child
}

/** Opens the log; if that fails, as on a full disk, the process runs without one. */
function openLogIfPossible(file: string): number | 'ignore' {
  try {
    return openLog(file)
  } catch {
    return 'ignore'
  }
}

function openLog(file: string): number {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > maxLogBytes) fs.renameSync(file, `${file}.1`)
  return fs.openSync(file, 'a', 0o600)
}

function readEnd(file: string): string {
  if (!fs.existsSync(file)) return ''
  return fs.readFileSync(file, 'utf8').trimEnd().split('\n').slice(-12).join('\n')
}
