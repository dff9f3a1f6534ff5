// Two apps, two workers, a sandbox and a durable database as killable processes.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { readConfig } from '../../packages/server/src/platform/runtime/config.ts'
import { migrate } from '../../packages/server/src/commands/migrate/migrate.ts'
import { choosePort, startEmbeddedPostgres } from '../../packages/server/src/platform/database/embedded-postgres.ts'
import { createMetrics } from '../../packages/server/src/platform/runtime/metrics.ts'
import { createProduct, type Product } from '../../packages/server/src/product.ts'
import type { KeptProcess } from '../../tools/product/kept-process.ts'
import { raiseLimits } from '@tern/testkit/people'
import { allowUnproven } from '@tern/testkit/risk'
import { createDataFolder, storeLogs, removeDataFolder } from '@tern/testkit/database-server'
import { superviseProcess, roles, silent } from '../harness/harness.ts'
import { createEventWire, type Wire } from '../harness/proxies.ts'
import { type Victim, victims } from './faults.ts'
import { tallyLogs } from './logs.ts'

const sandboxProgram = fileURLToPath(new URL('../../packages/sandbox/src/main.ts', import.meta.url))
// Long enough to connect to the database and start working.
const workerStartMs = 1500
const patienceMs = 60_000

async function answersOk(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => undefined)
  return answer?.ok ?? false
}

/** Tracks how long each process has had its current pid. */
function createAges(processes: Readonly<Record<Victim, KeptProcess>>) {
  const seen = new Map<Victim, { pid: number; since: number }>()
  return (victim: Victim): number => {
    const pid = processes[victim].pid()
    const known = seen.get(victim)
    if (pid !== undefined && known?.pid !== pid) seen.set(victim, { pid, since: Date.now() })
    return pid === undefined || known?.pid !== pid ? 0 : Date.now() - known.since
  }
}

interface Places {
  readonly urls: readonly [string, string]
  readonly sandboxUrl: string
  /** Settings of all apps, workers and the sandbox. */
  readonly settings: Readonly<Record<string, string>> & {
    readonly DATABASE_URL: string
    readonly SANDBOX_SECRET: string
  }
  readonly events: Wire
}

async function choosePlaces(seed: string, dataDir: string, databaseUrl: string): Promise<Places> {
  const [port, otherPort, sandboxPort] = [await choosePort(), await choosePort(), await choosePort()]
  const urls = [`http://localhost:${port}`, `http://localhost:${otherPort}`] as const
  const sandboxUrl = `http://localhost:${sandboxPort}`
  const secret = randomBytes(24).toString('base64url')
  const to = urls.map((url) => `${url}/api/webhooks/sandbox`)
  const events = await createEventWire({ seed, to, secret, killProduct: () => {} })
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
    TERN_SECRET: randomBytes(32).toString('base64url'),
    LOG_LEVEL: 'error',
  }
  return { urls, sandboxUrl, settings, events }
}

function startProcesses({ urls, settings }: Places, dataDir: string): Record<Victim, KeptProcess> {
  const place = { settings, dataDir }
  const otherPlace = { settings: { ...settings, PORT: new URL(urls[1]).port }, dataDir }
  return {
    sandbox: superviseProcess('sandbox', [sandboxProgram], place),
    app_1: superviseProcess('app-1', roles.app, place),
    app_2: superviseProcess('app-2', roles.app, otherPlace),
    worker_1: superviseProcess('worker-1', roles.worker, place),
    worker_2: superviseProcess('worker-2', roles.worker, place),
  }
}

/** Creates a pool for reading the database; queries may fail during kills and need a retry. */
function createPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 2, application_name: 'harness' })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function postmasterPidIn(directory: string): number | undefined {
  const file = path.join(directory, 'postmaster.pid')
  const [line = ''] = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : []
  return /^\d+$/.test(line) ? Number.parseInt(line, 10) : undefined
}

/** Polls until `isSo` returns true; throws `sentence` on timeout. */
async function until(sentence: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + patienceMs; !(await isSo()); await delay(50)) {
    if (Date.now() > end) throw new Error(sentence)
  }
}

export type Harness = Awaited<ReturnType<typeof startHarness>>

/** Starts everything, with the additional settings `more` for all processes; the caller closes it. */
export async function startHarness(seed: string, more: Readonly<Record<string, string>> = {}) {
  const dataDir = createDataFolder('product')
  const database = await startEmbeddedPostgres({ dataDir })
  await migrate(database.url, database)
  const places = await choosePlaces(seed, dataDir, database.applicationUrl)
  const { urls, sandboxUrl, settings, events } = places
  const { SANDBOX_SECRET: sandboxSecret } = settings
  const processes = startProcesses({ ...places, settings: { ...settings, ...more } }, dataDir)
  const pool = createPool(database.url)
  await raiseLimits(pool)
  await allowUnproven(pool, { dollars: 1_000_000 })
  const ageOf = createAges(processes)
  const addresses: Partial<Record<Victim, string>> = {
    app_1: `${urls[0]}/readyz`,
    app_2: `${urls[1]}/readyz`,
    sandbox: `${sandboxUrl}/healthz`,
  }
  /** Returns whether a process is up and working. */
  const isUp = async (victim: Victim): Promise<boolean> => {
    const address = addresses[victim]
    return address === undefined ? ageOf(victim) > workerStartMs : answersOk(address)
  }

  return {
    ...{ urls, sandboxUrl, sandboxSecret, processes, events, pool, isUp },
    postmasterPid: (): number | undefined => postmasterPidIn(database.directory),
    /** Number of errors logged by the product's processes, by message. */
    loggedErrors: () => tallyLogs(dataDir),
    /** Log of the database server so far. */
    databaseLog: () => fs.readFileSync(path.join(dataDir, 'postgres.log'), 'utf8'),
    becomeReady: () =>
      until('Not every process came up.', async () => (await Promise.all(victims.map(isUp))).every(Boolean)),
    /** Advances the clock of sandbox and product, retrying until the sandbox responds. */
    moveClock: (byMs: number) =>
      until('The sandbox did not take a new time.', () => setClock(sandboxUrl, sandboxSecret, byMs).catch(() => false)),
    /** Runs `work` with the product in this process. Not safe during kills. */
    async withOperator<T>(work: (operator: Product) => Promise<T>): Promise<T> {
      const config = readConfig(settings)
      const operator = await createProduct({ config, databaseUrl: database.url, metrics: createMetrics(), log: silent })
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
