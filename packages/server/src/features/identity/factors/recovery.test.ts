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

type Somebody = Awaited<ReturnType<typeof tern.signUp>>
type Template = (typeof tern.mails)[number]['template']

const hour = 3_600_000
const fresh = 'a fresh passphrase'
const addressOf = (name: string) => (name.includes('@') ? name : `${name}@tern.example`)
const newBrowser = () => ({ cookie: `browser=${randomBytes(32).toString('base64url')}` })

function tokenTo(name: string, template: Template): string {
  const data = tern.mails.findLast((mail) => mail.email === addressOf(name) && mail.template === template)?.data
  if (!data || !('link' in data)) throw new Error(`no ${template} was mailed to ${name}`)
  const link = new URL(data.link)
  return new URLSearchParams(link.hash.slice(1) || link.search).get('token') ?? ''
}

const verify = (token: string, headers = {}) => tern.post('/api/user/verify-email', { token }, headers)
const reportUnrecognizedSignIn = (token: string) => tern.post('/api/auth/not-me', { token })
const askReset = (name: string) => tern.post('/api/user/send-password-reset', { email: addressOf(name) })
const reset = (token: string, chosen = fresh) => tern.post('/api/user/reset-password', { token, password: chosen })
const logIn = (name: string, word = password) =>
  tern.post('/api/user/login', { email: addressOf(name), password: word })
const register = (name: string, username: string) =>
  tern.post('/api/user/register', { email: addressOf(name), username, password })
const enterByLink = async (name: string, browser = newBrowser()) => {
  await tern.post('/api/user/send-login-link', { email: addressOf(name) }, browser)
  return tern.post('/api/user/verify-login-link', { token: tokenTo(name, 'log_in') }, browser)
}
const isLive = async (token: string) => (await tern.get('/api/user/user', token)).statusCode === 200
const loadEmail = async ({ id }: Somebody) => {
  const { rows } = await database.pool.query<{ email: string }>('select email from app_user where id = $1', [id])
  return rows[0]?.email
}
const enterByPasskey = async (authenticator: TestAuthenticator) => {
  const { ceremony, options } = (await tern.post('/api/auth/passkey/options')).json()
  return tern.post('/api/auth/passkey', { ceremony, response: authenticator.get(options) })
}
const update = (who: { id: number; token: string }, email: string, confirmation?: string) =>
  people.call('PUT', `/api/user/update-profile/${who.id}`, {
    token: who.token,
    body: { email },
    ...(confirmation === undefined ? {} : { confirmation }),
  })

/** The account is kept, and works like any other with that email. */
async function settle(name: string): Promise<Somebody> {
  const somebody = await tern.signUp(name)
  expect((await verify(tokenTo(name, 'verify_email'), somebody.browser)).statusCode).toBe(200)
  return somebody
}

async function askToMove(who: { id: number; token: string }, email: string): Promise<void> {
  const refused = await update(who, email)
  await people.confirm(who.token, refused.body.confirmation)
  expect((await update(who, email, refused.body.confirmation.id)).body).toMatchObject({ pending_email: email })
}

async function move(who: Somebody, email: string): Promise<void> {
  await askToMove(who, email)
  expect((await verify(tokenTo(email, 'change_email'), who.browser)).statusCode).toBe(200)
}

