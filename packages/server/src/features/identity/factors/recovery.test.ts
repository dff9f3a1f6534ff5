import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { transact } from '../../../platform/database/db.ts'
import { createTestAuthenticator, type TestAuthenticator } from '@tern/testkit/identity/authenticator'
import { createFactorTests } from '@tern/testkit/identity/factors'
import { openTestIdentity, password, publicUrl } from '@tern/testkit/identity/identity'
import { insertUser } from '../users/users.ts'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)
const people = createFactorTests(tern)

type TestUser = Awaited<ReturnType<typeof tern.signUp>>
type Template = (typeof tern.mails)[number]['template']

const hour = 3_600_000
const newPassword = 'a fresh passphrase'
const buildEmail = (name: string) => (name.includes('@') ? name : `${name}@tern.example`)
const newBrowser = () => ({ cookie: `browser=${randomBytes(32).toString('base64url')}` })

function findToken(name: string, template: Template): string {
  const data = tern.mails.findLast((mail) => mail.email === buildEmail(name) && mail.template === template)?.data
  if (!data || !('link' in data)) throw new Error(`no ${template} was mailed to ${name}`)
  const link = new URL(data.link)
  return new URLSearchParams(link.hash.slice(1) || link.search).get('token') ?? ''
}

const verify = (token: string, headers = {}) => tern.post('/api/user/verify-email', { token }, headers)
const reportUnrecognizedSignIn = (token: string) => tern.post('/api/auth/not-me', { token })
const requestReset = (name: string) => tern.post('/api/user/send-password-reset', { email: buildEmail(name) })
const reset = (token: string, nextPassword = newPassword) =>
  tern.post('/api/user/reset-password', { token, password: nextPassword })
const logIn = (name: string, enteredPassword = password) =>
  tern.post('/api/user/login', { email: buildEmail(name), password: enteredPassword })
const register = (name: string, username: string) =>
  tern.post('/api/user/register', { email: buildEmail(name), username, password })
const signInByLink = async (name: string, browser = newBrowser()) => {
  await tern.post('/api/user/send-login-link', { email: buildEmail(name) }, browser)
  return tern.post('/api/user/verify-login-link', { token: findToken(name, 'log_in') }, browser)
}
const isLive = async (token: string) => (await tern.get('/api/user/user', token)).statusCode === 200
const loadEmail = async ({ id }: TestUser) => {
  const { rows } = await database.pool.query<{ email: string }>('select email from app_user where id = $1', [id])
  return rows[0]?.email
}
const signInByPasskey = async (authenticator: TestAuthenticator) => {
  const { ceremony, options } = (await tern.post('/api/auth/passkey/options')).json()
  return tern.post('/api/auth/passkey', { ceremony, response: authenticator.get(options) })
}
const update = (user: { id: number; token: string }, email: string, confirmation?: string) =>
  people.call('PUT', `/api/user/update-profile/${user.id}`, {
    token: user.token,
    body: { email },
    ...(confirmation === undefined ? {} : { confirmation }),
  })

/** Signs up and confirms the address in the same browser. */
async function signUpVerified(name: string): Promise<TestUser> {
  const user = await tern.signUp(name)
  expect((await verify(findToken(name, 'verify_email'), user.browser)).statusCode).toBe(200)
  return user
}

async function requestEmailChange(user: { id: number; token: string }, email: string): Promise<void> {
  const refusedUpdate = await update(user, email)
  await people.confirm(user.token, refusedUpdate.body.confirmation)
  expect((await update(user, email, refusedUpdate.body.confirmation.id)).body).toMatchObject({ pending_email: email })
}

async function changeEmail(user: TestUser, email: string): Promise<void> {
  await requestEmailChange(user, email)
  expect((await verify(findToken(email, 'change_email'), user.browser)).statusCode).toBe(200)
}

