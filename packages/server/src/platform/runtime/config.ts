// Configuration of the product, grouped by the parts that need it; settings.ts reads the environment.

import { resolve } from 'node:path'
import type { Issuer } from '@tern/contract/transactions'
import { readKeyRing } from './secret.ts'
import { ConfigError, type Environment, readFields, readSettings, type Settings } from './settings.ts'
import { loopbackNames } from './setting-types.ts'

export type Config = ReturnType<typeof readConfig>

export type ProviderKind = keyof Config['providerRules']

/** Registration of the product at an identity provider. */
export interface SignInClient {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
}

/**
 * Reads the configuration. Throws ConfigError naming a missing or invalid variable. TERN_SECRET is always required.
 * Production has no sandbox and also requires DATABASE_URL and PUBLIC_URL.
 */
export function readConfig(environment: Environment) {
  const settings = readSettings(environment)
  const isProduction = settings.TERN_MODE === 'production'
  const publicSettings = readPublicSettings(settings)
  return {
    mode: settings.TERN_MODE,
    port: settings.PORT,
    host: settings.HOST ?? (isProduction ? '0.0.0.0' : 'localhost'),
    publicUrl: settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`,
    dataDir: resolve(settings.DATA_DIR),
    databaseUrl: settings.DATABASE_URL,
    /** Standbys that may answer reads. */
    replicaUrls: settings.REPLICA_DATABASE_URL,
    /** Secrets from which keys derive; the first seals, older ones only open. */
    secret: readKeyRing(environment, isProduction, (sentence) => {
      throw new ConfigError(sentence)
    }),
    sandbox: isProduction ? undefined : readSandbox(settings),
    signIn: { external: readExternalSignIn(settings, environment), google: readGoogleSignIn(settings) },
    mail: settings.SMTP_URL && { url: settings.SMTP_URL.href, from: settings.MAIL_FROM ?? '' },
    /** Provider of card and bank payments, if configured. */
    stripe: readStripeAccount(settings, 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'),
    /** Provider of identity verification, if configured. */
    stripeIdentity: readStripeAccount(settings, 'STRIPE_IDENTITY_KEY', 'STRIPE_IDENTITY_WEBHOOK_SECRET'),
    /** Provider of payouts only, if configured. */
    adyen: readAdyenAccount(settings),
    /** Exchange that flattens positions, if configured. */
    kraken: readKrakenAccount(settings),
    /** Provider of card payments, if configured. */
    adyenCards: readAdyenCards(settings),
    rates: {
      openexchangerates: readOpenExchangeRates(settings),
      ecb: readRateSource(settings, 'ECB_RATES_URL', 'https://www.ecb.europa.eu/stats/eurofxref'),
      bitstamp: readRateSource(settings, 'BITSTAMP_URL', 'https://www.bitstamp.net'),
    },
    /**
     * Rules that choose the provider of new payments, checks and mails; undefined for the first configured provider.
     */
    providerRules: {
      money: settings.MONEY_PROVIDERS,
      payout: settings.PAYOUT_PROVIDERS,
      identity: settings.IDENTITY_PROVIDERS,
      rates: settings.RATES_PROVIDERS,
      liquidity: settings.LIQUIDITY_PROVIDERS,
      mail: settings.MAIL_PROVIDERS,
    },
    /** Number of reverse proxies whose forwarded address is trusted. */
    trustedProxies: settings.TRUSTED_PROXIES,
    sessions: {
      lifetimeDays: settings.SESSION_DAYS,
      idleDays: settings.SESSION_IDLE_DAYS,
      maxPerAccount: settings.SESSIONS_PER_ACCOUNT,
    },
    issuer: readIssuer(settings, publicSettings),
    publicSettings,
    /** True to serve the component gallery, for development only. */
    showsGallery: settings.COMPONENT_GALLERY === 'on',
    /** False to delete the copies of /verify that browsers keep for use without a network. */
    keepsVerify: settings.VERIFY_OFFLINE === 'on',
    waitlistFormUrl: settings.WAITLIST_FORM_URL,
    lists: {
      /** True to block verification and payments while a required list is outdated. */
      areRequired: isProduction || settings.SCREENING_LISTS === 'required',
      addresses: readListAddresses(settings),
    },
    transparency: readTransparency(settings),
    operations: readOperations(settings),
    tracing: readTracing(settings),
    logLevel: settings.LOG_LEVEL,
  }
}

function readSandbox({ SANDBOX_PORT: port, SANDBOX_URL, SANDBOX_PUBLIC_URL, SANDBOX_SECRET: secret = '' }: Settings) {
  const url = SANDBOX_URL ?? `http://localhost:${port}`
  return { port, url, publicUrl: SANDBOX_PUBLIC_URL ?? url, secret }
}

function readExternalSignIn({ OIDC_CLIENT_ID, OIDC_CLIENT_SECRET }: Settings, environment: Environment) {
  if (OIDC_CLIENT_ID === undefined) return undefined
  // Not normalized: an issuer's name may or may not end with a slash.
  const issuer = environment.OIDC_ISSUER?.trim() ?? ''
  return { issuer, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET } satisfies SignInClient
}

function readGoogleSignIn({ GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET }: Settings) {
  if (GOOGLE_CLIENT_ID === undefined) return undefined
  const issuer = 'https://accounts.google.com'
  return { issuer, clientId: GOOGLE_CLIENT_ID, clientSecret: GOOGLE_CLIENT_SECRET } satisfies SignInClient
}

function readStripeAccount(
  settings: Settings,
  keyName: 'STRIPE_SECRET_KEY' | 'STRIPE_IDENTITY_KEY',
  secretName: 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_IDENTITY_WEBHOOK_SECRET',
) {
  const secretKey = settings[keyName]
  if (secretKey === undefined) return undefined
  return {
    secretKey,
    webhookSecrets: settings[secretName] ?? [],
    /** Account that pays out; without one, payouts are unavailable. */
    financialAccount: keyName === 'STRIPE_SECRET_KEY' ? settings.STRIPE_FINANCIAL_ACCOUNT : undefined,
    convertFrom: keyName === 'STRIPE_SECRET_KEY' ? settings.STRIPE_CONVERT_FROM : undefined,
    apiUrl: settings.STRIPE_API_URL,
  }
}

function readAdyenAccount(settings: Settings) {
  const { ADYEN_API_KEY: apiKey, ADYEN_BALANCE_ACCOUNT: balanceAccount, ADYEN_WEBHOOK_KEY: webhookKeys } = settings
  if (apiKey === undefined || balanceAccount === undefined || webhookKeys === undefined) return undefined
  const environment = settings.TERN_MODE === 'production' ? 'live' : 'test'
  const apiUrl = settings.ADYEN_API_URL ?? `https://balanceplatform-api-${environment}.adyen.com`
  return { apiKey, balanceAccount, webhookKeys, apiUrl }
}

function readAdyenCards(settings: Settings) {
  const {
    ADYEN_CHECKOUT_KEY: apiKey,
    ADYEN_MERCHANT_ACCOUNT: merchantAccount,
    ADYEN_CHECKOUT_WEBHOOK_KEY: webhookKeys,
    ADYEN_LIVE_PREFIX: prefix,
    ADYEN_CHECKOUT_URL: otherUrl,
  } = settings
  if (apiKey === undefined || merchantAccount === undefined || webhookKeys === undefined) return undefined
  const isLive = settings.TERN_MODE === 'production'
  const checkoutUrl =
    otherUrl ??
    (isLive ? `https://${prefix ?? ''}-checkout-live.adyenpayments.com/checkout` : 'https://checkout-test.adyen.com')
  const managementUrl = otherUrl ?? `https://management-${isLive ? 'live' : 'test'}.adyen.com`
  return { apiKey, merchantAccount, webhookKeys, checkoutUrl, managementUrl, isLive }
}

/**
 * Returns the address of public rates, which need no account: in production the default unless off, in a sandbox only
 * if set.
 */
function readRateSource(settings: Settings, name: 'ECB_RATES_URL' | 'BITSTAMP_URL', defaultUrl: string) {
  const url = settings[name] ?? (settings.TERN_MODE === 'production' ? defaultUrl : 'off')
  return url === 'off' ? undefined : { url }
}

function readKrakenAccount({ KRAKEN_API_KEY: apiKey, KRAKEN_API_SECRET: apiSecret, KRAKEN_API_URL: url }: Settings) {
  if (apiKey === undefined || apiSecret === undefined) return undefined
  return { apiKey, apiSecret, url: url ?? 'https://api.kraken.com' }
}

function readOpenExchangeRates({ OPEN_EXCHANGE_RATES_APP_ID: appId, OPEN_EXCHANGE_RATES_URL: url }: Settings) {
  return appId === undefined ? undefined : { appId, url: url ?? 'https://openexchangerates.org/api' }
}

/** Lists that may be used without a contract, with their publishers' addresses. */
const publishedLists: Readonly<Record<string, readonly string[]>> = {
  ofac_sdn: ['SDN.CSV', 'ALT.CSV', 'ADD.CSV', 'SDN_COMMENTS.CSV'].map(
    (name) => `https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/${name}`,
  ),
  un: ['https://scsanctions.un.org/resources/xml/en/consolidated.xml'],
  eu: ['https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw'],
  uk: ['https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.csv'],
}

/** Returns the addresses of each list's files; lists without an address must be imported by hand. */
function readListAddresses({ TERN_MODE, SCREENING_LIST_URLS: listUrls }: Settings): typeof publishedLists {
  if (listUrls === 'off') return {}
  return { ...(TERN_MODE === 'production' ? publishedLists : {}), ...listUrls }
}

/** Returns the witnesses of the transparency log; by default, more than half of them make a quorum. */
function readTransparency({ TRANSPARENCY_WITNESSES: witnesses = [], TRANSPARENCY_QUORUM }: Settings) {
  const majority = witnesses.length === 0 ? 0 : Math.floor(witnesses.length / 2) + 1 // not money: a count
  return { witnesses, quorum: TRANSPARENCY_QUORUM ?? majority }
}

export type OperationsConfig = Config['operations']

function readOperations(settings: Settings) {
  const { TERN_MODE, ADMIN_PORT, LAME_DUCK_SECONDS, ALLOWED_HOSTS } = settings
  const isSandbox = TERN_MODE === 'sandbox'
  return {
    /**
     * Separate port for metrics, health, the API reference and the desk; without it, metrics and API reference require
     * the token.
     */
    admin: ADMIN_PORT === undefined ? undefined : { port: ADMIN_PORT, host: settings.ADMIN_HOST },
    /**
     * Origin of the operators' desk, on the admin port. Passkeys work under a single name, and only with https or on
     * this machine.
     */
    deskUrl: settings.DESK_URL ?? (ADMIN_PORT === undefined ? 'http://localhost' : `http://localhost:${ADMIN_PORT}`),
    /** Token that grants access to metrics and the API reference on the public port. */
    adminToken: settings.ADMIN_TOKEN,
    /** Accepted Host names in addition to that of PUBLIC_URL. */
    allowedHosts: [...(isSandbox ? loopbackNames : []), ...ALLOWED_HOSTS],
    /** Milliseconds for which a stopping process still serves while `/readyz` reports that it is stopping. */
    lameDuckMs: (LAME_DUCK_SECONDS ?? (isSandbox ? 0 : 10)) * 1000,
  }
}

export type TracingConfig = NonNullable<Config['tracing']>

/** Returns where and how spans are sent; undefined without a collector. */
function readTracing(settings: Settings) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint } = settings
  if (settings.OTEL_SDK_DISABLED === 'true' || (base === undefined && endpoint === undefined)) return undefined
  return {
    url: endpoint?.href ?? `${base?.href.replace(/\/$/, '') ?? ''}/v1/traces`,
    sampler: settings.OTEL_TRACES_SAMPLER,
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
    /** True to send `traceparent` to providers. */
    isSent: settings.SEND_TRACEPARENT === 'on',
  }
}

