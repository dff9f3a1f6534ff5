import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startStripeDouble, type StripeDouble } from '@tern/testkit/providers/stripe'
import type { LinkRequest } from './port.ts'
import { createStripeLink } from './stripe.ts'

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
const sessions = 'POST /v1/checkout/sessions'
const accounts = 'POST /v2/core/accounts'
const links = 'POST /v2/core/account_links'
const theSession = 'GET /v1/checkout/sessions/cs_test_1'
const methods = 'GET /v2/money_management/payout_methods'
const financialAccount = 'fa_1'

let double: StripeDouble
beforeEach(async () => {
  double = await startStripeDouble()
  double.on(sessions, { body: { id: 'cs_test_1', url: 'https://checkout.stripe.com/c/1' } })
  double.on(accounts, { body: { id: 'acct_1', object: 'v2.core.account' } })
  double.on(links, { body: { account: 'acct_1', url: 'https://connect.stripe.com/r/1' } })
})
afterEach(() => double.close())

const bank = async (settings = {}) => createStripeLink(await double.connect(settings))

const us = { bank_name: 'Harbour Bank', fingerprint: 'fp_us', last4: '6789', financial_connections_account: 'fca_1' }
const sepa = { bank_code: '37040044', country: 'DE', fingerprint: 'fp_de', last4: '3000' }
const soon = Date.now() / 1000 + 3600

const consent = (over: object = {}, method: object = { us_bank_account: us }) => ({
  body: {
    id: 'cs_test_1',
    mode: 'setup',
    status: 'complete',
    expires_at: soon,
    metadata: { link_id: linkId },
    customer: 'cus_1',
    customer_account: null,
    setup_intent: {
      id: 'seti_1',
      status: 'succeeded',
      payment_method: { id: 'pm_1', billing_details: { name: 'Mia Lindqvist' }, ...method },
    },
    ...over,
  },
})

const payable = (bankAccount: object, over: object = {}) => ({
  id: 'usba_1',
  object: 'v2.money_management.payout_method',
  archived: false,
  restricted: false,
  type: 'bank_account',
  bank_account: { bank_name: 'Harbour Bank', country: 'US', supported_currencies: ['usd'], ...bankAccount },
  usage_status: { payments: 'eligible', transfers: 'ineligible' },
  ...over,
})

const listResponse = (...data: object[]) => ({ body: { data, next_page_url: null, previous_page_url: null } })

describe('starting a link', () => {
  test('without payouts, the user consents to debits only', async () => {
    expect(await (await bank()).beginLink(link)).toEqual({
      status: 'created',
      sessionId: 'cs_test_1',
      url: 'https://checkout.stripe.com/c/1',
    })
    const { fields, headers } = double.call(sessions)
    const us = 'payment_method_options[us_bank_account]'
    expect(fields).toEqual({
      mode: 'setup',
      currency: 'usd',
      'allowed_payment_method_types[0]': 'us_bank_account',
      [`${us}[verification_method]`]: 'instant',
      [`${us}[financial_connections][permissions][0]`]: 'payment_method',
      customer_creation: 'always',
      customer_email: 'mia@example.com',
      client_reference_id: linkId,
      'metadata[link_id]': linkId,
      'setup_intent_data[metadata][link_id]': linkId,
      success_url: `https://tern.example/withdraw?linkStatus=success&link_id=${linkId}&link_secret=secret-1`,
      cancel_url: `https://tern.example/withdraw?linkStatus=canceled&link_id=${linkId}`,
    })
    expect(headers['idempotency-key']).toBe('key-1')
    expect(double.calls).toHaveLength(1)
  })

  test.each([
    ['GB', 'bacs_debit', 'gbp'],
    ['DE', 'sepa_debit', 'eur'],
    ['FR', 'sepa_debit', 'eur'],
  ])('in %s by %s', async (country, type, currency) => {
    await (await bank()).beginLink({ ...link, country })
    expect(double.call(sessions).fields).toMatchObject({ 'allowed_payment_method_types[0]': type, currency })
  })

  test('without payouts, linking is refused where debits are unavailable', async () => {
    expect(await (await bank()).beginLink({ ...link, country: 'JP' })).toMatchObject({ status: 'refused' })
    expect(double.calls).toEqual([])
  })

  test('with payouts, the user has one Stripe account for both directions', async () => {
    const adapter = await bank({ financialAccount })
    expect(await adapter.beginLink(link)).toMatchObject({
      sessionId: 'cs_test_1',
      url: expect.stringMatching(/checkout/),
    })
    const { json, headers } = double.call(accounts)
    expect(json).toEqual({
      contact_email: 'mia@example.com',
      display_name: 'Mia Lindqvist',
      dashboard: 'none',
      identity: { country: 'us', entity_type: 'individual' },
      configuration: { customer: {}, recipient: { capabilities: { bank_accounts: { local: { requested: true } } } } },
      metadata: { link_id: linkId, user: '4711', consent: 'yes' },
    })
    expect(headers).toMatchObject({ 'idempotency-key': 'key-1:account', 'stripe-version': '2026-10-28.endive' })
    const { fields } = double.call(sessions)
    expect(fields).toMatchObject({ customer_account: 'acct_1' })
    expect(fields).not.toHaveProperty('customer_creation')
  })

  test('with payouts, the payout account is requested first if the mandate does not reveal it', async () => {
    const adapter = await bank({ financialAccount })
    expect(await adapter.beginLink({ ...link, country: 'DE' })).toEqual({
      status: 'created',
      sessionId: 'cs_test_1',
      url: 'https://connect.stripe.com/r/1',
    })
    const { json, headers } = double.call(links)
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
    const adapter = await bank({ financialAccount })
    expect(await adapter.beginLink({ ...link, country: 'JP' })).toMatchObject({ sessionId: 'acct_1' })
    expect(double.call(links).json).toMatchObject({
      use_case: { account_onboarding: { return_url: expect.stringContaining('linkStatus=success') } },
    })
    expect(double.call(accounts).json).toMatchObject({ metadata: { link_id: linkId, user: '4711' } })
  })

  test('without an answer the outcome is unknown', async () => {
    double.on(accounts, { status: 500, body: { error: { code: 'api_error', message: 'x' } } })
    expect(await (await bank({ financialAccount })).beginLink(link)).toMatchObject({ status: 'unknown' })
  })
})

