import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { MarketMode } from '../market/course.ts'

export interface Settings {
  port: number
  host: string
  dataDir: string
  webhookUrl: string
  oidcRedirect: string
  secret: string
  publicUrl: string
  /** Initial price movement, until changed by the control page or its API. */
  market: MarketMode
  /** Whether the processor charges fees and settles with the operator's bank, until changed. */
  chargesFees: boolean
}

/** Invalid setting; its message names the variable. */
export class SettingsError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SettingsError'
  }
}

const shortestSecret = 16

/** Returns SANDBOX_SECRET, or the content of the file that SANDBOX_SECRET_FILE names. */
function readSecret({ SANDBOX_SECRET: secret = '', SANDBOX_SECRET_FILE: file = '' }: NodeJS.ProcessEnv): string {
  if (file === '') return secret
  if (secret !== '') throw new SettingsError('SANDBOX_SECRET and SANDBOX_SECRET_FILE are both set; keep one of them.')
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new SettingsError(`SANDBOX_SECRET_FILE names ${file}, which cannot be read (${code}).`)
  }
}

function readPort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number.parseInt(value, 10) : Number.NaN
  if (!(port >= 1 && port <= 65_535)) {
    throw new SettingsError(`SANDBOX_PORT must be a port number from 1 to 65535, not "${value.slice(0, 40)}".`)
  }
  return port
}

function readUrl(name: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new SettingsError(`${name} must be an http or https address, not "${value.slice(0, 80)}".`)
  }
  return value.replace(/\/+$/, '')
}

function readMarketMode(value: string): MarketMode {
  if (value === 'walk' || value === 'still') return value
  throw new SettingsError(`SANDBOX_MARKET must be walk or still, not "${value.slice(0, 40)}".`)
}

function readFees(value: string): boolean {
  if (value === 'on' || value === 'off') return value === 'on'
  throw new SettingsError(`SANDBOX_FEES must be on or off, not "${value.slice(0, 40)}".`)
}

export const getDatabasePath = (dataDir: string): string => join(resolve(dataDir), 'sandbox', 'sandbox.sqlite')

/** Reads and validates the environment. Throws SettingsError for invalid values, and in production (`TERN_MODE`). */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  if (env['TERN_MODE'] === 'production') {
    throw new SettingsError('TERN_MODE is production, and the sandbox never runs beside a product in production.')
  }
  const port = readPort(env['SANDBOX_PORT'] || '3001')
  const secret = readSecret(env)
  if (secret.length < shortestSecret) {
    throw new SettingsError(`SANDBOX_SECRET must be set and have at least ${shortestSecret} characters.`)
  }
  return {
    port,
    host: env['SANDBOX_HOST'] || 'localhost',
    dataDir: env['DATA_DIR'] || '.data',
    webhookUrl: readUrl(
      'SANDBOX_WEBHOOK_URL',
      env['SANDBOX_WEBHOOK_URL'] || 'http://localhost:3000/api/webhooks/sandbox',
    ),
    oidcRedirect: readUrl(
      'SANDBOX_OIDC_REDIRECT',
      env['SANDBOX_OIDC_REDIRECT'] || 'http://localhost:3000/auth/callback',
    ),
    secret,
    publicUrl: readUrl('SANDBOX_PUBLIC_URL', env['SANDBOX_PUBLIC_URL'] || `http://localhost:${port}`),
    market: readMarketMode(env['SANDBOX_MARKET'] || 'walk'),
    chargesFees: readFees(env['SANDBOX_FEES'] || 'on'),
  }
}
