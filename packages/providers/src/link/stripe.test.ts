import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startStripeDouble, type StripeDouble } from '@tern/testkit/providers/stripe'
import type { LinkRequest } from './port.ts'
import { createStripeLinkProvider } from './stripe.ts'

const linkId = '01934f5e-8c00-7000-8000-00000000000a'
const link: LinkRequest = {
  linkId,
  userReference: '4711',
  holderName: 'Mia Lindqvist',
  email: 'mia@example.com',
  country: 'US',
  returnUrl: 'https://tern.example/withdraw',
  returnSecret: 'secret-1',
  idempotencyKey: 'key-1',
}
const sessionsRoute = 'POST /v1/checkout/sessions'
const accountsRoute = 'POST /v2/core/accounts'
const linksRoute = 'POST /v2/core/account_links'
const sessionRoute = 'GET /v1/checkout/sessions/cs_test_1'
const methodsRoute = 'GET /v2/money_management/payout_methods'
const financialAccount = 'fa_1'

let stripeDouble: StripeDouble
beforeEach(async () => {
  stripeDouble = await startStripeDouble()
  stripeDouble.on(sessionsRoute, { body: { id: 'cs_test_1', url: 'https://checkout.stripe.com/c/1' } })
  stripeDouble.on(accountsRoute, { body: { id: 'acct_1', object: 'v2.core.account' } })
  stripeDouble.on(linksRoute, { body: { account: 'acct_1', url: 'https://connect.stripe.com/r/1' } })
})
afterEach(() => stripeDouble.close())

const connectBank = async (settings = {}) => createStripeLinkProvider(await stripeDouble.connect(settings))

const usAccount = {
  bank_name: 'Harbour Bank',
  fingerprint: 'fp_us',
  last4: '6789',
  financial_connections_account: 'fca_1',
}
const sepa = { bank_code: '37040044', country: 'DE', fingerprint: 'fp_de', last4: '3000' }
const expirySeconds = Date.now() / 1000 + 3600

const consent = (overrides: object = {}, method: object = { us_bank_account: usAccount }) => ({
  body: {
    id: 'cs_test_1',
    mode: 'setup',
    status: 'complete',
    expires_at: expirySeconds,
    metadata: { link_id: linkId },
    customer: 'cus_1',
    customer_account: null,
    setup_intent: {
      id: 'seti_1',
      status: 'succeeded',
      payment_method: { id: 'pm_1', billing_details: { name: 'Mia Lindqvist' }, ...method },
    },
    ...overrides,
  },
})

const buildPayoutMethod = (bankAccount: object, overrides: object = {}) => ({
  id: 'usba_1',
  object: 'v2.money_management.payout_method',
  archived: false,
  restricted: false,
  type: 'bank_account',
  bank_account: { bank_name: 'Harbour Bank', country: 'US', supported_currencies: ['usd'], ...bankAccount },
  usage_status: { payments: 'eligible', transfers: 'ineligible' },
  ...overrides,
})

const listResponse = (...data: object[]) => ({ body: { data, next_page_url: null, previous_page_url: null } })

