// A database restored from a pgBackRest repository into a folder of its own, running beside the real one.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { describeError } from '../../platform/database/database-errors.ts'
import { connect } from '../../platform/database/db.ts'
import { OperatorError } from '../../platform/refuse.ts'

export interface RestoreOrder {
  readonly stanza: string
  /** pgBackRest's configuration file; its own default if undefined. */
  readonly configFile: string | undefined
  /** Empty or missing folder that receives the database in `data`. */
  readonly folder: string
  /** Time to recover to, as PostgreSQL reads it; the end of the archive if undefined. */
  readonly target: string | undefined
  /** Role and database to connect to; the rest of the address is ignored. */
  readonly databaseUrl: string
}

export interface RestoredServer {
  readonly pool: pg.Pool
  readonly bytes: number
  readonly restoreSeconds: number
  readonly recoverySeconds: number
  stop(): Promise<void>
}

// Longer than any recovery is watched: an archive of a busy week takes hours.
const recoveryTimeoutMs = 24 * 3_600_000
const pollMs = 250
const port = 5432

/**
 * Restores a backup, recovers it to the target and leaves the server running, reachable only for this account. Throws
 * OperatorError, with the last lines of the program that failed.
 */
export async function restoreServer(order: RestoreOrder): Promise<RestoredServer> {
  if (process.getuid?.() === 0) {
    throw new OperatorError(
      'PostgreSQL does not run as root. Run the drill as the account of the backups: sudo -u postgres.',
    )
  }
  const data = path.join(order.folder, 'data')
  requireEmpty(order.folder)
  fs.mkdirSync(data, { recursive: true, mode: 0o700 })
  const restoreStartedAt = performance.now()
  await run('pgbackrest', restoreParameters(order, data))
  const restoreSeconds = secondsSince(restoreStartedAt)
  const bytes = measureFolder(data)
  const recoveryStartedAt = performance.now()
  const server = await startServer(data, order)
  return { ...server, bytes, restoreSeconds, recoverySeconds: secondsSince(recoveryStartedAt) }
}

function requireEmpty(folder: string): void {
  if (fs.existsSync(folder) && fs.readdirSync(folder).length > 0) {
    throw new OperatorError(`${folder} is not empty. Name a new folder, or delete this one.`)
  }
}

function restoreParameters({ stanza, configFile, target }: RestoreOrder, data: string): string[] {
  const config = configFile === undefined ? [] : [`--config=${configFile}`]
  const recovery = target === undefined ? [] : ['--type=time', `--target=${target}`, '--target-action=promote']
  // The restored database must never write to the archive of the real one.
  const safety = ['--archive-mode=off', '--log-level-console=error', '--log-level-file=off']
  return [...config, `--stanza=${stanza}`, `--pg1-path=${data}`, ...safety, ...recovery, 'restore']
}

/** Runs a program to its end. Throws OperatorError with what it printed last. */
async function run(program: string, parameters: readonly string[]): Promise<void> {
  const child = spawn(program, parameters, { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines = collectLines(child)
  const [code] = (await once(child, 'close').catch((error: unknown) => {
    throw new OperatorError(`${program} does not run here (${describeError(error)}).`)
  })) as [number | null]
  if (code !== 0) throw new OperatorError(`${program} failed (${code}): ${lines.join(' ')}`)
}

const keptLines = 8

function collectLines(child: ChildProcess): string[] {
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      lines.push(...text.split('\n').filter((line) => line.trim() !== ''))
      lines.splice(0, lines.length - keptLines)
    })
  }
  return lines
}

const secondsSince = (at: number): number => (performance.now() - at) / 1000

function measureFolder(folder: string): number {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.reduce(
    (sum, entry) => sum + (entry.isFile() ? fs.statSync(path.join(entry.parentPath, entry.name)).size : 0),
    0,
  )
}

/** Returns the folder of PostgreSQL's programs of the version that made the backup. */
function findPrograms(data: string): string {
  const version = fs.readFileSync(path.join(data, 'PG_VERSION'), 'utf8').trim()
  const folder = `/usr/lib/postgresql/${version}/bin`
  return fs.existsSync(folder) ? `${folder}/` : ''
}

async function startServer(
  data: string,
  { folder, databaseUrl }: RestoreOrder,
): Promise<Pick<RestoredServer, 'pool' | 'stop'>> {
  // Sockets have short paths, and only this account may enter the folder.
  const sockets = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-drill-'))
  const configFile = path.join(folder, 'postgresql.conf')
  const accessFile = path.join(folder, 'pg_hba.conf')
  fs.writeFileSync(accessFile, 'local all all trust\n')
  fs.writeFileSync(configFile, serverSettings({ sockets, accessFile }))
  const child = spawn(`${findPrograms(data)}postgres`, ['-D', data, '-c', `config_file=${configFile}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines = collectLines(child)
  const stopped = once(child, 'close').catch(() => {})
  const pool = connect(socketUrl(databaseUrl, sockets), 4)
  const stop = async () => {
    await pool.end()
    child.kill('SIGINT')
    await stopped
    fs.rmSync(sockets, { recursive: true, force: true })
  }
  try {
    await waitForPromotion(pool, child, lines)
  } catch (error) {
    await stop()
    throw error
  }
  return { pool, stop }
}

/** Settings of a server that serves one account of this machine, archives nothing and runs no extension. */
const serverSettings = ({ sockets, accessFile }: { sockets: string; accessFile: string }): string =>
  [
    `hba_file = '${accessFile}'`,
    `unix_socket_directories = '${sockets}'`,
    "listen_addresses = ''",
    `port = ${port}`,
    'archive_mode = off',
    'max_connections = 20',
    // Accepts no query before it is promoted, so it need not be as large as the primary.
    'hot_standby = off',
    '',
  ].join('\n')

function socketUrl(databaseUrl: string, sockets: string): string {
  const { username, pathname } = new URL(databaseUrl)
  return `postgres://${username}@${encodeURIComponent(sockets)}:${port}${pathname}`
}

async function waitForPromotion(pool: pg.Pool, child: ChildProcess, lines: readonly string[]): Promise<void> {
  for (const end = Date.now() + recoveryTimeoutMs; Date.now() < end; await delay(pollMs)) {
    if (child.exitCode !== null) throw new OperatorError(`The restored database did not start: ${lines.join(' ')}`)
    const answer = await pool
      .query<{ recovers: boolean }>('select pg_is_in_recovery() as recovers')
      .catch((error: unknown) => error)
    if (!(answer instanceof Error) && (answer as pg.QueryResult<{ recovers: boolean }>).rows[0]?.recovers === false)
      return
    if (isPermanent(answer))
      throw new OperatorError(`The restored database refuses the drill (${describeError(answer)}).`)
  }
  throw new OperatorError('The restored database did not reach its target within a day.')
}

/** True for a role or database that does not exist, which no waiting mends. */
const isPermanent = (error: unknown): boolean =>
  error instanceof Error && ['28000', '28P01', '3D000'].includes(String((error as { code?: string }).code))
