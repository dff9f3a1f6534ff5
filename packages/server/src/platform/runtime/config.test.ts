import fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError, fields } from './settings.ts'

const secret = 'vN3qk8Zt5Wc1uYe7Rb9sHd2mLx4Gp6Ja'
const trial = { TERN_SECRET: secret, SANDBOX_SECRET: secret }
const real = {
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
const stripe = { STRIPE_SECRET_KEY: 'sk_test_4711', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef' }
const stripeIdentity = {
  STRIPE_IDENTITY_KEY: 'rk_test_4711',
  STRIPE_IDENTITY_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
}
const live = { ...stripe, STRIPE_SECRET_KEY: 'rk_live_4711' }

describe('configuration', () => {
  test('has defaults for a trial, except secrets', () => {
    expect(readConfig(trial)).toMatchObject({
      mode: 'sandbox',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      databaseUrl: undefined,
      sandbox: { port: 3001, url: 'http://localhost:3001' },
    })
  })

  test('every variable is described in the manual', () => {
    const manual = fs.readFileSync(new URL('../../../../../docs/operating.md', import.meta.url), 'utf8')
    const rows = manual.split('\n').filter((row) => row.startsWith('| `'))
    const described = new Set(rows.flatMap((row) => row.split('|')[1]?.match(/[A-Z][A-Z_]+/g) ?? []))
    expect(Object.keys(fields.shape).filter((name) => !described.has(name))).toEqual([])
  })

  test('has no sandbox in production', () => {
    expect(readConfig(real).sandbox).toBeUndefined()
    expect(
      readConfig({ ...real, SANDBOX_URL: 'http://localhost:3001', SANDBOX_SECRET: secret }).sandbox,
    ).toBeUndefined()
  })

  test('has no identity provider by default', () => {
    expect(readConfig(real).signIn).toEqual({ external: undefined, google: undefined })
    const named = {
      OIDC_ISSUER: 'https://login.example/',
      OIDC_CLIENT_ID: 'tern',
      GOOGLE_CLIENT_ID: 'g',
      GOOGLE_CLIENT_SECRET: 's',
    }
    expect(readConfig({ ...real, ...named }).signIn).toEqual({
      external: { issuer: 'https://login.example/', clientId: 'tern', clientSecret: undefined },
      google: { issuer: 'https://accounts.google.com', clientId: 'g', clientSecret: 's' },
    })
  })

  test('ignores blanks and line breaks around settings, except in secrets that keys derive from', () => {
    const settings = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'tern', OIDC_CLIENT_SECRET: 'secret' }
    const blank = Object.entries({ ...real, ...settings, ...mail, LOG_LEVEL: 'warn', PORT: '3100' }).map(
      ([name, text]) => [name, name === 'TERN_SECRET' ? text : ` ${text}\r\n`],
    )
    const read = readConfig(Object.fromEntries(blank) as Record<string, string>)
    expect(read).toEqual(readConfig({ ...real, ...settings, ...mail, LOG_LEVEL: 'warn', PORT: '3100' }))
    expect(readConfig({ ...real, TERN_SECRET: `${real.TERN_SECRET}\n` }).secret).not.toEqual(readConfig(real).secret)
  })

  test.each([
    ['Tern <no-reply@Bücher.example>', 'Tern <no-reply@xn--bcher-kva.example>'],
    ['no-reply@россия.рф', 'no-reply@xn--h1alffa9f.xn--p1ai'],
    ['a&b@tern.example', 'a&b@tern.example'],
    ['tern@localhost', 'tern@localhost'],
  ])('sends mail from %s', (from, written) => {
    expect(readConfig({ ...trial, ...mail, MAIL_FROM: from }).mail?.from).toBe(written)
  })

  test('has a mail server only with an address and a sender', () => {
    expect(readConfig(real).mail).toBeUndefined()
    expect(readConfig({ ...real, ...mail }).mail).toEqual({ url: mail.SMTP_URL, from: mail.MAIL_FROM })
    expect(readConfig({ ...trial, ...mail, MAIL_FROM: 'no-reply@tern.example' }).mail?.from).toBe(
      'no-reply@tern.example',
    )
  })

  test('reads public rates in production unless disabled, in a trial only with an address', () => {
    expect(readConfig(real).rates).toEqual({
      ecb: { url: 'https://www.ecb.europa.eu/stats/eurofxref' },
      bitstamp: { url: 'https://www.bitstamp.net' },
    })
    expect(readConfig({ ...real, ECB_RATES_URL: 'off', BITSTAMP_URL: 'off' }).rates).toEqual({})
    expect(readConfig(trial).rates).toEqual({})
    const proxies = { ECB_RATES_URL: 'http://localhost:8080/ecb/', BITSTAMP_URL: 'https://proxy.example' }
    expect(readConfig({ ...trial, ...proxies }).rates).toEqual({
      ecb: { url: 'http://localhost:8080/ecb' },
      bitstamp: { url: 'https://proxy.example' },
    })
  })

  test('uses the test environment of Adyen in sandbox mode, and the live one in production', () => {
    expect(readConfig(real).adyen).toBeUndefined()
    const { ADYEN_WEBHOOK_KEY: key } = adyen
    expect(readConfig({ ...real, ...adyen }).adyen).toEqual({
      apiKey: 'AQE_test_key',
      balanceAccount: 'BA00000000000000000000001',
      webhookKeys: [key],
      apiUrl: 'https://balanceplatform-api-live.adyen.com',
    })
    expect(readConfig({ ...trial, ...adyen, ADYEN_WEBHOOK_KEY: `${key}, ${key}` }).adyen).toMatchObject({
      webhookKeys: [key, key],
      apiUrl: 'https://balanceplatform-api-test.adyen.com',
    })
  })

  test('uses Stripe only with keys of the right mode', () => {
    expect(readConfig(real).stripe).toBeUndefined()
    expect(readConfig({ ...real, ...live }).stripe).toEqual({
      secretKey: 'rk_live_4711',
      webhookSecrets: ['whsec_0123456789abcdef'],
      financialAccount: undefined,
      apiUrl: undefined,
    })
    const more = {
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef, whsec_fedcba9876543210',
      STRIPE_FINANCIAL_ACCOUNT: 'fa_test_1',
      STRIPE_API_URL: 'http://localhost:12111',
    }
    expect(readConfig({ ...trial, ...stripe, ...more }).stripe).toEqual({
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
    const settings = readConfig({ ...trial, SUPPORT_CONTACT: text }).publicSettings
    expect(settings.supportContact).toBe(contact)
  })

  test('the gallery is off unless a sandbox switches it on', () => {
    expect(readConfig(trial).showsGallery).toBe(false)
    expect(readConfig({ ...trial, COMPONENT_GALLERY: 'on' }).showsGallery).toBe(true)
    expect(readConfig({ ...real, COMPONENT_GALLERY: 'off' }).showsGallery).toBe(false)
  })

  test('requires and fetches lists in production, and neither in a trial', () => {
    const { lists } = readConfig(real)
    expect(lists.areRequired).toBe(true)
    expect(readConfig({ ...real, SCREENING_LISTS: 'by_mode' }).lists.areRequired).toBe(true)
    expect(Object.keys(lists.addresses).toSorted()).toEqual(['eu', 'ofac_sdn', 'uk', 'un'])
    expect(readConfig(trial).lists).toEqual({ areRequired: false, addresses: {} })
    expect(readConfig({ ...trial, SCREENING_LISTS: 'required' }).lists.areRequired).toBe(true)
    expect(readConfig({ ...real, SCREENING_LIST_URLS: 'off' }).lists.addresses).toEqual({})
    const named = 'un=https://a.example/1 un=https://a.example/2 eu=off\n pep=http://127.0.0.1:9/peps.csv'
    expect(readConfig({ ...real, SCREENING_LIST_URLS: named }).lists.addresses).toEqual({
      ...lists.addresses,
      un: ['https://a.example/1', 'https://a.example/2'],
      eu: [],
      pep: ['http://127.0.0.1:9/peps.csv'],
    })
  })

  test.each([
    ['help@tern.example', 'help@tern.example'],
    ['mailto:help@tern.example', 'help@tern.example'],
    ['https://tern.example/help/', 'tern.example/help'],
    ['', null],
  ])('writes the support contact %s on receipts in readable form', (text, contact) => {
    const { issuer } = readConfig({ ...trial, SUPPORT_CONTACT: text, OPERATOR_NAME: ' Example, Inc. ' })
    expect(issuer).toEqual({ name: 'Example, Inc.', registration: null, license: null, contact })
  })

  test.each([
    ['PORT', { ...trial, PORT: 'eighty' }],
    ['PORT', { ...trial, PORT: '70000' }],
    ['PORT', { ...trial, PORT: '-1' }],
    ['SANDBOX_PORT', { ...trial, SANDBOX_PORT: '3000' }],
    ['TERN_MODE', { ...trial, TERN_MODE: 'prod' }],
    ['SCREENING_LISTS', { ...real, SCREENING_LISTS: 'optional' }],
    ['SCREENING_LIST_URLS', { ...real, SCREENING_LIST_URLS: 'https://lists.example/un.xml' }],
    ['SCREENING_LIST_URLS', { ...real, SCREENING_LIST_URLS: 'us=https://lists.example/us.csv' }],
    ['SCREENING_LIST_URLS', { ...real, SCREENING_LIST_URLS: 'un=http://lists.example/un.xml' }],
    ['SCREENING_LIST_URLS', { ...real, SCREENING_LIST_URLS: 'un=file:///etc/passwd' }],
    ['DATABASE_URL', { ...trial, DATABASE_URL: 'mysql://localhost/tern' }],
    ['DATABASE_URL', { ...trial, DATABASE_URL: 'tern' }],
    ['PUBLIC_URL', { ...trial, PUBLIC_URL: 'tern.example' }],
    ['PUBLIC_URL', { ...trial, PUBLIC_URL: 'https://tern.example/app' }],
    ['PUBLIC_URL', { ...trial, PUBLIC_URL: 'http://tern.example' }],
    ['OIDC_CLIENT_ID', { ...real, OIDC_ISSUER: 'https://login.example' }],
    ['OIDC_ISSUER', { ...real, OIDC_CLIENT_ID: 'tern' }],
    ['OIDC_ISSUER', { ...trial, OIDC_CLIENT_ID: 'tern', OIDC_ISSUER: 'login.example' }],
    ['OIDC_ISSUER', { ...trial, OIDC_CLIENT_ID: 'tern', OIDC_ISSUER: 'http://login.example' }],
    ['OIDC_ISSUER', { ...trial, OIDC_CLIENT_ID: 'tern', OIDC_ISSUER: 'https://login.example/?realm=a' }],
    [
      'OIDC_ISSUER',
      { ...trial, OIDC_CLIENT_ID: 'tern', OIDC_ISSUER: 'https://login.example/.well-known/openid-configuration' },
    ],
    ['OIDC_CLIENT_ID', { ...trial, OIDC_CLIENT_ID: 'two words', OIDC_ISSUER: 'https://login.example' }],
    ['OIDC_CLIENT_ID', { ...trial, OIDC_CLIENT_SECRET: 'alone' }],
    ['GOOGLE_CLIENT_ID', { ...real, GOOGLE_CLIENT_SECRET: 'alone' }],
    ['MAIL_FROM', { ...real, SMTP_URL: 'smtps://mail.example' }],
    ['SMTP_URL', { ...real, MAIL_FROM: 'no-reply@tern.example' }],
    ['SMTP_URL', { ...trial, ...mail, SMTP_URL: 'https://mail.example' }],
    ['SMTP_URL', { ...trial, ...mail, SMTP_URL: 'mail.example' }],
    ['SMTP_URL', { ...trial, ...mail, SMTP_URL: 'smtp://' }],
    ['SMTP_URL', { ...trial, ...mail, SMTP_URL: 'smtp://mail.example/?tls=no' }],
    ['SMTP_URL', { ...trial, ...mail, SMTP_URL: 'smtp://tern:100%sure@mail.example' }],
    ['MAIL_FROM', { ...trial, ...mail, MAIL_FROM: 'Tern' }],
    ['MAIL_FROM', { ...trial, ...mail, MAIL_FROM: 'a@tern.example, b@tern.example' }],
    ['MAIL_FROM', { ...trial, ...mail, MAIL_FROM: 'josé@tern.example' }],
    ['MAIL_FROM', { ...trial, ...mail, MAIL_FROM: 'Tern\r\nBcc: x <a@tern.example>' }],
    ['STRIPE_WEBHOOK_SECRET', { ...trial, STRIPE_SECRET_KEY: 'sk_test_4711' }],
    ['STRIPE_SECRET_KEY', { ...trial, STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef' }],
    ['STRIPE_SECRET_KEY', { ...trial, STRIPE_FINANCIAL_ACCOUNT: 'fa_1' }],
    ['STRIPE_SECRET_KEY', { ...trial, STRIPE_API_URL: 'https://proxy.example' }],
    ['STRIPE_SECRET_KEY', { ...trial, ...stripe, STRIPE_SECRET_KEY: 'pk_test_4711' }],
    ['STRIPE_SECRET_KEY', { ...trial, ...live }],
    ['STRIPE_SECRET_KEY', { ...real, ...stripe }],
    ['STRIPE_WEBHOOK_SECRET', { ...trial, ...stripe, STRIPE_WEBHOOK_SECRET: 'secret' }],
    ['STRIPE_WEBHOOK_SECRET', { ...trial, ...stripe, STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef,' }],
    ['STRIPE_IDENTITY_WEBHOOK_SECRET', { ...trial, STRIPE_IDENTITY_KEY: 'rk_test_4711' }],
    ['STRIPE_IDENTITY_KEY', { ...trial, STRIPE_IDENTITY_WEBHOOK_SECRET: 'whsec_0123456789abcdef' }],
    ['STRIPE_IDENTITY_KEY', { ...trial, ...stripeIdentity, STRIPE_IDENTITY_KEY: 'rk_live_4711' }],
    ['STRIPE_IDENTITY_KEY', { ...real, ...stripeIdentity }],
    ['STRIPE_FINANCIAL_ACCOUNT', { ...trial, ...stripe, STRIPE_FINANCIAL_ACCOUNT: 'acct_1' }],
    ['STRIPE_API_URL', { ...trial, ...stripe, STRIPE_API_URL: 'http://stripe-proxy.example' }],
    ['STRIPE_API_URL', { ...trial, ...stripe, STRIPE_API_URL: 'https://stripe-proxy.example/v1' }],
    ['ADYEN_BALANCE_ACCOUNT', { ...trial, ADYEN_API_KEY: 'AQE_1' }],
    ['ADYEN_WEBHOOK_KEY', { ...trial, ADYEN_API_KEY: 'AQE_1', ADYEN_BALANCE_ACCOUNT: 'BA1' }],
    ['ADYEN_API_KEY', { ...trial, ADYEN_BALANCE_ACCOUNT: 'BA1' }],
    ['ADYEN_API_KEY', { ...trial, ADYEN_API_URL: 'https://proxy.example' }],
    ['ADYEN_BALANCE_ACCOUNT', { ...trial, ...adyen, ADYEN_BALANCE_ACCOUNT: 'AH1' }],
    ['ADYEN_WEBHOOK_KEY', { ...trial, ...adyen, ADYEN_WEBHOOK_KEY: 'whsec_1' }],
    ['ADYEN_API_URL', { ...trial, ...adyen, ADYEN_API_URL: 'http://adyen-proxy.example' }],
    ['TRUSTED_PROXIES', { ...trial, TRUSTED_PROXIES: 'all' }],
    ['LOG_LEVEL', { ...trial, LOG_LEVEL: 'loud' }],
    ['SESSION_DAYS', { ...trial, SESSION_DAYS: '0' }],
    ['SESSION_IDLE_DAYS', { ...trial, SESSION_IDLE_DAYS: 'a month' }],
    ['SESSIONS_PER_ACCOUNT', { ...trial, SESSIONS_PER_ACCOUNT: '1001' }],
    ['SECURITY_CONTACT', { ...trial, SECURITY_CONTACT: 'ask Ines' }],
    ['SUPPORT_CONTACT', { ...trial, SUPPORT_CONTACT: 'ask Ines' }],
    ['SUPPORT_CONTACT', { ...trial, SUPPORT_CONTACT: 'http://help.example' }],
    ['SUPPORT_CONTACT', { ...trial, SUPPORT_CONTACT: 'javascript:alert(1)' }],
    ['SUPPORT_CONTACT', { ...trial, SUPPORT_CONTACT: 'mailto:a@b.example?bcc=c@d.example' }],
    ['SUPPORT_CONTACT', { ...trial, SUPPORT_CONTACT: 'https://ines:secret@help.example' }],
    ['OPERATOR_NAME', { ...trial, OPERATOR_NAME: 'Tern\nLtd' }],
    ['TEAM_BACKGROUND', { ...trial, TEAM_BACKGROUND: 'x'.repeat(301) }],
    ['DOCS_URL', { ...trial, DOCS_URL: 'javascript:alert(1)' }],
    ['COMPONENT_GALLERY', { ...real, COMPONENT_GALLERY: 'on' }],
    ['COMPONENT_GALLERY', { ...trial, COMPONENT_GALLERY: 'yes' }],
    ['MONEY_TRANSMITTER_LICENSE', { ...trial, MONEY_TRANSMITTER_LICENSE_URL: 'https://register.example' }],
    ['MONEY_TRANSMITTER_LICENSE', { ...trial, MONEY_TRANSMITTER_LICENSE: 'MT 1234\nof everywhere' }],
    ['MONEY_TRANSMITTER_LICENSE', { ...trial, MONEY_TRANSMITTER_LICENSE: '1'.repeat(301) }],
    ['OPERATOR_NAME', { ...trial, OPERATOR_NAME: 'Example\nOperator' }],
    ['OPERATOR_REGISTRATION', { ...trial, OPERATOR_REGISTRATION: '1'.repeat(301) }],
    ['SUPPORT_CONTACT', { ...trial, SUPPORT_CONTACT: 'ask Ines' }],
    ['SUPPORT_CONTACT', { ...trial, SUPPORT_CONTACT: 'http://tern.example/help' }],
    ['SUPPORT_CONTACT', { ...trial, SUPPORT_CONTACT: 'https://a:b@tern.example' }],
    [
      'MONEY_TRANSMITTER_LICENSE_URL',
      { ...trial, MONEY_TRANSMITTER_LICENSE: 'MT 1234', MONEY_TRANSMITTER_LICENSE_URL: 'javascript:alert(1)' },
    ],
    ['TERN_SECRET', { SANDBOX_SECRET: secret }],
    ['TERN_SECRET', { ...trial, TERN_SECRET: 'short' }],
    ['SANDBOX_SECRET', { TERN_SECRET: secret }],
    ['TERN_SECRET', { ...real, TERN_SECRET: undefined }],
    ['DATABASE_URL', { ...real, DATABASE_URL: undefined }],
    ['PUBLIC_URL', { ...real, PUBLIC_URL: undefined }],
  ])('an invalid %s is refused in one sentence that names it', (name, environment) => {
    const refusal = () => readConfig(environment)
    expect(refusal).toThrowError(ConfigError)
    expect(refusal).toThrowError(new RegExp(`^[^.]*\\b${name}\\b.*\\.$`))
  })
})