describe('starting a link', () => {
  test('without payouts, the user consents to debits only', async () => {
    expect(await (await connectBank()).beginLink(link)).toEqual({
      status: 'created',
      sessionId: 'cs_test_1',
      url: 'https://checkout.stripe.com/c/1',
    })
    const { fields, headers } = stripeDouble.call(sessionsRoute)
    const optionsPrefix = 'payment_method_options[us_bank_account]'
    expect(fields).toEqual({
      mode: 'setup',
      currency: 'usd',
      'allowed_payment_method_types[0]': 'us_bank_account',
      [`${optionsPrefix}[verification_method]`]: 'instant',
      [`${optionsPrefix}[financial_connections][permissions][0]`]: 'payment_method',
      customer_creation: 'always',
      customer_email: 'mia@example.com',
      client_reference_id: linkId,
      'metadata[link_id]': linkId,
      'setup_intent_data[metadata][link_id]': linkId,
      success_url: `https://tern.example/withdraw?linkStatus=success&link_id=${linkId}&link_secret=secret-1`,
      cancel_url: `https://tern.example/withdraw?linkStatus=canceled&link_id=${linkId}`,
    })
    expect(headers['idempotency-key']).toBe('key-1')
    expect(stripeDouble.calls).toHaveLength(1)
  })

  test.each([
    ['GB', 'bacs_debit', 'gbp'],
    ['DE', 'sepa_debit', 'eur'],
    ['FR', 'sepa_debit', 'eur'],
  ])('in %s by %s', async (country, type, currency) => {
    await (await connectBank()).beginLink({ ...link, country })
    expect(stripeDouble.call(sessionsRoute).fields).toMatchObject({ 'allowed_payment_method_types[0]': type, currency })
  })

  test('without payouts, linking is refused where debits are unavailable', async () => {
    expect(await (await connectBank()).beginLink({ ...link, country: 'JP' })).toMatchObject({ status: 'refused' })
    expect(stripeDouble.calls).toEqual([])
  })

  test('with payouts, the user has one Stripe account for both directions', async () => {
    const adapter = await connectBank({ financialAccount })
    expect(await adapter.beginLink(link)).toMatchObject({
      sessionId: 'cs_test_1',
      url: expect.stringMatching(/checkout/),
    })
    const { json, headers } = stripeDouble.call(accountsRoute)
    expect(json).toEqual({
      contact_email: 'mia@example.com',
      display_name: 'Mia Lindqvist',
      dashboard: 'none',
      identity: { country: 'us', entity_type: 'individual' },
      configuration: { customer: {}, recipient: { capabilities: { bank_accounts: { local: { requested: true } } } } },
      include: ['configuration.recipient'],
      metadata: { link_id: linkId, user: '4711', consent: 'yes' },
    })
    expect(headers).toMatchObject({ 'idempotency-key': 'key-1:account', 'stripe-version': '2026-10-28.endive' })
    const { fields } = stripeDouble.call(sessionsRoute)
    expect(fields).toMatchObject({ customer_account: 'acct_1' })
    expect(fields).not.toHaveProperty('customer_creation')
  })

  test('with payouts, the payout account is requested first if the mandate does not reveal it', async () => {
    const adapter = await connectBank({ financialAccount })
    expect(await adapter.beginLink({ ...link, country: 'DE' })).toEqual({
      status: 'created',
      sessionId: 'cs_test_1',
      url: 'https://connect.stripe.com/r/1',
    })
    const { json, headers } = stripeDouble.call(linksRoute)
    expect(json).toEqual({
      account: 'acct_1',
      use_case: {
        type: 'account_onboarding',
        account_onboarding: {
          return_url: 'https://checkout.stripe.com/c/1',
          refresh_url: `https://tern.example/withdraw?linkStatus=canceled&link_id=${linkId}`,
        },
      },
    })
    expect(headers['idempotency-key']).toBe('key-1:page')
  })

  test('with payouts, an account that cannot be debited can be paid', async () => {
    const adapter = await connectBank({ financialAccount })
    expect(await adapter.beginLink({ ...link, country: 'JP' })).toMatchObject({ sessionId: 'acct_1' })
    expect(stripeDouble.call(linksRoute).json).toMatchObject({
      use_case: { account_onboarding: { return_url: expect.stringContaining('linkStatus=success') } },
    })
    expect(stripeDouble.call(accountsRoute).json).toMatchObject({ metadata: { link_id: linkId, user: '4711' } })
  })

  test('without an answer the outcome is unknown', async () => {
    stripeDouble.on(accountsRoute, { status: 500, body: { error: { code: 'api_error', message: 'x' } } })
    expect(await (await connectBank({ financialAccount })).beginLink(link)).toMatchObject({ status: 'unknown' })
  })
})

