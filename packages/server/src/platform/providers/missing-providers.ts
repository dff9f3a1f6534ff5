import type { Capability } from '@tern/providers/money'
import type { Config } from '../runtime/config.ts'
import type { Providers } from './providers.ts'

/**
 * Returns sentences about missing configuration and the operations that are refused because of it, for the log of a
 * production start.
 */
export function describeMissingProviders(
  { stripe, operations, rates: rateSources }: Pick<Config, 'stripe' | 'operations' | 'rates'>,
  {
    money,
    identity,
    rates,
    liquidity,
    mail,
    signIn,
  }: Pick<Providers, 'money' | 'identity' | 'rates' | 'liquidity' | 'mail' | 'signIn'>,
): string[] {
  const isEmpty = ({ all }: { all: readonly unknown[] }) => all.length === 0
  const lacksCapability = (capability: Capability) =>
    !isEmpty(money) && !money.all.some((provider) => provider[capability])
  const missing: [boolean, string][] = [
    [
      isEmpty(money),
      'No provider moves money (STRIPE_SECRET_KEY): adding money, paying by card or bank and withdrawals are refused.',
    ],
    [
      lacksCapability('collect'),
      'No provider takes money in (STRIPE_SECRET_KEY, ADYEN_CHECKOUT_KEY): adding money and paying are refused.',
    ],
    [lacksCapability('link'), 'No provider links bank accounts (STRIPE_SECRET_KEY): adding one is refused.'],
    [lacksCapability('payout'), 'No provider pays out (STRIPE_SECRET_KEY): withdrawals are refused.'],
    [
      stripe !== undefined && stripe.financialAccount === undefined,
      'No account pays withdrawals (STRIPE_FINANCIAL_ACCOUNT): withdrawals are refused.',
    ],
    [
      isEmpty(identity),
      'No provider checks identities (STRIPE_IDENTITY_KEY): verification stays pending, so nobody new can send or withdraw.',
    ],
    [isEmpty(rates), 'No provider gives exchange rates: prices, quotes and conversions are refused.'],
    [
      !isEmpty(rates) && rateSources.ecb === undefined && rateSources.openexchangerates === undefined,
      'No source gives rates of fiat currencies (ECB_RATES_URL): quotes of any but US dollars are refused.',
    ],
    [
      // Sends between currencies pass through a stablecoin.
      !isEmpty(rates) && rateSources.bitstamp === undefined,
      'No source gives rates of cryptocurrencies and stablecoins (BITSTAMP_URL): sends and conversions between currencies are refused.',
    ],
    [
      !isEmpty(rates) && isEmpty(liquidity),
      'No provider of liquidity (KRAKEN_API_KEY): positions in currencies are not flattened, and quotes are refused once one has reached its limit.',
    ],
    [
      isEmpty(mail),
      'No mail server is set (SMTP_URL): emails wait until they expire, so login links, password resets and mailed codes do not arrive.',
    ],
    [
      signIn.external === undefined && signIn.google === undefined,
      'No provider signs people in (OIDC_ISSUER, GOOGLE_CLIENT_ID): they log in by password, passkey or email link.',
    ],
    [
      operations.admin === undefined && operations.adminToken === undefined,
      'Neither ADMIN_PORT nor ADMIN_TOKEN is set: metrics and the API reference are not served.',
    ],
  ]
  return missing.flatMap(([isMissing, sentence]) => (isMissing ? [sentence] : []))
}

/** Returns a sentence about the sources of exchange rates; undefined if there are none. */
export function describeRateSources({ rates }: Pick<Config, 'rates'>): string | undefined {
  const namedSources = Object.entries(rates).flatMap(([name, source]) =>
    source === undefined ? [] : [`${name} (${new URL(source.url).host})`],
  )
  return namedSources.length === 0 ? undefined : `Exchange rates come from ${namedSources.join(' and ')}.`
}

/** Returns sentences about faults of configured providers, such as a wrong key. */
export async function describeProviderFaults({ money, mail }: Pick<Providers, 'money' | 'mail'>): Promise<string[]> {
  const answers = await Promise.all([...money.all, ...mail.all].map(async (provider) => provider.check?.()))
  return answers.filter((answer) => answer !== undefined)
}
