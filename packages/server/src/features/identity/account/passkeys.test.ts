import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { createTestAuthenticator, type Quirks, type TestAuthenticator } from '@tern/testkit/identity/authenticator'
import { createFactorTests } from '@tern/testkit/identity/factors'
import { openTestIdentity, publicUrl } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)
const steps = createFactorTests(tern)

let people = 0
async function somebody() {
  people += 1
  const username = `keyed${String(people)}`
  return { username, ...(await tern.signUp(username)) }
}
const begin = () => steps.call('POST', '/api/auth/passkey/options')
const finish = (ceremony: string, response: unknown) =>
  steps.call('POST', '/api/auth/passkey', { body: { ceremony, response } })
async function logIn(authenticator: TestAuthenticator, quirks?: Quirks) {
  const { ceremony, options } = (await begin()).body
  return finish(ceremony, authenticator.get(options, quirks))
}
const changesMailed = (username: string) =>
  tern.mails.flatMap((mail) =>
    mail.template === 'security_change' && mail.email === `${username}@tern.example` ? [mail.data.change] : [],
  )
const refused = { status: 422, body: { code: 'passkey_invalid' } }

describe('adding a passkey', () => {
  test('asks for confirmation, tells the device no name, and issues recovery codes with the first factor only', async () => {
    const who = await somebody()
    const first = await steps.enrollPasskey(who.token, undefined, { name: 'Laptop' })
    expect(first.passkey).toMatchObject({ name: 'Laptop', synced: false, last_used_at: null })
    expect(first.recoveryCodes).toHaveLength(10)
    expect(first.options).toMatchObject({
      rp: { id: 'localhost', name: 'Tern' },
      authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' },
      excludeCredentials: [],
    })
    const handle = Buffer.from(first.options.user.id, 'base64url')
    expect(handle).toHaveLength(32)
    expect(handle.toString('latin1')).not.toContain(who.username)
    const second = await steps.enrollPasskey(who.token, createTestAuthenticator(publicUrl, { synced: true }))
    expect(second.passkey).toMatchObject({ name: 'Passkey', synced: true })
    expect(second.recoveryCodes).toBeNull()
    expect(second.options.excludeCredentials).toMatchObject([{ id: first.authenticator.id, transports: ['internal'] }])
    expect(second.options.user.id).toBe(first.options.user.id)
    expect(tern.mails.filter(({ template }) => template === 'security_change')).toHaveLength(2)
  })

  test('is refused when repeated, on another account, by another session, or with a spent confirmation', async () => {
    const [who, other] = [await somebody(), await somebody()]
    const { authenticator } = await steps.enrollPasskey(who.token)
    const begun = await steps.confirmed('POST', '/api/user/passkeys/options', other.token)
    const add = (token: string, { ceremony, options }: { ceremony: string; options: object }) =>
      steps.call('POST', '/api/user/passkeys', { token, body: { ceremony, response: authenticator.create(options) } })
    expect(await add(other.token, begun.body)).toMatchObject(refused)
    expect(await add(other.token, begun.body), 'the ceremony is over').toMatchObject(refused)
    const begunAgain = await steps.confirmed('POST', '/api/user/passkeys/options', other.token)
    expect(await add(who.token, begunAgain.body)).toMatchObject(refused)
    const elsewhere = (await steps.logIn(other.username)).body.access_token as string
    expect(await add(elsewhere, begunAgain.body)).toMatchObject(refused)
    expect(await tern.count(`from passkey where user_id = ${String(other.id)}`)).toBe(0)
  })

  test.each<[string, Quirks]>([
    ['another site', { origin: 'https://tern.example.evil.test' }],
    ['another relying party', { rpId: 'evil.test' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['no check of the user', { userVerified: false }],
    ['an assertion', { type: 'webauthn.get' }],
  ])('is refused for %s', async (_what, quirks) => {
    const who = await somebody()
    const { body } = await steps.confirmed('POST', '/api/user/passkeys/options', who.token)
    const response = createTestAuthenticator(publicUrl).create(body.options, quirks)
    const added = await steps.call('POST', '/api/user/passkeys', {
      token: who.token,
      body: { ceremony: body.ceremony, response },
    })
    expect(added).toMatchObject(refused)
  })

  test('refuses anything but an attestation, without an internal error', async () => {
    const who = await somebody()
    const good = (options: object) => createTestAuthenticator(publicUrl).create(options)
    const wrecks: ((made: Record<string, unknown>) => Record<string, unknown>)[] = [
      () => ({}),
      (made) => ({ ...made, response: null }),
      (made) => ({ ...made, response: { clientDataJSON: 7, attestationObject: [] } }),
      (made) => ({ ...made, response: { ...(made.response as object), attestationObject: 'oWNmbXRkbm9uZQ' } }),
      (made) => ({ ...made, response: { ...(made.response as object), clientDataJSON: 'bnVsbA' } }),
      (made) => ({ ...made, id: '\u0001', rawId: '\u0001' }),
      (made) => ({ ...made, type: { toString: null } }),
    ]
    for (const wreck of wrecks) {
      const { body } = await steps.confirmed('POST', '/api/user/passkeys/options', who.token)
      const added = await steps.call('POST', '/api/user/passkeys', {
        token: who.token,
        body: { ceremony: body.ceremony, response: wreck(good(body.options)) },
      })
      expect(added, wreck.toString()).toMatchObject(refused)
    }
    const hints = await steps.confirmed('POST', '/api/user/passkeys/options', who.token)
    const made = good(hints.body.options)
    const response = { ...made, response: { ...(made.response as object), transports: [{}, 'a\u0001b', 'usb'] } }
    const added = await steps.call('POST', '/api/user/passkeys', {
      token: who.token,
      body: { ceremony: hints.body.ceremony, response },
    })
    expect(added.status).toBe(201)
  })
})

describe('logging in with a passkey', () => {
  test('works while strangers guess at the password', async () => {
    const who = await somebody()
    const { authenticator } = await steps.enrollPasskey(who.token)
    const email = `${who.username}@tern.example`
    const guess = () => tern.post('/api/user/login', { email, password: 'not this one' })
    const guesses = []
    for (let wrong = 0; wrong < 6; wrong += 1) guesses.push((await guess()).statusCode)
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429])
    expect((await logIn(authenticator)).status).toBe(200)
  })

  test('finds the account by the passkey alone, in one step, once', async () => {
    const who = await somebody()
    const { authenticator } = await steps.enrollPasskey(who.token)
    const begun = await begin()
    expect(begun.body.options).toMatchObject({ allowCredentials: [], userVerification: 'required', rpId: 'localhost' })
    const response = authenticator.get(begun.body.options)
    const replies = await Promise.all([1, 2, 3].map(() => finish(begun.body.ceremony, response)))
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422, 422])
    expect(replies.find(({ status }) => status === 200)?.body.user.id).toBe(who.id)
    const { rows } = await database.pool.query(
      'select sign_in_method from session where user_id = $1 order by id desc limit 1',
      [who.id],
    )
    expect(rows).toEqual([{ sign_in_method: 'passkey' }])
  })

  test.each<[string, Quirks]>([
    ['another site', { origin: 'http://localhost:3001' }],
    ['another relying party', { rpId: 'evil.test' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['no check of the user', { userVerified: false }],
    ['a registration', { type: 'webauthn.create' }],
    ['another user’s handle', { userHandle: Buffer.alloc(32).toString('base64url') }],
    ['no handle', { userHandle: '' }],
  ])('is refused for %s', async (_what, quirks) => {
    const { authenticator } = await steps.enrollPasskey((await somebody()).token)
    expect(await logIn(authenticator, quirks)).toMatchObject(refused)
    expect((await logIn(authenticator)).status).toBe(200)
  })

  test('refuses and logs a counter that goes back, and tells the account holder once an hour', async () => {
    const who = await somebody()
    const { authenticator } = await steps.enrollPasskey(who.token)
    expect((await logIn(authenticator, { counter: 9 })).status).toBe(200)
    const copied = { ...refused, body: { ...refused.body, reason: 'passkey_counted_back' } }
    for (const counter of [9, 8, 0]) expect(await logIn(authenticator, { counter })).toMatchObject(copied)
    expect(tern.logged.filter((line) => line.includes('counted backwards'))).toHaveLength(3)
    expect(changesMailed(who.username)).toEqual(['passkey_added', 'passkey_copied'])
    expect((await logIn(authenticator, { counter: 10 })).status, 'the genuine passkey').toBe(200)
    tern.advance(3_601_000)
    expect(await logIn(authenticator, { counter: 1 })).toMatchObject(copied)
    expect(changesMailed(who.username)).toEqual(['passkey_added', 'passkey_copied', 'passkey_copied'])
    const { authenticator: uncounted } = await steps.enrollPasskey(
      (await somebody()).token,
      createTestAuthenticator(publicUrl, { synced: true }),
    )
    for (let time = 0; time < 2; time += 1) expect((await logIn(uncounted)).status).toBe(200)
  })

  test('refuses an expired challenge, another purpose, a foreign key and a forged signature', async () => {
    const who = await somebody()
    const { authenticator } = await steps.enrollPasskey(who.token)
    const stranger = createTestAuthenticator(publicUrl)
    expect(await logIn(stranger)).toMatchObject(refused)
    const { ceremony, options } = (await begin()).body
    const forged = { ...stranger.get(options), id: authenticator.id, rawId: authenticator.id }
    expect(await finish(ceremony, forged)).toMatchObject(refused)
    const challenge = await steps.challengeOf(who.username)
    const second = (await steps.call('POST', '/api/auth/second-factor/passkey/options', { body: { challenge } })).body
    expect(await finish(second.ceremony, authenticator.get(second.options))).toMatchObject(refused)
    const slow = (await begin()).body
    tern.advance(5 * 60_000 + 1000)
    expect(await finish(slow.ceremony, authenticator.get(slow.options))).toMatchObject(refused)
    expect(await finish(randomUUID(), authenticator.get(slow.options))).toMatchObject(refused)
  })

  test('undoes a deletion that is under way, alone or as the second factor', async () => {
    const who = await somebody()
    const { authenticator } = await steps.enrollPasskey(who.token)
    const leaving = () => tern.count(`from app_user where id = ${String(who.id)} and deletion_due_at is not null`)
    const leave = () =>
      database.pool.query(`update app_user set deletion_due_at = now() + interval '1 day' where id = $1`, [who.id])
    await leave()
    expect(await logIn(authenticator, { userVerified: false })).toMatchObject(refused)
    expect(await leaving(), 'by nobody else').toBe(1)
    expect(await logIn(authenticator)).toMatchObject({ status: 200, body: { deletion_undone: true } })
    expect(await leaving()).toBe(0)
    expect((await logIn(authenticator)).body).not.toHaveProperty('deletion_undone')
    await leave()
    const challenge = await steps.challengeOf(who.username)
    const { ceremony, options } = (
      await steps.call('POST', '/api/auth/second-factor/passkey/options', { body: { challenge } })
    ).body
    expect(await leaving(), 'not by the password alone').toBe(1)
    const body = { challenge, ceremony, response: authenticator.get(options) }
    const done = await steps.call('POST', '/api/auth/second-factor/passkey', { body })
    expect([done.status, done.body.deletion_undone, await leaving()]).toEqual([200, true, 0])
  })

  test('refuses anything but an assertion, without an internal error', async () => {
    const { authenticator } = await steps.enrollPasskey((await somebody()).token)
    const inner = (made: Record<string, unknown>) => made.response as Record<string, unknown>
    const wrecks: ((made: Record<string, unknown>) => Record<string, unknown>)[] = [
      () => ({}),
      (made) => ({ ...made, id: 'a\u0001b' }),
      (made) => ({ ...made, id: ['x'] }),
      (made) => ({ ...made, response: 'text' }),
      (made) => ({ ...made, response: { ...inner(made), signature: 1 } }),
      (made) => ({ ...made, response: { ...inner(made), authenticatorData: 'AA' } }),
      (made) => ({ ...made, response: { ...inner(made), clientDataJSON: 'e30' } }),
      (made) => ({ ...made, response: { ...inner(made), userHandle: {} } }),
    ]
    for (const wreck of wrecks) {
      const { ceremony, options } = (await begin()).body
      expect(await finish(ceremony, wreck(authenticator.get(options))), wreck.toString()).toMatchObject(refused)
    }
  })
})

