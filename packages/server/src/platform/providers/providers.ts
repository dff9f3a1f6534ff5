import { createSandboxClock } from '@tern/providers/clock/sandbox'
import { systemClock } from '@tern/providers/clock/system'
import type { IdentityProvider } from '@tern/providers/verify/port'
import { createSandboxIdentityProvider } from '@tern/providers/verify/sandbox'
import { createStripeIdentityProvider } from '@tern/providers/verify/stripe'
import type { LiquidityProvider } from '@tern/providers/liquidity/port'
import { createKrakenLiquidityProvider } from '@tern/providers/liquidity/kraken'
import { createSandboxLiquidityProvider } from '@tern/providers/liquidity/sandbox'
import type { MailProvider } from '@tern/providers/mail/port'
import { createSandboxMailProvider } from '@tern/providers/mail/sandbox'
import type { MoneyProvider } from '@tern/providers/money'
import { createAdyenCards } from '@tern/providers/adyen-cards'
import { createAdyenPayouts } from '@tern/providers/adyen-payouts'
import { createBitstampRatesProvider } from '@tern/providers/rates/bitstamp'
import { createEcbRatesProvider } from '@tern/providers/rates/ecb'
import { createOpenExchangeRatesProvider } from '@tern/providers/rates/open-exchange-rates'
import type { RatesProvider } from '@tern/providers/rates/port'
import { createSandboxRatesProvider } from '@tern/providers/rates/sandbox'
import { createSandboxSafeguardingBank, sandboxBanks } from '@tern/providers/safeguarding/sandbox'
import { createSandboxMoneyProvider } from '@tern/providers/sandbox-money'
import { createOidcSignInProvider } from '@tern/providers/signin/oidc'
import type { SignInProvider, SignInProviders } from '@tern/providers/signin/port'
import { createStripeMoneyProvider } from '@tern/providers/stripe-money'
import { type Config, type ProviderKind, type SignInClient } from '../runtime/config.ts'
import { ConfigError } from '../runtime/settings.ts'
import { countErrors, type ErrorWatch } from './count-errors.ts'
import { createMoneyRegistry, type MoneyRegistry } from './money-registry.ts'
import { createRegistry, type ProviderRegistry, ProviderRuleError } from './provider-registry.ts'

/**
 * Adapters by kind; each returns a provider if it is configured. Without rules, the first provider gets all new items.
 * Adapters with large libraries are imported only if configured.
 */
const adapters = {
  money: [
    ({ stripe }: Config) => stripe && createStripeMoneyProvider(stripe),
    ({ adyenCards }: Config) => adyenCards && createAdyenCards(adyenCards),
    ({ adyen }: Config) => adyen && createAdyenPayouts(adyen),
    ({ sandbox }: Config) => sandbox && createSandboxMoneyProvider(sandbox),
  ],
  identity: [
    ({ stripeIdentity }: Config) => stripeIdentity && createStripeIdentityProvider(stripeIdentity),
    ({ sandbox }: Config) => sandbox && createSandboxIdentityProvider(sandbox),
  ],
  rates: [
    ({ rates }: Config) => rates.openexchangerates && createOpenExchangeRatesProvider(rates.openexchangerates),
    ({ rates }: Config) => rates.ecb && createEcbRatesProvider(rates.ecb),
    ({ rates }: Config) => rates.bitstamp && createBitstampRatesProvider(rates.bitstamp),
    ({ sandbox }: Config) => sandbox && createSandboxRatesProvider(sandbox),
  ],
  liquidity: [
    ({ kraken }: Config) => kraken && createKrakenLiquidityProvider(kraken),
    ({ sandbox }: Config) => sandbox && createSandboxLiquidityProvider(sandbox),
  ],
  mail: [
    async ({ mail }: Config) => mail && (await import('@tern/providers/mail/smtp')).createSmtpMailProvider(mail),
    ({ sandbox }: Config) => sandbox && createSandboxMailProvider(sandbox),
  ],
  safeguarding: sandboxBanks.map(
    (name) =>
      ({ sandbox }: Config) =>
        sandbox && createSandboxSafeguardingBank(sandbox, name),
  ),
} as const