describe('an account moved away by a thief', () => {
  test('returns to its owner and voids the links mailed to the thief', async () => {
    const owner = await signUpVerified('olga')
    await changeEmail(owner, 'thief@evil.example')
    const ownerToken = findToken('olga', 'security_change')
    await people.enrollTotp(owner.token)
    const thiefToken = findToken('thief@evil.example', 'security_change')
    const { reset_token: token } = (await reportUnrecognizedSignIn(ownerToken)).json()
    expect((await reportUnrecognizedSignIn(thiefToken)).json()).toMatchObject({ code: 'link_invalid' })
    expect((await reset(token)).statusCode).toBe(200)
    expect((await reportUnrecognizedSignIn(thiefToken)).json()).toMatchObject({ code: 'link_invalid' })
    expect(await loadEmail(owner)).toBe('olga@tern.example')
  })

  test('returns even after two moves, one step back and a new password', async () => {
    const owner = await signUpVerified('otis')
    await changeEmail(owner, 'one@evil.example')
    await changeEmail(owner, 'two@evil.example')
    const { reset_token: thiefToken } = (
      await reportUnrecognizedSignIn(findToken('one@evil.example', 'security_change'))
    ).json()
    expect((await reset(thiefToken)).statusCode).toBe(200)
    expect(await loadEmail(owner)).toBe('one@evil.example')
    const { reset_token: token } = (await reportUnrecognizedSignIn(findToken('otis', 'security_change'))).json()
    expect((await reset(token, 'the passphrase of the owner')).statusCode).toBe(200)
    expect((await logIn('otis', 'the passphrase of the owner')).statusCode).toBe(200)
    expect((await logIn('one@evil.example', newPassword)).statusCode).toBe(401)
  })

  test('reserves its old address for its owner', async () => {
    const owner = await signUpVerified('orla')
    const otherUser = await signUpVerified('other')
    await requestEmailChange(otherUser, 'orla@tern.example')
    await changeEmail(owner, 'orla@evil.example')
    const squatterReply = await register('ORLA', 'squatter')
    expect(squatterReply.json()).toMatchObject({ code: 'email_taken', errors: [{ field: 'email' }] })
    expect((await verify(findToken('orla', 'change_email'))).json()).toMatchObject({ code: 'email_taken' })
    await changeEmail(owner, 'orla@tern.example')
    await changeEmail(owner, 'orla@evil.example')
    expect((await reportUnrecognizedSignIn(findToken('orla', 'security_change'))).statusCode).toBe(200)
    expect(await loadEmail(owner)).toBe('orla@tern.example')
  })

  test('reserves it even from someone just told it is free', async () => {
    await changeEmail(await signUpVerified('oona'), 'oona@new.example')
    const newUser = { email: 'Oona@tern.example', username: 'quick', passwordHash: null }
    await expect(
      transact(database.pool, (tx) => insertUser(tx, { user: newUser, at: new Date() })),
    ).rejects.toMatchObject({
      code: 'email_taken',
    })
    expect(await tern.count(`from app_user where username = 'quick'`)).toBe(0)
  })

  test('reserves it while the link is valid', async () => {
    const owner = await signUpVerified('olaf')
    await changeEmail(owner, 'olaf@new.example')
    await database.pool.query('update mailed_link set expires_at = now() where user_id = $1', [owner.id])
    expect((await register('olaf', 'olaf.two')).statusCode).toBe(201)
  })

  test('does not return to an unconfirmed address someone else has since taken', async () => {
    const first = await tern.signUp('ofra')
    const refusedUpdate = await update(first, 'ofra@new.example')
    await people.call('POST', `/api/auth/step-up/${refusedUpdate.body.confirmation.id}`, {
      token: first.token,
      body: { password },
    })
    await update(first, 'ofra@new.example', refusedUpdate.body.confirmation.id)
    await verify(findToken('ofra@new.example', 'change_email'), first.browser)
    const token = findToken('ofra', 'security_change')
    expect((await register('ofra', 'ofra.two')).statusCode).toBe(201)
    expect((await reportUnrecognizedSignIn(token)).json()).toMatchObject({ code: 'link_invalid' })
    expect(await isLive(first.token)).toBe(true)
    expect(
      await tern.count(
        `from mailed_link where user_id = ${first.id} and purpose = 'unrecognized_sign_in' and used_at is null`,
      ),
    ).toBe(2)
  })
})

