// Runs the product as killable processes, a sandbox, and two proxies between them.

import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startSandbox } from '@tern/sandbox/sandbox'
import { readConfig } from '../../packages/server/src/platform/runtime/config.ts'
import { choosePort, startEmbeddedPostgres } from '../../packages/server/src/platform/database/embedded-postgres.ts'
import { createMetrics } from '../../packages/server/src/platform/runtime/metrics.ts'
import { allowUnconfirmed, raiseMovementCounts } from '@tern/testkit/risk'
import { migrate } from '../../packages/server/src/commands/migrate/migrate.ts'
import { createProduct, type Product } from '../../packages/server/src/product.ts'
import { pino } from 'pino'
import { type SupervisedProcess, startSupervisedProcess } from '../../tools/product/supervised-process.ts'
import { createDataFolder, removeDataFolder } from '@tern/testkit/database-server'
import { createEventProxy, createProviderProxy } from './proxies.ts'

const readyTimeoutMs = 60_000
// An app that is stopped serves on for LAME_DUCK_SECONDS, and then finishes its requests.
const gracePeriodMs = 20_000
export const silentLog = pino({ level: 'silent' })
// Long enough for the product to begin some work after a restart.
const pauseBetweenKillsMs = 4000

/** Creates a control that kills the current process, unless faults are disabled or the last kill was too recent. */
function createKiller(pid: () => number | undefined) {
  let isFaultFree = true
  let kills = 0
  let killedAt = 0
  return {
    kills: () => kills,
    setFaultsEnabled: (isEnabled: boolean) => (isFaultFree = !isEnabled),
    kill() {
      const victim = pid()
      if (isFaultFree || victim === undefined || Date.now() - killedAt < pauseBetweenKillsMs) return
      killedAt = Date.now()
      kills += 1
      process.kill(victim, 'SIGKILL')
    },
  }
}

/** Starts a process, and restarts it whenever it exits. */
export function superviseProcess(
  name: string,
  parameters: string[],
  { settings, dataDir }: { settings: NodeJS.ProcessEnv; dataDir: string },
): SupervisedProcess {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  return startSupervisedProcess({
    name,
    parameters,
    environment: { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...settings },
    logFile: path.join(dataDir, `${name}.log`),
    log: () => {},
    gracePeriodMs,
  })
}

/** Folder of this program. */
export const ownRoot = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the process arguments of app and worker of the program in a folder. */
export function listRoles(root: string): { app: string[]; worker: string[] } {
  const holdRule = pathToFileURL(path.join(root, 'simulation', 'harness', 'hold-rule.ts')).href
  const server = path.join(root, 'packages', 'server', 'src', 'main.ts')
  return { app: ['--import', holdRule, server, 'app', '--without-demo'], worker: [server, 'worker'] }
}

/** Process arguments of app and worker of this program. */
export const roles = listRoles(ownRoot)

async function waitUntilReady(url: string, app: SupervisedProcess): Promise<void> {
  for (const end = Date.now() + readyTimeoutMs; Date.now() < end; await delay(50)) {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
    if (answer?.ok) return
  }
  throw new Error(`The product did not become ready.\n${app.lastLines()}`)
}

async function advanceClock({ providers, exchange }: Product, byMs: number): Promise<void> {
  const clock = providers.sandboxClock
  if (clock === undefined) throw new Error('there is no clock to move')
  await clock.set(new Date(clock.now().getTime() + byMs))
  await exchange.refreshRates()
}

export type Harness = Awaited<ReturnType<typeof startHarness>>

/** Starts everything; the caller closes it. */
export async function startHarness(seed: string) {
  const dataDir = createDataFolder('product')
  const database = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } })
  await migrate(database.url, database)
  const [port, sandboxPort] = [await choosePort(), await choosePort()]
  const url = `http://localhost:${port}`
  const sandboxUrl = `http://localhost:${sandboxPort}`
  const secret = randomBytes(24).toString('base64url')

  let app: SupervisedProcess | undefined
  const killer = createKiller(() => app?.pid())
  const calls = await createProviderProxy({ seed, to: sandboxUrl, killProduct: killer.kill })
  const events = await createEventProxy({ seed, to: [`${url}/api/webhooks/sandbox`], secret, killProduct: killer.kill })
  const sandbox = await startSandbox({
    port: sandboxPort,
    dataDir,
    secret,
    webhookUrl: events.url,
    publicUrl: sandboxUrl,
    // The oracle requires fixed rates.
    market: 'still',
  })
  const settings = {
    DATABASE_URL: database.applicationUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_PUBLIC_URL: sandboxUrl,
    SANDBOX_SECRET: secret,
    TERN_SECRET: randomBytes(32).toString('base64url'),
    LOG_LEVEL: 'error',
  }
  const processOptions = { settings: { ...settings, SANDBOX_URL: calls.url }, dataDir }
  const processes = {
    app: superviseProcess('app', roles.app, processOptions),
    worker: superviseProcess('worker', roles.worker, processOptions),
  }
  app = processes.app
  const config = readConfig({ ...settings, SANDBOX_URL: sandboxUrl })
  const operator = await createProduct({ config, databaseUrl: database.url, metrics: createMetrics(), log: silentLog })
  await operator.exchange.refreshRates()
  // Actors cannot confirm a step-up, and they exceed the usual limits.
  await allowUnconfirmed(operator.pool, { dollars: 1_000_000 })
  await raiseMovementCounts(operator.pool)

  const setFaultsEnabled = (isEnabled: boolean) =>
    [killer, calls, events].forEach((target) => target.setFaultsEnabled(isEnabled))
  return {
    ...{ url, sandboxUrl, sandboxSecret: secret, ...processes, calls, events },
    /** The product in this process, without faults: for operator actions and database access. */
    operator,
    kills: killer.kills,
    waitUntilReady: () => waitUntilReady(url, processes.app),
    enableFaults: () => setFaultsEnabled(true),
    disableFaults: (): unknown => setFaultsEnabled(false),
    /** Advances the shared clock of sandbox and product. */
    advanceClock: (byMs: number): Promise<void> => advanceClock(operator, byMs),
    async close(): Promise<void> {
      await Promise.all([processes.app.stop(), processes.worker.stop()])
      await operator.close()
      await sandbox.stop()
      await Promise.all([calls.close(), events.close()])
      await database.stop()
      await removeDataFolder(dataDir)
    },
  }
}
