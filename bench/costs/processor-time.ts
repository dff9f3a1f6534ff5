// Reads the processor time of this process and, on Linux, of PostgreSQL's backends.

import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import pg from 'pg'

/** Processor time so far, in milliseconds. */
export interface ProcessorReading {
  readonly app: number
  /** By backend process id; empty on systems that do not report it. */
  readonly backends: ReadonlyMap<number, number>
}

export interface ProcessorClock {
  read(): Promise<ProcessorReading>
  close(): Promise<void>
}

const isLinux = process.platform === 'linux'
const tickMs = isLinux ? 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : Number.NaN

/** Returns the processor time of a backend on this machine, in milliseconds; undefined if it is not running. */
function backendMs(pid: number): number | undefined {
  try {
    const [, fields = ''] = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(' (postgres) ')
    const [user, system] = fields.split(' ').slice(11, 13).map(Number)
    return user === undefined || system === undefined ? undefined : (user + system) * tickMs
  } catch {
    return undefined
  }
}

/** Opens a clock of the processor time of this process, which runs the application, and of the database at `url`. */
export async function openProcessorClock(url: string): Promise<ProcessorClock> {
  const client = new pg.Client({ connectionString: url, application_name: 'tern bench' })
  await client.connect()
  async function readBackends(): Promise<Map<number, number>> {
    if (!isLinux) return new Map()
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    const times = rows.map(({ pid }): [number, number | undefined] => [pid, backendMs(pid)])
    return new Map(times.filter((time): time is [number, number] => time[1] !== undefined))
  }
  return {
    async read() {
      const { user, system } = process.cpuUsage()
      return { app: (user + system) / 1000, backends: await readBackends() }
    },
    close: () => client.end(),
  }
}

/** Processor time per operation, in milliseconds. */
export interface ProcessorTime {
  readonly app: number
  /** Sum over all backends still connected; undefined on systems that do not report it. */
  readonly database: number | undefined
}

/** Returns the processor time per operation between two readings. */
export function timePerOperation(before: ProcessorReading, after: ProcessorReading, operations: number): ProcessorTime {
  let database = 0
  for (const [pid, ms] of after.backends) database += ms - (before.backends.get(pid) ?? 0)
  return {
    app: (after.app - before.app) / operations,
    database: after.backends.size === 0 ? undefined : database / operations,
  }
}
