import fs from 'node:fs'
import path from 'node:path'
import { pino } from 'pino'
import { findDatabaseUrl } from '../platform/database/embedded-postgres.ts'
import { readConfig } from '../platform/runtime/config.ts'
import { logSerializers } from '../platform/runtime/logging.ts'
import { ConfigError, type Environment } from '../platform/runtime/settings.ts'
import { createMetrics } from '../platform/runtime/metrics.ts'
import { createProduct, type Product } from '../product.ts'

function readObject(file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/**
 * Adds settings that a product with the same data folder has saved there, in production only the database's address.
 * Throws ConfigError without a database.
 */
export function completeSettings(environment: Environment): Environment & { readonly DATABASE_URL: string } {
  const dataDir = environment.DATA_DIR || '.data'
  const isProduction = environment.TERN_MODE === 'production'
  const running = isProduction ? {} : readObject(path.join(dataDir, 'running.json'))
  const secrets = isProduction ? {} : readObject(path.join(dataDir, 'secrets.json'))
  const localSettings = {
    DATABASE_URL: findDatabaseUrl(dataDir),
    PUBLIC_URL: running.url,
    SANDBOX_URL: running.sandboxUrl,
    ...secrets,
  }
  const localEntries = Object.entries(localSettings).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const presentSettings = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '')
  const { DATABASE_URL, ...settings }: Environment = Object.fromEntries([...localEntries, ...presentSettings])
  if (DATABASE_URL === undefined) {
    throw new ConfigError(`No database is running over ${dataDir}. Start the product first, or set DATABASE_URL.`)
  }
  return { ...settings, DATABASE_URL }
}

/** Runs `work` with a product of these settings, also while another process runs it. Logs only if LOG_LEVEL is set. */
export async function withProduct<T>(environment: Environment, work: (product: Product) => Promise<T>): Promise<T> {
  const settings = completeSettings(environment)
  const config = readConfig(settings)
  const log = pino(
    { level: settings.LOG_LEVEL ? config.logLevel : 'silent', serializers: logSerializers },
    pino.destination(2),
  )
  const product = await createProduct({ config, databaseUrl: settings.DATABASE_URL, metrics: createMetrics(), log })
  try {
    return await work(product)
  } finally {
    await product.close()
  }
}
