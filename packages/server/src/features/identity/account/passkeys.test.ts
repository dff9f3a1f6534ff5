import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import {
  createTestAuthenticator,
  type AuthenticatorFaults,
  type TestAuthenticator,
} from '@tern/testkit/identity/authenticator'
import { createFactorTests } from '@tern/testkit/identity/factors'
import { openTestIdentity, publicUrl } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)
const steps = createFactorTests(tern)

let userCount = 0
async function createUser() {
  userCount += 1
  const username = `keyed${String(userCount)}`
  return { username, ...(await tern.signUp(username)) }
}
const requestOptions = () => steps.call('POST', '/api/auth/passkey/options')
const finishAssertion = (ceremony: string, response: unknown) =>
  steps.call('POST', '/api/auth/passkey', { body: { ceremony, response } })
async function logIn(authenticator: TestAuthenticator, quirks?: AuthenticatorFaults) {
  const { ceremony, options } = (await requestOptions()).body
  return finishAssertion(ceremony, authenticator.get(options, quirks))
}
const findChangeMails = (username: string) =>
  tern.mails.flatMap((mail) =>
    mail.template === 'security_change' && mail.email === `${username}@tern.example` ? [mail.data.change] : [],
  )
const invalidPasskey = { status: 422, body: { code: 'passkey_invalid' } }

