// Processes of the cluster, which run under an account without rights.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { type Account, findOtherAccount, isRoot } from '../../packages/server/src/platform/database/postgres-account.ts'

const stopMs = 5000

export interface Daemon {
  readonly name: string
  pid(): number | undefined
  start(): Promise<void>
  kill(signal: NodeJS.Signals): void
  /** Stops it, by force after five seconds. */
  stop(): Promise<void>
}

export const account = (): Account | undefined => (isRoot() ? findOtherAccount() : undefined)

interface DaemonSetup {
  readonly folder: string
  readonly command: readonly [string, ...string[]]
  readonly environment?: Readonly<Record<string, string>>
}

/** Returns a process that has not started; its output goes to `NAME.log` in the folder. */
export function createDaemon(name: string, { folder, command, environment = {} }: DaemonSetup): Daemon {
  let child: ChildProcess | undefined
  const [program, ...parameters] = command
  const running = () => (child?.exitCode === null && child.signalCode === null ? child : undefined)
  return {
    name,
    pid: () => running()?.pid,
    async start() {
      const output = fs.openSync(path.join(folder, `${name}.log`), 'a')
      child = spawn(program, parameters, {
        ...account(),
        cwd: folder,
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder, LANG: 'C.UTF-8', ...environment },
        detached: true,
        stdio: ['ignore', output, output],
      })
      fs.closeSync(output)
      await once(child, 'spawn')
    },
    kill: (signal) => void running()?.kill(signal),
    async stop() {
      const stopping = running()
      if (!stopping) return
      const exit = once(stopping, 'exit')
      stopping.kill('SIGTERM')
      const timer = setTimeout(() => stopping.kill('SIGKILL'), stopMs)
      await exit
      clearTimeout(timer)
    },
  }
}

/** Sends a signal to a process that may have ended. */
export function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined || pid <= 1) return
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Returns the pid of the server in a data directory, if its file names one. */
export function readPostmaster(directory: string): number | undefined {
  const file = path.join(directory, 'postmaster.pid')
  const [line = ''] = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : []
  return /^\d+$/.test(line) ? Number.parseInt(line, 10) : undefined
}

/** Returns the pids of a process and its children. */
export function listFamily(pid: number): number[] {
  const children = fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => readParent(name) === pid)
  return [pid, ...children.map((name) => Number.parseInt(name, 10))]
}

function readParent(name: string): number | undefined {
  try {
    const fields = fs
      .readFileSync(`/proc/${name}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return Number.parseInt(fields[1] ?? '', 10)
  } catch {
    // It has ended meanwhile.
    return undefined
  }
}