/** Connects the configured external services. Throws ConfigError if a rule names a provider that is not configured. */
export async function createProviders(config: Config, metrics: ErrorWatch['metrics'], log?: ErrorWatch['log']) {
  const { sandbox } = config
  const sandboxClock = sandbox && createSandboxClock({ url: sandbox.url, secret: sandbox.secret })
  const rates = await buildRegistry<RatesProvider>({ config, metrics, log }, 'rates', adapters.rates)
  const mail = await buildRegistry<MailProvider>({ config, metrics, log }, 'mail', adapters.mail)
  return {
    clock: sandboxClock ?? systemClock,
    /** Same object as `clock` in sandbox mode, in which it can be set; otherwise undefined. */
    sandboxClock,
    money: await buildMoneyRegistry({ config, metrics, log }),
    identity: await buildRegistry<IdentityProvider>({ config, metrics, log }, 'identity', adapters.identity),
    rates,
    liquidity: await buildRegistry<LiquidityProvider>({ config, metrics, log }, 'liquidity', adapters.liquidity),
    mail,
    /** Banks with designated accounts. All are compared, so no rule chooses among them. */
    safeguarding: await connect({ config, metrics, log }, 'safeguarding', adapters.safeguarding),
    /** Mail provider chosen by the rules; without one, a stub whose sends have an unknown result. */
    chosen: { mail: mail.choose() ?? discardedMail },
    signIn: createSignIn(config),
    close() {
      sandboxClock?.stop()
      for (const provider of mail.all) provider.close?.()
    },
  }
}

type Adapter<P> = (config: Config) => P | Promise<P | undefined> | undefined

interface ProviderParts extends ErrorWatch {
  readonly config: Config
}

/** Creates the configured providers of one kind, and counts their errors. */
async function connect<P extends { readonly name: string }>(
  { config, ...watch }: ProviderParts,
  kind: ProviderKind | 'safeguarding',
  candidates: readonly Adapter<P>[],
): Promise<P[]> {
  const createdProviders = await Promise.all(candidates.map(async (create) => create(config)))
  return createdProviders.flatMap((provider) => (provider === undefined ? [] : [countErrors(provider, kind, watch)]))
}

async function buildRegistry<P extends { readonly name: string }>(
  parts: ProviderParts,
  kind: ProviderKind,
  candidates: readonly Adapter<P>[],
): Promise<ProviderRegistry<P>> {
  const all = await connect(parts, kind, candidates)
  return withSetting(`${kind.toUpperCase()}_PROVIDERS`, () => createRegistry(all, parts.config.providerRules[kind]))
}

async function buildMoneyRegistry(parts: ProviderParts): Promise<MoneyRegistry> {
  const all = await connect<MoneyProvider>(parts, 'money', adapters.money)
  const { money: rules, payout: payoutRules } = parts.config.providerRules
  withSetting('PAYOUT_PROVIDERS', () => createMoneyRegistry(all, { payoutRules }))
  return withSetting('MONEY_PROVIDERS', () => createMoneyRegistry(all, { rules, payoutRules }))
}

/** Converts rule errors to a ConfigError that names the setting. */
function withSetting<T>(name: string, create: () => T): T {
  try {
    return create()
  } catch (error) {
    throw error instanceof ProviderRuleError ? new ConfigError(`${name}: ${error.message}`) : error
  }
}

function createSignIn({ signIn: { external, google }, sandbox }: Config): SignInProviders {
  const at = ({ issuer, clientId, clientSecret }: SignInClient) =>
    createOidcSignInProvider({ issuer, clientId, clientSecret, allowHttp: issuer.startsWith('http:') })
  // An external provider may offer Google itself, so the sandbox replaces Google only if neither is configured.
  const sandboxSignIn = external ? undefined : sandbox && createSandboxSignIn(sandbox)
  return { external: external && at(external), google: google ? at(google) : sandboxSignIn }
}

const createSandboxSignIn = ({ url, publicUrl }: NonNullable<Config['sandbox']>): SignInProvider =>
  createOidcSignInProvider({ issuer: `${publicUrl}/oidc`, clientId: 'tern', allowHttp: true, reachAt: url })

const discardedMail: MailProvider = {
  name: 'none',
  send: () => Promise.resolve({ status: 'unknown', reason: 'No mail provider is configured' }),
}

export type Providers = Awaited<ReturnType<typeof createProviders>>
