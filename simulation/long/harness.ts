// Runs two apps, two workers, a sandbox and a durable database as killable processes.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { readConfig } from '../../packages/server/src/platform/runtime/config.ts'
import { migrate } from '../../packages/server/src/commands/migrate/migrate.ts'
import { choosePort, startEmbeddedPostgres } from '../../packages/server/src/platform/database/embedded-postgres.ts'
import { createMetrics } from '../../packages/server/src/platform/runtime/metrics.ts'
import { createProduct, type Product } from '../../packages/server/src/product.ts'
import type { SupervisedProcess } from '../../tools/product/supervised-process.ts'
import { raiseLimits } from '@tern/testkit/people'
import { allowUnconfirmed } from '@tern/testkit/risk'
import { createDataFolder, storeLogs, removeDataFolder } from '@tern/testkit/database-server'
import { listRoles, ownRoot, superviseProcess, silentLog } from '../harness/harness.ts'
import { createEventProxy, type FaultyProxy } from '../harness/proxies.ts'
import { type Victim, victims } from './faults.ts'
import { countLoggedErrors } from './logs.ts'

const sandboxProgram = fileURLToPath(new URL('../../packages/sandbox/src/main.ts', import.meta.url))
// Long enough for a worker to connect to the database and start working.
const workerStartMs = 1500
const readyTimeoutMs = 60_000

async function isReachable(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => undefined)
  return answer?.ok ?? false
}

/** Creates a function that measures how long a process has been seen with its current pid, in milliseconds. */
function createAgeTracker(processes: Readonly<Record<Victim, SupervisedProcess>>) {
  const sightings = new Map<Victim, { pid: number; since: number }>()
  return (victim: Victim): number => {
    const pid = processes[victim].pid()
    const current = sightings.get(victim)
    if (pid !== undefined && current?.pid !== pid) sightings.set(victim, { pid, since: Date.now() })
    return pid === undefined || current?.pid !== pid ? 0 : Date.now() - current.since
  }
}

interface HarnessSetup {
  readonly urls: readonly [string, string]
  readonly sandboxUrl: string
  /** Settings shared by apps, workers and sandbox. */
  readonly settings: Readonly<Record<string, string>> & {
    readonly DATABASE_URL: string
    readonly SANDBOX_SECRET: string
  }
  readonly events: FaultyProxy
}

async function prepareSetup(seed: string, dataDir: string, databaseUrl: string): Promise<HarnessSetup> {
  const [port, otherPort, sandboxPort] = [await choosePort(), await choosePort(), await choosePort()]
  const urls = [`http://localhost:${port}`, `http://localhost:${otherPort}`] as const
  const sandboxUrl = `http://localhost:${sandboxPort}`
  const secret = randomBytes(24).toString('base64url')
  const to = urls.map((url) => `${url}/api/webhooks/sandbox`)
  const events = await createEventProxy({ seed, to, secret, killProduct: () => {} })
  const settings = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: urls[0],
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_URL: sandboxUrl,
    SANDBOX_SECRET: secret,
    SANDBOX_WEBHOOK_URL: events.url,
    SANDBOX_MARKET: 'still',
    SANDBOX_FEES: 'off',
    TERN_SECRET: randomBytes(32).toString('base64url'),
    LOG_LEVEL: 'error',
  }
  return { urls, sandboxUrl, settings, events }
}

/** Starts a process of the program in `root`; the sandbox is always this program's. */
function startProcess(
  name: Victim,
  { urls, settings, dataDir, root }: HarnessSetup & { dataDir: string; root: string },
): SupervisedProcess {
  const { app, worker } = listRoles(root)
  const logName = name.replace('_', '-')
  const options = { settings, dataDir }
  const otherOptions = { settings: { ...settings, PORT: new URL(urls[1]).port }, dataDir }
  if (name === 'sandbox') return superviseProcess(logName, [sandboxProgram], options)
  if (name === 'app_2') return superviseProcess(logName, app, otherOptions)
  return superviseProcess(logName, name === 'app_1' ? app : worker, options)
}

/** Runs `tern migrate` of the program in `root` in a process of its own; returns its output. */
export async function migrateBy(root: string, { url, applicationRole }: HarnessDatabase): Promise<string> {
  const program = path.join(root, 'packages', 'server', 'src', 'commands', 'runner', 'tern.ts')
  const { PATH, HOME, TMPDIR } = process.env
  const env = { PATH, HOME, TMPDIR, MIGRATION_DATABASE_URL: url, APPLICATION_ROLE: applicationRole }
  return (await promisify(execFile)(process.execPath, [program, 'migrate'], { cwd: root, env })).stdout
}

/** Creates a pool that outlives kills; its queries may fail meanwhile and need a retry. */
function createPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 2, application_name: 'harness' })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function readPostmasterPid(directory: string): number | undefined {
  const file = path.join(directory, 'postmaster.pid')
  const [line = ''] = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : []
  return /^\d+$/.test(line) ? Number.parseInt(line, 10) : undefined
}

/** Polls until `isSatisfied` returns true; throws `message` on timeout. */
async function waitUntil(message: string, isSatisfied: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + readyTimeoutMs; !(await isSatisfied()); await delay(50)) {
    if (Date.now() > end) throw new Error(message)
  }
}

