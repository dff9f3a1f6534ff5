// For tests: a standby of the test server, by streaming replication. Made of an online copy of the server's files, with
// the programs that run the server, so that it needs nothing else.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { writeConnection } from '@tern/server/platform/database/postgres-connection'
import { choosePort } from './app.ts'
import { createDataFolder } from './database-server.ts'
import { replaceHost, runOnce } from './database.ts'

const startTimeoutMs = 60_000

export type Standby = Awaited<ReturnType<typeof startStandby>>

/**
 * Starts a standby of the test server, or of the server at `primaryUrl` of which the user is a superuser, with all its
 * databases. Statements on it are logged.
 */
export async function startStandby(primaryUrl = process.env.TEST_DATABASE_URL) {
  if (primaryUrl === undefined) throw new Error('a standby needs the test server of an integration test')
  const [found] = await runOnce(
    primaryUrl,
    `select current_setting('data_directory') as directory, (select setting from pg_config where name = 'BINDIR') as programs`,
  )
  const { directory, programs } = found as { readonly directory: string; readonly programs: string }
  const { uid, gid } = fs.statSync(directory)
  const account = process.getuid?.() === 0 ? { uid, gid } : {}
  const folder = createDataFolder('test')
  const copy = path.join(folder, 'standby')
  const logFile = path.join(folder, 'standby.log')
  const port = await choosePort()
  const slot = `standby_${port}`
  // Lets the next run stop the server if this one is killed.
  writeConnection(folder, { directory: copy, port, password: '' })

  // Keeps the log from now on, which the copy needs.
  await runOnce(primaryUrl, `select pg_create_physical_replication_slot('${slot}', true)`)
  await copyServer(primaryUrl, { directory, copy })
  fs.writeFileSync(path.join(copy, 'standby.signal'), '')
  fs.rmSync(path.join(copy, 'postmaster.pid'), { force: true })
  fs.rmSync(path.join(copy, 'postmaster.opts'), { force: true })
  if (account.uid !== undefined) giveTo(copy, { uid, gid })
  fs.writeFileSync(logFile, '')
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '32MB',
    fsync: 'off',
    hot_standby_feedback: 'off',
    wal_receiver_status_interval: '1s',
    wal_retrieve_retry_interval: '100ms',
    log_statement: 'all',
    log_line_prefix: '%a|',
    primary_slot_name: slot,
    primary_conninfo: describeConnection(primaryUrl),
    max_connections: String((await runOnce(primaryUrl, 'show max_connections'))[0]?.max_connections),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let child = await launch()

  async function launch() {
    const log = fs.openSync(logFile, 'a')
    const server = spawn(path.join(programs, 'postgres'), ['-D', copy, ...flags], {
      ...account,
      cwd: '/',
      stdio: ['ignore', log, log],
    })
    fs.closeSync(log)
    for (const end = Date.now() + startTimeoutMs; ; await delay(20)) {
      if (readStatus(copy) === 'ready') return server
      if (server.exitCode === null && Date.now() < end) continue
      server.kill('SIGQUIT')
      throw new Error(`the standby did not start: ${fs.readFileSync(logFile, 'utf8').slice(-2000)}`)
    }
  }

  /** Ends the server at once, without a farewell to its clients. */
  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGQUIT')
    await once(child, 'exit')
  }

  /** Address for a superuser. */
  const serverUrl = toStandby(primaryUrl, port)
  const run = (statement: string) => runOnce(serverUrl, statement)
  return {
    serverUrl,
    /** Address of the copy of a database. */
    url: (databaseUrl: string): string => toStandby(databaseUrl, port),
    pauseReplay: () => run('select pg_wal_replay_pause()'),
    resumeReplay: () => run('select pg_wal_replay_resume() where pg_is_in_recovery()'),
    promote: () => run('select pg_promote()'),
    /** Changes a setting of the running server. */
    async configure(name: string, value: string): Promise<void> {
      fs.appendFileSync(path.join(copy, 'postgresql.auto.conf'), `${name} = '${value}'\n`)
      await run('select pg_reload_conf()')
      for (let shown; shown !== value; await delay(10)) shown = (await run(`show ${name}`))[0]?.[name]
    },
    /** Statements of the product that the standby has run since its start. */
    readStatements: (): string[] =>
      fs
        .readFileSync(logFile, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('tern|')),
    kill,
    start: async () => void (child = await launch()),
    async remove(): Promise<void> {
      await kill()
      for (const end = Date.now() + startTimeoutMs; Date.now() < end; await delay(50)) {
        const dropped = await runOnce(
          primaryUrl,
          `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '${slot}' and not active`,
        )
        if (dropped.length > 0) break
      }
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Copies the files of a running server, as an online backup. */
async function copyServer(
  url: string,
  { directory, copy }: { readonly directory: string; readonly copy: string },
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('standby', true)`)
    await copyFiles(directory, copy)
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    fs.writeFileSync(path.join(copy, 'backup_label'), rows[0]?.labelfile ?? '')
  } finally {
    await client.end()
  }
}

const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error
}

/**
 * Copies a folder whose files and folders may disappear meanwhile, as when another test drops its database; the log of
 * the backup repairs what was read half written.
 */
async function copyFiles(from: string, to: string): Promise<void> {
  fs.mkdirSync(to, { mode: 0o700 })
  for (const entry of (await fs.promises.readdir(from, { withFileTypes: true }).catch(ignoreMissing)) ?? []) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isDirectory()) {
      if (entry.name === 'pg_replslot') fs.mkdirSync(target, { mode: 0o700 })
      else await copyFiles(source, target)
    } else if (entry.isFile()) {
      await fs.promises.copyFile(source, target).catch(ignoreMissing)
    }
  }
}

function giveTo(place: string, account: { readonly uid: number; readonly gid: number }): void {
  for (const entry of fs.readdirSync(place, { recursive: true, encoding: 'utf8' }))
    fs.chownSync(path.join(place, entry), account.uid, account.gid)
  fs.chownSync(place, account.uid, account.gid)
}

const readStatus = (directory: string): string | undefined => {
  const file = path.join(directory, 'postmaster.pid')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n')[7]?.trim() : undefined
}

function describeConnection(url: string): string {
  const { hostname, port, username, password } = new URL(replaceHost(url))
  return `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`
}

function toStandby(databaseUrl: string, port: number): string {
  const url = new URL(replaceHost(databaseUrl))
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href
}