describe('a link', () => {
  test('without payouts, is the account that was consented to', async () => {
    stripeDouble.on(sessionRoute, consent())
    expect(await (await connectBank()).lookupLink('cs_test_1')).toEqual({
      status: 'linked',
      linkId,
      account: {
        token: 'cus_1/pm_1/',
        fingerprint: 'fp_us',
        bankName: 'Harbour Bank',
        last4: '6789',
        holderName: 'Mia Lindqvist',
        currency: 'USD',
        country: 'US',
      },
    })
    expect(stripeDouble.call(sessionRoute).fields).toEqual({ 'expand[0]': 'setup_intent.payment_method' })
  })

  test.each([
    ['sepa_debit', sepa, { bankName: 'Bank 37040044', country: 'DE', currency: 'EUR', last4: '3000' }],
    [
      'bacs_debit',
      { fingerprint: 'fp_gb', last4: '2345', sort_code: '108800' },
      { bankName: 'Bank 108800', country: 'GB', currency: 'GBP', last4: '2345' },
    ],
  ])('reads an account of %s', async (type, method, account) => {
    stripeDouble.on(sessionRoute, consent({}, { [type]: method }))
    expect(await (await connectBank()).lookupLink('cs_test_1')).toMatchObject({ status: 'linked', account })
  })

  test.each([
    ['open', { status: 'open', setup_intent: null }, 'open'],
    ['expired', { status: 'expired', setup_intent: null }, 'canceled'],
    ['checked by small amounts', { setup_intent: { id: 'seti_1', status: 'processing' } }, 'open'],
    ['turned down', { setup_intent: { id: 'seti_1', status: 'requires_payment_method' } }, 'failed'],
  ])('that is %s', async (_name, overrides, status) => {
    stripeDouble.on(sessionRoute, consent(overrides))
    expect(await (await connectBank()).lookupLink('cs_test_1')).toEqual({ status, linkId })
  })

  describe('with payouts', () => {
    const mockConsent = (overrides: object = {}, method?: object) =>
      stripeDouble.on(sessionRoute, consent({ customer: null, customer_account: 'acct_1', ...overrides }, method))
    const lookUpLink = async () => (await connectBank({ financialAccount })).lookupLink('cs_test_1')

    test('is an account that can be debited and paid', async () => {
      mockConsent()
      stripeDouble.on(
        methodsRoute,
        listResponse(buildPayoutMethod({ last4: '6789', financial_connections_account: 'fca_1' })),
      )
      expect(await lookUpLink()).toMatchObject({
        status: 'linked',
        account: { token: 'acct_1/pm_1/usba_1', bankName: 'Harbour Bank', fingerprint: 'fp_us' },
      })
      expect(stripeDouble.call(methodsRoute).headers['stripe-context']).toBe('acct_1')
    })

    test('is no link when the two are different accounts', async () => {
      mockConsent({}, { sepa_debit: sepa })
      stripeDouble.on(
        methodsRoute,
        listResponse(buildPayoutMethod({ last4: '9999', country: 'DE', supported_currencies: ['eur'] })),
      )
      expect(await lookUpLink()).toEqual({ status: 'failed', linkId })
    })

    test('waits for the payout account, up to a limit', async () => {
      stripeDouble.on(methodsRoute, listResponse())
      mockConsent()
      expect(await lookUpLink()).toEqual({ status: 'open', linkId })
      mockConsent({ expires_at: Date.now() / 1000 - 60 })
      expect(await lookUpLink()).toEqual({ status: 'failed', linkId })
    })

    test('enables an account that was linked for debits', async () => {
      const setupRoute = 'POST /v2/money_management/outbound_setup_intents'
      mockConsent()
      const bankAccount = buildPayoutMethod(
        { last4: '6789' },
        { usage_status: { payments: 'disabled', transfers: 'disabled' } },
      )
      stripeDouble.on(methodsRoute, listResponse(bankAccount))
      stripeDouble.on(setupRoute, { body: { id: 'osi_1', status: 'succeeded' } })
      expect(await lookUpLink()).toMatchObject({ account: { token: 'acct_1/pm_1/usba_1' } })
      const { json, headers } = stripeDouble.call(setupRoute)
      expect(json).toEqual({ payout_method: 'usba_1', usage_intent: 'payment' })
      expect(headers).toMatchObject({ 'stripe-context': 'acct_1', 'idempotency-key': 'ready:usba_1' })
    })

    test('can be an account for payouts only', async () => {
      const createdAt = new Date().toISOString()
      stripeDouble.on('GET /v2/core/accounts/acct_1', {
        body: { id: 'acct_1', created: createdAt, metadata: { link_id: linkId } },
      })
      stripeDouble.on(
        methodsRoute,
        listResponse(buildPayoutMethod({ last4: '0001', country: 'JP', supported_currencies: ['jpy'] })),
      )
      expect(await (await connectBank({ financialAccount })).lookupLink('acct_1')).toMatchObject({
        status: 'linked',
        linkId,
        account: { token: 'acct_1//usba_1', currency: 'JPY', country: 'JP', last4: '0001' },
      })
    })
  })
})

