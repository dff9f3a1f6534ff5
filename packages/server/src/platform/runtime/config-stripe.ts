import { ConfigError, type Environment, isLocal, readUrl } from './config-values.ts'

type Mode = 'sandbox' | 'production'

/** An account at Stripe, as its adapters need to know it. */
export interface StripeAccount {
  readonly secretKey: string
  readonly webhookSecrets: readonly string[]
  /** Source of payouts; without it there are none. */
  readonly financialAccount: string | undefined
  readonly apiUrl: string | undefined
}

/** A key of Stripe's and the secrets that sign its events: both or neither. */
function readStripeKeys(
  environment: Environment,
  mode: Mode,
  [keyName, secretName]: readonly [string, string],
): Pick<StripeAccount, 'secretKey' | 'webhookSecrets'> | undefined {
  const secretKey = environment[keyName] || undefined
  const webhookSecret = environment[secretName] || undefined
  if (secretKey === undefined && webhookSecret === undefined) return undefined
  if (secretKey === undefined) throw new ConfigError(`${keyName} must be set together with ${secretName}.`)
  if (webhookSecret === undefined) throw new ConfigError(`${secretName} must be set together with ${keyName}.`)
  const keyMode = /^[sr]k_(test|live)_[A-Za-z0-9_]+$/.exec(secretKey)?.[1]
  if (keyMode === undefined) throw new ConfigError(`${keyName} must be a key that begins with sk_ or rk_.`)
  if (mode === 'production' && keyMode === 'test') {
    throw new ConfigError(`${keyName} must be a live key in production: with a test key ${vainIn[keyName] ?? ''}.`)
  }
  if (mode === 'sandbox' && keyMode === 'live') {
    throw new ConfigError(`${keyName} must be a test key in sandbox mode: its people have published passwords.`)
  }
  const webhookSecrets = webhookSecret.split(',').map((secret) => secret.trim())
  if (!webhookSecrets.every((secret) => /^whsec_[A-Za-z0-9+/=_-]{16,}$/.test(secret))) {
    throw new ConfigError(`${secretName} must be one or more secrets that begin with whsec_, with commas between.`)
  }
  return { secretKey, webhookSecrets }
}

/** What comes of a test key in production. */
const vainIn: Readonly<Record<string, string>> = {
  STRIPE_SECRET_KEY: 'money comes from nowhere',
  STRIPE_IDENTITY_KEY: 'anybody is verified',
}

/** The account that moves money, if configured. Throws ConfigError. */
export function readStripe(environment: Environment, mode: Mode): StripeAccount | undefined {
  const keys = readStripeKeys(environment, mode, ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'])
  if (!keys) {
    if (environment.STRIPE_FINANCIAL_ACCOUNT) {
      throw new ConfigError('STRIPE_SECRET_KEY must be set together with STRIPE_FINANCIAL_ACCOUNT.')
    }
    if (environment.STRIPE_API_URL && !environment.STRIPE_IDENTITY_KEY) {
      throw new ConfigError('STRIPE_SECRET_KEY must be set together with STRIPE_API_URL.')
    }
    return undefined
  }
  const financialAccount = environment.STRIPE_FINANCIAL_ACCOUNT || undefined
  if (financialAccount !== undefined && !/^fa_\w+$/.test(financialAccount)) {
    throw new ConfigError('STRIPE_FINANCIAL_ACCOUNT must be the id of a financial account, which begins with fa_.')
  }
  return { ...keys, financialAccount, apiUrl: readStripeUrl(environment) }
}

function readStripeUrl(environment: Environment): string | undefined {
  const apiUrl = readUrl(environment, 'STRIPE_API_URL', ['http:', 'https:'])
  if (apiUrl && (apiUrl.pathname !== '/' || apiUrl.search !== '' || apiUrl.username !== '')) {
    throw new ConfigError('STRIPE_API_URL must be an origin without a path, such as https://stripe-proxy.example.')
  }
  if (apiUrl && apiUrl.protocol !== 'https:' && !isLocal(apiUrl)) {
    throw new ConfigError('STRIPE_API_URL must begin with https:// unless it is on this machine.')
  }
  return apiUrl?.origin
}

/** The account that checks identities, if configured. Throws ConfigError. */
export function readStripeIdentity(environment: Environment, mode: Mode): StripeAccount | undefined {
  const keys = readStripeKeys(environment, mode, ['STRIPE_IDENTITY_KEY', 'STRIPE_IDENTITY_WEBHOOK_SECRET'])
  return keys && { ...keys, financialAccount: undefined, apiUrl: readStripeUrl(environment) }
}
