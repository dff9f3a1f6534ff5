import fs from 'node:fs'
import { createSigningKey, formatVerifierKey } from '@tern/transparency/note-keys'
import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError, fields } from './settings.ts'

const secret = 'vN3qk8Zt5Wc1uYe7Rb9sHd2mLx4Gp6Ja'
const sandboxSettings = { TERN_SECRET: secret, SANDBOX_SECRET: secret }
const productionSettings = {
  TERN_MODE: 'production',
  TERN_SECRET: secret,
  DATABASE_URL: 'postgres://tern@db.example/tern',
  PUBLIC_URL: 'https://tern.example',
}

const mail = { SMTP_URL: 'smtps://tern:pass%20word@mail.example:465', MAIL_FROM: 'Tern <no-reply@tern.example>' }

const adyen = {
  ADYEN_API_KEY: 'AQE_test_key',
  ADYEN_BALANCE_ACCOUNT: 'BA00000000000000000000001',
  ADYEN_WEBHOOK_KEY: '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056',
}
const adyenCards = {
  ADYEN_CHECKOUT_KEY: 'AQE_checkout_key',
  ADYEN_MERCHANT_ACCOUNT: 'TernTest',
  ADYEN_CHECKOUT_WEBHOOK_KEY: adyen.ADYEN_WEBHOOK_KEY,
}
const stripe = { STRIPE_SECRET_KEY: 'sk_test_4711', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef' }
const stripeIdentity = {
  STRIPE_IDENTITY_KEY: 'rk_test_4711',
  STRIPE_IDENTITY_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
}
const liveSettings = { ...stripe, STRIPE_SECRET_KEY: 'rk_live_4711' }

const witness = (name: string, type: 1 | 4 = 4): string =>
  formatVerifierKey(createSigningKey({ name, type, seed: new Uint8Array(32).fill(name.length) }))

describe('configuration', () => {
  test('has defaults for a trial, except secrets', () => {
    expect(readConfig(sandboxSettings)).toMatchObject({
      mode: 'sandbox',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      databaseUrl: undefined,
      sandbox: { port: 3001, url: 'http://localhost:3001' },
    })
  })

  test('every variable is described in the manual', () => {
    const operatingGuide = fs.readFileSync(new URL('../../../../../docs/operating.md', import.meta.url), 'utf8')
    const rows = operatingGuide.split('\n').filter((row) => row.startsWith('| `'))
    const describedSettings = new Set(rows.flatMap((row) => row.split('|')[1]?.match(/[A-Z][A-Z_]+/g) ?? []))
    expect(Object.keys(fields.shape).filter((name) => !describedSettings.has(name))).toEqual([])
  })

  test('reads from replicas only if they are named', () => {
    expect(readConfig(productionSettings).replicaUrls).toEqual([])
    const REPLICA_DATABASE_URL = 'postgres://tern@one.example/tern, postgres://tern@two.example/tern'
    expect(readConfig({ ...productionSettings, REPLICA_DATABASE_URL }).replicaUrls).toEqual([
      'postgres://tern@one.example/tern',
      'postgres://tern@two.example/tern',
    ])
  })

  test('has no sandbox in production', () => {
    expect(readConfig(productionSettings).sandbox).toBeUndefined()
    expect(
      readConfig({ ...productionSettings, SANDBOX_URL: 'http://localhost:3001', SANDBOX_SECRET: secret }).sandbox,
    ).toBeUndefined()
  })

  test('has no identity provider by default', () => {
    expect(readConfig(productionSettings).signIn).toEqual({ external: undefined, google: undefined })
    const namedSettings = {
      OIDC_ISSUER: 'https://login.example/',
      OIDC_CLIENT_ID: 'tern',
      GOOGLE_CLIENT_ID: 'g',
      GOOGLE_CLIENT_SECRET: 's',
    }
    expect(readConfig({ ...productionSettings, ...namedSettings }).signIn).toEqual({
      external: { issuer: 'https://login.example/', clientId: 'tern', clientSecret: undefined },
      google: { issuer: 'https://accounts.google.com', clientId: 'g', clientSecret: 's' },
    })
  })

  test('ignores blanks and line breaks around settings, except in secrets that keys derive from', () => {
    const settings = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'tern', OIDC_CLIENT_SECRET: 'secret' }
    const blankSettings = Object.entries({
      ...productionSettings,
      ...settings,
      ...mail,
      LOG_LEVEL: 'warn',
      PORT: '3100',
    }).map(([name, text]) => [name, name === 'TERN_SECRET' ? text : ` ${text}\r\n`])
    const read = readConfig(Object.fromEntries(blankSettings) as Record<string, string>)
    expect(read).toEqual(readConfig({ ...productionSettings, ...settings, ...mail, LOG_LEVEL: 'warn', PORT: '3100' }))
    expect(
      readConfig({ ...productionSettings, TERN_SECRET: `${productionSettings.TERN_SECRET}\n` }).secret,
    ).not.toEqual(readConfig(productionSettings).secret)
  })

  test.each([
    ['Tern <no-reply@Bücher.example>', 'Tern <no-reply@xn--bcher-kva.example>'],
    ['no-reply@россия.рф', 'no-reply@xn--h1alffa9f.xn--p1ai'],
    ['a&b@tern.example', 'a&b@tern.example'],
    ['tern@localhost', 'tern@localhost'],
  ])('sends mail from %s', (from, writtenText) => {
    expect(readConfig({ ...sandboxSettings, ...mail, MAIL_FROM: from }).mail?.from).toBe(writtenText)
  })

  test('has a mail server only with an address and a sender', () => {
    expect(readConfig(productionSettings).mail).toBeUndefined()
    expect(readConfig({ ...productionSettings, ...mail }).mail).toEqual({ url: mail.SMTP_URL, from: mail.MAIL_FROM })
    expect(readConfig({ ...sandboxSettings, ...mail, MAIL_FROM: 'no-reply@tern.example' }).mail?.from).toBe(
      'no-reply@tern.example',
    )
  })

  test('reads public rates in production unless disabled, in a trial only with an address', () => {
    expect(readConfig(productionSettings).rates).toEqual({
      ecb: { url: 'https://www.ecb.europa.eu/stats/eurofxref' },
      bitstamp: { url: 'https://www.bitstamp.net' },
    })
    expect(readConfig({ ...productionSettings, ECB_RATES_URL: 'off', BITSTAMP_URL: 'off' }).rates).toEqual({})
    expect(readConfig(sandboxSettings).rates).toEqual({})
    const proxies = { ECB_RATES_URL: 'http://localhost:8080/ecb/', BITSTAMP_URL: 'https://proxy.example' }
    expect(readConfig({ ...sandboxSettings, ...proxies }).rates).toEqual({
      ecb: { url: 'http://localhost:8080/ecb' },
      bitstamp: { url: 'https://proxy.example' },
    })
  })

  test('reads intraday rates only with an App ID', () => {
    const appId = '0123456789abcdef0123456789abcdef'
    expect(readConfig({ ...productionSettings, OPEN_EXCHANGE_RATES_APP_ID: appId }).rates.openexchangerates).toEqual({
      appId,
      url: 'https://openexchangerates.org/api',
    })
    const proxy = { OPEN_EXCHANGE_RATES_APP_ID: appId, OPEN_EXCHANGE_RATES_URL: 'https://proxy.example/oxr/' }
    expect(readConfig({ ...sandboxSettings, ...proxy }).rates.openexchangerates?.url).toBe('https://proxy.example/oxr')
  })

  test('trades at Kraken with a key; in sandbox mode only at another address', () => {
    const kraken = { KRAKEN_API_KEY: 'key', KRAKEN_API_SECRET: `${'a'.repeat(86)}==` }
    expect(readConfig(productionSettings).kraken).toBeUndefined()
    expect(readConfig({ ...productionSettings, ...kraken }).kraken).toEqual({
      apiKey: 'key',
      apiSecret: kraken.KRAKEN_API_SECRET,
      url: 'https://api.kraken.com',
    })
    const double = { ...sandboxSettings, ...kraken, KRAKEN_API_URL: 'http://localhost:4000' }
    expect(readConfig(double).kraken?.url).toBe('http://localhost:4000')
  })

  test('uses the test environment of Adyen in sandbox mode, and the live one in production', () => {
    expect(readConfig(productionSettings).adyen).toBeUndefined()
    const { ADYEN_WEBHOOK_KEY: key } = adyen
    expect(readConfig({ ...productionSettings, ...adyen }).adyen).toEqual({
      apiKey: 'AQE_test_key',
      balanceAccount: 'BA00000000000000000000001',
      webhookKeys: [key],
      apiUrl: 'https://balanceplatform-api-live.adyen.com',
    })
    expect(readConfig({ ...sandboxSettings, ...adyen, ADYEN_WEBHOOK_KEY: `${key}, ${key}` }).adyen).toMatchObject({
      webhookKeys: [key, key],
      apiUrl: 'https://balanceplatform-api-test.adyen.com',
    })
  })

  test('takes cards on the test platform of Adyen in sandbox mode, and on the live one in production', () => {
    expect(readConfig(productionSettings).adyenCards).toBeUndefined()
    const account = {
      apiKey: 'AQE_checkout_key',
      merchantAccount: 'TernTest',
      webhookKeys: [adyen.ADYEN_WEBHOOK_KEY],
    }
    const live = { ...productionSettings, ...adyenCards, ADYEN_LIVE_PREFIX: '1797a841fbb37ca7-Example' }
    expect(readConfig(live).adyenCards).toEqual({
      ...account,
      checkoutUrl: 'https://1797a841fbb37ca7-Example-checkout-live.adyenpayments.com/checkout',
      managementUrl: 'https://management-live.adyen.com',
      isLive: true,
    })
    expect(readConfig({ ...sandboxSettings, ...adyenCards }).adyenCards).toEqual({
      ...account,
      checkoutUrl: 'https://checkout-test.adyen.com',
      managementUrl: 'https://management-test.adyen.com',
      isLive: false,
    })
    const ADYEN_CHECKOUT_URL = 'http://localhost:12111'
    expect(readConfig({ ...productionSettings, ...adyenCards, ADYEN_CHECKOUT_URL }).adyenCards).toMatchObject({
      checkoutUrl: ADYEN_CHECKOUT_URL,
      managementUrl: ADYEN_CHECKOUT_URL,
      isLive: true,
    })
  })

  test('uses Stripe only with keys of the right mode', () => {
    expect(readConfig(productionSettings).stripe).toBeUndefined()
    expect(readConfig({ ...productionSettings, ...liveSettings }).stripe).toEqual({
      secretKey: 'rk_live_4711',
      webhookSecrets: ['whsec_0123456789abcdef'],
      financialAccount: undefined,
      apiUrl: undefined,
    })
    const extraSettings = {
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef, whsec_fedcba9876543210',
      STRIPE_FINANCIAL_ACCOUNT: 'fa_test_1',
      STRIPE_API_URL: 'http://localhost:12111',
    }
    expect(readConfig({ ...sandboxSettings, ...stripe, ...extraSettings }).stripe).toEqual({
      secretKey: 'sk_test_4711',
      webhookSecrets: ['whsec_0123456789abcdef', 'whsec_fedcba9876543210'],
      financialAccount: 'fa_test_1',
      apiUrl: 'http://localhost:12111',
    })
  })

  test.each([
    ['help@tern.example', 'mailto:help@tern.example'],
    ['mailto:help@tern.example', 'mailto:help@tern.example'],
    ['https://help.tern.example', 'https://help.tern.example/'],
    [' ', undefined],
  ])('SUPPORT_CONTACT is an address or a page: %j', (text, contact) => {
    const settings = readConfig({ ...sandboxSettings, SUPPORT_CONTACT: text }).publicSettings
    expect(settings.supportContact).toBe(contact)
  })

  test('the gallery is off unless a sandbox switches it on', () => {
    expect(readConfig(sandboxSettings).showsGallery).toBe(false)
    expect(readConfig({ ...sandboxSettings, COMPONENT_GALLERY: 'on' }).showsGallery).toBe(true)
    expect(readConfig({ ...productionSettings, COMPONENT_GALLERY: 'off' }).showsGallery).toBe(false)
  })

  test('browsers keep /verify unless that is switched off', () => {
    expect(readConfig(productionSettings).keepsVerify).toBe(true)
    expect(readConfig({ ...productionSettings, VERIFY_OFFLINE: 'off' }).keepsVerify).toBe(false)
  })

  test('requires and fetches lists in production, and neither in a trial', () => {
    const { lists } = readConfig(productionSettings)
    expect(lists.areRequired).toBe(true)
    expect(readConfig({ ...productionSettings, SCREENING_LISTS: 'by_mode' }).lists.areRequired).toBe(true)
    expect(Object.keys(lists.addresses).toSorted()).toEqual(['eu', 'ofac_sdn', 'uk', 'un'])
    expect(readConfig(sandboxSettings).lists).toEqual({ areRequired: false, addresses: {} })
    expect(readConfig({ ...sandboxSettings, SCREENING_LISTS: 'required' }).lists.areRequired).toBe(true)
    expect(readConfig({ ...productionSettings, SCREENING_LIST_URLS: 'off' }).lists.addresses).toEqual({})
    const addressList = 'un=https://a.example/1 un=https://a.example/2 eu=off\n pep=http://127.0.0.1:9/peps.csv'
    expect(readConfig({ ...productionSettings, SCREENING_LIST_URLS: addressList }).lists.addresses).toEqual({
      ...lists.addresses,
      un: ['https://a.example/1', 'https://a.example/2'],
      eu: [],
      pep: ['http://127.0.0.1:9/peps.csv'],
    })
  })

  test('the log has the named witnesses, of which more than half are a quorum by default', () => {
    expect(readConfig(sandboxSettings).transparency).toEqual({ witnesses: [], quorum: 0 })
    const TRANSPARENCY_WITNESSES = `${witness('a.example')} https://a.example/w/;\n ${witness('b.example/w')}  http://127.0.0.1:9\n`
    const settings = { ...productionSettings, TRANSPARENCY_WITNESSES }
    expect(readConfig(settings).transparency).toMatchObject({
      witnesses: [
        { key: { name: 'a.example' }, address: 'https://a.example/w' },
        { key: { name: 'b.example/w' }, address: 'http://127.0.0.1:9' },
      ],
      quorum: 2,
    })
    expect(readConfig({ ...settings, TRANSPARENCY_QUORUM: '1' }).transparency.quorum).toBe(1)
  })

  test.each([
    [/^TRANSPARENCY_QUORUM must be at most 1, the number of witnesses\.$/, `${witness('a')} https://a.example`, '2'],
    [/^TRANSPARENCY_QUORUM must be a number from 1 to 16/, `${witness('a')} https://a.example`, '0'],
    [/^TRANSPARENCY_WITNESSES must be set together with TRANSPARENCY_QUORUM\.$/, '', '1'],
    [/^TRANSPARENCY_WITNESSES must name each witness as in /, witness('a'), ''],
    [/^TRANSPARENCY_WITNESSES must name each witness as in /, `${witness('a')} https://a.example x`, ''],
    [/"http:\/\/a\.example", that must begin with https:\/\//, `${witness('a')} http://a.example`, ''],
    [/that must be an address without a user/, `${witness('a')} https://user@a.example`, ''],
    [/key id does not match the key/, `${witness('a').replace('a', 'b')} https://a.example`, ''],
    [/has the key of log, which is a log's/, `${witness('log', 1)} https://a.example`, ''],
    [/names the witness a twice/, `${witness('a')} https://a.example; ${witness('a')} https://b.example`, ''],
  ])('witnesses that cannot be used stop the start: %s', (message, TRANSPARENCY_WITNESSES, TRANSPARENCY_QUORUM) => {
    const settings = { ...productionSettings, TRANSPARENCY_WITNESSES, TRANSPARENCY_QUORUM }
    expect(() => readConfig(settings)).toThrow(ConfigError)
    expect(() => readConfig(settings)).toThrow(message)
  })

  test.each([
    ['help@tern.example', 'help@tern.example'],
    ['mailto:help@tern.example', 'help@tern.example'],
    ['https://tern.example/help/', 'tern.example/help'],
    ['', null],
  ])('writes the support contact %s on receipts in readable form', (text, contact) => {
    const { issuer } = readConfig({ ...sandboxSettings, SUPPORT_CONTACT: text, OPERATOR_NAME: ' Example, Inc. ' })
    expect(issuer).toEqual({ name: 'Example, Inc.', registration: null, license: null, contact })
  })

  test.each([
    ['PORT', { ...sandboxSettings, PORT: 'eighty' }],
    ['PORT', { ...sandboxSettings, PORT: '70000' }],
    ['PORT', { ...sandboxSettings, PORT: '-1' }],
    ['SANDBOX_PORT', { ...sandboxSettings, SANDBOX_PORT: '3000' }],
    ['TERN_MODE', { ...sandboxSettings, TERN_MODE: 'prod' }],
    ['SCREENING_LISTS', { ...productionSettings, SCREENING_LISTS: 'optional' }],
    ['SCREENING_LIST_URLS', { ...productionSettings, SCREENING_LIST_URLS: 'https://lists.example/un.xml' }],
    ['SCREENING_LIST_URLS', { ...productionSettings, SCREENING_LIST_URLS: 'us=https://lists.example/us.csv' }],
    ['SCREENING_LIST_URLS', { ...productionSettings, SCREENING_LIST_URLS: 'un=http://lists.example/un.xml' }],
    ['SCREENING_LIST_URLS', { ...productionSettings, SCREENING_LIST_URLS: 'un=file:///etc/passwd' }],
    ['DATABASE_URL', { ...sandboxSettings, DATABASE_URL: 'mysql://localhost/tern' }],
    ['DATABASE_URL', { ...sandboxSettings, DATABASE_URL: 'tern' }],
    ['REPLICA_DATABASE_URL', { ...sandboxSettings, REPLICA_DATABASE_URL: 'postgres://one/tern,two' }],
    ['REPLICA_DATABASE_URL', { ...sandboxSettings, REPLICA_DATABASE_URL: 'postgres://one/tern,' }],
    ['PUBLIC_URL', { ...sandboxSettings, PUBLIC_URL: 'tern.example' }],
    ['PUBLIC_URL', { ...sandboxSettings, PUBLIC_URL: 'https://tern.example/app' }],
    ['PUBLIC_URL', { ...sandboxSettings, PUBLIC_URL: 'http://tern.example' }],
    ['OIDC_CLIENT_ID', { ...productionSettings, OIDC_ISSUER: 'https://login.example' }],
    ['OIDC_ISSUER', { ...productionSettings, OIDC_CLIENT_ID: 'tern' }],
    ['OIDC_ISSUER', { ...sandboxSettings, OIDC_CLIENT_ID: 'tern', OIDC_ISSUER: 'login.example' }],
    ['OIDC_ISSUER', { ...sandboxSettings, OIDC_CLIENT_ID: 'tern', OIDC_ISSUER: 'http://login.example' }],
    ['OIDC_ISSUER', { ...sandboxSettings, OIDC_CLIENT_ID: 'tern', OIDC_ISSUER: 'https://login.example/?realm=a' }],
    [
      'OIDC_ISSUER',
      {
        ...sandboxSettings,
        OIDC_CLIENT_ID: 'tern',
        OIDC_ISSUER: 'https://login.example/.well-known/openid-configuration',
      },
    ],
    ['OIDC_CLIENT_ID', { ...sandboxSettings, OIDC_CLIENT_ID: 'two words', OIDC_ISSUER: 'https://login.example' }],
    ['OIDC_CLIENT_ID', { ...sandboxSettings, OIDC_CLIENT_SECRET: 'alone' }],
    ['GOOGLE_CLIENT_ID', { ...productionSettings, GOOGLE_CLIENT_SECRET: 'alone' }],
    ['MAIL_FROM', { ...productionSettings, SMTP_URL: 'smtps://mail.example' }],
    ['SMTP_URL', { ...productionSettings, MAIL_FROM: 'no-reply@tern.example' }],
    ['SMTP_URL', { ...sandboxSettings, ...mail, SMTP_URL: 'https://mail.example' }],
    ['SMTP_URL', { ...sandboxSettings, ...mail, SMTP_URL: 'mail.example' }],
    ['SMTP_URL', { ...sandboxSettings, ...mail, SMTP_URL: 'smtp://' }],
    ['SMTP_URL', { ...sandboxSettings, ...mail, SMTP_URL: 'smtp://mail.example/?tls=no' }],
    ['SMTP_URL', { ...sandboxSettings, ...mail, SMTP_URL: 'smtp://tern:100%sure@mail.example' }],
    ['MAIL_FROM', { ...sandboxSettings, ...mail, MAIL_FROM: 'Tern' }],
    ['MAIL_FROM', { ...sandboxSettings, ...mail, MAIL_FROM: 'a@tern.example, b@tern.example' }],
    ['MAIL_FROM', { ...sandboxSettings, ...mail, MAIL_FROM: 'josé@tern.example' }],
    ['MAIL_FROM', { ...sandboxSettings, ...mail, MAIL_FROM: 'Tern\r\nBcc: x <a@tern.example>' }],
    ['STRIPE_WEBHOOK_SECRET', { ...sandboxSettings, STRIPE_SECRET_KEY: 'sk_test_4711' }],
    ['STRIPE_SECRET_KEY', { ...sandboxSettings, STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef' }],
    ['STRIPE_SECRET_KEY', { ...sandboxSettings, STRIPE_FINANCIAL_ACCOUNT: 'fa_1' }],
    ['STRIPE_SECRET_KEY', { ...sandboxSettings, STRIPE_API_URL: 'https://proxy.example' }],
    ['STRIPE_SECRET_KEY', { ...sandboxSettings, ...stripe, STRIPE_SECRET_KEY: 'pk_test_4711' }],
    ['STRIPE_SECRET_KEY', { ...sandboxSettings, ...liveSettings }],
    ['STRIPE_SECRET_KEY', { ...productionSettings, ...stripe }],
    ['STRIPE_WEBHOOK_SECRET', { ...sandboxSettings, ...stripe, STRIPE_WEBHOOK_SECRET: 'secret' }],
    ['STRIPE_WEBHOOK_SECRET', { ...sandboxSettings, ...stripe, STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef,' }],
    ['STRIPE_IDENTITY_WEBHOOK_SECRET', { ...sandboxSettings, STRIPE_IDENTITY_KEY: 'rk_test_4711' }],
    ['STRIPE_IDENTITY_KEY', { ...sandboxSettings, STRIPE_IDENTITY_WEBHOOK_SECRET: 'whsec_0123456789abcdef' }],
    ['STRIPE_IDENTITY_KEY', { ...sandboxSettings, ...stripeIdentity, STRIPE_IDENTITY_KEY: 'rk_live_4711' }],
    ['STRIPE_IDENTITY_KEY', { ...productionSettings, ...stripeIdentity }],
    ['STRIPE_FINANCIAL_ACCOUNT', { ...sandboxSettings, ...stripe, STRIPE_FINANCIAL_ACCOUNT: 'acct_1' }],
    ['STRIPE_API_URL', { ...sandboxSettings, ...stripe, STRIPE_API_URL: 'http://stripe-proxy.example' }],
    ['STRIPE_API_URL', { ...sandboxSettings, ...stripe, STRIPE_API_URL: 'https://stripe-proxy.example/v1' }],
    ['ADYEN_BALANCE_ACCOUNT', { ...sandboxSettings, ADYEN_API_KEY: 'AQE_1' }],
    ['ADYEN_WEBHOOK_KEY', { ...sandboxSettings, ADYEN_API_KEY: 'AQE_1', ADYEN_BALANCE_ACCOUNT: 'BA1' }],
    ['ADYEN_API_KEY', { ...sandboxSettings, ADYEN_BALANCE_ACCOUNT: 'BA1' }],
    ['ADYEN_API_KEY', { ...sandboxSettings, ADYEN_API_URL: 'https://proxy.example' }],
    ['ADYEN_BALANCE_ACCOUNT', { ...sandboxSettings, ...adyen, ADYEN_BALANCE_ACCOUNT: 'AH1' }],
    ['ADYEN_WEBHOOK_KEY', { ...sandboxSettings, ...adyen, ADYEN_WEBHOOK_KEY: 'whsec_1' }],
    ['ADYEN_API_URL', { ...sandboxSettings, ...adyen, ADYEN_API_URL: 'http://adyen-proxy.example' }],
    ['OPEN_EXCHANGE_RATES_APP_ID', { ...productionSettings, OPEN_EXCHANGE_RATES_URL: 'https://proxy.example' }],
    ['OPEN_EXCHANGE_RATES_APP_ID', { ...productionSettings, OPEN_EXCHANGE_RATES_APP_ID: 'two words' }],
    [
      'OPEN_EXCHANGE_RATES_URL',
      { ...productionSettings, OPEN_EXCHANGE_RATES_APP_ID: 'a1', OPEN_EXCHANGE_RATES_URL: 'http://proxy.example' },
    ],
    [
      'OPEN_EXCHANGE_RATES_URL',
      {
        ...productionSettings,
        OPEN_EXCHANGE_RATES_APP_ID: 'a1',
        OPEN_EXCHANGE_RATES_URL: 'https://a.example/?app_id=1',
      },
    ],
    ['KRAKEN_API_SECRET', { ...productionSettings, KRAKEN_API_KEY: 'key' }],
    ['KRAKEN_API_KEY', { ...productionSettings, KRAKEN_API_SECRET: 'a'.repeat(88) }],
    ['KRAKEN_API_SECRET', { ...productionSettings, KRAKEN_API_KEY: 'key', KRAKEN_API_SECRET: 'not Base64' }],
    ['KRAKEN_API_KEY', { ...productionSettings, KRAKEN_API_URL: 'https://proxy.example' }],
    ['KRAKEN_API_URL', { ...productionSettings, KRAKEN_API_URL: 'http://proxy.example' }],
    ['KRAKEN_API_URL', { ...sandboxSettings, KRAKEN_API_KEY: 'key', KRAKEN_API_SECRET: 'a'.repeat(88) }],
    ['ADYEN_MERCHANT_ACCOUNT', { ...sandboxSettings, ADYEN_CHECKOUT_KEY: 'AQE_1' }],
    ['ADYEN_CHECKOUT_WEBHOOK_KEY', { ...sandboxSettings, ...adyenCards, ADYEN_CHECKOUT_WEBHOOK_KEY: undefined }],
    ['ADYEN_CHECKOUT_WEBHOOK_KEY', { ...sandboxSettings, ...adyenCards, ADYEN_CHECKOUT_WEBHOOK_KEY: 'whsec_1' }],
    ['ADYEN_CHECKOUT_KEY', { ...sandboxSettings, ADYEN_MERCHANT_ACCOUNT: 'TernTest' }],
    ['ADYEN_CHECKOUT_KEY', { ...sandboxSettings, ADYEN_CHECKOUT_URL: 'https://proxy.example' }],
    ['ADYEN_MERCHANT_ACCOUNT', { ...sandboxSettings, ...adyenCards, ADYEN_MERCHANT_ACCOUNT: 'Tern:Test' }],
    ['ADYEN_LIVE_PREFIX', { ...sandboxSettings, ...adyenCards, ADYEN_LIVE_PREFIX: '1797a841fbb37ca7-Example' }],
    ['ADYEN_LIVE_PREFIX', { ...productionSettings, ...adyenCards }],
    ['ADYEN_LIVE_PREFIX', { ...productionSettings, ...adyenCards, ADYEN_LIVE_PREFIX: 'evil.example/' }],
    ['ADYEN_CHECKOUT_URL', { ...sandboxSettings, ...adyenCards, ADYEN_CHECKOUT_URL: 'http://adyen-proxy.example' }],
    ['TRUSTED_PROXIES', { ...sandboxSettings, TRUSTED_PROXIES: 'all' }],
    ['LOG_LEVEL', { ...sandboxSettings, LOG_LEVEL: 'loud' }],
    ['SESSION_DAYS', { ...sandboxSettings, SESSION_DAYS: '0' }],
    ['SESSION_IDLE_DAYS', { ...sandboxSettings, SESSION_IDLE_DAYS: 'a month' }],
    ['SESSIONS_PER_ACCOUNT', { ...sandboxSettings, SESSIONS_PER_ACCOUNT: '1001' }],
    ['SECURITY_CONTACT', { ...sandboxSettings, SECURITY_CONTACT: 'ask Ines' }],
    ['SUPPORT_CONTACT', { ...sandboxSettings, SUPPORT_CONTACT: 'ask Ines' }],
    ['SUPPORT_CONTACT', { ...sandboxSettings, SUPPORT_CONTACT: 'http://help.example' }],
    ['SUPPORT_CONTACT', { ...sandboxSettings, SUPPORT_CONTACT: 'javascript:alert(1)' }],
    ['SUPPORT_CONTACT', { ...sandboxSettings, SUPPORT_CONTACT: 'mailto:a@b.example?bcc=c@d.example' }],
    ['SUPPORT_CONTACT', { ...sandboxSettings, SUPPORT_CONTACT: 'https://ines:secret@help.example' }],
    ['OPERATOR_NAME', { ...sandboxSettings, OPERATOR_NAME: 'Tern\nLtd' }],
    ['TEAM_BACKGROUND', { ...sandboxSettings, TEAM_BACKGROUND: 'x'.repeat(301) }],
    ['DOCS_URL', { ...sandboxSettings, DOCS_URL: 'javascript:alert(1)' }],
    ['DESK_URL', { ...productionSettings, DESK_URL: 'https://tern.example:8443' }],
    ['DESK_URL', { ...productionSettings, DESK_URL: 'https://TERN.example' }],
    ['COMPONENT_GALLERY', { ...productionSettings, COMPONENT_GALLERY: 'on' }],
    ['COMPONENT_GALLERY', { ...sandboxSettings, COMPONENT_GALLERY: 'yes' }],
    ['MONEY_TRANSMITTER_LICENSE', { ...sandboxSettings, MONEY_TRANSMITTER_LICENSE_URL: 'https://register.example' }],
    ['MONEY_TRANSMITTER_LICENSE', { ...sandboxSettings, MONEY_TRANSMITTER_LICENSE: 'MT 1234\nof everywhere' }],
    ['MONEY_TRANSMITTER_LICENSE', { ...sandboxSettings, MONEY_TRANSMITTER_LICENSE: '1'.repeat(301) }],
    ['OPERATOR_NAME', { ...sandboxSettings, OPERATOR_NAME: 'Example\nOperator' }],
    ['OPERATOR_REGISTRATION', { ...sandboxSettings, OPERATOR_REGISTRATION: '1'.repeat(301) }],
    ['SUPPORT_CONTACT', { ...sandboxSettings, SUPPORT_CONTACT: 'ask Ines' }],
    ['SUPPORT_CONTACT', { ...sandboxSettings, SUPPORT_CONTACT: 'http://tern.example/help' }],
    ['SUPPORT_CONTACT', { ...sandboxSettings, SUPPORT_CONTACT: 'https://a:b@tern.example' }],
    [
      'MONEY_TRANSMITTER_LICENSE_URL',
      {
        ...sandboxSettings,
        MONEY_TRANSMITTER_LICENSE: 'MT 1234',
        MONEY_TRANSMITTER_LICENSE_URL: 'javascript:alert(1)',
      },
    ],
    ['TERN_SECRET', { SANDBOX_SECRET: secret }],
    ['TERN_SECRET', { ...sandboxSettings, TERN_SECRET: 'short' }],
    ['SANDBOX_SECRET', { TERN_SECRET: secret }],
    ['TERN_SECRET', { ...productionSettings, TERN_SECRET: undefined }],
    ['DATABASE_URL', { ...productionSettings, DATABASE_URL: undefined }],
    ['PUBLIC_URL', { ...productionSettings, PUBLIC_URL: undefined }],
  ])('an invalid %s is refused in one sentence that names it', (name, environment) => {
    const readInvalidConfig = () => readConfig(environment)
    expect(readInvalidConfig).toThrowError(ConfigError)
    expect(readInvalidConfig).toThrowError(new RegExp(`^[^.]*\\b${name}\\b.*\\.$`))
  })
})
