import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { ConfigError } from '../runtime/settings.ts'
import { readConfig } from '../runtime/config.ts'
import { createMetrics } from '../runtime/metrics.ts'
import { describeProviderFaults, describeMissingProviders, describeRateSources } from './missing-providers.ts'
import { createProviders } from './providers.ts'

const production = {
  TERN_MODE: 'production',
  TERN_SECRET: 'kestrel-9Fq2vX7mZ0pLw4Rt8YbN3sHd',
  DATABASE_URL: 'postgres://tern@db.example/tern',
  PUBLIC_URL: 'https://tern.example',
}
const stripe = { STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef' }

async function findMissing(environment: Record<string, string>): Promise<string> {
  const config = readConfig({ ...production, ...environment })
  const providers = await createProviders(config, createMetrics())
  providers.close()
  return describeMissingProviders(config, providers).join('\n')
}

test('a production start names each missing provider, its variable and the refused actions', async () => {
  const missingText = await findMissing({ ECB_RATES_URL: 'off', BITSTAMP_URL: 'off' })
  expect(missingText).toMatch(/STRIPE_SECRET_KEY.*withdrawals are refused/)
  expect(missingText).toMatch(/STRIPE_IDENTITY_KEY.*verification stays pending/)
  expect(missingText).toMatch(/exchange rates: prices, quotes and conversions are refused/)
  expect(missingText).toMatch(/SMTP_URL.*emails wait until they expire/)
  expect(missingText).toMatch(/ADMIN_PORT nor ADMIN_TOKEN/)
})

test('configured providers are not named, a missing payout account is', async () => {
  const missingText = await findMissing({
    ...stripe,
    SMTP_URL: 'smtps://mail.example',
    MAIL_FROM: 'no-reply@tern.example',
    ADMIN_PORT: '9000',
  })
  expect(missingText).not.toMatch(/No provider moves money|SMTP_URL|ADMIN_PORT|exchange rates/)
  expect(missingText).toContain('STRIPE_FINANCIAL_ACCOUNT')
  expect(missingText).toMatch(/No provider of liquidity.*: positions .* are not flattened/)
})

test('with one rate source off, currencies without rates are named, and the source of the others', async () => {
  const crypto = await findMissing({ BITSTAMP_URL: 'off' })
  expect(crypto).toMatch(/\(BITSTAMP_URL\): sends and conversions between currencies are refused/)
  expect(crypto).not.toMatch(/ECB_RATES_URL|No provider gives exchange rates/)
  expect(await findMissing({ ECB_RATES_URL: 'off' })).toMatch(
    /\(ECB_RATES_URL\): quotes of any but US dollars are refused/,
  )
  const sources = (environment: object) => describeRateSources(readConfig({ ...production, ...environment }))
  expect(sources({})).toBe('Exchange rates come from ecb (www.ecb.europa.eu) and bitstamp (www.bitstamp.net).')
  expect(sources({ BITSTAMP_URL: 'off', ECB_RATES_URL: 'https://proxy.example/ecb' })).toBe(
    'Exchange rates come from ecb (proxy.example).',
  )
  expect(sources({ BITSTAMP_URL: 'off', ECB_RATES_URL: 'off' })).toBeUndefined()
  const intraday = { OPEN_EXCHANGE_RATES_APP_ID: 'a1b2', ECB_RATES_URL: 'off' }
  expect(await findMissing(intraday)).not.toMatch(/ECB_RATES_URL|a1b2/)
  expect(sources(intraday)).toBe(
    'Exchange rates come from openexchangerates (openexchangerates.org) and bitstamp (www.bitstamp.net).',
  )
})

test('a wrong key and an unreachable mail server are reported, without the key', async () => {
  const api = createServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { type: 'invalid_request_error', message: 'Invalid API Key' } }))
  }).listen(0, '127.0.0.1')
  await once(api, 'listening')
  const { port } = api.address() as AddressInfo
  const config = readConfig({
    ...production,
    ...stripe,
    STRIPE_API_URL: `http://127.0.0.1:${port}`,
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'no-reply@tern.example',
  })
  const providers = await createProviders(config, createMetrics())
  const faultSentences = await describeProviderFaults(providers)
  providers.close()
  api.close()
  expect(faultSentences).toEqual([
    expect.stringMatching(/^Stripe does not accept STRIPE_SECRET_KEY/),
    expect.stringMatching(/^The mail server in SMTP_URL does not answer/),
  ])
  expect(faultSentences.join()).not.toContain('sk_live_1')
})

test.each([
  [{ ADMIN_TOKEN: 'short' }, 'ADMIN_TOKEN must have at least 24 characters.'],
  [{ ADMIN_TOKEN: 'with a space, which headers do not carry' }, 'ADMIN_TOKEN must be one word'],
  [{ ADMIN_PORT: '3000' }, 'ADMIN_PORT must differ from PORT.'],
  [{ ADMIN_PORT: 'off' }, 'ADMIN_PORT must be a port number'],
  [{ ALLOWED_HOSTS: 'https://tern.example' }, 'ALLOWED_HOSTS must be names without port'],
  [{ LAME_DUCK_SECONDS: '-1' }, 'LAME_DUCK_SECONDS must be a whole number from 0 to 600'],
  [{ ECB_RATES_URL: 'http://rates.example' }, 'ECB_RATES_URL must begin with https:// unless it is on this machine.'],
  [{ ECB_RATES_URL: 'none' }, 'ECB_RATES_URL must be an address that begins with http:// or https://.'],
  [{ BITSTAMP_URL: 'https://tern:pass@proxy.example' }, 'BITSTAMP_URL must be an address without a user'],
  [{ BITSTAMP_URL: 'https://proxy.example/?key=1' }, 'BITSTAMP_URL must be an address without a user, a query'],
  [{ LAME_DUCK_SECONDS: '1.5' }, 'LAME_DUCK_SECONDS must be a whole number from 0 to 600'],
])('%j stops the start', (environment, sentence) => {
  const read = () => readConfig({ ...production, ...environment })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(sentence)
})

test('production continues for ten seconds and answers only its own name; a trial stops at once', () => {
  expect(readConfig(production).operations).toMatchObject({ lameDuckMs: 10_000, allowedHosts: [] })
  const { TERN_SECRET } = production
  const sandboxConfig = readConfig({ TERN_SECRET, SANDBOX_SECRET: TERN_SECRET })
  expect(sandboxConfig.operations).toMatchObject({ lameDuckMs: 0, allowedHosts: ['localhost', '127.0.0.1', '[::1]'] })
})
