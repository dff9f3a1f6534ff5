// Starts the product in order (database, sandbox unless in production, app, worker), restarts processes that exit, and
// stops the processes together, then the database.

import net from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Config, readConfig } from '../../packages/server/src/platform/runtime/config.ts'
import { readSecretFiles } from '../../packages/server/src/platform/runtime/secret-files.ts'
import { ConfigError } from '../../packages/server/src/platform/runtime/settings.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../packages/server/src/platform/database/embedded-postgres.ts'
import { EmbeddedPostgresError } from '../../packages/server/src/platform/database/postgres-connection.ts'
import { migrate } from '../../packages/server/src/commands/migrate/migrate.ts'
import { claimDataFolder, describeError, readSecrets, StartError } from './data-folder.ts'
import { type SupervisedProcess, startSupervisedProcess } from './supervised-process.ts'

export interface Product {
  url: string
  sandboxUrl: string | undefined
  /** DATABASE_URL, or the bundled database with its owner's role; app and worker use another role there. */
  databaseUrl: string
  config: Config
  /** Address of operators' desk, metrics and API reference; undefined without an admin port. */
  adminUrl: string | undefined
  processes: { app: SupervisedProcess; worker: SupervisedProcess; sandbox: SupervisedProcess | undefined }
  /** Stops everything; resolves once no process is left. */
  stop(mode?: 'graceful' | 'immediate'): Promise<void>
}

export interface ProductOptions {
  environment: NodeJS.ProcessEnv
  log: (sentence: string) => void
  /** Slow preparation, run in parallel with the database's start once the configuration and ports are valid. */
  prepare?: () => Promise<void>
  /** Aborting during startup stops every process already started. */
  signal?: AbortSignal
}

const readyTimeoutMs = 120_000
const answerTimeoutMs = 2000
// Longer than a process outlives its supervisor (exit-with-parent.ts), even on a slow machine.
const portTimeoutAfterCrashMs = 20_000
const maxDeaths = 3
/** Limits of Node's young generation, in megabytes per semi-space; by default it grows to 64 MB per process. */
const youngGeneration = { app: '--max-semi-space-size=8', others: '--max-semi-space-size=4' }
const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Starts the product configured by `environment`; resolves once it is ready. On failure, stops what was started and
 * throws a StartError, or an unforeseen error unchanged.
 */
export async function startProduct({ environment, log, prepare, signal }: ProductOptions): Promise<Product> {
  const { settings, config } = readSettings(environment)
  const claim = claimFolder(config)
  let database: EmbeddedPostgres | undefined
  const processes: SupervisedProcess[] = []
  const stop = async (mode: 'graceful' | 'immediate' = 'graceful') => {
    await Promise.all(processes.map((each) => each.stop(mode)))
    await database?.stop()
    claim.release()
  }
  try {
    const portTimeoutMs = claim.isAfterCrash ? portTimeoutAfterCrashMs : 0
    await requirePort(config.port, 'PORT', portTimeoutMs)
    if (config.sandbox) await requirePort(config.sandbox.port, 'SANDBOX_PORT', portTimeoutMs)
    // Both take seconds on a first start. Waits for both even if one fails, so that nothing is left running.
    const [preparationResult, databaseResult] = await Promise.allSettled([prepare?.(), openDatabase(config, log)])
    if (databaseResult.status === 'fulfilled') database = databaseResult.value
    for (const result of [preparationResult, databaseResult]) if (result.status === 'rejected') throw result.reason
    signal?.throwIfAborted()

    const databaseUrl = config.databaseUrl ?? database?.url ?? ''
    const applicationUrl = config.databaseUrl ?? database?.applicationUrl ?? ''
    const start = (name: string, parameters: string[], extraEnvironment: NodeJS.ProcessEnv = {}) => {
      const child = startSupervisedProcess({
        name,
        parameters,
        environment: { ...settings, ...extraEnvironment, DATABASE_URL: applicationUrl },
        log,
        logFile: chooseLogFile(config, name),
        gracePeriodMs: config.operations.lameDuckMs,
      })
      processes.push(child)
      return child
    }
    const sandbox =
      config.sandbox && start('sandbox', [youngGeneration.others, path.join(root, 'packages/sandbox/src/main.ts')])
    const server = path.join(root, 'packages/server/src/main.ts')
    const adminPorts = await chooseAdminPorts(environment, config)
    const app = start('app', [youngGeneration.app, server, 'app'], { ADMIN_PORT: adminPorts.app })
    const worker = start('worker', [youngGeneration.others, server, 'worker'], { ADMIN_PORT: adminPorts.worker })
    const addresses = [`http://127.0.0.1:${config.port}/readyz`]
    if (config.sandbox) addresses.push(`http://127.0.0.1:${config.sandbox.port}/healthz`)
    await waitUntilReady(addresses, processes, signal)
    return {
      url: config.publicUrl,
      sandboxUrl: config.sandbox?.publicUrl,
      databaseUrl,
      config,
      processes: { app, worker, sandbox },
      adminUrl: adminPorts.app === '' ? undefined : `http://localhost:${adminPorts.app}`,
      stop,
    }
  } catch (error) {
    await stop()
    if (error instanceof EmbeddedPostgresError) throw new StartError(error.message, { cause: error })
    throw describeError(error, config.dataDir)
  }
}

