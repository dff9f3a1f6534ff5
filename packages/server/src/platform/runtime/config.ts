import { resolve } from 'node:path'
import { canonicalEmail, hasForeignLocalPart } from '@tern/contract/protocol/text/email'
import type { Issuer } from '@tern/contract/transactions'
import type { ProviderRule } from '../providers/provider-registry.ts'
import type { KeyRing } from '../seal.ts'
import { type OperationsConfig, readOperations } from './config-operations.ts'
import {
  ConfigError,
  type Environment,
  isLocal,
  readChoice,
  readPort,
  readUrl,
  trimmedEnvironment,
} from './config-values.ts'
import { readStripe, readStripeIdentity, type StripeAccount } from './config-stripe.ts'
import { type PublicSettings, readIssuer, readPublicSettings } from './config-public.ts'
import { type ListsConfig, readLists } from './config-lists.ts'
import { readKeyRing } from './secret.ts'

/** The validated configuration. */
export interface Config {
  readonly mode: 'sandbox' | 'production'
  readonly port: number
  /** Listening address; defaults to this machine in sandbox mode, all interfaces in production. */
  readonly host: string
  readonly publicUrl: string
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  /** What all keys derive from; the first seals, older ones only open. */
  readonly secret: KeyRing
  readonly sandbox:
    | { readonly port: number; readonly url: string; readonly publicUrl: string; readonly secret: string }
    | undefined
  readonly signIn: { readonly external: SignInClient | undefined; readonly google: SignInClient | undefined }
  readonly mail: { readonly url: string; readonly from: string } | undefined
  /** Stripe account for cards and banks, if configured. */
  readonly stripe: StripeAccount | undefined
  /** Stripe Identity, if configured, with a key of its own. */
  readonly stripeIdentity: StripeAccount | undefined
  /** Where public rates are read; undefined where they are not. */
  readonly rates: {
    readonly ecb: { readonly url: string } | undefined
    readonly bitstamp: { readonly url: string } | undefined
  }
  /** Which providers take what is new; undefined: the first that is configured. */
  readonly providerRules: Readonly<Record<ProviderKind, readonly ProviderRule[] | undefined>>
  /** How many reverse proxies stand in front and are believed about a caller's address. */
  readonly trustedProxies: number
  /** How long people stay signed in, and on how many devices. */
  readonly sessions: { readonly lifetimeDays: number; readonly idleDays: number; readonly mostPerAccount: number }
  /** Who runs the service, as receipts name them. */
  readonly issuer: Issuer
  /** Operator, license and contacts that the public pages show. */
  readonly publicSettings: PublicSettings
  /** Whether the page of all components is served; development only. */
  readonly showsGallery: boolean
  /** The form service that waitlist entries are passed on to. */
  readonly waitlistFormUrl: string | undefined
  readonly lists: ListsConfig
  readonly operations: OperationsConfig
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent'
}

export type ProviderKind = 'money' | 'identity' | 'rates' | 'liquidity' | 'mail'

/** Our registration at an identity provider. */
export interface SignInClient {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
}

function readPublicUrl(environment: Environment, mode: Config['mode'], port: number): string {
  const url = readUrl(environment, 'PUBLIC_URL', ['http:', 'https:'])
  if (!url && mode === 'production') {
    throw new ConfigError('PUBLIC_URL must be set in production: it is the address under which people reach Tern.')
  }
  if (url && (url.pathname !== '/' || url.search !== '')) {
    throw new ConfigError('PUBLIC_URL must be an origin without a path, such as https://tern.example.')
  }
  if (url && url.protocol !== 'https:' && !isLocal(url)) {
    throw new ConfigError('PUBLIC_URL must begin with https:// unless it is on this machine.')
  }
  return url?.origin ?? `http://localhost:${port}`
}

function readSecret(environment: Environment, name: string): string {
  const text = environment[name] ?? ''
  if (text.length < 32) throw new ConfigError(`${name} must be set to a random text of at least 32 characters.`)
  return text
}

/**
 * Reads the configuration. Throws ConfigError naming a missing or invalid variable. Production has no sandbox and
 * requires DATABASE_URL, PUBLIC_URL and TERN_SECRET.
 */
