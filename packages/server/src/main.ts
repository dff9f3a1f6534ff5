import { flushCompileCache } from 'node:module'
import process from 'node:process'
import type { App } from './app.ts'
import { type Config, readConfig } from './platform/runtime/config.ts'
import { describeStaleLists } from './features/compliance/compliance.ts'
import {
  describeProviderFaults,
  describeMissingProviders,
  describeRateSources,
} from './platform/providers/missing-providers.ts'
import { readSecretFiles } from './platform/runtime/secret-files.ts'
import { ConfigError } from './platform/runtime/settings.ts'
import { isMain } from './platform/runtime/is-main.ts'
import { isDatabaseUnavailable, describeError } from './platform/database/database-errors.ts'
import { connect, onlyRow } from './platform/database/db.ts'
import { prepareSchema } from './commands/migrate/migrate.ts'
import { UnknownSecretError } from './platform/seal.ts'
import type { Tracing } from './platform/tracing/tracing.ts'

interface RunningProcess {
  readonly lameDuckMs: number
  close(options: { lameDuckMs: number }): Promise<void>
}

/** Starts the app or the worker; loads only the modules of that role. */
async function startRole(role: string): Promise<RunningProcess> {
  const config = readConfig(readSecretFiles(process.env))
  const { databaseUrl } = config
  if (databaseUrl === undefined) {
    throw new ConfigError(
      'DATABASE_URL must be set here; `npm start` starts the database that comes along and sets it.',
    )
  }
  if (role !== 'app' && role !== 'worker') throw new ConfigError('The role must be app or worker.')
  // Before anything else, since what starts untraced stays so.
  const traces = config.tracing && (await import('./platform/tracing/start.ts')).startTracing(config.tracing, role)
  const schemaRole = await prepareSchema(databaseUrl)
  if (config.mode === 'production' && schemaRole === 'owner') {
    process.stderr.write('DATABASE_URL names the owner of the schema; give app and worker a role of their own.\n')
  }
  if (config.mode === 'production') await refuseSandboxDatabase(databaseUrl)
  if (config.sandbox && config.stripe) await markSandboxDatabase(databaseUrl)
  const { lameDuckMs } = config.operations
  if (role === 'worker') {
    const { startWorker } = await import('./worker.ts')
    const { close, stuck } = await startWorker(config, databaseUrl)
    // Exits at once; the supervisor starts a new process.
    void stuck.then(() => process.exit(1))
    return { lameDuckMs: 0, close: () => closeTraced(close, traces) }
  }
  const { createApp } = await import('./app.ts')
  const app = await createApp(config, databaseUrl)
  await app.http.listen({ port: config.port, host: config.host })
  // Demo deposits are paid at the sandbox, never at Stripe.
  if (config.sandbox && !config.stripe && !process.argv.includes('--without-demo')) {
    const { seedDemo } = await import('./commands/demo/demo.ts')
    await seedDemo(app.product, config.sandbox.url, app.http.log)
  }
  app.setReady()
  if (config.mode === 'production')
    void logProviders(app, config).catch((error: unknown) => app.http.log.error({ err: error }))
  return { lameDuckMs, close: (options) => closeTraced(() => app.close(options), traces) }
}

/** Closes a process, then sends its remaining spans. */
async function closeTraced(close: () => Promise<void>, traces: Tracing | undefined): Promise<void> {
  try {
    await close()
  } finally {
    await traces?.stop()
  }
}

/** Refuses a database used with the sandbox: its demo passwords are public, and no real money backs its balances. */
async function refuseSandboxDatabase(databaseUrl: string): Promise<void> {
  const pool = connect(databaseUrl, 1)
  try {
    const { rows } = await pool.query<{ used: boolean }>(
      `select exists (select from demo_seed) or exists (select from payment where provider = 'sandbox') as used`,
    )
    if (onlyRow(rows).used) {
      throw new ConfigError(
        'DATABASE_URL names a database that was used with the sandbox; production needs one of its own.',
      )
    }
  } finally {
    await pool.end()
  }
}

/** Marks the database as sandbox data: Stripe's test payments look real, but no money backs them. */
async function markSandboxDatabase(databaseUrl: string): Promise<void> {
  const pool = connect(databaseUrl, 1)
  try {
    await pool.query('insert into demo_seed (started_at) values ($1) on conflict (only_one) do nothing', [new Date()])
  } finally {
    await pool.end()
  }
}

/** Returns a sentence for an error that an operator must fix before a start can succeed; undefined for any other. */
function describeFault(error: unknown): string | undefined {
  if (error instanceof ConfigError) return error.message
  if (error instanceof UnknownSecretError) {
    return 'The data was sealed under another TERN_SECRET: set that one again, or add it as TERN_OLD_SECRET (docs/operating.md).'
  }
  const { code, syscall, port } = (error ?? {}) as { code?: string; syscall?: string; port?: number }
  if (syscall === 'listen' && code === 'EADDRINUSE') return `Port ${port} is already in use.`
  if (syscall === 'listen' && code === 'EACCES') return `Port ${port} needs more rights than this account has.`
  if (code === '28P01' || code === '28000') return 'The database does not accept the user and password in DATABASE_URL.'
  if (code === '3D000') return 'The database that DATABASE_URL names does not exist.'
  return undefined
}

/** Logs the source of rates, stale lists, missing settings and failing providers. Outages do not prevent the start. */
async function logProviders({ product, http: { log } }: App, config: Config): Promise<void> {
  const rates = describeRateSources(config)
  if (rates !== undefined) log.info(rates)
  const lists = describeStaleLists(await product.compliance.lists.tooOld())
  if (lists !== undefined) {
    process.stderr.write(`${lists}\n`)
    log.warn(lists)
  }
  for (const sentence of describeMissingProviders(config, product.providers)) log.warn(sentence)
  for (const sentence of await describeProviderFaults(product.providers)) log.error(sentence)
}

/** Time limit for shutdown after `lameDuckMs`, beyond which the process exits with an error. */
const stopTimeoutMs = 15_000

async function main(): Promise<void> {
  // A full disk behind the output must not end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  try {
    const running = await startRole(process.argv[2] ?? 'app')
    // Keeps the next start fast even if this process is killed. Has no effect unless NODE_COMPILE_CACHE names a folder.
    flushCompileCache()
    const stop = () => {
      const { lameDuckMs } = running
      setTimeout(() => process.exit(1), lameDuckMs + stopTimeoutMs).unref()
      running.close({ lameDuckMs }).then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${String(error)}\n`)
          process.exit(1)
        },
      )
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
  } catch (error) {
    const fault = describeFault(error)
    if (fault !== undefined) {
      process.stderr.write(`${fault}\n`)
      process.exit(78)
    } else if (isDatabaseUnavailable(error)) {
      // The supervisor restarts this process until the database is up.
      process.stderr.write(`The database does not answer (${describeError(error)}).\n`)
      process.exit(1)
    } else throw error
  }
}

// tools/product/compile.ts imports this module only to compile it.
if (isMain(import.meta)) await main()
