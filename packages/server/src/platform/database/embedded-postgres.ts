// The bundled PostgreSQL: binaries from npm, data under the data folder. PostgreSQL refuses to run as root, so root
// runs it under another account, which must be able to reach binaries and data. The server has its own session, so it
// survives Ctrl-C and the end of this process; the next start adopts it.

import { spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Account, findAccount, reachablePrograms, sharedFolder } from './postgres-account.ts'
import {
  type Connection,
  EmbeddedPostgresError,
  describeStartFault,
  newConnection,
  newPassword,
  readConnection,
  requireCompleteData,
  buildUrl,
  userName,
  writeConnection,
} from './postgres-connection.ts'

export interface EmbeddedPostgres {
  /** Connection string of the product's database for its owner role. */
  url: string
  /** Connection string for `applicationRole`, which has no rights until granted. */
  applicationUrl: string
  applicationRole: string
  /** Directory of the server's files: under the data folder, or in a place that the server's account can reach. */
  directory: string
  /** Stops the server cleanly: open transactions are rolled back, and commits are on disk. */
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  dataDir: string
  log?: (sentence: string) => void
  settings?: Record<string, string>
}

interface Server {
  connection: Connection
  account: Account | undefined
  programs: string
  arguments: string[]
  logFile: string
}

const databaseName = 'tern'
const applicationRole = 'tern_app'
const files = ['postgres.json', 'postgres.log']
const startTimeoutMs = 120_000
const stopTimeoutMs = 60_000
const largestLogBytes = 10_000_000

const productSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  fsync: 'on',
  synchronous_commit: 'on',
  max_wal_size: '2GB',
  // WAL files kept for reuse, so that a burst after a quiet hour need not create them.
  min_wal_size: '256MB',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
}

/**
 * Starts the database of a data folder, creating it if needed, or adopts a server that is already running. Restarts a
 * server that dies, on the same port. Only one process may use a data folder.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {})
  const dataDir = path.resolve(options.dataDir)
  fs.mkdirSync(dataDir, { recursive: true })

  const runningConnection = readConnection(dataDir)
  if (runningConnection !== undefined && runningConnection.isCreated !== false)
    requireCompleteData(dataDir, runningConnection)
  const connection = runningConnection ?? newConnection(dataDir, await choosePort(), log)
  connection.applicationPassword ??= newPassword()
  const account = findAccount(connection.directory)
  const programs = reachablePrograms(account, log)
  writeConnection(dataDir, connection)
  if (!fs.existsSync(connection.directory)) initialize(programs, connection, account)
  if (connection.isCreated === false) writeConnection(dataDir, Object.assign(connection, { isCreated: true }))
  // Checked last, because another program may have taken the port.
  if (runningPid(connection.directory) === undefined && !(await isFree(connection.port))) {
    connection.port = await choosePort()
    writeConnection(dataDir, connection)
  }

  const settings = Object.entries({ ...productSettings, port: String(connection.port), ...options.settings })
  const server: Server = {
    connection,
    account,
    programs,
    arguments: ['-D', connection.directory, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    logFile: path.join(dataDir, 'postgres.log'),
  }
  if (await adoptServer(server)) log('The database was still running from an earlier start and has been taken over.')
  else await launchServer(server)
  await createDatabase(connection)
  return {
    url: buildUrl(connection, databaseName),
    applicationUrl: buildUrl(
      { ...connection, password: connection.applicationPassword },
      databaseName,
      applicationRole,
    ),
    applicationRole,
    directory: connection.directory,
    stop: keepRunning(server, log),
  }
}

/** Returns the connection string of the database running over a data folder, if any. */
export function findDatabaseUrl(dataDir: string): string | undefined {
  const connection = readConnection(path.resolve(dataDir))
  if (connection === undefined || runningPid(connection.directory) === undefined) return undefined
  return buildUrl(connection, databaseName)
}

/** Stops the database over a data folder, if any, and removes its files. */
export async function removeEmbeddedPostgres(dataDir: string): Promise<void> {
  const connection = readConnection(path.resolve(dataDir))
  if (connection === undefined) return
  // If this process keeps the server running, it must also stop restarting it.
  await (serverClosers.get(connection.directory) ?? (() => stop(connection.directory)))()
  const home = path.dirname(connection.directory)
  for (const place of [connection.directory, ...files.map((name) => path.join(dataDir, name))]) {
    fs.rmSync(place, { recursive: true, force: true })
  }
  if (home.startsWith(sharedFolder)) fs.rmSync(home, { recursive: true })
}

const usedPorts = new Set<number>()

/** Returns a free TCP port below the ephemeral range; never the same one twice. */
export async function choosePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if (usedPorts.has(port) || !(await isFree(port))) continue
    usedPorts.add(port)
    return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

// --- Server process -------------------------------------------------------------------------------------------------