describe('“this was not me” about a factor', () => {
  test('removes the passkey it alerts to and the recovery codes', async () => {
    const user = await signUpVerified('kim')
    const authenticator = createTestAuthenticator(publicUrl)
    await people.enrollPasskey(user.token, authenticator)
    const { reset_token: token } = (await reportUnrecognizedSignIn(findToken('kim', 'security_change'))).json()
    expect((await reset(token)).statusCode).toBe(200)
    expect((await signInByPasskey(authenticator)).json()).toMatchObject({ code: 'passkey_invalid' })
    expect(await tern.count(`from recovery_code where user_id = ${user.id}`)).toBe(0)
    expect((await logIn('kim', newPassword)).json()).toHaveProperty('access_token')
  })

  test('removes the authenticator, also from the mail about the sign-in', async () => {
    const owner = await signUpVerified('kai')
    const thief = (await logIn('kai')).json<{ access_token: string }>().access_token
    await people.enrollTotp(thief)
    expect((await reportUnrecognizedSignIn(findToken('kai', 'new_sign_in'))).statusCode).toBe(200)
    expect(await tern.count(`from totp where user_id = ${owner.id}`)).toBe(0)
  })

  test('keeps recovery codes and what another session added', async () => {
    const owner = await signUpVerified('kira')
    await logIn('kira')
    const token = findToken('kira', 'new_sign_in')
    const { authenticator } = await people.enrollPasskey(owner.token)
    expect((await reportUnrecognizedSignIn(token)).statusCode).toBe(200)
    expect((await signInByPasskey(authenticator)).statusCode).toBe(200)
    expect(await tern.count(`from recovery_code where user_id = ${owner.id}`)).toBe(10)
  })

  test('keeps what was added more than three days ago', async () => {
    const owner = await signUpVerified('kurt')
    const { authenticator } = await people.enrollPasskey(owner.token)
    const token = findToken('kurt', 'security_change')
    tern.advance(73 * hour)
    expect((await reportUnrecognizedSignIn(token)).statusCode).toBe(200)
    expect((await signInByPasskey(authenticator)).statusCode).toBe(200)
  })
})

describe('a pending move', () => {
  const expectEmailUnchanged = async (owner: TestUser, to: string) => {
    expect((await verify(findToken(to, 'change_email'))).json()).toMatchObject({ code: 'link_invalid' })
    expect(await loadEmail(owner)).not.toBe(to)
    expect(await tern.count(`from app_user where id = ${owner.id} and pending_email is not null`)).toBe(0)
  }

  test('ends with a password change', async () => {
    const owner = await signUpVerified('mona')
    await requestEmailChange(owner, 'mona@evil.example')
    const ownToken = (await logIn('mona')).json<{ access_token: string }>().access_token
    const changePassword = (confirmation?: string) =>
      people.call('PUT', '/api/user/password', {
        token: ownToken,
        body: { password: newPassword },
        ...(confirmation === undefined ? {} : { confirmation }),
      })
    const refusedUpdate = await changePassword()
    await people.confirm(ownToken, refusedUpdate.body.confirmation)
    expect((await changePassword(refusedUpdate.body.confirmation.id)).status).toBe(200)
    await expectEmailUnchanged(owner, 'mona@evil.example')
  })

  test('ends with the other sessions', async () => {
    const owner = await signUpVerified('milo')
    await requestEmailChange(owner, 'milo@evil.example')
    const ownToken = (await logIn('milo')).json<{ access_token: string }>().access_token
    expect((await people.confirmed('DELETE', '/api/auth/sessions', ownToken)).status).toBeLessThan(300)
    await expectEmailUnchanged(owner, 'milo@evil.example')
  })

  test('is canceled, without confirmation, by requesting the present address', async () => {
    const owner = await signUpVerified('mara')
    await requestEmailChange(owner, 'mara@evil.example')
    expect(await update(owner, 'MARA@tern.example')).toMatchObject({ status: 200, body: { pending_email: null } })
    await expectEmailUnchanged(owner, 'mara@evil.example')
  })
})