describe('an account moved away by a thief', () => {
  test('returns to its owner and voids the links mailed to the thief', async () => {
    const owner = await settle('olga')
    await move(owner, 'thief@evil.example')
    const owners = tokenTo('olga', 'security_change')
    await people.enrollTotp(owner.token)
    const thiefs = tokenTo('thief@evil.example', 'security_change')
    const { reset_token: token } = (await reportUnrecognizedSignIn(owners)).json()
    expect((await reportUnrecognizedSignIn(thiefs)).json()).toMatchObject({ code: 'link_invalid' })
    expect((await reset(token)).statusCode).toBe(200)
    expect((await reportUnrecognizedSignIn(thiefs)).json()).toMatchObject({ code: 'link_invalid' })
    expect(await loadEmail(owner)).toBe('olga@tern.example')
  })

  test('returns even after two moves, one step back and a new password', async () => {
    const owner = await settle('otis')
    await move(owner, 'one@evil.example')
    await move(owner, 'two@evil.example')
    const { reset_token: thiefs } = (
      await reportUnrecognizedSignIn(tokenTo('one@evil.example', 'security_change'))
    ).json()
    expect((await reset(thiefs)).statusCode).toBe(200)
    expect(await loadEmail(owner)).toBe('one@evil.example')
    const { reset_token: token } = (await reportUnrecognizedSignIn(tokenTo('otis', 'security_change'))).json()
    expect((await reset(token, 'the passphrase of the owner')).statusCode).toBe(200)
    expect((await logIn('otis', 'the passphrase of the owner')).statusCode).toBe(200)
    expect((await logIn('one@evil.example', fresh)).statusCode).toBe(401)
  })

  test('reserves its old address for its owner', async () => {
    const owner = await settle('orla')
    const other = await settle('other')
    await askToMove(other, 'orla@tern.example')
    await move(owner, 'orla@evil.example')
    const squatted = await register('ORLA', 'squatter')
    expect(squatted.json()).toMatchObject({ code: 'email_taken', errors: [{ field: 'email' }] })
    expect((await verify(tokenTo('orla', 'change_email'))).json()).toMatchObject({ code: 'email_taken' })
    await move(owner, 'orla@tern.example')
    await move(owner, 'orla@evil.example')
    expect((await reportUnrecognizedSignIn(tokenTo('orla', 'security_change'))).statusCode).toBe(200)
    expect(await loadEmail(owner)).toBe('orla@tern.example')
  })

  test('reserves it even from someone just told it is free', async () => {
    await move(await settle('oona'), 'oona@new.example')
    const quick = { email: 'Oona@tern.example', username: 'quick', passwordHash: null }
    await expect(
      transact(database.pool, (tx) => insertUser(tx, { user: quick, at: new Date() })),
    ).rejects.toMatchObject({
      code: 'email_taken',
    })
    expect(await tern.count(`from app_user where username = 'quick'`)).toBe(0)
  })

  test('reserves it while the link is valid', async () => {
    const owner = await settle('olaf')
    await move(owner, 'olaf@new.example')
    await database.pool.query('update mailed_link set expires_at = now() where user_id = $1', [owner.id])
    expect((await register('olaf', 'olaf.two')).statusCode).toBe(201)
  })

  test('does not return to an unconfirmed address someone else has since taken', async () => {
    const first = await tern.signUp('ofra')
    const refused = await update(first, 'ofra@new.example')
    await people.call('POST', `/api/auth/step-up/${refused.body.confirmation.id}`, {
      token: first.token,
      body: { password },
    })
    await update(first, 'ofra@new.example', refused.body.confirmation.id)
    await verify(tokenTo('ofra@new.example', 'change_email'), first.browser)
    const token = tokenTo('ofra', 'security_change')
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
    const somebody = await settle('kim')
    const authenticator = createTestAuthenticator(publicUrl)
    await people.enrollPasskey(somebody.token, authenticator)
    const { reset_token: token } = (await reportUnrecognizedSignIn(tokenTo('kim', 'security_change'))).json()
    expect((await reset(token)).statusCode).toBe(200)
    expect((await enterByPasskey(authenticator)).json()).toMatchObject({ code: 'passkey_invalid' })
    expect(await tern.count(`from recovery_code where user_id = ${somebody.id}`)).toBe(0)
    expect((await logIn('kim', fresh)).json()).toHaveProperty('access_token')
  })

  test('removes the authenticator, also from the mail about the sign-in', async () => {
    const owner = await settle('kai')
    const thief = (await logIn('kai')).json<{ access_token: string }>().access_token
    await people.enrollTotp(thief)
    expect((await reportUnrecognizedSignIn(tokenTo('kai', 'new_sign_in'))).statusCode).toBe(200)
    expect(await tern.count(`from totp where user_id = ${owner.id}`)).toBe(0)
  })

  test('keeps recovery codes and what another session added', async () => {
    const owner = await settle('kira')
    await logIn('kira')
    const token = tokenTo('kira', 'new_sign_in')
    const { authenticator } = await people.enrollPasskey(owner.token)
    expect((await reportUnrecognizedSignIn(token)).statusCode).toBe(200)
    expect((await enterByPasskey(authenticator)).statusCode).toBe(200)
    expect(await tern.count(`from recovery_code where user_id = ${owner.id}`)).toBe(10)
  })

  test('keeps what was added more than three days ago', async () => {
    const owner = await settle('kurt')
    const { authenticator } = await people.enrollPasskey(owner.token)
    const token = tokenTo('kurt', 'security_change')
    tern.advance(73 * hour)
    expect((await reportUnrecognizedSignIn(token)).statusCode).toBe(200)
    expect((await enterByPasskey(authenticator)).statusCode).toBe(200)
  })
})

describe('a pending move', () => {
  const stays = async (owner: Somebody, to: string) => {
    expect((await verify(tokenTo(to, 'change_email'))).json()).toMatchObject({ code: 'link_invalid' })
    expect(await loadEmail(owner)).not.toBe(to)
    expect(await tern.count(`from app_user where id = ${owner.id} and pending_email is not null`)).toBe(0)
  }

  test('ends with a password change', async () => {
    const owner = await settle('mona')
    await askToMove(owner, 'mona@evil.example')
    const own = (await logIn('mona')).json<{ access_token: string }>().access_token
    const change = (confirmation?: string) =>
      people.call('PUT', '/api/user/password', {
        token: own,
        body: { password: fresh },
        ...(confirmation === undefined ? {} : { confirmation }),
      })
    const refused = await change()
    await people.confirm(own, refused.body.confirmation)
    expect((await change(refused.body.confirmation.id)).status).toBe(200)
    await stays(owner, 'mona@evil.example')
  })

  test('ends with the other sessions', async () => {
    const owner = await settle('milo')
    await askToMove(owner, 'milo@evil.example')
    const own = (await logIn('milo')).json<{ access_token: string }>().access_token
    expect((await people.confirmed('DELETE', '/api/auth/sessions', own)).status).toBeLessThan(300)
    await stays(owner, 'milo@evil.example')
  })

  test('is canceled, without confirmation, by requesting the present address', async () => {
    const owner = await settle('mara')
    await askToMove(owner, 'mara@evil.example')
    expect(await update(owner, 'MARA@tern.example')).toMatchObject({ status: 200, body: { pending_email: null } })
    await stays(owner, 'mara@evil.example')
  })
})