describe('a link', () => {
  test('without payouts, is the account that was consented to', async () => {
    double.on(theSession, consent())
    expect(await (await bank()).lookupLink('cs_test_1')).toEqual({
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
    expect(double.call(theSession).fields).toEqual({ 'expand[0]': 'setup_intent.payment_method' })
  })

  test.each([
    ['sepa_debit', sepa, { bankName: 'Bank 37040044', country: 'DE', currency: 'EUR', last4: '3000' }],
    [
      'bacs_debit',
      { fingerprint: 'fp_gb', last4: '2345', sort_code: '108800' },
      { bankName: 'Bank 108800', country: 'GB', currency: 'GBP', last4: '2345' },
    ],
  ])('reads an account of %s', async (type, method, account) => {
    double.on(theSession, consent({}, { [type]: method }))
    expect(await (await bank()).lookupLink('cs_test_1')).toMatchObject({ status: 'linked', account })
  })

  test.each([
    ['open', { status: 'open', setup_intent: null }, 'open'],
    ['expired', { status: 'expired', setup_intent: null }, 'canceled'],
    ['checked by small amounts', { setup_intent: { id: 'seti_1', status: 'processing' } }, 'open'],
    ['turned down', { setup_intent: { id: 'seti_1', status: 'requires_payment_method' } }, 'failed'],
  ])('that is %s', async (_name, over, status) => {
    double.on(theSession, consent(over))
    expect(await (await bank()).lookupLink('cs_test_1')).toEqual({ status, linkId })
  })

  describe('with payouts', () => {
    const both = (over: object = {}, method?: object) =>
      double.on(theSession, consent({ customer: null, customer_account: 'acct_1', ...over }, method))
    const lookup = async () => (await bank({ financialAccount })).lookupLink('cs_test_1')

    test('is an account that can be debited and paid', async () => {
      both()
      double.on(methods, listResponse(payable({ last4: '6789', financial_connections_account: 'fca_1' })))
      expect(await lookup()).toMatchObject({
        status: 'linked',
        account: { token: 'acct_1/pm_1/usba_1', bankName: 'Harbour Bank', fingerprint: 'fp_us' },
      })
      expect(double.call(methods).headers['stripe-context']).toBe('acct_1')
    })

    test('is no link when the two are different accounts', async () => {
      both({}, { sepa_debit: sepa })
      double.on(methods, listResponse(payable({ last4: '9999', country: 'DE', supported_currencies: ['eur'] })))
      expect(await lookup()).toEqual({ status: 'failed', linkId })
    })

    test('waits for the payout account, up to a limit', async () => {
      double.on(methods, listResponse())
      both()
      expect(await lookup()).toEqual({ status: 'open', linkId })
      both({ expires_at: Date.now() / 1000 - 60 })
      expect(await lookup()).toEqual({ status: 'failed', linkId })
    })

    test('enables an account that was linked for debits', async () => {
      const ready = 'POST /v2/money_management/outbound_setup_intents'
      both()
      const given = payable({ last4: '6789' }, { usage_status: { payments: 'disabled', transfers: 'disabled' } })
      double.on(methods, listResponse(given))
      double.on(ready, { body: { id: 'osi_1', status: 'succeeded' } })
      expect(await lookup()).toMatchObject({ account: { token: 'acct_1/pm_1/usba_1' } })
      const { json, headers } = double.call(ready)
      expect(json).toEqual({ payout_method: 'usba_1', usage_intent: 'payment' })
      expect(headers).toMatchObject({ 'stripe-context': 'acct_1', 'idempotency-key': 'ready:usba_1' })
    })

    test('can be an account for payouts only', async () => {
      const created = new Date().toISOString()
      double.on('GET /v2/core/accounts/acct_1', { body: { id: 'acct_1', created, metadata: { link_id: linkId } } })
      double.on(methods, listResponse(payable({ last4: '0001', country: 'JP', supported_currencies: ['jpy'] })))
      expect(await (await bank({ financialAccount })).lookupLink('acct_1')).toMatchObject({
        status: 'linked',
        linkId,
        account: { token: 'acct_1//usba_1', currency: 'JPY', country: 'JP', last4: '0001' },
      })
    })
  })
})

describe('unlinking', () => {
  const archive = 'POST /v2/money_management/payout_methods/usba_1/archive'

  test('ends debits and payouts', async () => {
    double.on('POST /v1/payment_methods/pm_1/detach', { body: { id: 'pm_1', customer: null } })
    double.on(archive, { body: { id: 'usba_1', archived: true } })
    expect(await (await bank()).unlink('acct_1/pm_1/usba_1')).toBe(true)
    expect(double.call(archive).headers['stripe-context']).toBe('acct_1')
  })

  test('is postponed while payouts are possible', async () => {
    double.on('POST /v1/payment_methods/pm_1/detach', { body: { id: 'pm_1', customer: null } })
    double.on(archive, { status: 500, body: { error: { code: 'api_error', message: 'x' } } })
    expect(await (await bank()).unlink('acct_1/pm_1/usba_1')).toBe(false)
  })
})