describe('a country without a local network', () => {
  const updateRoute = 'POST /v2/core/accounts/acct_1'
  const buildAccount = (status: string) => ({
    body: {
      id: 'acct_1',
      object: 'v2.core.account',
      configuration: { recipient: { capabilities: { bank_accounts: { local: { status } } } } },
    },
  })

  test.each(['JP', 'IN', 'BR', 'SG', 'CA', 'AU'])('%s is paid by wire', async (country) => {
    stripeDouble.on(accountsRoute, buildAccount('unsupported'))
    stripeDouble.on(updateRoute, buildAccount('unsupported'))
    expect(await (await connectBank({ financialAccount })).beginLink({ ...link, country })).toMatchObject({
      status: 'created',
    })
    expect(stripeDouble.call(accountsRoute).json).toMatchObject({ identity: { country: country.toLowerCase() } })
    const { json, headers } = stripeDouble.call(updateRoute)
    expect(json).toEqual({
      configuration: { recipient: { capabilities: { bank_accounts: { swift: { requested: true } } } } },
    })
    expect(headers['idempotency-key']).toBe('key-1:wire')
  })

  test('is told by Stripe: with one, no wire is requested', async () => {
    stripeDouble.on(accountsRoute, buildAccount('pending'))
    await (await connectBank({ financialAccount })).beginLink({ ...link, country: 'SG' })
    expect(stripeDouble.calls.filter(({ path }) => path === '/v2/core/accounts/acct_1')).toEqual([])
  })

  test.each([
    ['JP', ['usd', 'jpy'], 'JPY'],
    ['IN', ['inr'], 'INR'],
    ['CA', ['usd'], 'USD'],
  ])('an account in %s that takes %s is paid in %s', async (country, supported_currencies, currency) => {
    stripeDouble.on('GET /v2/core/accounts/acct_1', {
      body: { id: 'acct_1', created: new Date().toISOString(), metadata: { link_id: linkId } },
    })
    stripeDouble.on(methodsRoute, listResponse(buildPayoutMethod({ last4: '0001', country, supported_currencies })))
    expect(await (await connectBank({ financialAccount })).lookupLink('acct_1')).toMatchObject({
      account: { currency, isFingerprintOfLink: true },
    })
  })
})

describe('unlinking', () => {
  const archive = 'POST /v2/money_management/payout_methods/usba_1/archive'

  test('ends debits and payouts', async () => {
    stripeDouble.on('POST /v1/payment_methods/pm_1/detach', { body: { id: 'pm_1', customer: null } })
    stripeDouble.on(archive, { body: { id: 'usba_1', archived: true } })
    expect(await (await connectBank()).unlink('acct_1/pm_1/usba_1')).toBe(true)
    expect(stripeDouble.call(archive).headers['stripe-context']).toBe('acct_1')
  })

  test('is postponed while payouts are possible', async () => {
    stripeDouble.on('POST /v1/payment_methods/pm_1/detach', { body: { id: 'pm_1', customer: null } })
    stripeDouble.on(archive, { status: 500, body: { error: { code: 'api_error', message: 'x' } } })
    expect(await (await connectBank()).unlink('acct_1/pm_1/usba_1')).toBe(false)
  })
})