// Moves the directory to its final place when it is complete, so that a failed attempt can be repeated.
function initialize(programs: string, { directory, password }: Connection, account: Account | undefined): void {
  const temporaryDirectory = `${directory}.new`
  const passwordFile = `${directory}.password`
  fs.rmSync(temporaryDirectory, { recursive: true, force: true })
  fs.mkdirSync(temporaryDirectory, { mode: 0o700 })
  fs.writeFileSync(passwordFile, password, { mode: 0o600 })
  for (const place of [temporaryDirectory, passwordFile]) if (account) fs.chownSync(place, account.uid, account.gid)
  const program = path.join(programs, 'initdb')
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  // Commits wait while a new WAL file is zeroed: up to a tenth of a second with the usual 16 MB.
  const wal = '--wal-segsize=2'
  const flags = [
    '-D',
    temporaryDirectory,
    '-U',
    userName,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    ...locale,
    wal,
  ]
  const result = spawnSync(program, flags, { ...account, cwd: '/', encoding: 'utf8' })
  fs.rmSync(passwordFile)
  if (result.status !== 0)
    throw new EmbeddedPostgresError(
      describeStartFault(directory, `The database could not be created: ${result.stderr || result.error?.message}`),
    )
  fs.renameSync(temporaryDirectory, directory)
}

/** Returns the process id of a directory's server, or undefined; ignores a reused id. */
function runningPid(directory: string): number | undefined {
  const [firstLine] = postmasterFile(directory)
  const pid = Number(firstLine) // not money: a process id
  return pid > 0 && readCommandLine(pid).includes(directory) ? pid : undefined
}

function postmasterFile(directory: string): string[] {
  try {
    return fs.readFileSync(path.join(directory, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

function readCommandLine(pid: number): string {
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).stdout.toString()
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** Returns whether a server with the required settings is running; stops a server with other settings first. */
async function adoptServer(server: Server): Promise<boolean> {
  const { directory } = server.connection
  if (runningPid(directory) === undefined) return false
  const commandLine = [
    path.join(server.programs, 'postgres'),
    ...server.arguments.map((argument) => `"${argument}"`),
  ].join(' ')
  const actualOptions = fs.readFileSync(path.join(directory, 'postmaster.opts'), 'utf8').trim()
  if (actualOptions === commandLine && (await waitUntilReady(directory))) return true
  await stop(directory)
  return false
}

async function waitUntilReady(directory: string): Promise<boolean> {
  for (const end = Date.now() + startTimeoutMs; Date.now() < end; await delay(20)) {
    if (runningPid(directory) === undefined) return false
    const status = postmasterFile(directory)[7]?.trim()
    if (status === 'ready') return true
    if (status === 'stopping') return false
  }
  return false
}

async function launchServer(server: Server): Promise<void> {
  const { directory } = server.connection
  // Removes the file of a dead server, whose process id another process may have now.
  if (runningPid(directory) === undefined) fs.rmSync(path.join(directory, 'postmaster.pid'), { force: true })
  const logSize = fs.statSync(server.logFile, { throwIfNoEntry: false })?.size ?? 0
  const log = fs.openSync(server.logFile, logSize > largestLogBytes ? 'w' : 'a', 0o600)
  const child = spawn(path.join(server.programs, 'postgres'), server.arguments, {
    ...server.account,
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
  })
  fs.closeSync(log)
  child.unref()
  let hasEnded = false
  child.once('exit', () => (hasEnded = true))
  child.once('error', () => (hasEnded = true))
  for (const end = Date.now() + startTimeoutMs; Date.now() < end && !hasEnded; await delay(20)) {
    const lines = postmasterFile(directory)
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return
  }
  const lastLines = fs.readFileSync(server.logFile, 'utf8').trim().split('\n').slice(-5).join('\n')
  throw new EmbeddedPostgresError(
    describeStartFault(directory, `The database did not start. The end of ${server.logFile}:\n${lastLines}`),
  )
}

/** Functions that end the servers this process keeps running, by data directory. */
const serverClosers = new Map<string, () => Promise<void>>()

/** Restarts the server whenever it ends, until the returned function stops it for good. */
function keepRunning(server: Server, log: (sentence: string) => void): () => Promise<void> {
  const { directory } = server.connection
  let repair: Promise<void> | undefined
  const timer = setInterval(() => {
    if (repair !== undefined || runningPid(directory) !== undefined) return
    log('The database ended unexpectedly and is started again.')
    repair = launchServer(server)
      .catch((error: Error) => log(error.message))
      .finally(() => (repair = undefined))
  }, 250)
  timer.unref()
  const end = async () => {
    clearInterval(timer)
    await repair
    await stop(directory)
    if (serverClosers.get(directory) === end) serverClosers.delete(directory)
  }
  serverClosers.set(directory, end)
  return end
}

/** Signals a process unless it has already ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function stop(directory: string): Promise<void> {
  const pid = runningPid(directory)
  if (pid === undefined) return
  signal(pid, 'SIGINT')
  for (const end = Date.now() + stopTimeoutMs; Date.now() < end; await delay(20)) {
    if (runningPid(directory) === undefined) return
  }
  // An aborted server recovers from its log at the next start. Repeats for a server started meanwhile.
  for (let leftoverPid = runningPid(directory); leftoverPid !== undefined; leftoverPid = runningPid(directory)) {
    signal(leftoverPid, 'SIGQUIT')
    await delay(20)
  }
}

async function createDatabase(connection: Connection): Promise<void> {
  const client = new pg.Client({ connectionString: buildUrl(connection, 'postgres') })
  await client.connect()
  try {
    const databaseResult = await client.query('select from pg_database where datname = $1', [databaseName])
    if (databaseResult.rowCount === 0) await client.query(`create database ${databaseName}`)
    const role = await client.query('select from pg_roles where rolname = $1', [applicationRole])
    const password = client.escapeLiteral(connection.applicationPassword ?? '')
    await client.query(`${role.rowCount === 0 ? 'create' : 'alter'} role ${applicationRole} login password ${password}`)
  } finally {
    await client.end()
  }
}
