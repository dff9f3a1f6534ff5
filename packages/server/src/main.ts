import process from 'node:process'
import { createApp } from './app.ts'
import { ConfigError, readConfig } from './platform/runtime/config.ts'
import { isDatabaseUnavailable, reasonOf } from './platform/database/database-errors.ts'
import { connect, only } from './platform/database/db.ts'
import { seedDemo } from './commands/demo/demo.ts'
import { prepareSchema } from './commands/migrate/migrate.ts'
import { startWorker } from './worker.ts'

interface Running {
  close(): Promise<void>
}

async function startRole(role: string): Promise<Running> {
  const config = readConfig(process.env)
  const { databaseUrl } = config
  if (databaseUrl === undefined) {
    throw new ConfigError(
      'DATABASE_URL must be set here; `npm start` starts the database that comes along and sets it.',
    )
  }
  if (role !== 'app' && role !== 'worker') throw new ConfigError('The role must be app or worker.')
  const as = await prepareSchema(databaseUrl)
  if (config.mode === 'production' && as === 'owner') {
    process.stderr.write('DATABASE_URL names the owner of the schema; give app and worker a role of their own.\n')
  }
  if (config.mode === 'production') await refuseSandboxDatabase(databaseUrl)
  if (config.sandbox && config.stripe) await markSandboxDatabase(databaseUrl)
  if (role === 'worker') return startWorker(config, databaseUrl)
  const app = await createApp(config, databaseUrl)
  await app.http.listen({ port: config.port, host: config.host })
  // Demo deposits are paid at the sandbox, never at Stripe.
  if (config.sandbox && !config.stripe && !process.argv.includes('--without-demo')) {
    await seedDemo(app.product, config.sandbox.url, app.http.log)
  }
  app.setReady()
  return app
}

/** Demo passwords are public and sandbox money is unpaid: such a database must not go live. */
async function refuseSandboxDatabase(databaseUrl: string): Promise<void> {
  const pool = connect(databaseUrl, 1)
  try {
    const { rows } = await pool.query<{ used: boolean }>(
      `select exists (select from demo_seed) or exists (select from payment where provider = 'sandbox') as used`,
    )
    if (only(rows).used) {
      throw new ConfigError(
        'DATABASE_URL names a database that was used with the sandbox; production needs one of its own.',
      )
    }
  } finally {
    await pool.end()
  }
}

/** Stripe test money is unpaid too but looks real, so the database is marked. */
async function markSandboxDatabase(databaseUrl: string): Promise<void> {
  const pool = connect(databaseUrl, 1)
  try {
    await pool.query('insert into demo_seed (started_at) values ($1) on conflict (only_one) do nothing', [new Date()])
  } finally {
    await pool.end()
  }
}

const stopTimeoutMs = 15_000

try {
  const running = await startRole(process.argv[2] ?? 'app')
  const stop = () => {
    setTimeout(() => process.exit(1), stopTimeoutMs).unref()
    running.close().then(
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
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 78
  } else if (isDatabaseUnavailable(error)) {
    // The supervisor restarts this process until the database is up.
    process.stderr.write(`The database does not answer (${reasonOf(error)}).\n`)
    process.exit(1)
  } else throw error
}