describe('adding a passkey', () => {
  test('asks for confirmation, tells the device no name, and issues recovery codes with the first factor only', async () => {
    const user = await createUser()
    const first = await steps.enrollPasskey(user.token, undefined, { name: 'Laptop' })
    expect(first.passkey).toMatchObject({ name: 'Laptop', synced: false, last_used_at: null })
    expect(first.recoveryCodes).toHaveLength(10)
    expect(first.options).toMatchObject({
      rp: { id: 'localhost', name: 'Tern' },
      authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' },
      excludeCredentials: [],
    })
    const userHandle = Buffer.from(first.options.user.id, 'base64url')
    expect(userHandle).toHaveLength(32)
    expect(userHandle.toString('latin1')).not.toContain(user.username)
    const second = await steps.enrollPasskey(user.token, createTestAuthenticator(publicUrl, { synced: true }))
    expect(second.passkey).toMatchObject({ name: 'Passkey', synced: true })
    expect(second.recoveryCodes).toBeNull()
    expect(second.options.excludeCredentials).toMatchObject([{ id: first.authenticator.id, transports: ['internal'] }])
    expect(second.options.user.id).toBe(first.options.user.id)
    expect(tern.mails.filter(({ template }) => template === 'security_change')).toHaveLength(2)
  })

  test('is refused when repeated, on another account, by another session, or with a spent confirmation', async () => {
    const [user, otherUser] = [await createUser(), await createUser()]
    const { authenticator } = await steps.enrollPasskey(user.token)
    const registration = await steps.confirmed('POST', '/api/user/passkeys/options', otherUser.token)
    const addPasskey = (token: string, { ceremony, options }: { ceremony: string; options: object }) =>
      steps.call('POST', '/api/user/passkeys', { token, body: { ceremony, response: authenticator.create(options) } })
    expect(await addPasskey(otherUser.token, registration.body)).toMatchObject(invalidPasskey)
    expect(await addPasskey(otherUser.token, registration.body), 'the ceremony is over').toMatchObject(invalidPasskey)
    const secondRegistration = await steps.confirmed('POST', '/api/user/passkeys/options', otherUser.token)
    expect(await addPasskey(user.token, secondRegistration.body)).toMatchObject(invalidPasskey)
    const otherToken = (await steps.logIn(otherUser.username)).body.access_token as string
    expect(await addPasskey(otherToken, secondRegistration.body)).toMatchObject(invalidPasskey)
    expect(await tern.count(`from passkey where user_id = ${String(otherUser.id)}`)).toBe(0)
  })

  test.each<[string, AuthenticatorFaults]>([
    ['another site', { origin: 'https://tern.example.evil.test' }],
    ['another relying party', { rpId: 'evil.test' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['no check of the user', { userVerified: false }],
    ['an assertion', { type: 'webauthn.get' }],
  ])('is refused for %s', async (_case, quirks) => {
    const user = await createUser()
    const { body } = await steps.confirmed('POST', '/api/user/passkeys/options', user.token)
    const response = createTestAuthenticator(publicUrl).create(body.options, quirks)
    const registration = await steps.call('POST', '/api/user/passkeys', {
      token: user.token,
      body: { ceremony: body.ceremony, response },
    })
    expect(registration).toMatchObject(invalidPasskey)
  })

  test('refuses anything but an attestation, without an internal error', async () => {
    const user = await createUser()
    const createCredential = (options: object) => createTestAuthenticator(publicUrl).create(options)
    const damageFunctions: ((credential: Record<string, unknown>) => Record<string, unknown>)[] = [
      () => ({}),
      (credential) => ({ ...credential, response: null }),
      (credential) => ({ ...credential, response: { clientDataJSON: 7, attestationObject: [] } }),
      (credential) => ({
        ...credential,
        response: { ...(credential.response as object), attestationObject: 'oWNmbXRkbm9uZQ' },
      }),
      (credential) => ({ ...credential, response: { ...(credential.response as object), clientDataJSON: 'bnVsbA' } }),
      (credential) => ({ ...credential, id: '\u0001', rawId: '\u0001' }),
      (credential) => ({ ...credential, type: { toString: null } }),
    ]
    for (const damageFields of damageFunctions) {
      const { body } = await steps.confirmed('POST', '/api/user/passkeys/options', user.token)
      const registration = await steps.call('POST', '/api/user/passkeys', {
        token: user.token,
        body: { ceremony: body.ceremony, response: damageFields(createCredential(body.options)) },
      })
      expect(registration, damageFields.toString()).toMatchObject(invalidPasskey)
    }
    const registrationOptions = await steps.confirmed('POST', '/api/user/passkeys/options', user.token)
    const credential = createCredential(registrationOptions.body.options)
    const response = {
      ...credential,
      response: { ...(credential.response as object), transports: [{}, 'a\u0001b', 'usb'] },
    }
    const registration = await steps.call('POST', '/api/user/passkeys', {
      token: user.token,
      body: { ceremony: registrationOptions.body.ceremony, response },
    })
    expect(registration.status).toBe(201)
  })
})

describe('logging in with a passkey', () => {
  test('works while strangers guess at the password', async () => {
    const user = await createUser()
    const { authenticator } = await steps.enrollPasskey(user.token)
    const email = `${user.username}@tern.example`
    const guessPassword = () => tern.post('/api/user/login', { email, password: 'not this one' })
    const guesses = []
    for (let attempt = 0; attempt < 6; attempt += 1) guesses.push((await guessPassword()).statusCode)
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429])
    expect((await logIn(authenticator)).status).toBe(200)
  })

  test('finds the account by the passkey alone, in one step, once', async () => {
    const user = await createUser()
    const { authenticator } = await steps.enrollPasskey(user.token)
    const authentication = await requestOptions()
    expect(authentication.body.options).toMatchObject({
      allowCredentials: [],
      userVerification: 'required',
      rpId: 'localhost',
    })
    const response = authenticator.get(authentication.body.options)
    const replies = await Promise.all([1, 2, 3].map(() => finishAssertion(authentication.body.ceremony, response)))
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422, 422])
    expect(replies.find(({ status }) => status === 200)?.body.user.id).toBe(user.id)
    const { rows } = await database.pool.query(
      'select sign_in_method from session where user_id = $1 order by id desc limit 1',
      [user.id],
    )
    expect(rows).toEqual([{ sign_in_method: 'passkey' }])
  })

  test.each<[string, AuthenticatorFaults]>([
    ['another site', { origin: 'http://localhost:3001' }],
    ['another relying party', { rpId: 'evil.test' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['no check of the user', { userVerified: false }],
    ['a registration', { type: 'webauthn.create' }],
    ['another user’s handle', { userHandle: Buffer.alloc(32).toString('base64url') }],
    ['no handle', { userHandle: '' }],
  ])('is refused for %s', async (_case, quirks) => {
    const { authenticator } = await steps.enrollPasskey((await createUser()).token)
    expect(await logIn(authenticator, quirks)).toMatchObject(invalidPasskey)
    expect((await logIn(authenticator)).status).toBe(200)
  })

  test('refuses and logs a counter that goes back, and tells the account holder once an hour', async () => {
    const user = await createUser()
    const { authenticator } = await steps.enrollPasskey(user.token)
    expect((await logIn(authenticator, { counter: 9 })).status).toBe(200)
    const copiedPasskeyError = { ...invalidPasskey, body: { ...invalidPasskey.body, reason: 'passkey_counted_back' } }
    for (const counter of [9, 8, 0]) expect(await logIn(authenticator, { counter })).toMatchObject(copiedPasskeyError)
    expect(tern.logged.filter((line) => line.includes('counted backwards'))).toHaveLength(3)
    expect(findChangeMails(user.username)).toEqual(['passkey_added', 'passkey_copied'])
    expect((await logIn(authenticator, { counter: 10 })).status, 'the genuine passkey').toBe(200)
    tern.advance(3_601_000)
    expect(await logIn(authenticator, { counter: 1 })).toMatchObject(copiedPasskeyError)
    expect(findChangeMails(user.username)).toEqual(['passkey_added', 'passkey_copied', 'passkey_copied'])
    const { authenticator: authenticatorWithoutCounter } = await steps.enrollPasskey(
      (await createUser()).token,
      createTestAuthenticator(publicUrl, { synced: true }),
    )
    for (let attempt = 0; attempt < 2; attempt += 1) expect((await logIn(authenticatorWithoutCounter)).status).toBe(200)
  })

  test('refuses an expired challenge, another purpose, a foreign key and a forged signature', async () => {
    const user = await createUser()
    const { authenticator } = await steps.enrollPasskey(user.token)
    const foreignAuthenticator = createTestAuthenticator(publicUrl)
    expect(await logIn(foreignAuthenticator)).toMatchObject(invalidPasskey)
    const { ceremony, options } = (await requestOptions()).body
    const forgedResponse = { ...foreignAuthenticator.get(options), id: authenticator.id, rawId: authenticator.id }
    expect(await finishAssertion(ceremony, forgedResponse)).toMatchObject(invalidPasskey)
    const challenge = await steps.challengeOf(user.username)
    const second = (await steps.call('POST', '/api/auth/second-factor/passkey/options', { body: { challenge } })).body
    expect(await finishAssertion(second.ceremony, authenticator.get(second.options))).toMatchObject(invalidPasskey)
    const slowCeremony = (await requestOptions()).body
    tern.advance(5 * 60_000 + 1000)
    expect(await finishAssertion(slowCeremony.ceremony, authenticator.get(slowCeremony.options))).toMatchObject(
      invalidPasskey,
    )
    expect(await finishAssertion(randomUUID(), authenticator.get(slowCeremony.options))).toMatchObject(invalidPasskey)
  })

  test('undoes a deletion that is under way, alone or as the second factor', async () => {
    const user = await createUser()
    const { authenticator } = await steps.enrollPasskey(user.token)
    const countDeletions = () =>
      tern.count(`from app_user where id = ${String(user.id)} and deletion_due_at is not null`)
    const startDeletion = () =>
      database.pool.query(`update app_user set deletion_due_at = now() + interval '1 day' where id = $1`, [user.id])
    await startDeletion()
    expect(await logIn(authenticator, { userVerified: false })).toMatchObject(invalidPasskey)
    expect(await countDeletions(), 'by nobody else').toBe(1)
    expect(await logIn(authenticator)).toMatchObject({ status: 200, body: { deletion_undone: true } })
    expect(await countDeletions()).toBe(0)
    expect((await logIn(authenticator)).body).not.toHaveProperty('deletion_undone')
    await startDeletion()
    const challenge = await steps.challengeOf(user.username)
    const { ceremony, options } = (
      await steps.call('POST', '/api/auth/second-factor/passkey/options', { body: { challenge } })
    ).body
    expect(await countDeletions(), 'not by the password alone').toBe(1)
    const body = { challenge, ceremony, response: authenticator.get(options) }
    const signInResponse = await steps.call('POST', '/api/auth/second-factor/passkey', { body })
    expect([signInResponse.status, signInResponse.body.deletion_undone, await countDeletions()]).toEqual([200, true, 0])
  })

  test('refuses anything but an assertion, without an internal error', async () => {
    const { authenticator } = await steps.enrollPasskey((await createUser()).token)
    const readResponse = (credential: Record<string, unknown>) => credential.response as Record<string, unknown>
    const damageFunctions: ((credential: Record<string, unknown>) => Record<string, unknown>)[] = [
      () => ({}),
      (credential) => ({ ...credential, id: 'a\u0001b' }),
      (credential) => ({ ...credential, id: ['x'] }),
      (credential) => ({ ...credential, response: 'text' }),
      (credential) => ({ ...credential, response: { ...readResponse(credential), signature: 1 } }),
      (credential) => ({ ...credential, response: { ...readResponse(credential), authenticatorData: 'AA' } }),
      (credential) => ({ ...credential, response: { ...readResponse(credential), clientDataJSON: 'e30' } }),
      (credential) => ({ ...credential, response: { ...readResponse(credential), userHandle: {} } }),
    ]
    for (const damageFields of damageFunctions) {
      const { ceremony, options } = (await requestOptions()).body
      expect(
        await finishAssertion(ceremony, damageFields(authenticator.get(options))),
        damageFields.toString(),
      ).toMatchObject(invalidPasskey)
    }
  })
})

