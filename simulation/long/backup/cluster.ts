// A PostgreSQL of the system that archives to a pgBackRest repository, as deploy/pgbackrest describes.

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { choosePort } from '../../../packages/server/src/platform/database/embedded-postgres.ts'
import {
  type Account,
  findOtherAccount,
  isRoot,
} from '../../../packages/server/src/platform/database/postgres-account.ts'

const recipe = new URL('../../../deploy/pgbackrest/pgbackrest.conf', import.meta.url)
const stanza = 'tern'
const readyTimeoutMs = 60_000

export type ArchivingCluster = Awaited<ReturnType<typeof startArchivingCluster>>

/** Returns what is missing on this machine, as a sentence; undefined if all is there. */
export function findMissingProgram(): string | undefined {
  if (spawnSync('pgbackrest', ['version']).status !== 0)
    return 'pgbackrest is not installed (apt-get install pgbackrest).'
  return findPrograms() === undefined ? 'PostgreSQL is not installed (apt-get install postgresql).' : undefined
}

function findPrograms(): string | undefined {
  const home = '/usr/lib/postgresql'
  const versions = fs.existsSync(home) ? fs.readdirSync(home) : []
  const newest = versions.toSorted((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))[0]
  return newest === undefined ? undefined : path.join(home, newest, 'bin')
}

/** Starts an empty database `tern` with both roles, archiving to an encrypted repository. */
export async function startArchivingCluster() {
  const programs = findPrograms() ?? ''
  const account: Partial<Account> = isRoot() ? findOtherAccount() : {}
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-backup-'))
  const data = path.join(folder, 'data')
  const configFile = path.join(folder, 'pgbackrest.conf')
  const port = await choosePort()
  for (const name of ['repository', 'log', 'lock', 'spool']) fs.mkdirSync(path.join(folder, name))
  fs.writeFileSync(configFile, fillRecipe({ folder, data, port }))
  for (const name of ['.', 'repository', 'log', 'lock', 'spool', 'pgbackrest.conf'])
    own(path.join(folder, name), account)
  const environment = {
    PATH: `${programs}${path.delimiter}${process.env.PATH}`,
    HOME: folder,
    PGBACKREST_REPO1_CIPHER_PASS: 'a passphrase of the long test',
  }
  const options = { ...account, cwd: folder, env: environment }
  const runProgram = async (program: string, parameters: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, parameters, options)).stdout
  const backrest = (...parameters: string[]) =>
    runProgram('pgbackrest', [`--config=${configFile}`, `--stanza=${stanza}`, ...parameters])
  await runProgram(path.join(programs, 'initdb'), [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  ])
  fs.appendFileSync(path.join(data, 'postgresql.conf'), serverSettings({ port, folder, configFile }))

  let server: ChildProcess | undefined
  const adminUrl = `postgres://postgres@127.0.0.1:${port}/postgres`
  const cluster = {
    folder,
    data,
    configFile,
    stanza,
    account,
    environment,
    ownerUrl: `postgres://tern_owner@127.0.0.1:${port}/tern`,
    applicationUrl: `postgres://tern_app@127.0.0.1:${port}/tern`,
    superuserUrl: `postgres://postgres@127.0.0.1:${port}/tern`,
    backrest,
    async start(): Promise<void> {
      server = spawn(path.join(programs, 'postgres'), ['-D', data], { ...options, stdio: 'ignore' })
      for (const end = Date.now() + readyTimeoutMs; ; await delay(100)) {
        const rows = await queryOnce(adminUrl, 'select pg_is_in_recovery() as recovers').catch(() => [])
        if (rows[0]?.recovers === false) return
        if (Date.now() > end) throw new Error('PostgreSQL did not start.')
      }
    },
    /** Ends the server as a power cut would. */
    async kill(): Promise<void> {
      server?.kill('SIGQUIT')
      if (server && server.exitCode === null) await once(server, 'exit')
    },
    /** Waits until everything written so far is in the repository. */
    async archiveEverything(): Promise<void> {
      const [row] = await queryOnce(adminUrl, 'select pg_walfile_name(pg_switch_wal()) as segment')
      const segment = String(row?.segment)
      for (const end = Date.now() + readyTimeoutMs; ; await delay(100)) {
        const [archiver] = await queryOnce(adminUrl, 'select last_archived_wal as last from pg_stat_archiver')
        if (String(archiver?.last) >= segment) return
        if (Date.now() > end) throw new Error(`${segment} was not archived.`)
      }
    },
    async close(): Promise<void> {
      await cluster.kill()
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
  await cluster.start()
  for (const sql of [
    'create role tern_owner login',
    'create role tern_app login',
    'create database tern owner tern_owner',
  ]) {
    await queryOnce(adminUrl, sql)
  }
  await backrest('stanza-create')
  await backrest('check')
  return cluster
}

/** Returns the recipe with this cluster's paths and port. */
function fillRecipe({ folder, data, port }: { folder: string; data: string; port: number }): string {
  const values: Readonly<Record<string, string>> = {
    'repo1-path': path.join(folder, 'repository'),
    'log-path': path.join(folder, 'log'),
    'lock-path': path.join(folder, 'lock'),
    'spool-path': path.join(folder, 'spool'),
    'pg1-path': data,
    'pg1-port': `${port}\npg1-socket-path=${folder}\npg1-user=postgres`,
  }
  return fs
    .readFileSync(recipe, 'utf8')
    .replaceAll(/^([a-z0-9-]+)=.*$/gm, (line, name: string) => (name in values ? `${name}=${values[name]}` : line))
}

const serverSettings = ({ port, folder, configFile }: { port: number; folder: string; configFile: string }): string =>
  [
    '',
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    'max_connections = 200',
    'archive_mode = on',
    `archive_command = 'pgbackrest --config=${configFile} --stanza=${stanza} archive-push %p'`,
    'archive_timeout = 60',
    '',
  ].join('\n')

function own(place: string, { uid, gid }: { uid?: number; gid?: number }): void {
  if (uid !== undefined && gid !== undefined) fs.chownSync(place, uid, gid)
}

async function queryOnce(url: string, sql: string): Promise<Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql)
    return rows
  } finally {
    await client.end()
  }
}
