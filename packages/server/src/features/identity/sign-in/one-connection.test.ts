import { expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { connect } from '../../../platform/database/db.ts'
import { createFactorTests } from '@tern/testkit/identity/factors'
import { openTestIdentity } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
// With one connection, a call that requests a second one during its transaction would wait forever.
const pool = connect(database.url, 1)
const tern = await openTestIdentity({
  ...database,
  pool,
  async drop() {
    await pool.end()
    await database.drop()
  },
})
const steps = createFactorTests(tern)

test('accounts, factors, step-ups and recovery need one database connection per call', async () => {
  const { id, token, browser } = await tern.signUp('mono')
  const { secret, recoveryCodes } = await steps.enrollTotp(token)
  const { authenticator } = await steps.enrollPasskey(token, undefined, { secret })
  const codeSignIn = await steps.answerChallenge(
    await steps.challengeOf('mono'),
    recoveryCodes?.[0] ?? '',
    'recovery_code',
  )
  expect(codeSignIn.status).toBe(200)
  const { body: passkeyOptions } = await steps.call('POST', '/api/auth/passkey/options')
  const response = authenticator.get(passkeyOptions.options)
  const passkeySignIn = await steps.call('POST', '/api/auth/passkey', {
    body: { ceremony: passkeyOptions.ceremony, response },
  })
  expect(passkeySignIn.status).toBe(200)
  expect((await steps.confirmed('DELETE', '/api/auth/sessions', token)).status).toBeLessThan(300)
  expect((await steps.call('POST', '/api/user/freeze', { token })).status).toBeLessThan(300)
  expect((await steps.confirmed('POST', '/api/user/unfreeze', token)).status).toBeLessThan(300)
  expect((await steps.call('GET', '/api/auth/security', { token })).body.passkeys).toHaveLength(1)
  expect((await tern.post('/api/user/send-password-reset', { email: 'mono@tern.example' }, browser)).statusCode).toBe(
    200,
  )
  const mail = tern.mails.findLast(({ template }) => template === 'reset_password')
  const link = mail?.template === 'reset_password' ? mail.data.link : ''
  const reset = { token: link.split('token=')[1], password: 'another sound passphrase' }
  expect((await tern.post('/api/user/reset-password', reset, browser)).statusCode).toBe(200)
  expect(await tern.count(`from session where user_id = ${String(id)} and revoked_at is null`)).toBe(0)
})