export function readConfig(given: Environment): Config {
  const environment = trimmedEnvironment(given)
  const mode = readChoice(environment, 'TERN_MODE', ['sandbox', 'production'], 'sandbox')
  const port = readPort(environment, 'PORT', 3000)
  const sandboxPort = readPort(environment, 'SANDBOX_PORT', 3001)
  const operations = readOperations(environment, mode)
  if (operations.admin?.port === port) throw new ConfigError('ADMIN_PORT must differ from PORT.')
  if (mode === 'sandbox' && port === sandboxPort) throw new ConfigError('SANDBOX_PORT must differ from PORT.')
  const publicSettings = readPublicSettings(environment)
  const databaseUrl = readUrl(environment, 'DATABASE_URL', ['postgres:', 'postgresql:'])
  if (!databaseUrl && mode === 'production') {
    throw new ConfigError('DATABASE_URL must be set in production: the database that comes along is for trying out.')
  }
  return {
    mode,
    port,
    host: environment.HOST || (mode === 'sandbox' ? 'localhost' : '0.0.0.0'),
    publicUrl: readPublicUrl(environment, mode, port),
    dataDir: resolve(environment.DATA_DIR || '.data'),
    databaseUrl: databaseUrl?.href,
    secret: readKeyRing(environment, mode === 'production', (sentence) => {
      throw new ConfigError(sentence)
    }),
    sandbox: mode === 'production' ? undefined : readSandbox(environment, sandboxPort),
    signIn: readSignIn(environment),
    mail: readMail(environment),
    stripe: readStripe(environment, mode),
    stripeIdentity: readStripeIdentity(environment, mode),
    rates: {
      ecb: readRateSource(environment, 'ECB_RATES_URL', mode, 'https://www.ecb.europa.eu/stats/eurofxref'),
      bitstamp: readRateSource(environment, 'BITSTAMP_URL', mode, 'https://www.bitstamp.net'),
    },
    providerRules: {
      money: readRules(environment, 'MONEY_PROVIDERS'),
      identity: readRules(environment, 'IDENTITY_PROVIDERS'),
      rates: readRules(environment, 'RATES_PROVIDERS'),
      liquidity: readRules(environment, 'LIQUIDITY_PROVIDERS'),
      mail: readRules(environment, 'MAIL_PROVIDERS'),
    },
    trustedProxies: readProxies(environment),
    sessions: readSessions(environment),
    issuer: readIssuer(environment, publicSettings),
    publicSettings,
    showsGallery: readGallery(environment, mode),
    waitlistFormUrl: readWaitlistForm(environment),
    lists: readLists(environment, mode),
    operations,
    logLevel: readChoice(environment, 'LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
  }
}

/** Public rates need no account: production reads them unless the variable says `off`, a sandbox only where it is set. */
function readRateSource(
  environment: Environment,
  name: string,
  mode: Config['mode'],
  usual: string,
): { url: string } | undefined {
  if (environment[name] === 'off') return undefined
  const url = readUrl(environment, name, ['http:', 'https:'])
  if (url && url.protocol !== 'https:' && !isLocal(url)) {
    throw new ConfigError(`${name} must begin with https:// unless it is on this machine.`)
  }
  if (url && [url.username, url.password, url.search, url.hash].some((part) => part !== '')) {
    throw new ConfigError(`${name} must be an address without a user, a query or a fragment.`)
  }
  if (url) return { url: url.href.replace(/\/$/, '') }
  return mode === 'production' ? { url: usual } : undefined
}

/** Settings of `npx tern migrate`. */
export interface MigrationSettings {
  readonly ownerUrl: string
  /** Role of app and worker, to be granted rights; undefined when the owner. */
  readonly applicationRole: string | undefined
}

/** Reads the settings of `npx tern migrate`. Throws ConfigError as `readConfig` does. */
export function readMigrationSettings(given: Environment): MigrationSettings {
  const environment = trimmedEnvironment(given)
  const protocols = ['postgres:', 'postgresql:']
  const url =
    readUrl(environment, 'MIGRATION_DATABASE_URL', protocols) ?? readUrl(environment, 'DATABASE_URL', protocols)
  if (!url) {
    throw new ConfigError('MIGRATION_DATABASE_URL must be set: the database, by the role that owns its schema.')
  }
  return { ownerUrl: url.href, applicationRole: environment.APPLICATION_ROLE || undefined }
}

function readSignIn(environment: Environment): Config['signIn'] {
  const issuer = readUrl(environment, 'OIDC_ISSUER', ['http:', 'https:'])
  const clientId = environment.OIDC_CLIENT_ID || undefined
  if (issuer && issuer.protocol !== 'https:' && !isLocal(issuer)) {
    throw new ConfigError('OIDC_ISSUER must begin with https:// unless it is on this machine.')
  }
  if (issuer && (issuer.search !== '' || issuer.hash !== '' || issuer.pathname.includes('/.well-known/'))) {
    throw new ConfigError(
      'OIDC_ISSUER must be the issuer alone, such as https://login.example or https://id.example/realm.',
    )
  }
  if (issuer && clientId === undefined) throw new ConfigError('OIDC_CLIENT_ID must be set together with OIDC_ISSUER.')
  if (!issuer && clientId !== undefined) throw new ConfigError('OIDC_ISSUER must be set together with OIDC_CLIENT_ID.')
  return {
    // Unchanged: an issuer's name may or may not end with a slash.
    external: readClient(environment, 'OIDC', environment.OIDC_ISSUER ?? ''),
    google: readClient(environment, 'GOOGLE', 'https://accounts.google.com'),
  }
}

function readClient(environment: Environment, name: 'OIDC' | 'GOOGLE', issuer: string): SignInClient | undefined {
  const clientId = environment[`${name}_CLIENT_ID`] || undefined
  const clientSecret = environment[`${name}_CLIENT_SECRET`] || undefined
  if (clientId === undefined && clientSecret !== undefined) {
    throw new ConfigError(`${name}_CLIENT_ID must be set together with ${name}_CLIENT_SECRET.`)
  }
  if (clientId !== undefined && /[^\x21-\x7e]/.test(clientId)) {
    throw new ConfigError(`${name}_CLIENT_ID must be one word of plain letters, digits and signs.`)
  }
  return clientId === undefined ? undefined : { issuer, clientId, clientSecret }
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
}

/** A sender such as `Tern <no-reply@tern.example>`, its domain in A-labels. Throws ConfigError. */
function readSender(text: string): string {
  const [, name = '', named, alone] =
    /^(?:([^<>@",\p{Cc}]+ )<([^\s<>@]+@[^\s<>@]+)>|([^\s<>@]+@[^\s<>@]+))$/u.exec(text) ?? []
  const address = named ?? alone
  if (address === undefined || hasForeignLocalPart(address)) {
    throw new ConfigError(
      'MAIL_FROM must be one address, such as no-reply@tern.example or Tern <no-reply@tern.example>.',
    )
  }
  const written = canonicalEmail(address) ?? address
  return named === undefined ? written : `${name}<${written}>`
}

function readMail(environment: Environment): Config['mail'] {
  const url = readUrl(environment, 'SMTP_URL', ['smtp:', 'smtps:'])
  const from = environment.MAIL_FROM ? readSender(environment.MAIL_FROM) : undefined
  if (url && (url.hostname === '' || !/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')) {
    throw new ConfigError('SMTP_URL must be a server without a path, such as smtps://user:password@mail.example.')
  }
  if (url && !isDecodable(url.username + url.password)) {
    throw new ConfigError('SMTP_URL must have a % in its user or password written as %25.')
  }
  if (url && from === undefined) throw new ConfigError('MAIL_FROM must be set together with SMTP_URL.')
  if (!url && from !== undefined) throw new ConfigError('SMTP_URL must be set together with MAIL_FROM.')
  return url && from !== undefined ? { url: url.href, from } : undefined
}

/** Rules such as `stripe method=card currency=USD,EUR; sandbox`: the first that fits decides. */
function readRules(environment: Environment, name: string): ProviderRule[] | undefined {
  const text = environment[name]?.trim()
  if (!text) return undefined
  return text.split(';').map((rule) => {
    const [provider = '', ...conditions] = rule.trim().split(/\s+/)
    const isRule =
      /^[a-z][a-z0-9-]*$/.test(provider) &&
      conditions.every((condition) => /^(method|currency|country)=\w+(,\w+)*$/.test(condition))
    if (!isRule) {
      throw new ConfigError(
        `${name} must be rules such as "stripe method=card currency=USD,EUR; sandbox", not "${text}".`,
      )
    }
    const lists = conditions.map((condition) => condition.split('=')).map(([key, list]) => [key, list?.split(',')])
    return Object.fromEntries([['provider', provider], ...lists]) as ProviderRule
  })
}

function readWaitlistForm(environment: Environment): string | undefined {
  const url = readUrl(environment, 'WAITLIST_FORM_URL', ['http:', 'https:'])
  if (url && url.protocol !== 'https:' && !isLocal(url)) {
    throw new ConfigError('WAITLIST_FORM_URL must begin with https:// unless it is on this machine.')
  }
  return url?.href
}

function readGallery(environment: Environment, mode: Config['mode']): boolean {
  const isOn = readChoice(environment, 'COMPONENT_GALLERY', ['on', 'off'], 'off') === 'on'
  if (isOn && mode === 'production') throw new ConfigError('COMPONENT_GALLERY must be off in production.')
  return isOn
}

function readProxies(environment: Environment): number {
  const text = environment.TRUSTED_PROXIES || '0'
  if (!/^\d$/.test(text)) throw new ConfigError(`TRUSTED_PROXIES must be a number from 0 to 9, not "${text}".`)
  return Number(text) // not money: a count of proxies
}

function readCount(environment: Environment, name: string, fallback: number, most: number): number {
  const text = environment[name] || String(fallback)
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0 // not money: a count
  if (count < 1 || count > most) throw new ConfigError(`${name} must be a number from 1 to ${most}, not "${text}".`)
  return count
}

function readSessions(environment: Environment): Config['sessions'] {
  return {
    lifetimeDays: readCount(environment, 'SESSION_DAYS', 90, 400),
    idleDays: readCount(environment, 'SESSION_IDLE_DAYS', 30, 400),
    mostPerAccount: readCount(environment, 'SESSIONS_PER_ACCOUNT', 20, 1000),
  }
}

function readSandbox(environment: Environment, port: number): NonNullable<Config['sandbox']> {
  const url = readUrl(environment, 'SANDBOX_URL', ['http:', 'https:'])?.origin ?? `http://localhost:${port}`
  const publicUrl = readUrl(environment, 'SANDBOX_PUBLIC_URL', ['http:', 'https:'])?.origin ?? url
  return { port, url, publicUrl, secret: readSecret(environment, 'SANDBOX_SECRET') }
}
