import process from 'node:process'
import { createApp } from './app.ts'
import { ConfigError, readConfig } from './config.ts'
import { migrate } from './db.ts'
import { seedDemo } from './demo.ts'
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
  await migrate(databaseUrl)
  if (role === 'worker') return startWorker(config, databaseUrl)
  const app = await createApp(config, databaseUrl)
  await app.http.listen({ port: config.port, host: '::' })
  if (config.sandbox && !process.argv.includes('--without-demo'))
    await seedDemo(app.product, config.sandbox.url, app.http.log)
  app.setReady()
  return app
}

try {
  const running = await startRole(process.argv[2] ?? 'app')
  const stop = () => {
    void running.close().then(() => process.exit(0))
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 78
}
