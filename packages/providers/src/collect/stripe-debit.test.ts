import { money } from '@tern/money/money'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  impatient,
  intent,
  paymentId,
  startStripeDouble,
  type StripeDouble,
  stripeError,
} from '@tern/testkit/providers/stripe'
import { createStripeDebit } from './stripe-debit.ts'

let double: StripeDouble
beforeEach(async () => {
  double = await startStripeDouble()
})
afterEach(() => double.close())

const debits = async (settings = {}) => createStripeDebit(await double.connect(settings))

describe('a debit', () => {
  const intents = 'POST /v1/payment_intents'
  const debit = {
    paymentId,
    amount: money('USD', 2500n),
    accountToken: 'acct_1/pm_1/usba_1',
    description: 'Money for your Tern wallet',
    idempotencyKey: 'key-2',
  }

  test('is made under the mandate given', async () => {
    double.on(intents, { body: intent({ status: 'processing', amount_received: 0 }) })
    expect(await (await debits()).debit(debit)).toEqual({ status: 'created', sessionId: 'pi_1' })
    const { fields, headers } = double.call(intents)
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
    double.on(intents, { body: intent({ status: 'processing' }) })
    await (await debits()).debit({ ...debit, accountToken: 'cus_1/pm_1/', amount: money('EUR', 100n) })
    expect(double.call(intents).fields).toMatchObject({
      customer: 'cus_1',
      'allowed_payment_method_types[0]': 'sepa_debit',
    })
  })

  test.each([
    ['an account that is only paid to', { accountToken: 'acct_1//usba_1' }],
    ['a token of somebody else', { accountToken: 'ba_sandbox' }],
    ['a currency without debits', { amount: money('JPY', 100n) }],
  ])('of %s is refused', async (_name, over) => {
    expect(await (await debits()).debit({ ...debit, ...over })).toMatchObject({ status: 'refused' })
    expect(double.calls).toEqual([])
  })

  test('that is declined at once exists as failed', async () => {
    const failed = intent({ status: 'requires_payment_method', last_payment_error: { code: 'insufficient_funds' } })
    double.on(intents, stripeError(402, { type: 'card_error', payment_intent: failed }))
    double.on('GET /v1/payment_intents/pi_1', { body: failed })
    const adapter = await debits()
    expect(await adapter.debit(debit)).toEqual({ status: 'created', sessionId: 'pi_1' })
    expect(await adapter.lookupDebit('pi_1')).toEqual({ status: 'declined', paymentId, reason: 'insufficient_funds' })
  })

  test('settles, or is cancelled before submission', async () => {
    double.on('GET /v1/payment_intents/pi_1', { body: intent({ amount_received: 2500 }) })
    double.on('POST /v1/payment_intents/pi_1/cancel', { body: intent({ status: 'canceled' }) })
    const adapter = await debits()
    expect(await adapter.lookupDebit('pi_1')).toMatchObject({ status: 'settled', amount: money('USD', 2500n) })
    expect(await adapter.cancelDebit('pi_1')).toEqual({ status: 'declined', paymentId, reason: 'canceled' })
  })

  test('without an answer may exist', async () => {
    double.on(intents, 'silence')
    expect(await (await debits(impatient)).debit(debit)).toMatchObject({ status: 'unknown' })
    expect(new Set(double.calls.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set(['key-2']))
  })
})