describe('someone who registered with a foreign address', () => {
  const confirmElsewhere = async (name: string) =>
    expect((await verify(tokenTo(name, 'verify_email'), newBrowser())).statusCode).toBe(200)

  test('is shut out by the owner, even after a mail scanner confirmed it', async () => {
    const squatter = await tern.signUp('vito')
    await confirmElsewhere('vito')
    expect((await enterByLink('vito')).json()).toMatchObject({ user: { email_verified: true } })
    expect(await isLive(squatter.token)).toBe(false)
    expect((await logIn('vito')).json()).toMatchObject({ code: 'password_reset_required' })
  })

  test('keeps no sign-in method after a new password, even after a scanner followed the link', async () => {
    const squatter = await tern.signUp('vida')
    await confirmElsewhere('vida')
    await database.pool.query(
      `insert into external_identity (issuer, subject, user_id, provider, linked_at)
       values ('https://issuer.example', 'vida', $1, 'google', now())`,
      [squatter.id],
    )
    await askReset('vida')
    expect((await reset(tokenTo('vida', 'reset_password'))).statusCode).toBe(200)
    expect(await tern.count(`from external_identity where user_id = ${squatter.id}`)).toBe(0)
  })

  test('cannot move an account there with the help of a mail scanner', async () => {
    const squatter = await settle('vera')
    await askToMove(squatter, 'victim@tern.example')
    await verify(tokenTo('victim', 'change_email'), newBrowser())
    expect(await loadEmail(squatter)).toBe('victim@tern.example')
    expect((await enterByLink('victim')).statusCode).toBe(200)
    expect(await isLive(squatter.token)).toBe(false)
  })

  test('is ruled out by following the link in the browser that registered, even after a scanner', async () => {
    const own = await tern.signUp('vlad')
    await confirmElsewhere('vlad')
    expect((await verify(tokenTo('vlad', 'verify_email'), own.browser)).statusCode).toBe(200)
    expect((await enterByLink('vlad')).statusCode).toBe(200)
    expect(await isLive(own.token)).toBe(true)
  })
})

test('a correct mailed code confirms the address, so a new password keeps the factor it set up', async () => {
  const somebody = await tern.signUp('uma')
  await people.enrollTotp(somebody.token)
  expect((await tern.get('/api/user/user', somebody.token)).json()).toMatchObject({ email_verified: true })
  await askReset('uma')
  expect((await reset(tokenTo('uma', 'reset_password'))).statusCode).toBe(200)
  expect((await logIn('uma', fresh)).json()).toMatchObject({ second_factor_required: true })
})

describe('strangers who request mails', () => {
  const ask = (path: string, name: string, headers = newBrowser()) =>
    tern.post(`/api/user/${path}`, { email: addressOf(name) }, headers)

  test("neither void another browser's login link nor use up its mails", async () => {
    const owner = await settle('sten')
    await ask('send-login-link', 'sten', owner.browser)
    const token = tokenTo('sten', 'log_in')
    for (let i = 0; i < 6; i += 1) await ask('send-login-link', 'sten')
    expect((await tern.post('/api/user/verify-login-link', { token }, owner.browser)).statusCode).toBe(200)
    for (const [path, template] of [
      ['send-login-link', 'log_in'],
      ['send-password-reset', 'reset_password'],
    ] as const) {
      for (let i = 0; i < 6; i += 1) await ask(path, 'sten')
      const sent = () => tern.mails.filter((mail) => mail.email === addressOf('sten') && mail.template === template)
      const before = sent().length
      await ask(path, 'sten')
      expect(sent()).toHaveLength(before)
      await ask(path, 'sten', owner.browser)
      expect(sent()).toHaveLength(before + 1)
      for (let i = 0; i < 6; i += 1) await ask(path, 'sten', owner.browser)
      expect(sent().length).toBeLessThanOrEqual(before + 5)
    }
  })

  test('get no separate limit by registering a foreign address in many browsers', async () => {
    await tern.signUp('sven')
    const browsers = Array.from({ length: 3 }, newBrowser)
    for (const browser of browsers) {
      await tern.post('/api/user/login', { email: addressOf('sven'), password }, browser)
      for (let i = 0; i < 4; i += 1) await ask('send-login-link', 'sven', browser)
    }
    expect(tern.mails.filter((mail) => mail.email === addressOf('sven') && mail.template === 'log_in')).toHaveLength(5)
  })
})