function claimFolder({ dataDir, publicUrl, sandbox }: Config): ReturnType<typeof claimDataFolder> {
  try {
    return claimDataFolder(dataDir, { url: publicUrl, sandboxUrl: sandbox?.url })
  } catch (error) {
    throw describeError(error, dataDir)
  }
}

/** Starts and migrates the bundled database, unless DATABASE_URL names another. */
async function openDatabase(
  { databaseUrl, dataDir }: Config,
  log: (sentence: string) => void,
): Promise<EmbeddedPostgres | undefined> {
  if (databaseUrl !== undefined) return undefined
  const database = await startEmbeddedPostgres({ dataDir, log })
  try {
    await migrateEmbedded(database)
    return database
  } catch (error) {
    await database.stop()
    throw error
  }
}

/** Migrates like `npx tern migrate` in production, so that the roles have the same privileges. */
async function migrateEmbedded({ url, applicationRole }: EmbeddedPostgres): Promise<void> {
  try {
    await migrate(url, { applicationRole })
  } catch (error) {
    throw error instanceof ConfigError ? new StartError(error.message) : error
  }
}

function readSettings(given: NodeJS.ProcessEnv): { settings: NodeJS.ProcessEnv; config: Config } {
  const isProduction = given.TERN_MODE === 'production'
  try {
    const environment = readSecretFiles(given)
    // Throws on other configuration errors before `readSecrets` creates the data folder.
    const placeholderSecret = 'not yet known, but of sufficient length'
    const { dataDir } = readConfig({
      ...environment,
      ...(isProduction ? {} : { TERN_SECRET: placeholderSecret, SANDBOX_SECRET: placeholderSecret }),
    })
    const areSecretsGiven = Boolean(environment.TERN_SECRET && environment.SANDBOX_SECRET)
    const secrets = isProduction || areSecretsGiven ? {} : readSecrets(dataDir)
    const settings: NodeJS.ProcessEnv = { LAME_DUCK_SECONDS: '0', ...secrets, ...environment, DATA_DIR: dataDir }
    const config = readConfig(settings)
    if (config.sandbox) {
      settings.SANDBOX_PORT = String(config.sandbox.port)
      settings.SANDBOX_WEBHOOK_URL = `http://127.0.0.1:${config.port}/api/webhooks/sandbox`
      settings.SANDBOX_OIDC_REDIRECT = `${config.publicUrl}/auth/callback`
    }
    return { settings, config }
  } catch (error) {
    throw error instanceof ConfigError ? new StartError(error.message) : describeError(error, given.DATA_DIR || '.data')
  }
}

// Except in production, logs go to files, so that the terminal shows the product's address.
function chooseLogFile(config: Config, name: string): string | undefined {
  return config.mode === 'production' ? undefined : path.join(config.dataDir, 'logs', `${name}.log`)
}

/**
 * Returns the admin ports of app and worker, empty for none: as configured; otherwise, in sandbox mode only, PORT + 2
 * and PORT + 3 where free.
 */
async function chooseAdminPorts(
  { ADMIN_PORT = '', WORKER_ADMIN_PORT = '' }: NodeJS.ProcessEnv,
  { port, sandbox }: Config,
): Promise<{ app: string; worker: string }> {
  if (!sandbox || ADMIN_PORT || WORKER_ADMIN_PORT) return { app: ADMIN_PORT, worker: WORKER_ADMIN_PORT }
  const returnIfFree = async (candidate: number) =>
    candidate <= 65_535 && candidate !== sandbox.port && (await isFree(candidate)) ? String(candidate) : ''
  return { app: await returnIfFree(port + 2), worker: await returnIfFree(port + 3) }
}

async function requirePort(port: number, variable: string, timeoutMs: number): Promise<void> {
  for (const end = Date.now() + timeoutMs; !(await isFree(port)); await delay(100)) {
    if (Date.now() >= end) throw new StartError(`Port ${port} is already in use; set ${variable} to a free one.`)
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probeServer = net.createServer()
    probeServer.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES') reject(new StartError(`Port ${port} needs more rights than this account has.`))
      else resolve(false)
    })
    probeServer.listen(port, () => probeServer.close(() => resolve(true)))
  })
}

async function waitUntilReady(
  addresses: string[],
  processes: SupervisedProcess[],
  signal?: AbortSignal,
): Promise<void> {
  for (const end = Date.now() + readyTimeoutMs; Date.now() < end; await delay(50)) {
    signal?.throwIfAborted()
    const failed = processes.find((each) => each.deaths() >= maxDeaths)
    if (failed) throw new StartError(`The ${failed.name} does not start.\n${failed.lastLines()}`)
    const misconfigured = processes.find((each) => each.isMisconfigured())
    if (misconfigured)
      throw new StartError(
        extractLastSentence(misconfigured.lastLines()) || `The ${misconfigured.name} does not start.`,
      )
    const answers = await Promise.all(addresses.map(isReady))
    if (answers.every(Boolean)) return
  }
  throw new StartError(`The product did not become ready in ${readyTimeoutMs / 1000} seconds.`)
}

/** Returns the last plain-text line of a log that is otherwise JSON. */
const extractLastSentence = (lines: string): string =>
  lines
    .split('\n')
    .filter((line) => !line.startsWith('{'))
    .slice(-1)
    .join('\n')

// `fetch`, or an import of `node:http`, would load undici, which takes 10 MB: an import evaluates every export.
const http = process.getBuiltinModule('node:http')

function isReady(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get(address, { agent: false, timeout: answerTimeoutMs }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(false))
  })
}
