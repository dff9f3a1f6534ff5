// Runs PostgreSQL's own benchmark, to measure the machine's current capacity.

import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const runFile = promisify(execFile)
const debianHome = '/usr/lib/postgresql'
const scale = 50

/** Returns the pgbench on the path, otherwise the newest of Debian. Throws with installation advice. */
export function findPgbench(): string {
  const debian = fs.existsSync(debianHome)
    ? fs.readdirSync(debianHome).toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    : []
  const candidatePaths = [
    ...(process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'pgbench')),
    ...debian.map((version) => path.join(debianHome, version, 'bin', 'pgbench')),
  ]
  const executable = candidatePaths.find((file) => fs.existsSync(file))
  if (executable === undefined) {
    throw new Error(
      'pgbench is missing. It comes with PostgreSQL: `apt-get install postgresql` or `brew install postgresql`.',
    )
  }
  return executable
}

/** Creates pgbench's tables, at scale 50, in the database at `url`. */
export async function preparePgbench(program: string, url: string): Promise<void> {
  await pgbench(program, url, ['-i', '-q', '-s', String(scale)])
}

export interface PgbenchResult {
  readonly clients: number
  readonly perSecond: number
  readonly p99Ms: number
}

/** Runs TPC-B-like transactions with prepared statements; p99 is from the per-transaction log. */
export async function runPgbench(
  program: string,
  url: string,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<PgbenchResult> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-pgbench-'))
  try {
    const parameters = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '2', '-T', String(seconds)]
    const output = await pgbench(program, url, [...parameters, '-l', `--log-prefix=${path.join(folder, 'log')}`])
    const perSecond = /tps = ([\d.]+)/.exec(output)?.[1]
    if (perSecond === undefined) throw new Error(`pgbench did not say how fast it was: ${output}`)
    const microseconds = fs
      .readdirSync(folder)
      .flatMap((file) => fs.readFileSync(path.join(folder, file), 'utf8').trimEnd().split('\n'))
      .map((line) => Number(line.split(' ')[2]))
      .toSorted((a, b) => a - b)
    const p99 = microseconds[Math.floor(microseconds.length * 0.99)] ?? Number.NaN
    return { clients, perSecond: Number(perSecond), p99Ms: p99 / 1000 }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function pgbench(program: string, url: string, parameters: readonly string[]): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url)
  const env = {
    ...process.env,
    PGHOST: decodeURIComponent(hostname),
    PGPORT: port || '5432',
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: pathname.slice(1),
  }
  const { stdout } = await runFile(program, [...parameters], { env })
  return stdout
}

const defaultClients = [16, 64] as const

export interface PgbenchReference {
  readonly program: string
  readonly pgbenchUrl: string
  readonly seconds: number
}

/** Runs pgbench with 16 and with 64 clients, as the reference of a point. */
export async function runPgbenches({ program, pgbenchUrl, seconds }: PgbenchReference): Promise<PgbenchResult[]> {
  const results: PgbenchResult[] = []
  for (const clients of defaultClients) results.push(await runPgbench(program, pgbenchUrl, { clients, seconds }))
  return results
}

/** Returns transactions per second of the better run. */
export const bestRate = (results: readonly PgbenchResult[]): number =>
  results.reduce((best, { perSecond }) => (perSecond > best ? perSecond : best), 0)
