import { buildStripeEvent } from '@tern/testkit/providers/stripe'
import { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { readConfig } from '../runtime/config.ts'
import { ConfigError } from '../runtime/settings.ts'
import { createMetrics } from '../runtime/metrics.ts'
import { createProviders } from './providers.ts'

const secret = 'vN3qk8Zt5Wc1uYe7Rb9sHd2mLx4Gp6Ja'
const sandboxSettings = { TERN_SECRET: secret, SANDBOX_SECRET: secret }
const productionSettings = {
  TERN_MODE: 'production',
  TERN_SECRET: secret,
  DATABASE_URL: 'postgres://tern@db.example/tern',
  PUBLIC_URL: 'https://tern.example',
}
const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef' }

async function createProvidersOnce(environment: Record<string, string>) {
  const providers = await createProviders(readConfig(environment), createMetrics())
  providers.close()
  return providers
}

test.each([
  ['the sandbox', sandboxSettings, ['sandbox']],
  ['nobody in production', productionSettings, []],
  ['Stripe before the sandbox', { ...sandboxSettings, ...stripe }, ['stripe', 'sandbox']],
  ['Stripe alone in production', { ...productionSettings, ...stripe, STRIPE_SECRET_KEY: 'sk_live_1' }, ['stripe']],
])('all configured providers are active, and the first takes new payments: %s', async (_name, environment, names) => {
  const { money } = await createProvidersOnce(environment)
  expect(money.all.map(({ name }) => name)).toEqual(names)
  expect(money.choose({ method: 'card', currency: 'USD' })?.name).toBe(names[0])
})

test('an event of another API version counts as an error of its provider', async () => {
  const metrics = createMetrics()
  const providers = await createProviders(readConfig({ ...sandboxSettings, ...stripe }), metrics)
  const { events } = providers.money.find('stripe')!
  const at = new Date('2026-03-01T09:00:00Z')
  const count = async () =>
    /^tern_provider_errors_total{kind="money",provider="stripe",call="verify"} (\d+)$/m.exec(
      await metrics.registry.getSingleMetricAsString('tern_provider_errors_total'),
    )?.[1] ?? '0'
  const verify = (version: string) => {
    const event = { ...buildStripeEvent({ type: 'customer.created', object: { id: 'cus_1' } }), api_version: version }
    const payload = JSON.stringify(event)
    const signing = { payload, secret: stripe.STRIPE_WEBHOOK_SECRET, timestamp: at.getTime() / 1000 }
    const signature = new Stripe('sk_test_1').webhooks.generateTestHeaderString(signing)
    return events!.verify(payload, { 'stripe-signature': signature }, at)
  }
  expect(verify(Stripe.API_VERSION)).not.toHaveProperty('otherVersion')
  expect(await count()).toBe('0')
  expect(verify('2019-01-01')).toMatchObject({ otherVersion: '2019-01-01' })
  expect(await count()).toBe('1')
  providers.close()
})

test('rules match by method, currency and country; the first match decides, and none may match', async () => {
  const { money } = await createProvidersOnce({
    ...sandboxSettings,
    ...stripe,
    MONEY_PROVIDERS: 'stripe method=card currency=USD,EUR; sandbox country=US; stripe method=bank',
  })
  const chooseProvider = (...[method, currency, country]: string[]) => money.choose({ method, currency, country })?.name
  expect(chooseProvider('card', 'EUR', 'US')).toBe('stripe')
  expect(chooseProvider('card', 'GBP', 'US')).toBe('sandbox')
  expect(chooseProvider('bank', 'GBP', 'DE')).toBe('stripe')
  expect(chooseProvider('card', 'GBP', 'DE')).toBeUndefined()
  expect(money.choose({ currency: 'USD' }), 'a condition about something unknown does not fit').toBeUndefined()
})

test('a liquidity venue can be named, and outside the sandbox there is none', async () => {
  const { liquidity } = await createProvidersOnce({ ...sandboxSettings, LIQUIDITY_PROVIDERS: 'sandbox currency=EUR' })
  expect(liquidity.choose({ currency: 'EUR' })?.name).toBe('sandbox')
  expect(liquidity.choose({ currency: 'GBP' })).toBeUndefined()
  expect((await createProvidersOnce(productionSettings)).liquidity.all).toEqual([])
  await expect(createProvidersOnce({ ...productionSettings, LIQUIDITY_PROVIDERS: 'sandbox' })).rejects.toThrow(
    'LIQUIDITY_PROVIDERS',
  )
})

test('Kraken trades the currencies of its rule', async () => {
  const { liquidity } = await createProvidersOnce({
    ...productionSettings,
    KRAKEN_API_KEY: 'key',
    KRAKEN_API_SECRET: 'a'.repeat(88),
    LIQUIDITY_PROVIDERS: 'kraken currency=EUR,GBP',
  })
  expect([liquidity.choose({ currency: 'EUR' })?.name, liquidity.choose({ currency: 'INR' })]).toEqual([
    'kraken',
    undefined,
  ])
})

test('a payout rule for an unconfigured provider is refused, naming its setting', async () => {
  await expect(createProvidersOnce({ ...sandboxSettings, PAYOUT_PROVIDERS: 'acme' })).rejects.toThrow(
    /PAYOUT_PROVIDERS.*acme/,
  )
  const { money } = await createProvidersOnce({ ...sandboxSettings, PAYOUT_PROVIDERS: 'sandbox currency=EUR' })
  expect(money.choosePayout({ currency: 'EUR' })?.name).toBe('sandbox')
})

const adyen = {
  ADYEN_API_KEY: 'AQE_test_key',
  ADYEN_BALANCE_ACCOUNT: 'BA00000000000000000000001',
  ADYEN_WEBHOOK_KEY: '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056',
}

test('Adyen pays out by its rules, and collects nothing', async () => {
  const { money } = await createProvidersOnce({ ...sandboxSettings, ...adyen, PAYOUT_PROVIDERS: 'adyen currency=EUR' })
  expect(money.choosePayout({ currency: 'EUR' })?.name).toBe('adyen')
  expect(money.choosePayout({ currency: 'USD' })).toBeUndefined()
  expect(money.choose({ method: 'card' })?.name).toBe('sandbox')
  expect(money.choose({ method: 'bank' })?.name).toBe('sandbox')
})

const adyenCards = {
  ADYEN_CHECKOUT_KEY: 'AQE_checkout_key',
  ADYEN_MERCHANT_ACCOUNT: 'TernTest',
  ADYEN_CHECKOUT_WEBHOOK_KEY: adyen.ADYEN_WEBHOOK_KEY,
}

test('Adyen takes cards by its rules, except those to be saved, and links nothing', async () => {
  const choose = async (rules: string, choice: object) => {
    const environment = { ...sandboxSettings, ...adyenCards, MONEY_PROVIDERS: rules }
    return (await createProvidersOnce(environment)).money.choose(choice)?.name
  }
  const rules = 'adyen-cards method=card currency=EUR; sandbox'
  expect(await choose(rules, { method: 'card', currency: 'EUR' })).toBe('adyen-cards')
  expect(await choose(rules, { method: 'card', currency: 'EUR', savesCard: true })).toBe('sandbox')
  expect(await choose(rules, { method: 'card', currency: 'USD' })).toBe('sandbox')
  expect(await choose(rules, { method: 'bank', currency: 'EUR' })).toBe('sandbox')
  expect(await choose('adyen-cards method=card', { method: 'card', savesCard: true })).toBeUndefined()
})

test.each([
  ['taking money in', { ...sandboxSettings, ...adyen, MONEY_PROVIDERS: 'adyen' }, /MONEY_PROVIDERS.*adyen.*collect/],
  [
    'linking bank accounts',
    { ...sandboxSettings, ...adyenCards, MONEY_PROVIDERS: 'adyen-cards' },
    /MONEY_PROVIDERS.*adyen-cards.*capability link for method=bank: limit the rule to method=card/,
  ],
  [
    'paying withdrawals with the account that takes cards',
    { ...sandboxSettings, ...adyenCards, PAYOUT_PROVIDERS: 'adyen-cards' },
    /PAYOUT_PROVIDERS.*adyen-cards.*payout/,
  ],
  [
    'paying to numbers that no provider discloses',
    { ...productionSettings, ...stripe, STRIPE_SECRET_KEY: 'sk_live_1', ...adyen, PAYOUT_PROVIDERS: 'adyen' },
    /PAYOUT_PROVIDERS.*adyen.*discloses/,
  ],
])('Adyen is refused for %s', async (_name, environment, message) => {
  const startup = createProvidersOnce(environment)
  await expect(startup).rejects.toThrow(message)
  await expect(startup).rejects.toBeInstanceOf(ConfigError)
})

test('an unconfigured name has no provider, not the default', async () => {
  const { money } = await createProvidersOnce(sandboxSettings)
  expect(money.find('stripe')).toBeUndefined()
})

test.each([
  ['names a provider that is not configured', 'stripe; sandbox', /MONEY_PROVIDERS.*stripe/],
  ['has an unknown condition', 'sandbox colour=red', /MONEY_PROVIDERS must be rules/],
  ['names nobody', 'sandbox; method=card', /MONEY_PROVIDERS must be rules/],
])('a rule that %s is refused', async (_name, rules, message) => {
  const startup = createProvidersOnce({ ...sandboxSettings, MONEY_PROVIDERS: rules })
  await expect(startup).rejects.toThrow(message)
  await expect(startup).rejects.toBeInstanceOf(ConfigError)
})