describe('a passkey as the second factor', () => {
  test('is requested after the password and answers only its own challenge', async () => {
    const who = await somebody()
    const { authenticator } = await steps.enrollPasskey(who.token)
    expect((await steps.logIn(who.username)).body.methods).toEqual(['passkey', 'recovery_code'])
    const options = async (challenge: string) =>
      (await steps.call('POST', '/api/auth/second-factor/passkey/options', { body: { challenge } })).body
    const answer = (challenge: string, ceremony: string, response: object) =>
      steps.call('POST', '/api/auth/second-factor/passkey', { body: { challenge, ceremony, response } })
    const [first, second] = [await steps.challengeOf(who.username), await steps.challengeOf(who.username)]
    const begun = await options(first)
    expect(begun.options.allowCredentials).toMatchObject([{ id: authenticator.id }])
    expect(await answer(second, begun.ceremony, authenticator.get(begun.options))).toMatchObject(refused)
    const other = await somebody()
    const { authenticator: theirs } = await steps.enrollPasskey(other.token)
    expect(await answer(first, begun.ceremony, theirs.get(begun.options))).toMatchObject(refused)
    const again = await options(first)
    const done = await answer(first, again.ceremony, authenticator.get(again.options))
    expect([done.status, done.body.user?.id]).toEqual([200, who.id])
    const spent = await steps.call('POST', '/api/auth/second-factor/passkey/options', { body: { challenge: first } })
    expect(spent.body.code).toBe('challenge_invalid')
  })
})

