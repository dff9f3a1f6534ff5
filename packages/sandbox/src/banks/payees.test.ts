import { expect, test } from 'vitest'
import { startTestSandbox, type TestSandbox } from '../test-sandbox.ts'
import { linkAccount } from './test-banks.ts'

const override = (sandbox: TestSandbox, body: object) => sandbox.call('PUT', '/api/control/payees', { body })

async function check(sandbox: TestSandbox, bank: string, holder_name = 'Ines Okafor', country = 'US') {
  const { token } = await linkAccount(sandbox, { bank, country })
  return sandbox.call('POST', `/api/bank/accounts/${token}/payee-checks`, { body: { holder_name } })
}

test.each([
  ['harbour', { result: 'match' }],
  ['ripple', { result: 'close_match', known_name: 'I. Okafor' }],
  ['squall', { result: 'no_match' }],
  ['haze', { result: 'not_possible' }],
])('a bank answers about a name in its own way: %s', async (bank, answer) => {
  const sandbox = await startTestSandbox()
  const { status, json } = await check(sandbox, bank)
  expect([status, json]).toEqual([200, { check_id: expect.any(String), scheme: 'bank_lookup', ...answer }])
})

test('a bank may give no answer', async () => {
  const sandbox = await startTestSandbox()
  expect((await check(sandbox, 'lull')).status).toBe(503)
})

test('names the scheme of the country', async () => {
  const sandbox = await startTestSandbox()
  for (const [country, scheme] of [
    ['GB', 'confirmation_of_payee'],
    ['AU', 'confirmation_of_payee'],
    ['DE', 'verification_of_payee'],
    ['FR', 'verification_of_payee'],
    ['JP', 'bank_lookup'],
  ] as const) {
    expect((await check(sandbox, 'harbour', 'Ines Okafor', country)).json).toMatchObject({ scheme })
  }
})

test('a similar name differs for a single name too', async () => {
  const sandbox = await startTestSandbox()
  expect((await check(sandbox, 'ripple', 'Teller')).json).toMatchObject({ known_name: 'Tellerr' })
})

test('one answer can be set for all banks, until it is ended', async () => {
  const sandbox = await startTestSandbox()
  expect((await override(sandbox, { answer: 'no_match' })).json).toEqual({ answer: 'no_match' })
  expect((await check(sandbox, 'harbour')).json).toMatchObject({ result: 'no_match' })
  expect((await override(sandbox, {})).json).toEqual({ answer: null })
  expect((await check(sandbox, 'harbour')).json).toMatchObject({ result: 'match' })
})

test('refuses an unknown answer, an unknown account, and a missing name', async () => {
  const sandbox = await startTestSandbox()
  expect((await override(sandbox, { answer: 'perhaps' })).status).toBe(422)
  expect((await check(sandbox, 'harbour', '')).status).toBe(422)
  const unknown = await sandbox.call('POST', '/api/bank/accounts/ba_none/payee-checks', { body: { holder_name: 'A' } })
  expect(unknown.status).toBe(404)
})