describe('a passkey as the second factor', () => {
  test('is requested after the password and answers only its own challenge', async () => {
    const user = await createUser()
    const { authenticator } = await steps.enrollPasskey(user.token)
    expect((await steps.logIn(user.username)).body.methods).toEqual(['passkey', 'recovery_code'])
    const requestFactorOptions = async (challenge: string) =>
      (await steps.call('POST', '/api/auth/second-factor/passkey/options', { body: { challenge } })).body
    const answerWithPasskey = (challenge: string, ceremony: string, response: object) =>
      steps.call('POST', '/api/auth/second-factor/passkey', { body: { challenge, ceremony, response } })
    const [first, second] = [await steps.challengeOf(user.username), await steps.challengeOf(user.username)]
    const authentication = await requestFactorOptions(first)
    expect(authentication.options.allowCredentials).toMatchObject([{ id: authenticator.id }])
    expect(
      await answerWithPasskey(second, authentication.ceremony, authenticator.get(authentication.options)),
    ).toMatchObject(invalidPasskey)
    const otherUser = await createUser()
    const { authenticator: otherAuthenticator } = await steps.enrollPasskey(otherUser.token)
    expect(
      await answerWithPasskey(first, authentication.ceremony, otherAuthenticator.get(authentication.options)),
    ).toMatchObject(invalidPasskey)
    const repeatedOptions = await requestFactorOptions(first)
    const signInResponse = await answerWithPasskey(
      first,
      repeatedOptions.ceremony,
      authenticator.get(repeatedOptions.options),
    )
    expect([signInResponse.status, signInResponse.body.user?.id]).toEqual([200, user.id])
    const usedChallengeOptions = await steps.call('POST', '/api/auth/second-factor/passkey/options', {
      body: { challenge: first },
    })
    expect(usedChallengeOptions.body.code).toBe('challenge_invalid')
  })
})