describe('step-up by passkey', () => {
  test('signs a hash of what is confirmed, valid for no other confirmation', async () => {
    const who = await somebody()
    const { authenticator, passkey } = await steps.enrollPasskey(who.token)
    const remove = (confirmation?: string) =>
      steps.call('DELETE', `/api/user/passkeys/${passkey.id}`, {
        token: who.token,
        ...(confirmation ? { confirmation } : {}),
      })
    const first = (await remove()).body.confirmation
    const second = (await remove()).body.confirmation
    expect(first).toMatchObject({ passkey: true, subject: { change: 'Remove a passkey', passkey: 'Passkey' } })
    const options = async (id: string) =>
      (await steps.call('POST', `/api/auth/step-up/${id}/passkey/options`, { token: who.token })).body
    const prove = (id: string, ceremony: string, response: object) =>
      steps.call('POST', `/api/auth/step-up/${id}/passkey`, { token: who.token, body: { ceremony, response } })
    const begun = await options(first.id)
    expect(begun.options.allowCredentials).toMatchObject([{ id: authenticator.id }])
    expect(await prove(second.id, begun.ceremony, authenticator.get(begun.options))).toMatchObject(refused)
    const again = await options(first.id)
    expect(again.options.challenge).not.toBe(begun.options.challenge)
    expect(await prove(first.id, again.ceremony, authenticator.get(again.options))).toMatchObject({ status: 200 })
    const { authenticator: theirs } = await steps.enrollPasskey((await somebody()).token)
    const third = await options(second.id)
    expect(await prove(second.id, third.ceremony, theirs.get(third.options)), 'another’s passkey').toMatchObject(
      refused,
    )
    expect((await remove(second.id)).status).toBe(403)
    expect((await remove(first.id)).status).toBe(204)
    expect((await remove(first.id)).status).toBe(404)
    expect((await steps.logIn(who.username)).body.access_token).toBeDefined()
    expect(await tern.count(`from recovery_code where user_id = ${String(who.id)}`)).toBe(0)
  })

  test.each(['purpose', 'user', 'subject'])('refuses a challenge of another %s', async (changed) => {
    const [who, other] = [await somebody(), await somebody()]
    const { authenticator, passkey } = await steps.enrollPasskey(who.token)
    const required = await steps.call('DELETE', `/api/user/passkeys/${passkey.id}`, { token: who.token })
    const path = `/api/auth/step-up/${required.body.confirmation.id}/passkey`
    const change = {
      purpose: `purpose = 'second_factor'`,
      user: `user_id = ${String(other.id)}`,
      subject: `subject = 'other'`,
    }[changed]
    const begin = async () => (await steps.call('POST', `${path}/options`, { token: who.token })).body
    const finish = ({ ceremony, options }: { ceremony: string; options: object }) =>
      steps.call('POST', path, { token: who.token, body: { ceremony, response: authenticator.get(options) } })
    const begun = await begin()
    await database.pool.query(`update passkey_ceremony set ${String(change)} where id = $1`, [begun.ceremony])
    expect(await finish(begun)).toMatchObject(refused)
    expect((await finish(await begin())).status, 'an unchanged one').toBe(200)
  })

  test('ends after five wrong answers', async () => {
    const who = await somebody()
    const { authenticator, passkey } = await steps.enrollPasskey(who.token)
    const required = await steps.call('DELETE', `/api/user/passkeys/${passkey.id}`, { token: who.token })
    const path = `/api/auth/step-up/${required.body.confirmation.id}/passkey`
    for (let time = 0; time < 5; time += 1) {
      const { ceremony, options } = (await steps.call('POST', `${path}/options`, { token: who.token })).body
      const response = authenticator.get(options, { userVerified: false })
      expect(await steps.call('POST', path, { token: who.token, body: { ceremony, response } })).toMatchObject(refused)
    }
    expect((await steps.call('POST', `${path}/options`, { token: who.token })).body.code).toBe('step_up_invalid')
  })

  test('keeps recovery codes while a factor is left, renames a passkey, and hides those of others', async () => {
    const [who, other] = [await somebody(), await somebody()]
    const { passkey } = await steps.enrollPasskey(who.token)
    const { secret } = await steps.enrollTotp(who.token)
    const rename = (token: string, name: string) =>
      steps.call('PUT', `/api/user/passkeys/${passkey.id}`, { token, body: { name } })
    expect((await rename(who.token, ' My phone ')).body).toMatchObject({ id: passkey.id, name: 'My phone' })
    expect((await rename(who.token, ' ')).status).toBe(422)
    expect((await rename(other.token, 'Mine')).status).toBe(404)
    expect((await steps.call('DELETE', `/api/user/passkeys/${passkey.id}`, { token: other.token })).status).toBe(404)
    expect((await steps.confirmed('DELETE', `/api/user/passkeys/${passkey.id}`, who.token, secret)).status).toBe(204)
    expect(await tern.count(`from recovery_code where user_id = ${String(who.id)}`)).toBe(10)
    expect((await steps.logIn(who.username)).body.methods).toEqual(['totp', 'recovery_code'])
  })
})
