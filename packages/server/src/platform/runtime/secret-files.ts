// Secrets in files, as container platforms and systemd provide them: NAME_FILE names the file with the value of NAME.

import fs from 'node:fs'
import { ConfigError, type Environment, type Settings } from './settings.ts'

/** Settings that a file may contain, besides TERN_SECRET and the secrets before it. */
export const secretSettings = [
  'DATABASE_URL',
  'REPLICA_DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'ADMIN_TOKEN',
  'SANDBOX_SECRET',
  'OIDC_CLIENT_SECRET',
  'GOOGLE_CLIENT_SECRET',
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_IDENTITY_KEY',
  'STRIPE_IDENTITY_WEBHOOK_SECRET',
  'ADYEN_API_KEY',
  'ADYEN_WEBHOOK_KEY',
  'OPEN_EXCHANGE_RATES_APP_ID',
  'KRAKEN_API_KEY',
  'KRAKEN_API_SECRET',
  'ADYEN_CHECKOUT_KEY',
  'ADYEN_CHECKOUT_WEBHOOK_KEY',
] as const satisfies readonly (keyof Settings)[]

const installationSecret = /^TERN_(OLD_)?SECRET(_\d+)?$/
const names = new Set<string>(secretSettings)

/**
 * Returns the settings with the secrets read from their files. Throws ConfigError naming the variable if a secret is
 * given twice, or its file is unreadable or empty.
 */
export function readSecretFiles(environment: Environment): Environment {
  const settings: Record<string, string | undefined> = { ...environment }
  for (const [variable, file] of Object.entries(environment)) {
    const name = variable.replace(/_FILE$/, '')
    const isSecretFile = name !== variable && (names.has(name) || installationSecret.test(name))
    if (!isSecretFile || file === undefined || file.trim() === '') continue
    if (environment[name]) throw new ConfigError(`${name} and ${variable} are both set; keep one of them.`)
    settings[name] = readSecret(variable, file.trim())
    delete settings[variable]
  }
  return settings
}

function readSecret(variable: string, file: string): string {
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(`${variable} names ${file}, which cannot be read (${code}).`)
  }
  // Editors and `openssl rand > file` end the last line with a line break, which is not part of the secret.
  const secret = text.replace(/\r?\n$/, '')
  if (secret.trim() === '') throw new ConfigError(`${variable} names ${file}, which is empty.`)
  return secret
}
