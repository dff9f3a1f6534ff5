// PostgreSQL's own benchmark, as the measure of what this machine can do at this moment.

import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const debianHome = '/usr/lib/postgresql'
const scale = 50
const clients = 16

/** The newest pgbench of this machine. Throws with a sentence on how to get one. */
export function findPgbench(): string {
  const debian = fs.existsSync(debianHome)
    ? fs.readdirSync(debianHome).toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    : []
  const places = [
    ...(process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'pgbench')),
    ...debian.map((version) => path.join(debianHome, version, 'bin', 'pgbench')),
  ]
  const found = places.find((file) => fs.existsSync(file))
  if (found === undefined) {
    throw new Error(
      'pgbench is missing. It comes with PostgreSQL: `apt-get install postgresql` or `brew install postgresql`.',
    )
  }
  return found
}

/** Makes pgbench's own tables, at scale 50, in the database at `url`. */
export async function preparePgbench(program: string, url: string): Promise<void> {
  await pgbench(program, url, ['-i', '-q', '-s', String(scale)])
}

/** TPC-B-like transactions per second of 16 clients, prepared statements. */
export async function runPgbench(program: string, url: string, seconds: number): Promise<number> {
  const output = await pgbench(program, url, [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(clients),
    '-j',
    '2',
    '-T',
    String(seconds),
  ])
  const perSecond = /tps = ([\d.]+)/.exec(output)?.[1]
  if (perSecond === undefined) throw new Error(`pgbench did not say how fast it was: ${output}`)
  return Number(perSecond)
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
  const { stdout } = await run(program, [...parameters], { env })
  return stdout
}
