import { money } from '@tern/money/money'
import { createStripeCardProvider } from '@tern/providers/collect/stripe-card'
import { createStripeDebitProvider } from '@tern/providers/collect/stripe-debit'
import type { StripeConnection } from '@tern/providers/stripe-connection'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { paymentId, startStripeDouble, type StripeDouble } from '@tern/testkit/providers/stripe'
import { withDeadline } from '../http/deadline.ts'

let stripeDouble: StripeDouble
let connection: StripeConnection
beforeEach(async () => {
  stripeDouble = await startStripeDouble()
  connection = await stripeDouble.connect({ timeoutMs: 600_000 })
})
afterEach(() => stripeDouble.close())

const checkout = {
  paymentId,
  amount: money('USD', 10_000n),
  description: 'A deposit',
  returnUrl: 'https://tern.example/deposit',
  saveCard: false,
  idempotencyKey: 'key-1',
}

test('all calls of a request to a silent provider share its deadline, through any port', async () => {
  stripeDouble.on('POST /v1/checkout/sessions', 'silence')
  stripeDouble.on('GET /v1/payment_intents/pi_1', 'silence')
  const card = createStripeCardProvider(connection)
  const debits = createStripeDebitProvider(connection)
  const answers = await withDeadline(3000, async () => [
    await card.createCheckout(checkout),
    await card.lookup('pi_1'),
    await debits.lookupDebit('pi_1'),
    await card.cancel('pi_1'),
  ])
  expect(answers.map(({ status }) => status)).toEqual(['unknown', 'unknown', 'unknown', 'unknown'])
  expect(stripeDouble.calls).toHaveLength(1)
})
