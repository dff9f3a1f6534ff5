import { money } from '@tern/money/money'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  shortTimeout,
  intent,
  paymentId,
  startStripeDouble,
  type StripeDouble,
  stripeError,
} from '@tern/testkit/providers/stripe'
import { createStripeDebitProvider } from './stripe-debit.ts'

let stripeDouble: StripeDouble
beforeEach(async () => {
  stripeDouble = await startStripeDouble()
})
afterEach(() => stripeDouble.close())

const connectDebits = async (settings = {}) => createStripeDebitProvider(await stripeDouble.connect(settings))

describe('a debit', () => {
  const intentsRoute = 'POST /v1/payment_intents'
  const debit = {
    paymentId,
    amount: money('USD', 2500n),
    accountToken: 'acct_1/pm_1/usba_1',
    description: 'Money for your Tern wallet',
    idempotencyKey: 'key-2',
  }

  test('is made under the mandate given', async () => {
    stripeDouble.on(intentsRoute, { body: intent({ status: 'processing', amount_received: 0 }) })
    expect(await (await connectDebits()).debit(debit)).toEqual({ status: 'created', sessionId: 'pi_1' })
    const { fields, headers } = stripeDouble.call(intentsRoute)
    expect(fields).toEqual({
      amount: '2500',
      currency: 'usd',
      customer_account: 'acct_1',
      payment_method: 'pm_1',
      'allowed_payment_method_types[0]': 'us_bank_account',
      confirm: 'true',
      off_session: 'true',
      description: debit.description,
      'metadata[payment_id]': paymentId,
      'metadata[method]': 'bank',
    })
    expect(headers['idempotency-key']).toBe('key-2')
  })

  test('of a customer without payouts names the customer', async () => {
    stripeDouble.on(intentsRoute, { body: intent({ status: 'processing' }) })
    await (await connectDebits()).debit({ ...debit, accountToken: 'cus_1/pm_1/', amount: money('EUR', 100n) })
    expect(stripeDouble.call(intentsRoute).fields).toMatchObject({
      customer: 'cus_1',
      'allowed_payment_method_types[0]': 'sepa_debit',
    })
  })

  test.each([
    ['an account that is only paid to', { accountToken: 'acct_1//usba_1' }],
    ['a token of somebody else', { accountToken: 'ba_sandbox' }],
    ['a currency without debits', { amount: money('JPY', 100n) }],
  ])('of %s is refused', async (_name, overrides) => {
    expect(await (await connectDebits()).debit({ ...debit, ...overrides })).toMatchObject({ status: 'refused' })
    expect(stripeDouble.calls).toEqual([])
  })

  test('that is declined at once exists as failed', async () => {
    const failedIntent = intent({
      status: 'requires_payment_method',
      last_payment_error: { code: 'insufficient_funds' },
    })
    stripeDouble.on(intentsRoute, stripeError(402, { type: 'card_error', payment_intent: failedIntent }))
    stripeDouble.on('GET /v1/payment_intents/pi_1', { body: failedIntent })
    const adapter = await connectDebits()
    expect(await adapter.debit(debit)).toEqual({ status: 'created', sessionId: 'pi_1' })
    expect(await adapter.lookupDebit('pi_1')).toEqual({ status: 'declined', paymentId, reason: 'insufficient_funds' })
  })

  test('settles, or is cancelled before submission', async () => {
    stripeDouble.on('GET /v1/payment_intents/pi_1', { body: intent({ amount_received: 2500 }) })
    stripeDouble.on('POST /v1/payment_intents/pi_1/cancel', { body: intent({ status: 'canceled' }) })
    const adapter = await connectDebits()
    expect(await adapter.lookupDebit('pi_1')).toMatchObject({ status: 'settled', amount: money('USD', 2500n) })
    expect(await adapter.cancelDebit('pi_1')).toEqual({ status: 'declined', paymentId, reason: 'canceled' })
  })

  test('without an answer may exist', async () => {
    stripeDouble.on(intentsRoute, 'silence')
    expect(await (await connectDebits(shortTimeout)).debit(debit)).toMatchObject({ status: 'unknown' })
    expect(new Set(stripeDouble.calls.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set(['key-2']))
  })
})
