// Environment variables of the product, as one zod schema. docs/operating.md describes them.

import { z } from 'zod'
import {
  address,
  choice,
  fiatCurrency,
  hmacKeys,
  hosts,
  line,
  listAddresses,
  loopbackNames,
  mailServer,
  port,
  providerRules,
  publicAddress,
  ratio,
  rateSource,
  secureAddress,
  secureOrigin,
  sender,
  stripeKey,
  supportContact,
  webhookSecrets,
  integerInRange,
  witnesses,
  word,
} from './setting-types.ts'

/** Unusable environment variable; the message is one sentence that names it. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConfigError'
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

const database = address('postgres:', 'postgresql:').transform(({ href }) => href)
const databases = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.string().trim().pipe(database)))
const shortestToken = 24

export const fields = z.object({
  TERN_MODE: choice('sandbox', 'production').default('sandbox'),
  PORT: port.default(3000),
  HOST: z.string().optional(),
  PUBLIC_URL: secureOrigin('https://tern.example').optional(),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: database.optional(),
  REPLICA_DATABASE_URL: databases.default([]),
  MIGRATION_DATABASE_URL: database.optional(),
  APPLICATION_ROLE: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: address('http:', 'https:').optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address('http:', 'https:').optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: choice('http/json').optional(),
  OTEL_TRACES_SAMPLER: choice(
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  ).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(1),
  OTEL_SDK_DISABLED: choice('true', 'false').default('false'),
  SEND_TRACEPARENT: choice('on', 'off').default('off'),
  LOG_LEVEL: choice('fatal', 'error', 'warn', 'info', 'debug', 'silent').default('info'),
  TRUSTED_PROXIES: integerInRange(0, 9).default(0),
  SESSION_DAYS: integerInRange(1, 400).default(90),
  SESSION_IDLE_DAYS: integerInRange(1, 400).default(30),
  SESSIONS_PER_ACCOUNT: integerInRange(1, 1000).default(20),

  ADMIN_PORT: port.optional(),
  ADMIN_HOST: z.string().default('127.0.0.1'),
  ADMIN_TOKEN: word.min(shortestToken, `must have at least ${shortestToken} characters`).optional(),
  DESK_URL: secureOrigin('https://desk.tern.example').optional(),
  ALLOWED_HOSTS: hosts.default([]),
  LAME_DUCK_SECONDS: integerInRange(0, 600, 'a whole number').optional(),

  SANDBOX_PORT: port.default(3001),
  SANDBOX_URL: address('http:', 'https:')
    .transform(({ origin }) => origin)
    .optional(),
  SANDBOX_PUBLIC_URL: address('http:', 'https:')
    .transform(({ origin }) => origin)
    .optional(),
  SANDBOX_SECRET: z.string().optional(),

  OIDC_ISSUER: secureAddress
    .refine(
      ({ search, hash, pathname }) => search === '' && hash === '' && !pathname.includes('/.well-known/'),
      'must be the issuer alone, such as https://login.example or https://id.example/realm',
    )
    .optional(),
  OIDC_CLIENT_ID: word.optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  GOOGLE_CLIENT_ID: word.optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),

  SMTP_URL: mailServer.optional(),
  MAIL_FROM: sender.optional(),
  WAITLIST_FORM_URL: secureAddress.transform(({ href }) => href).optional(),

  STRIPE_SECRET_KEY: stripeKey.optional(),
  STRIPE_WEBHOOK_SECRET: webhookSecrets.optional(),
  STRIPE_IDENTITY_KEY: stripeKey.optional(),
  STRIPE_IDENTITY_WEBHOOK_SECRET: webhookSecrets.optional(),
  STRIPE_FINANCIAL_ACCOUNT: z
    .string()
    .regex(/^fa_\w+$/, 'must be the id of a financial account, which begins with fa_')
    .optional(),
  STRIPE_CONVERT_FROM: fiatCurrency.optional(),
  STRIPE_API_URL: secureOrigin('https://stripe-proxy.example').optional(),

  ADYEN_API_KEY: word.optional(),
  ADYEN_BALANCE_ACCOUNT: z
    .string()
    .regex(/^BA\w+$/, 'must be the id of a balance account, which begins with BA')
    .optional(),
  ADYEN_WEBHOOK_KEY: hmacKeys.optional(),
  ADYEN_API_URL: secureOrigin('https://adyen-proxy.example').optional(),
  ADYEN_CHECKOUT_KEY: word.optional(),
  ADYEN_MERCHANT_ACCOUNT: z
    .string()
    .regex(/^[\w-]{1,80}$/, 'must be the name of a merchant account')
    .optional(),
  ADYEN_CHECKOUT_WEBHOOK_KEY: hmacKeys.optional(),
  ADYEN_LIVE_PREFIX: z
    .string()
    .regex(
      /^[0-9a-f]{8,32}-[0-9A-Za-z-]{1,80}$/,
      'must be the prefix of the live addresses, such as 1797a841fbb37ca7-Example',
    )
    .optional(),
  ADYEN_CHECKOUT_URL: secureOrigin('https://adyen-proxy.example').optional(),

  ECB_RATES_URL: rateSource.optional(),
  BITSTAMP_URL: rateSource.optional(),
  OPEN_EXCHANGE_RATES_APP_ID: word.optional(),
  OPEN_EXCHANGE_RATES_URL: publicAddress.optional(),
  KRAKEN_API_KEY: word.optional(),
  KRAKEN_API_SECRET: z
    .string()
    .regex(/^[A-Za-z0-9+/]{40,}={0,2}$/, 'must be the private key of an API key at Kraken, in Base64')
    .optional(),
  KRAKEN_API_URL: secureOrigin('https://kraken-proxy.example').optional(),
  MONEY_PROVIDERS: providerRules.optional(),
  PAYOUT_PROVIDERS: providerRules.optional(),
  IDENTITY_PROVIDERS: providerRules.optional(),
  RATES_PROVIDERS: providerRules.optional(),
  LIQUIDITY_PROVIDERS: providerRules.optional(),
  MAIL_PROVIDERS: providerRules.optional(),
  SCREENING_LISTS: choice('required', 'by_mode').default('by_mode'),
  SCREENING_LIST_URLS: listAddresses.optional(),
  TRANSPARENCY_WITNESSES: witnesses.optional(),
  TRANSPARENCY_QUORUM: integerInRange(1, 16).optional(),

  OPERATOR_NAME: line.optional(),
  OPERATOR_REGISTRATION: line.optional(),
  TEAM_BACKGROUND: line.optional(),
  DOCS_URL: address('https:')
    .transform(({ href }) => href)
    .optional(),
  SUPPORT_CONTACT: supportContact.optional(),
  SECURITY_CONTACT: address('mailto:', 'https:')
    .transform(({ href }) => href)
    .optional(),
  MONEY_TRANSMITTER_LICENSE: line.optional(),
  MONEY_TRANSMITTER_LICENSE_URL: address('https:')
    .transform(({ href }) => href)
    .optional(),
  COMPONENT_GALLERY: choice('on', 'off').default('off'),
  VERIFY_OFFLINE: choice('on', 'off').default('on'),
})

export type Settings = z.output<typeof fields>

/** Pairs of variables: the second requires the first. */
const pairs: readonly (readonly [keyof Settings, keyof Settings])[] = [
  ['OIDC_CLIENT_ID', 'OIDC_ISSUER'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
  ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  ['MAIL_FROM', 'SMTP_URL'],
  ['SMTP_URL', 'MAIL_FROM'],
  ['STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY'],
  ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
  ['STRIPE_IDENTITY_WEBHOOK_SECRET', 'STRIPE_IDENTITY_KEY'],
  ['STRIPE_IDENTITY_KEY', 'STRIPE_IDENTITY_WEBHOOK_SECRET'],
  ['STRIPE_SECRET_KEY', 'STRIPE_FINANCIAL_ACCOUNT'],
  ['STRIPE_FINANCIAL_ACCOUNT', 'STRIPE_CONVERT_FROM'],
  ['ADYEN_BALANCE_ACCOUNT', 'ADYEN_API_KEY'],
  ['ADYEN_WEBHOOK_KEY', 'ADYEN_API_KEY'],
  ['ADYEN_API_KEY', 'ADYEN_BALANCE_ACCOUNT'],
  ['ADYEN_API_KEY', 'ADYEN_WEBHOOK_KEY'],
  ['ADYEN_API_KEY', 'ADYEN_API_URL'],
  ['OPEN_EXCHANGE_RATES_APP_ID', 'OPEN_EXCHANGE_RATES_URL'],
  ['KRAKEN_API_KEY', 'KRAKEN_API_SECRET'],
  ['KRAKEN_API_SECRET', 'KRAKEN_API_KEY'],
  ['KRAKEN_API_KEY', 'KRAKEN_API_URL'],
  ['ADYEN_MERCHANT_ACCOUNT', 'ADYEN_CHECKOUT_KEY'],
  ['ADYEN_CHECKOUT_WEBHOOK_KEY', 'ADYEN_CHECKOUT_KEY'],
  ['ADYEN_CHECKOUT_KEY', 'ADYEN_MERCHANT_ACCOUNT'],
  ['ADYEN_CHECKOUT_KEY', 'ADYEN_CHECKOUT_WEBHOOK_KEY'],
  ['ADYEN_CHECKOUT_KEY', 'ADYEN_LIVE_PREFIX'],
  ['ADYEN_CHECKOUT_KEY', 'ADYEN_CHECKOUT_URL'],
  ['MONEY_TRANSMITTER_LICENSE', 'MONEY_TRANSMITTER_LICENSE_URL'],
  ['TRANSPARENCY_WITNESSES', 'TRANSPARENCY_QUORUM'],
]

const shortestSecret = 32

type Breach = readonly [name: keyof Settings, message: string]

function findBreaches(settings: Settings): Breach[] {
  const breaches: Breach[] = pairs
    .filter(([needed, by]) => settings[needed] === undefined && settings[by] !== undefined)
    .map(([needed, by]) => [needed, `must be set together with ${by}`])
  const { PORT, ADMIN_PORT, STRIPE_API_URL, STRIPE_SECRET_KEY, STRIPE_IDENTITY_KEY } = settings
  if (ADMIN_PORT === PORT) breaches.push(['ADMIN_PORT', 'must differ from PORT'])
  if (STRIPE_API_URL !== undefined && STRIPE_SECRET_KEY === undefined && STRIPE_IDENTITY_KEY === undefined) {
    breaches.push(['STRIPE_SECRET_KEY', 'must be set together with STRIPE_API_URL'])
  }
  const { TRANSPARENCY_QUORUM: quorum = 0, TRANSPARENCY_WITNESSES: logWitnesses } = settings
  if (logWitnesses && quorum > logWitnesses.length) {
    breaches.push(['TRANSPARENCY_QUORUM', `must be at most ${logWitnesses.length}, the number of witnesses`])
  }
  return [
    ...breaches,
    ...(settings.TERN_MODE === 'production' ? findProductionBreaches(settings) : findSandboxBreaches(settings)),
  ]
}

const readHostname = (url: string | undefined): string | undefined => url && new URL(url).hostname.replace(/\.$/, '')

function findProductionBreaches(settings: Settings): Breach[] {
  const breaches: Breach[] = []
  if (settings.DATABASE_URL === undefined) {
    breaches.push(['DATABASE_URL', 'must be set in production: the bundled database is for trying out'])
  }
  if (settings.PUBLIC_URL === undefined) {
    breaches.push(['PUBLIC_URL', 'must be set in production: it is the address under which people reach Tern'])
  }
  const [deskHost, publicHost] = [readHostname(settings.DESK_URL), readHostname(settings.PUBLIC_URL)]
  if (deskHost !== undefined && deskHost === publicHost && !loopbackNames.includes(deskHost)) {
    breaches.push(['DESK_URL', 'must have another hostname than PUBLIC_URL: browsers share cookies between its ports'])
  }
  if (settings.COMPONENT_GALLERY === 'on') breaches.push(['COMPONENT_GALLERY', 'must be off in production'])
  const { ADYEN_CHECKOUT_KEY, ADYEN_CHECKOUT_URL, ADYEN_LIVE_PREFIX } = settings
  if (ADYEN_CHECKOUT_KEY !== undefined && ADYEN_LIVE_PREFIX === undefined && ADYEN_CHECKOUT_URL === undefined) {
    breaches.push(['ADYEN_LIVE_PREFIX', 'must be set in production together with ADYEN_CHECKOUT_KEY'])
  }
  const consequences = { STRIPE_SECRET_KEY: 'no real money moves', STRIPE_IDENTITY_KEY: 'everyone is verified' }
  for (const name of ['STRIPE_SECRET_KEY', 'STRIPE_IDENTITY_KEY'] as const) {
    if (settings[name]?.includes('k_test_')) {
      breaches.push([name, `must be a live key in production: with a test key ${consequences[name]}`])
    }
  }
  return breaches
}

function findSandboxBreaches(settings: Settings): Breach[] {
  const breaches: Breach[] = []
  if (settings.ADYEN_LIVE_PREFIX !== undefined) {
    breaches.push(['ADYEN_LIVE_PREFIX', 'must not be set in sandbox mode, which uses the test platform of Adyen'])
  }
  if (settings.PORT === settings.SANDBOX_PORT) breaches.push(['SANDBOX_PORT', 'must differ from PORT'])
  if ((settings.SANDBOX_SECRET ?? '').length < shortestSecret) {
    breaches.push(['SANDBOX_SECRET', `must be set to a random text of at least ${shortestSecret} characters`])
  }
  if (settings.KRAKEN_API_KEY !== undefined && settings.KRAKEN_API_URL === undefined) {
    const message =
      'must be set with KRAKEN_API_KEY in sandbox mode: Kraken has no test environment, and would trade money'
    breaches.push(['KRAKEN_API_URL', message])
  }
  for (const name of ['STRIPE_SECRET_KEY', 'STRIPE_IDENTITY_KEY'] as const) {
    if (settings[name]?.includes('k_live_')) {
      breaches.push([name, 'must be a test key in sandbox mode: its accounts have published passwords'])
    }
  }
  return breaches
}

/** Names of secrets that are not trimmed, because keys derive from their exact text. */
const keySecrets = /^(TERN_(OLD_)?SECRET(_\d+)?|SANDBOX_SECRET)$/

/** Returns the set variables, trimmed of blanks and line breaks that files and editors leave. */
function trimValues(environment: Environment): Environment {
  const entries = Object.entries(environment).map(([name, text]) => [name, keySecrets.test(name) ? text : text?.trim()])
  return Object.fromEntries(entries.filter(([, text]) => text !== undefined && text !== '')) as Environment
}

/** Reads single settings without the rules between them. Throws ConfigError naming an invalid variable. */
export function readFields(environment: Environment): Settings {
  const { data, error } = fields.safeParse(trimValues(environment))
  if (data) return data
  const [issue] = error.issues
  // In a union, the last alternative has the specific message.
  const { message } = (issue?.code === 'invalid_union' && issue.errors.at(-1)?.[0]) || (issue ?? error)
  throw new ConfigError(`${String(issue?.path[0])} ${message}.`)
}

/** Reads all settings. Throws ConfigError naming a missing or invalid variable. */
export function readSettings(environment: Environment): Settings {
  const settings = readFields(environment)
  const [breach] = findBreaches(settings)
  if (breach) throw new ConfigError(`${breach.join(' ')}.`)
  return settings
}