describe('someone who registered with a foreign address', () => {
  const confirmInOtherBrowser = async (name: string) =>
    expect((await verify(findToken(name, 'verify_email'), newBrowser())).statusCode).toBe(200)

  test('is shut out by the owner, even after a mail scanner confirmed it', async () => {
    const squatter = await tern.signUp('vito')
    await confirmInOtherBrowser('vito')
    expect((await signInByLink('vito')).json()).toMatchObject({ user: { email_verified: true } })
    expect(await isLive(squatter.token)).toBe(false)
    expect((await logIn('vito')).json()).toMatchObject({ code: 'password_reset_required' })
  })

  test('keeps no sign-in method after a new password, even after a scanner followed the link', async () => {
    const squatter = await tern.signUp('vida')
    await confirmInOtherBrowser('vida')
    await database.pool.query(
      `insert into external_identity (issuer, subject, user_id, provider, linked_at)
       values ('https://issuer.example', 'vida', $1, 'google', now())`,
      [squatter.id],
    )
    await requestReset('vida')
    expect((await reset(findToken('vida', 'reset_password'))).statusCode).toBe(200)
    expect(await tern.count(`from external_identity where user_id = ${squatter.id}`)).toBe(0)
  })

  test('cannot move an account there with the help of a mail scanner', async () => {
    const squatter = await signUpVerified('vera')
    await requestEmailChange(squatter, 'victim@tern.example')
    await verify(findToken('victim', 'change_email'), newBrowser())
    expect(await loadEmail(squatter)).toBe('victim@tern.example')
    expect((await signInByLink('victim')).statusCode).toBe(200)
    expect(await isLive(squatter.token)).toBe(false)
  })

  test('is ruled out by following the link in the browser that registered, even after a scanner', async () => {
    const ownUser = await tern.signUp('vlad')
    await confirmInOtherBrowser('vlad')
    expect((await verify(findToken('vlad', 'verify_email'), ownUser.browser)).statusCode).toBe(200)
    expect((await signInByLink('vlad')).statusCode).toBe(200)
    expect(await isLive(ownUser.token)).toBe(true)
  })
})

test('a correct mailed code confirms the address, so a new password keeps the factor it set up', async () => {
  const user = await tern.signUp('uma')
  await people.enrollTotp(user.token)
  expect((await tern.get('/api/user/user', user.token)).json()).toMatchObject({ email_verified: true })
  await requestReset('uma')
  expect((await reset(findToken('uma', 'reset_password'))).statusCode).toBe(200)
  expect((await logIn('uma', newPassword)).json()).toMatchObject({ second_factor_required: true })
})

describe('strangers who request mails', () => {
  const requestMail = (path: string, name: string, headers = newBrowser()) =>
    tern.post(`/api/user/${path}`, { email: buildEmail(name) }, headers)

  test("neither void another browser's login link nor use up its mails", async () => {
    const owner = await signUpVerified('sten')
    await requestMail('send-login-link', 'sten', owner.browser)
    const token = findToken('sten', 'log_in')
    for (let i = 0; i < 6; i += 1) await requestMail('send-login-link', 'sten')
    expect((await tern.post('/api/user/verify-login-link', { token }, owner.browser)).statusCode).toBe(200)
    for (const [path, template] of [
      ['send-login-link', 'log_in'],
      ['send-password-reset', 'reset_password'],
    ] as const) {
      for (let i = 0; i < 6; i += 1) await requestMail(path, 'sten')
      const findSentMails = () =>
        tern.mails.filter((mail) => mail.email === buildEmail('sten') && mail.template === template)
      const mailsBefore = findSentMails().length
      await requestMail(path, 'sten')
      expect(findSentMails()).toHaveLength(mailsBefore)
      await requestMail(path, 'sten', owner.browser)
      expect(findSentMails()).toHaveLength(mailsBefore + 1)
      for (let i = 0; i < 6; i += 1) await requestMail(path, 'sten', owner.browser)
      expect(findSentMails().length).toBeLessThanOrEqual(mailsBefore + 5)
    }
  })

  test('get no separate limit by registering a foreign address in many browsers', async () => {
    await tern.signUp('sven')
    const browsers = Array.from({ length: 3 }, newBrowser)
    for (const browser of browsers) {
      await tern.post('/api/user/login', { email: buildEmail('sven'), password }, browser)
      for (let i = 0; i < 4; i += 1) await requestMail('send-login-link', 'sven', browser)
    }
    expect(tern.mails.filter((mail) => mail.email === buildEmail('sven') && mail.template === 'log_in')).toHaveLength(5)
  })
})