describe('step-up by passkey', () => {
  test('signs a hash of what is confirmed, valid for no other confirmation', async () => {
    const user = await createUser()
    const { authenticator, passkey } = await steps.enrollPasskey(user.token)
    const removePasskey = (confirmation?: string) =>
      steps.call('DELETE', `/api/user/passkeys/${passkey.id}`, {
        token: user.token,
        ...(confirmation ? { confirmation } : {}),
      })
    const first = (await removePasskey()).body.confirmation
    const second = (await removePasskey()).body.confirmation
    expect(first).toMatchObject({ passkey: true, subject: { change: 'Remove a passkey', passkey: 'Passkey' } })
    const requestProofOptions = async (id: string) =>
      (await steps.call('POST', `/api/auth/step-up/${id}/passkey/options`, { token: user.token })).body
    const submitProof = (id: string, ceremony: string, response: object) =>
      steps.call('POST', `/api/auth/step-up/${id}/passkey`, { token: user.token, body: { ceremony, response } })
    const authentication = await requestProofOptions(first.id)
    expect(authentication.options.allowCredentials).toMatchObject([{ id: authenticator.id }])
    expect(
      await submitProof(second.id, authentication.ceremony, authenticator.get(authentication.options)),
    ).toMatchObject(invalidPasskey)
    const repeatedOptions = await requestProofOptions(first.id)
    expect(repeatedOptions.options.challenge).not.toBe(authentication.options.challenge)
    expect(
      await submitProof(first.id, repeatedOptions.ceremony, authenticator.get(repeatedOptions.options)),
    ).toMatchObject({ status: 200 })
    const { authenticator: otherAuthenticator } = await steps.enrollPasskey((await createUser()).token)
    const third = await requestProofOptions(second.id)
    expect(
      await submitProof(second.id, third.ceremony, otherAuthenticator.get(third.options)),
      'another’s passkey',
    ).toMatchObject(invalidPasskey)
    expect((await removePasskey(second.id)).status).toBe(403)
    expect((await removePasskey(first.id)).status).toBe(204)
    expect((await removePasskey(first.id)).status).toBe(404)
    expect((await steps.logIn(user.username)).body.access_token).toBeDefined()
    expect(await tern.count(`from recovery_code where user_id = ${String(user.id)}`)).toBe(0)
  })

  test.each(['purpose', 'user', 'subject'])('refuses a challenge of another %s', async (changedTarget) => {
    const [user, otherUser] = [await createUser(), await createUser()]
    const { authenticator, passkey } = await steps.enrollPasskey(user.token)
    const requirement = await steps.call('DELETE', `/api/user/passkeys/${passkey.id}`, { token: user.token })
    const path = `/api/auth/step-up/${requirement.body.confirmation.id}/passkey`
    const change = {
      purpose: `purpose = 'second_factor'`,
      user: `user_id = ${String(otherUser.id)}`,
      subject: `subject = 'other'`,
    }[changedTarget]
    const requestProofOptions = async () => (await steps.call('POST', `${path}/options`, { token: user.token })).body
    const finishProof = ({ ceremony, options }: { ceremony: string; options: object }) =>
      steps.call('POST', path, { token: user.token, body: { ceremony, response: authenticator.get(options) } })
    const authentication = await requestProofOptions()
    await database.pool.query(`update passkey_ceremony set ${String(change)} where id = $1`, [authentication.ceremony])
    expect(await finishProof(authentication)).toMatchObject(invalidPasskey)
    expect((await finishProof(await requestProofOptions())).status, 'an unchanged one').toBe(200)
  })

  test('ends after five wrong answers', async () => {
    const user = await createUser()
    const { authenticator, passkey } = await steps.enrollPasskey(user.token)
    const requirement = await steps.call('DELETE', `/api/user/passkeys/${passkey.id}`, { token: user.token })
    const path = `/api/auth/step-up/${requirement.body.confirmation.id}/passkey`
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { ceremony, options } = (await steps.call('POST', `${path}/options`, { token: user.token })).body
      const response = authenticator.get(options, { userVerified: false })
      expect(await steps.call('POST', path, { token: user.token, body: { ceremony, response } })).toMatchObject(
        invalidPasskey,
      )
    }
    expect((await steps.call('POST', `${path}/options`, { token: user.token })).body.code).toBe('step_up_invalid')
  })

  test('keeps recovery codes while a factor is left, renames a passkey, and hides those of others', async () => {
    const [user, otherUser] = [await createUser(), await createUser()]
    const { passkey } = await steps.enrollPasskey(user.token)
    const { secret } = await steps.enrollTotp(user.token)
    const rename = (token: string, name: string) =>
      steps.call('PUT', `/api/user/passkeys/${passkey.id}`, { token, body: { name } })
    expect((await rename(user.token, ' My phone ')).body).toMatchObject({ id: passkey.id, name: 'My phone' })
    expect((await rename(user.token, ' ')).status).toBe(422)
    expect((await rename(otherUser.token, 'Mine')).status).toBe(404)
    expect((await steps.call('DELETE', `/api/user/passkeys/${passkey.id}`, { token: otherUser.token })).status).toBe(
      404,
    )
    expect((await steps.confirmed('DELETE', `/api/user/passkeys/${passkey.id}`, user.token, secret)).status).toBe(204)
    expect(await tern.count(`from recovery_code where user_id = ${String(user.id)}`)).toBe(10)
    expect((await steps.logIn(user.username)).body.methods).toEqual(['totp', 'recovery_code'])
  })
})