export type Harness = Awaited<ReturnType<typeof startHarness>>

/** Database of a run, with an empty schema. */
export interface HarnessDatabase {
  /** For the owner of the schema. */
  readonly url: string
  readonly applicationUrl: string
  readonly applicationRole: string
  /** Undefined while the server is down. */
  postmasterPid(): number | undefined
  /** Log of the server so far. */
  log(): string
  stop(): Promise<void>
}

async function startOwnDatabase(dataDir: string): Promise<HarnessDatabase> {
  const database = await startEmbeddedPostgres({ dataDir })
  return {
    ...database,
    postmasterPid: () => readPostmasterPid(database.directory),
    log: () => fs.readFileSync(path.join(dataDir, 'postgres.log'), 'utf8'),
  }
}

export interface HarnessOptions {
  /** Additional settings of all processes. */
  readonly settings?: Readonly<Record<string, string>>
  /** A database of its own by default. */
  readonly database?: HarnessDatabase
  /** Folder of the program that migrates the database and runs; this one by default. */
  readonly root?: string
}

/** Starts everything; the caller closes it. */
export async function startHarness(seed: string, options: HarnessOptions = {}) {
  const dataDir = createDataFolder('product')
  const { root: firstRoot = ownRoot } = options
  const database = options.database ?? (await startOwnDatabase(dataDir))
  if (firstRoot === ownRoot) await migrate(database.url, database)
  else await migrateBy(firstRoot, database)
  const ownSetup = await prepareSetup(seed, dataDir, database.applicationUrl)
  const setup = { ...ownSetup, settings: { ...ownSetup.settings, ...options.settings } }
  const { urls, sandboxUrl, settings, events } = setup
  const { SANDBOX_SECRET: sandboxSecret } = settings
  const start = (name: Victim, root: string) => startProcess(name, { ...setup, dataDir, root })
  const processes: Record<Victim, SupervisedProcess> = {
    sandbox: start('sandbox', ownRoot),
    app_1: start('app_1', firstRoot),
    app_2: start('app_2', firstRoot),
    worker_1: start('worker_1', firstRoot),
    worker_2: start('worker_2', firstRoot),
  }
  const pool = createPool(database.url)
  await raiseLimits(pool)
  await allowUnconfirmed(pool, { dollars: 1_000_000 })
  const readAge = createAgeTracker(processes)
  const addresses: Partial<Record<Victim, string>> = {
    app_1: `${urls[0]}/readyz`,
    app_2: `${urls[1]}/readyz`,
    sandbox: `${sandboxUrl}/healthz`,
  }
  /** Returns whether a process is up and working. */
  const isUp = async (victim: Victim): Promise<boolean> => {
    const address = addresses[victim]
    return address === undefined ? readAge(victim) > workerStartMs : isReachable(address)
  }

  return {
    ...{ urls, sandboxUrl, sandboxSecret, processes, events, pool, isUp, database, settings },
    /** Stops a process as on SIGTERM, and starts that of another program in its place; returns once it is up. */
    async replace(name: Victim, root: string): Promise<void> {
      await processes[name].stop()
      processes[name] = start(name, root)
      await waitUntil(`${name} did not come up.`, () => isUp(name)).catch((error: Error) => {
        throw new Error(`${error.message}\n${processes[name].lastLines()}`)
      })
    },
    postmasterPid: database.postmasterPid,
    /** Number of errors logged by the product's processes, by role and message. */
    loggedErrors: () => countLoggedErrors(dataDir),
    databaseLog: database.log,
    waitUntilReady: () =>
      waitUntil('Not every process came up.', async () => (await Promise.all(victims.map(isUp))).every(Boolean)),
    /** Advances the clock of sandbox and product, retrying until the sandbox responds. */
    advanceClock: (byMs: number) =>
      waitUntil('The sandbox did not take a new time.', () =>
        setClock(sandboxUrl, sandboxSecret, byMs).catch(() => false),
      ),
    /** Runs `work` with the product in this process. Must not be used during kills. */
    async withOperator<T>(work: (operator: Product) => Promise<T>): Promise<T> {
      const config = readConfig(settings)
      const operator = await createProduct({
        config,
        databaseUrl: database.url,
        metrics: createMetrics(),
        log: silentLog,
      })
      try {
        await operator.exchange.refreshRates()
        return await work(operator)
      } finally {
        await operator.close()
      }
    },
    async close(): Promise<void> {
      await Promise.all(victims.map((victim) => processes[victim].stop()))
      await pool.end()
      await events.close()
      await database.stop()
      storeLogs(dataDir)
      await removeDataFolder(dataDir)
    },
  }
}

async function setClock(sandboxUrl: string, secret: string, byMs: number): Promise<boolean> {
  const signal = AbortSignal.timeout(3000)
  const { offsetMs } = (await (await fetch(`${sandboxUrl}/api/clock`, { signal })).json()) as { offsetMs: number }
  const answer = await fetch(`${sandboxUrl}/api/clock`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ offsetMs: offsetMs + byMs }),
    signal,
  })
  return answer.ok
}