/** Values shown on the public pages. */
export type PublicSettings = ReturnType<typeof readPublicSettings>

function readPublicSettings(settings: Settings) {
  const text = settings.MONEY_TRANSMITTER_LICENSE
  return {
    operatorName: settings.OPERATOR_NAME,
    /** Previous employers of the team, as one line. */
    team: settings.TEAM_BACKGROUND,
    docsUrl: settings.DOCS_URL,
    /** mailto: or https: address, like the security contact (RFC 9116). */
    supportContact: settings.SUPPORT_CONTACT,
    securityContact: settings.SECURITY_CONTACT,
    /** License number and regulator in the operator's words, and its entry in a public register. */
    license: text === undefined ? undefined : { text, registerUrl: settings.MONEY_TRANSMITTER_LICENSE_URL },
  }
}

/** Returns the issuer shown on receipts; a part is null if its variable is unset. */
function readIssuer({ OPERATOR_REGISTRATION }: Settings, settings: PublicSettings): Issuer {
  const { operatorName, license, supportContact } = settings
  return {
    name: operatorName ?? null,
    registration: OPERATOR_REGISTRATION ?? null,
    license: license?.text ?? null,
    // Removes the protocol, which receipts do not show.
    contact: supportContact?.replace(/^mailto:|^https:\/\/|\/$/g, '') ?? null,
  }
}

/**
 * Reads the settings of migrations: the database address of the schema's owner, and the application role to grant
 * rights to, undefined if that is the owner. Throws ConfigError like `readConfig`.
 */
export function readMigrationSettings(environment: Environment) {
  const { MIGRATION_DATABASE_URL, DATABASE_URL, APPLICATION_ROLE: applicationRole } = readFields(environment)
  const ownerUrl = MIGRATION_DATABASE_URL ?? DATABASE_URL
  if (ownerUrl === undefined) {
    throw new ConfigError('MIGRATION_DATABASE_URL must be set: the database, by the role that owns its schema.')
  }
  return { ownerUrl, applicationRole }
}
