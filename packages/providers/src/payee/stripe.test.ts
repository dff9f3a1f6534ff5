import { afterEach, beforeEach, expect, test } from 'vitest'
import { startStripeDouble, type StripeDouble } from '@tern/testkit/providers/stripe'
import { createStripePayeeProvider } from './stripe.ts'

const route = 'POST /v2/money_management/recipient_verifications'
const request = { accountToken: 'acct_1//gbba_1', country: 'GB', holderName: 'Mia Lindqvist' }

let stripeDouble: StripeDouble
beforeEach(async () => {
  stripeDouble = await startStripeDouble()
})
afterEach(() => stripeDouble.close())

const connectPayee = async () => createStripePayeeProvider(await stripeDouble.connect({ financialAccount: 'fa_1' }))

const buildVerification = (result: string, details: object = {}, overrides: object = {}) => ({
  body: {
    id: 'recver_1',
    object: 'v2.money_management.recipient_verification',
    match_result: result,
    match_result_details: { message: '', provided_name: 'Mia Lindqvist', ...details },
    status: 'verified',
    ...overrides,
  },
})

const facts = { reference: 'recver_1', comparedName: 'Mia Lindqvist', expiresAt: undefined }

test.each([
  ['match', {}, { status: 'match' }],
  ['close_match', { matched_name: 'M. Lindqvist' }, { status: 'close_match', knownName: 'M. Lindqvist' }],
  ['no_match', {}, { status: 'no_match' }],
  ['unavailable', {}, { status: 'not_possible' }],
] as const)('a British bank that says %s', async (result, details, outcome) => {
  stripeDouble.on(route, buildVerification(result, details))
  const scheme = 'confirmation_of_payee'
  expect(await (await connectPayee()).verify(request)).toEqual({ ...outcome, ...facts, scheme })
  expect(stripeDouble.call(route).json).toEqual({ recipient: 'acct_1', payout_method: 'gbba_1' })
})

test('a verification in the European Union ends after five minutes', async () => {
  stripeDouble.on(route, buildVerification('match', {}, { expires_at: '2026-11-29T18:05:00.000Z' }))
  for (const country of ['DE', 'FR']) {
    expect(await (await connectPayee()).verify({ ...request, country })).toMatchObject({
      scheme: 'verification_of_payee',
      expiresAt: new Date('2026-11-29T18:05:00.000Z'),
    })
  }
})

test.each(['US', 'CA', 'AU', 'JP', 'SG', 'IN', 'BR'])('Stripe cannot ask banks in %s', async (country) => {
  const outcome = await (await connectPayee()).verify({ ...request, country })
  expect(outcome).toEqual({ status: 'not_possible', scheme: 'none' })
  expect(stripeDouble.calls).toEqual([])
})

test('an account that is only debited cannot be verified', async () => {
  const outcome = await (await connectPayee()).verify({ ...request, accountToken: 'cus_1/pm_1/' })
  expect(outcome).toMatchObject({ status: 'not_possible' })
})

test.each([
  ['refuses', 400, 'feature_not_enabled', { status: 'not_possible' }],
  ['is faulty', 500, 'api_error', { status: 'unknown' }],
  ['rejects the key', 401, 'invalid_api_key', { status: 'unknown', fault: 'configuration' }],
])('Stripe %s', async (_name, status, code, outcome) => {
  stripeDouble.on(route, { status, body: { error: { type: code, code, message: 'x' } } })
  expect(await (await connectPayee()).verify(request)).toMatchObject(outcome)
})

test('an answer that cannot be read is unknown', async () => {
  stripeDouble.on(route, buildVerification('perhaps'))
  expect(await (await connectPayee()).verify(request)).toMatchObject({ status: 'unknown' })
})
