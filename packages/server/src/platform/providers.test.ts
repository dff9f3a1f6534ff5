import { expect, test } from 'vitest'
import { readConfig } from './runtime/config.ts'
import { createProviders } from './providers.ts'

const secret = 'x'.repeat(32)
const trial = { TERN_SECRET: secret, SANDBOX_SECRET: secret }
const real = {
  TERN_MODE: 'production',
  TERN_SECRET: secret,
  DATABASE_URL: 'postgres://tern@db.example/tern',
  PUBLIC_URL: 'https://tern.example',
}
const webhook = { STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef' }

test.each([
  ['the sandbox', trial, 'sandbox'],
  ['nobody in production', real, 'none'],
  ['Stripe in sandbox mode', { ...trial, ...webhook, STRIPE_SECRET_KEY: 'sk_test_1' }, 'stripe'],
  ['Stripe in production', { ...real, ...webhook, STRIPE_SECRET_KEY: 'sk_live_1' }, 'stripe'],
])('the configuration selects the providers: %s', async (_name, environment, name) => {
  const providers = await createProviders(readConfig(environment))
  providers.close()
  expect(providers.money.name).toBe(name)
})

test('without a provider, nothing is known and no event is authentic', async () => {
  const { money } = await createProviders(readConfig(real))
  const answers = await Promise.all([
    money.card.lookup('cs_1'),
    money.bank.lookupDebit('pi_1'),
    money.payout.lookup('obp_1'),
    money.report.lines(new Date(0), new Date()),
  ])
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['unknown']))
  expect(() => money.events.verify('{}', {}, new Date())).toThrow(/No payment provider/)
})
