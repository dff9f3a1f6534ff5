import { createHmac } from 'node:crypto'
import { createOidcSignInProvider } from '@tern/providers/signin/oidc'
import type { SignInProviders } from '@tern/providers/signin/port'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { startTestOidcProvider, testClientId, type TestOidcProvider } from '@tern/testkit/providers/oidc-provider'
import { newId } from '../../../platform/ids.ts'
import { proposeUsername } from './external-accounts.ts'
import { createTestIdentity, password, buildRegistration, publicUrl, statuses } from '@tern/testkit/identity/identity'

type Tern = Awaited<ReturnType<typeof createTestIdentity>>

const redirectUri = `${publicUrl}/auth/callback`
let database: TestDatabase
let provider: TestOidcProvider
let tern: Tern
/** The same database with only an external provider configured. */
let ternWithExternal: Tern
/** The same database without any provider. */
let ternWithoutProviders: Tern

beforeAll(async () => {
  database = await createTestDatabase()
  provider = await startTestOidcProvider({ redirectUri })
  const externalProvider = createOidcSignInProvider({
    issuer: provider.issuer,
    clientId: testClientId,
    allowHttp: true,
  })
  const createTernWith = (signInProviders: SignInProviders) => createTestIdentity(database, { signInProviders })
  tern = await createTernWith({ external: undefined, google: externalProvider })
  ternWithExternal = await createTernWith({ external: externalProvider, google: undefined })
  ternWithoutProviders = await createTestIdentity(database)
})

afterAll(async () => {
  await Promise.all([tern.close(), ternWithExternal.close(), ternWithoutProviders.close()])
  await provider.stop()
  await database.drop()
})

let personCount = 0
/** Creates a person at the provider, with an email of their own unless overridden. */
function createPerson(name: string, overrides: object = {}) {
  personCount += 1
  const subject = `subject-${personCount}`
  const email = `${name}@mail.example`
  provider.people.set(subject, { email, email_verified: true, name: 'Ada Lovelace', ...overrides })
  return { subject, email }
}

/** Creates a browser that keeps the device cookie. */
function createBrowser(at = tern) {
  let cookie = ''
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const reply = await at.post(path, body, { ...(cookie ? { cookie } : {}), ...headers })
    const browserCookie = reply.cookies.find(({ name }) => name === 'browser')
    if (browserCookie) cookie = `browser=${browserCookie.value}`
    return reply
  }
  const startSignIn = async (overrides: object = {}): Promise<string> => {
    const reply = await post('/api/auth/external/start', { provider: 'google', mode: 'popup', ...overrides })
    expect(reply.statusCode, reply.body).toBe(200)
    return reply.json<{ url: string }>().url
  }
  const finishSignIn = (query: string) => post('/api/auth/external/finish', { query })
  /** Signs in as `subject` through the provider's pages. */
  const signIn = async (subject: string, overrides: object = {}) =>
    finishSignIn(await provider.signInAs(await startSignIn(overrides), subject))
  return { post, startSignIn, finishSignIn, signIn }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('signing in through an identity provider', () => {
  test('opens an account at first and signs in to it afterwards', async () => {
    const { subject, email } = createPerson('grace.hopper')
    const first = await createBrowser().signIn(subject, { mode: 'redirect', from: '/wallet' })
    expect(first.statusCode, first.body).toBe(200)
    expect(first.json()).toMatchObject({
      new_user: true,
      mode: 'redirect',
      from: '/wallet',
      user: { email, username: 'grace.hopper', name: 'Ada Lovelace', email_verified: true, kyc_status: 'not_started' },
    })
    expect(first.cookies.find(({ name }) => name === 'rt')).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    const { user, access_token: token } = first.json()
    expect((await tern.get('/api/user/user', token)).json()).toEqual(user)
    expect(await tern.count(`from wallet where user_id = ${user.id}`)).toBe(1)

    // The account is matched by issuer and subject, not by address.
    provider.people.set(subject, { email: 'moved@mail.example', email_verified: true })
    const secondSignIn = await createBrowser().signIn(subject)
    expect(secondSignIn.json()).toMatchObject({ user: { id: user.id, email } })
    expect(secondSignIn.json()).not.toHaveProperty('new_user')
    expect(await tern.count(`from session where user_id = ${user.id} and sign_in_method = 'google'`)).toBe(2)
  })

  test('asks to confirm by mail an address the provider did not verify', async () => {
    const { subject, email } = createPerson('unchecked', { email_verified: false })
    const reply = await createBrowser().signIn(subject)
    expect(reply.json()).toMatchObject({ new_user: true, user: { email, email_verified: false } })
    expect(tern.mails.filter((mail) => mail.email === email).map((mail) => mail.template)).toEqual(['verify_email'])
  })

  test.each([
    ['grace.hopper', undefined, 'grace.hopper'],
    ['x', 'Ada  Lovelace', 'ada.lovelace'],
    ['_._', 'José Núñez', 'jose.nunez'],
    ['a!b#c', undefined, 'a.b.c'],
    ['-dash-', undefined, 'dash'],
    ['q', '李', 'user'],
    ['ab', undefined, 'user'],
    ['n'.repeat(60), undefined, 'n'.repeat(24)],
  ])('derives from %j and the name %j the username %j', (localPart, name, username) => {
    expect(proposeUsername(localPart, name)).toBe(username)
    expect(username).toMatch(/^[a-z0-9][a-z0-9._-]{2,24}$/)
  })

  test('treats an undeliverable address as none', async () => {
    const { subject } = createPerson('odd', { email: 'quoted"name@mail.example' })
    expect((await createBrowser().signIn(subject)).json()).toMatchObject({ code: 'external_sign_in_refused' })
  })

  test('varies a username that is taken', async () => {
    const [firstPerson, secondPerson] = [createPerson('twin'), createPerson('twin', { email: 'twin@other.example' })]
    const replies = [
      await createBrowser().signIn(firstPerson.subject),
      await createBrowser().signIn(secondPerson.subject),
    ]
    expect(replies.map((reply) => reply.json().user.username)).toEqual(['twin', expect.stringMatching(/^twin\d{5}$/)])
  })

  test('opens no account without an email', async () => {
    const { subject } = createPerson('nameless', { email: undefined })
    const reply = await createBrowser().signIn(subject)
    expect(reply.statusCode).toBe(403)
    expect(reply.json()).toMatchObject({
      code: 'external_sign_in_refused',
      detail: "The provider didn't share your email address, and an account needs one.",
      mode: 'popup',
    })
    expect(await tern.count(`from external_identity where subject = '${subject}'`)).toBe(0)
  })

  test('reports that the person canceled at the provider', async () => {
    const reply = await createBrowser().signIn('cancel')
    expect(reply.statusCode).toBe(403)
    expect(reply.json()).toMatchObject({ code: 'external_sign_in_refused', mode: 'popup' })
  })

  test('opens one account for two concurrent windows', async () => {
    const { subject, email } = createPerson('impatient')
    const browsers = [createBrowser(), createBrowser(), createBrowser()]
    const queries = await Promise.all(
      browsers.map(async (popup) => provider.signInAs(await popup.startSignIn(), subject)),
    )
    const replies = await Promise.all(browsers.map((popup, index) => popup.finishSignIn(queries[index] ?? '')))
    expect(statuses(replies)).toEqual([200, 200, 200])
    expect(new Set(replies.map((reply) => reply.json().user.id)).size).toBe(1)
    expect(await tern.count(`from app_user where email = '${email}'`)).toBe(1)
  })

  test('requires the second factor', async () => {
    const { subject } = createPerson('careful')
    const { user } = (await createBrowser().signIn(subject)).json()
    await database.pool.query(
      'insert into totp (user_id, secret, created_at, confirmed_at) values ($1, $2, now(), now())',
      [user.id, Buffer.alloc(8)],
    )
    const reply = await createBrowser().signIn(subject, { from: '/send' })
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toMatchObject({
      second_factor_required: true,
      methods: ['totp'],
      mode: 'popup',
      from: '/send',
    })
    expect(reply.json()).not.toHaveProperty('access_token')
    expect(reply.cookies.map(({ name }) => name)).not.toContain('rt')
  })
})

describe('starting a visit', () => {
  test('sends a new state, nonce and PKCE each time, and our own callback', async () => {
    const [firstUrl, secondUrl] = [
      new URL(await createBrowser().startSignIn()),
      new URL(await createBrowser().startSignIn()),
    ]
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(firstUrl.searchParams.get(name)).toMatch(/^[\w-]{43}$/)
      expect(firstUrl.searchParams.get(name)).not.toBe(secondUrl.searchParams.get(name))
    }
    expect(Object.fromEntries(firstUrl.searchParams)).toMatchObject({
      client_id: testClientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      prompt: 'select_account',
    })
    expect(firstUrl.searchParams.has('connection')).toBe(false)
  })

  test("passes on the page's hints; behind an external provider the Google button names its connection", async () => {
    const hints = { screen_hint: 'signup', login_hint: 'Ada@Mail.example' }
    const emailParameters = new URL(
      await createBrowser(ternWithExternal).startSignIn({ provider: 'external', ...hints }),
    ).searchParams
    expect(Object.fromEntries(emailParameters)).toMatchObject({ screen_hint: 'signup', login_hint: 'ada@mail.example' })
    expect(emailParameters.has('connection')).toBe(false)
    const googleParameters = new URL(await createBrowser(ternWithExternal).startSignIn({ screen_hint: 'login' }))
      .searchParams
    expect(Object.fromEntries(googleParameters)).toMatchObject({ screen_hint: 'login', connection: 'google-oauth2' })
  })

  test.each([
    { provider: 'facebook' },
    { mode: 'frame' },
    { screen_hint: 'admin' },
    { login_hint: 'nobody' },
    { from: 'https://evil.example' },
    { from: '//evil.example' },
    { from: '/\\evil.example' },
    { from: '/x\\..\\..' },
    { from: '/\t/evil.example' },
    { from: '/\u0000x' },
    { from: '/\u0085x' },
    { from: '/\ud800' },
    { from: `/${'x'.repeat(500)}` },
    { connection: 'anything', screen_hint: 7 },
  ])('refuses %j', async (invalidInput) => {
    const reply = await createBrowser().post('/api/auth/external/start', {
      provider: 'google',
      mode: 'popup',
      ...invalidInput,
    })
    expect(reply.statusCode).toBe(422)
    expect(Object.keys(invalidInput)).toContain(reply.json().errors[0].field)
  })

  test('lists the configured providers and offers no others', async () => {
    const loadMethods = async (at: Tern) => (await at.get('/api/auth/methods')).json()
    expect(await loadMethods(tern)).toEqual({ google: true, external: false })
    expect(await loadMethods(ternWithExternal)).toEqual({ google: true, external: true })
    expect(await loadMethods(ternWithoutProviders)).toEqual({ google: false, external: false })
    const startSignIn = (at: Tern, name: string) =>
      at.post('/api/auth/external/start', { provider: name, mode: 'popup' })
    const replies = [
      await startSignIn(tern, 'external'),
      await startSignIn(ternWithoutProviders, 'google'),
      await startSignIn(ternWithoutProviders, 'external'),
    ]
    expect(statuses(replies)).toEqual([404, 404, 404])
    expect((await ternWithoutProviders.post('/api/user/google-login', { token: 'x' })).statusCode).toBe(404)
    expect((await ternWithExternal.post('/api/user/google-login', { token: 'x' })).statusCode).toBe(404)
  })

  test('refuses pages from other sites', async () => {
    const foreignHeaders = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const calls: [string, object][] = [
      ['/api/auth/external/start', { provider: 'google', mode: 'popup' }],
      ['/api/auth/external/finish', { query: 'code=x&state=y' }],
      ['/api/user/google-login', { token: 'x' }],
    ]
    for (const [path, body] of calls) {
      const reply = await tern.post(path, body, foreignHeaders)
      expect(reply.json()).toMatchObject({ code: 'cross_site_request' })
    }
  })
})

describe('returning from a provider', () => {
  test('works once, also among concurrent attempts', async () => {
    const { subject } = createPerson('once')
    const client = createBrowser()
    const query = await provider.signInAs(await client.startSignIn(), subject)
    const replies = await Promise.all(Array.from({ length: 6 }, () => client.finishSignIn(query)))
    expect(statuses(replies)).toEqual([200, 403, 403, 403, 403, 403])
    expect((await client.finishSignIn(query)).json()).toMatchObject({ code: 'external_sign_in_refused' })
    expect(await tern.count(`from app_user where username = 'once'`)).toBe(1)
  })

  test('works only in the browser that left, and stays valid there', async () => {
    const { subject } = createPerson('lured')
    const [ownClient, otherClient] = [createBrowser(), createBrowser()]
    const query = await provider.signInAs(await ownClient.startSignIn(), subject)
    await otherClient.startSignIn()
    const stolenReply = await otherClient.finishSignIn(query)
    expect(stolenReply.json()).toMatchObject({ code: 'external_sign_in_refused' })
    expect(stolenReply.cookies.map(({ name }) => name)).not.toContain('rt')
    expect((await ownClient.finishSignIn(query)).statusCode).toBe(200)
  })

  test.each([
    ['nothing', () => ''],
    ['no state', (query: string) => removeParameter(query, 'state')],
    ['another state', (query: string) => changeParameter(query, 'state')],
    ['no code', (query: string) => removeParameter(query, 'code')],
    ['another code', (query: string) => changeParameter(query, 'code')],
    ['two states', (query: string) => `${query}&state=another`],
    ['two codes', (query: string) => `${query}&code=another`],
    ['another issuer', (query: string) => query.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fevil.example')],
    ['an error beside the code', (query: string) => `${query}&error=access_denied`],
  ])('refuses %s', async (_case, changeQuery) => {
    const { subject } = createPerson(`tampered${personCount}`)
    const client = createBrowser()
    const reply = await client.finishSignIn(changeQuery(await provider.signInAs(await client.startSignIn(), subject)))
    expect([403, 422]).toContain(reply.statusCode)
    expect(await tern.count(`from external_identity where subject = '${subject}'`)).toBe(0)
  })

  test('refuses a code from another visit', async () => {
    const { subject } = createPerson('injected')
    const [thief, victim] = [createBrowser(), createBrowser()]
    const code = new URLSearchParams(await provider.signInAs(await victim.startSignIn(), subject)).get('code') ?? ''
    const query = new URLSearchParams(await provider.signInAs(await thief.startSignIn(), subject))
    query.set('code', code)
    expect((await thief.finishSignIn(query.toString())).json()).toMatchObject({ code: 'external_sign_in_refused' })
  })

  test('refuses a token made for another nonce', async () => {
    const { subject } = createPerson('replayed')
    const client = createBrowser()
    const query = await provider.signInAs(await client.startSignIn(), subject)
    await database.pool.query(`update external_sign_in set nonce = 'another'`)
    expect((await client.finishSignIn(query)).json()).toMatchObject({ code: 'external_sign_in_refused' })
  })

  test('expires after fifteen minutes', async () => {
    const { subject } = createPerson('late')
    const ternWithOwnClock = await createTestIdentity(database, {
      signInProviders: tern.options.signInProviders ?? noProviders,
    })
    const client = createBrowser(ternWithOwnClock)
    const query = await provider.signInAs(await client.startSignIn(), subject)
    ternWithOwnClock.advance(15 * 60_000)
    expect((await client.finishSignIn(query)).json()).toMatchObject({ code: 'external_sign_in_refused' })
    await ternWithOwnClock.close()
  })

  test('neither logs nor stores its secrets', async () => {
    const { subject } = createPerson('private')
    const client = createBrowser()
    const url = new URL(await client.startSignIn())
    const query = await provider.signInAs(url.href, subject)
    const { rows } = await database.pool.query('select * from external_sign_in')
    expect(JSON.stringify(rows)).not.toContain(url.searchParams.get('state'))
    await client.finishSignIn(changeParameter(query, 'code'))
    const logText = tern.logged.join('\n')
    for (const name of ['state', 'nonce', 'code_challenge']) expect(logText).not.toContain(url.searchParams.get(name))
    expect(logText).not.toContain(new URLSearchParams(query).get('code'))
  })
})

const noProviders: SignInProviders = { external: undefined, google: undefined }

const removeParameter = (query: string, name: string): string => {
  const parameters = new URLSearchParams(query)
  parameters.delete(name)
  return parameters.toString()
}

const changeParameter = (query: string, name: string): string => {
  const parameters = new URLSearchParams(query)
  const value = parameters.get(name) ?? ''
  parameters.set(name, (value.startsWith('A') ? 'B' : 'A') + value.slice(1))
  return parameters.toString()
}

describe('an account with the same email', () => {
  async function createGoogleUser(name: string) {
    const { id, token } = await tern.signUp(name)
    const { email } = buildRegistration(name)
    const { subject } = createPerson(name, { email: email.toUpperCase() })
    const reply = await createBrowser().signIn(subject, { from: '/wallet' })
    return { id, token, email, subject, reply }
  }

  test('is not opened, but can be connected once after signing in to it', async () => {
    const { id, email, subject, reply } = await createGoogleUser('owner')
    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toMatchObject({
      code: 'account_exists',
      email,
      provider: 'google',
      mode: 'popup',
      from: '/wallet',
    })
    expect(reply.cookies.map(({ name }) => name)).not.toContain('rt')
    expect(await tern.count(`from external_identity where subject = '${subject}'`)).toBe(0)
    const { link } = reply.json()
    const { access_token: token } = (await tern.post('/api/user/login', { email, password })).json()
    const connect = () => tern.post('/api/auth/external/link', { link }, bearer(token))
    const replies = await Promise.all([connect(), connect(), connect()])
    expect(statuses(replies)).toEqual([200, 410, 410])
    expect(tern.mails.findLast((mail) => mail.email === email)).toMatchObject({
      template: 'security_change',
      data: { change: 'external_linked' },
    })
    expect((await createBrowser().signIn(subject)).json()).toMatchObject({ user: { id } })
  })

  test('cannot be connected by a stranger or an old session; the link stays valid for its owner', async () => {
    const { email, token: oldToken, reply } = await createGoogleUser('patient')
    const { link } = reply.json()
    expect((await tern.post('/api/auth/external/link', { link })).statusCode).toBe(401)
    const { token: strangerToken } = await tern.signUp('nosy')
    const refusedReply = await tern.post('/api/auth/external/link', { link }, bearer(strangerToken))
    expect(refusedReply.json()).toMatchObject({ code: 'link_invalid' })
    const staleReply = await tern.post('/api/auth/external/link', { link }, bearer(oldToken))
    expect(staleReply.json()).toMatchObject({ code: 'fresh_sign_in_required' })
    const { access_token: newAccessToken } = (await tern.post('/api/user/login', { email, password })).json()
    expect((await tern.post('/api/auth/external/link', { link }, bearer(newAccessToken))).statusCode).toBe(200)
  })

  test('is named but cannot be connected when the provider did not verify the address', async () => {
    await tern.signUp('borrowed')
    const { email } = buildRegistration('borrowed')
    const { subject } = createPerson('borrowed', { email, email_verified: false })
    const reply = await createBrowser().signIn(subject)
    expect(reply.json()).toMatchObject({ code: 'account_exists', mode: 'popup' })
    expect(reply.json()).not.toHaveProperty('link')
    expect(await tern.count(`from external_link where subject = '${subject}'`)).toBe(0)
  })

  test('cannot be connected by an invented or expired link', async () => {
    const { email, reply } = await createGoogleUser('slow')
    const { access_token: token } = (await tern.post('/api/user/login', { email, password })).json()
    const invalidReply = await tern.post('/api/auth/external/link', { link: 'made up' }, bearer(token))
    expect(invalidReply.json()).toMatchObject({ code: 'link_invalid' })
    await database.pool.query(`update external_link set expires_at = created_at`)
    const { link } = reply.json()
    expect((await tern.post('/api/auth/external/link', { link }, bearer(token))).json()).toMatchObject({
      code: 'link_invalid',
    })
  })

  test('loses what a stranger connected, and nothing else, when its owner reports it', async () => {
    const { id, email, subject, reply } = await createGoogleUser('robbed')
    const { access_token: token } = (await tern.post('/api/user/login', { email, password })).json()
    await tern.post('/api/auth/external/link', { link: reply.json().link }, bearer(token))
    tern.advance(1000)
    const thiefSubject = createPerson('robbed', { email }).subject
    const { link } = (await createBrowser().signIn(thiefSubject)).json()
    const { access_token: newAccessToken } = (await tern.post('/api/user/login', { email, password })).json()
    expect((await tern.post('/api/auth/external/link', { link }, bearer(newAccessToken))).statusCode).toBe(200)
    const mail = tern.mails.findLast((mail) => mail.email === email && mail.template === 'security_change')
    const reportToken = mail?.template === 'security_change' ? new URL(mail.data.link).hash.replace('#token=', '') : ''
    expect((await tern.post('/api/auth/not-me', { token: reportToken })).statusCode).toBe(200)
    expect((await createBrowser().signIn(thiefSubject)).json()).toMatchObject({ code: 'account_exists' })
    expect((await createBrowser().signIn(subject)).json()).toMatchObject({ user: { id } })
  })

  test('can be disconnected only with a step-up confirmation', async () => {
    const { subject, email } = createPerson('leaver')
    const { user, access_token: token } = (await createBrowser().signIn(subject)).json()
    const disconnect = (name: string, headers: object = {}) =>
      tern.http.inject({
        method: 'DELETE',
        url: `/api/auth/external/${name}`,
        headers: { ...bearer(token), ...headers },
      })
    expect((await disconnect('external')).statusCode).toBe(404)
    expect((await disconnect('facebook')).statusCode).toBe(422)
    const response = await disconnect('google')
    expect(response.json()).toMatchObject({ code: 'step_up_required', confirmation: { action: 'change_factors' } })
    const { id } = response.json().confirmation
    await database.pool.query('update step_up_confirmation set confirmed_at = now() where id = $1', [id])
    expect((await disconnect('google', { 'step-up': id })).statusCode).toBe(204)
    expect(tern.mails.findLast((mail) => mail.email === email)).toMatchObject({
      data: { change: 'external_unlinked' },
    })
    // The account remains, but is no longer linked to the identity.
    expect((await createBrowser().signIn(subject)).json()).toMatchObject({ code: 'account_exists' })
    expect((await disconnect('google', { 'step-up': newId(new Date()) })).statusCode).toBe(404)
    expect((await tern.get('/api/user/user', token)).json()).toMatchObject({ id: user.id })
  })
})

describe('an ID token', () => {
  const presentToken = (token: string) => tern.post('/api/user/google-login', { token })

  test('signs in once', async () => {
    const { subject, email } = createPerson('mobile')
    const token = await provider.mint(subject)
    const replies = await Promise.all([presentToken(token), presentToken(token), presentToken(token)])
    expect(statuses(replies)).toEqual([200, 403, 403])
    expect(replies.find((reply) => reply.statusCode === 200)?.json()).toMatchObject({ new_user: true, user: { email } })
    const secondSignIn = await presentToken(await provider.mint(subject, { jti: 'another' }))
    expect(secondSignIn.json()).toMatchObject({ user: { email } })
  })

  test('signs in once however its signature is spelled', async () => {
    const { subject } = createPerson('speller')
    const token = await provider.mint(subject)
    expect((await presentToken(token)).statusCode).toBe(200)
    // In a signature of 256 bytes, only two bits of the last base64url character are significant.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const spellings = [
      ...Array.from(alphabet, (lastCharacter) => token.slice(0, -1) + lastCharacter),
      `${token}==`,
      `${token.slice(0, -5)} ${token.slice(-5)}`,
      `${token.slice(0, -5)}\n${token.slice(-5)}`,
      token.replace(/[^.]+$/, (signature) => Buffer.from(signature, 'base64url').toString('base64')),
    ]
    for (const spelling of spellings) {
      const { code } = (await presentToken(spelling)).json()
      expect(['external_sign_in_refused', 'invalid_request']).toContain(code)
    }
    const newToken = await provider.mint(subject, { jti: 'padded' })
    expect((await presentToken(`${newToken}==`)).json()).toMatchObject({ code: 'external_sign_in_refused' })
    expect((await presentToken(newToken)).statusCode, 'what was no token spent nothing').toBe(200)
  })

  const minutesAgo = (minutes: number) => Math.floor(Date.now() / 1000) - minutes * 60
  test.each([
    ['for somebody else', { aud: 'somebody-else' }],
    ['for several, given to another', { aud: [testClientId, 'somebody-else'], azp: 'somebody-else' }],
    ['by somebody else', { iss: 'https://evil.example' }],
    ['too old', { iat: minutesAgo(11) }],
    ['expired', { iat: minutesAgo(9), exp: minutesAgo(1) }],
    ['of the future', { iat: minutesAgo(-5) }],
    ['for nobody', { sub: undefined }],
    ['without a time', { iat: undefined }],
    ['without an end', { exp: undefined }],
  ])('is refused when issued %s', async (_case, changes) => {
    const { subject } = createPerson(`token${personCount}`)
    const reply = await presentToken(await provider.mint(subject, changes))
    expect(reply.statusCode, reply.body).toBe(403)
    expect(reply.json()).toMatchObject({ code: 'external_sign_in_refused' })
    expect(await tern.count(`from external_identity where subject = '${subject}'`)).toBe(0)
  })

  test('is refused when altered or malformed', async () => {
    const { subject } = createPerson('altered')
    const [headerPart = '', , signature = ''] = (await provider.mint(subject)).split('.')
    const claims = Buffer.from(
      JSON.stringify({
        iss: provider.issuer,
        aud: testClientId,
        sub: 'subject-1',
        iat: minutesAgo(0),
        exp: minutesAgo(-9),
      }),
    )
    const unsignedHeader = Buffer.from('{"alg":"none"}').toString('base64url')
    const body = claims.toString('base64url')
    const symmetricHeader = Buffer.from('{"alg":"HS256","kid":"test"}').toString('base64url')
    const symmetricBody = `${symmetricHeader}.${body}`
    const symmetric = createHmac('sha256', testClientId).update(symmetricBody).digest('base64url')
    const tokens = [
      ...[`${headerPart}.${body}.${signature}`, `${unsignedHeader}.${body}.`, `${symmetricBody}.${symmetric}`],
      ...['not a token', 'a.b.c'],
    ]
    for (const token of tokens) {
      expect((await presentToken(token)).json()).toMatchObject({ code: 'external_sign_in_refused' })
    }
    expect((await presentToken('')).statusCode).toBe(422)
    expect((await presentToken('x'.repeat(8001))).statusCode).toBe(422)
  })

  test('is refused in spellings that are no JWS, and taken in its own', async () => {
    const { subject } = createPerson('spelled')
    const token = await provider.mint(subject)
    const [headerPart = '', claims = '', signature = ''] = token.split('.')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const unusedBits = alphabet[alphabet.indexOf(token.at(-1) ?? '') + 1] ?? ''
    const standardToken = `${headerPart}.${claims}.${Buffer.from(signature, 'base64url').toString('base64')}`
    const spellings = [
      token.slice(0, -1) + unusedBits,
      `${token}=`,
      `${token}==`,
      `${token}.`,
      `${headerPart}.${claims}. ${signature}`,
      `${headerPart}=.${claims}.${signature}`,
      `${headerPart}..${signature}`,
      standardToken,
      JSON.stringify({ protected: headerPart, payload: claims, signature }),
    ]
    for (const spelling of spellings) {
      expect((await presentToken(spelling)).json(), spelling).toMatchObject({ code: 'external_sign_in_refused' })
    }
    expect((await presentToken(token)).statusCode).toBe(200)
  })

  test('does not open an account that merely has the same email', async () => {
    await tern.signUp('keeper')
    const { subject } = createPerson('keeper', { email: buildRegistration('keeper').email })
    const reply = await presentToken(await provider.mint(subject))
    expect(reply.json()).toMatchObject({ code: 'account_exists', link: expect.any(String) })
  })
})

describe('a provider that does not answer', () => {
  test('blocks no other sign-in method, and is retried', async () => {
    const flakyProvider = await startTestOidcProvider({ redirectUri })
    const google = createOidcSignInProvider({ issuer: flakyProvider.issuer, clientId: testClientId, allowHttp: true })
    await flakyProvider.stop()
    const ternWithGoogle = await createTestIdentity(database, { signInProviders: { external: undefined, google } })
    const startGoogle = () => ternWithGoogle.post('/api/auth/external/start', { provider: 'google', mode: 'popup' })
    const unavailableResponse = await startGoogle()
    expect(unavailableResponse.statusCode).toBe(503)
    expect(unavailableResponse.json()).toMatchObject({
      code: 'sign_in_provider_unavailable',
      detail: "The login provider isn't responding right now. Please use your password, or try again later.",
    })
    expect((await ternWithGoogle.post('/api/user/google-login', { token: 'a.b.c' })).statusCode).toBe(503)
    await ternWithGoogle.signUp('unaffected')
    expect(
      (await ternWithGoogle.post('/api/user/login', { email: buildRegistration('unaffected').email, password }))
        .statusCode,
    ).toBe(200)

    await flakyProvider.restart()
    flakyProvider.people.set('back', { email: 'back@mail.example' })
    const client = createBrowser(ternWithGoogle)
    const url = await client.startSignIn()
    const query = await flakyProvider.signInAs(url, 'back')
    await flakyProvider.stop()
    const lostReply = await client.finishSignIn(query)
    expect(lostReply.json()).toMatchObject({ code: 'sign_in_provider_unavailable', mode: 'popup' })
    await flakyProvider.restart()
    expect(
      (await client.finishSignIn(await flakyProvider.signInAs(await client.startSignIn(), 'back'))).statusCode,
    ).toBe(200)
    await flakyProvider.stop()
    await ternWithGoogle.close()
  })
})

describe('text of a provider that cannot be stored', () => {
  const presentToken = async (subject: string, claims: Readonly<Record<string, unknown>>) =>
    tern.post('/api/user/google-login', { token: await provider.mint(subject, claims) })

  test('is shown with U+FFFD in its place', async () => {
    const claims = { email: 'halved@mail.example', email_verified: true, name: 'Ada \uD83C L\u0000' }
    const reply = await presentToken('halved', claims)
    expect(reply.statusCode, reply.body).toBe(200)
    expect(reply.json().user).toMatchObject({ name: 'Ada \uFFFD L\uFFFD' })
  })

  test.each(['sub\u0000ject', 'sub\uD83C', ''])('is no subject: %j', async (subject) => {
    const claims = { email: 'subject@mail.example', email_verified: true }
    expect((await presentToken(subject, claims)).json()).toMatchObject({ code: 'external_sign_in_refused' })
  })
})

describe('the configured issuer', () => {
  test.each(['', '/', '/realm', '/realm/'])('is exactly the one in the metadata: %j', async (issuerPath) => {
    const ownProvider = await startTestOidcProvider({ redirectUri, issuerPath, emailInIdToken: true })
    const issuerWithoutSlash = ownProvider.issuer.replace(/\/$/, '')
    const subject = `slash${issuerPath}`
    const email = `slash${issuerPath.replaceAll('/', '-')}@mail.example`
    ownProvider.people.set(subject, { email, email_verified: true })
    const statuses: Record<string, number> = {}
    try {
      for (const issuer of [
        issuerWithoutSlash,
        `${issuerWithoutSlash}/`,
        ownProvider.issuer.replace(/^http:\/\/localhost/, 'HTTP://LOCALHOST'),
      ]) {
        const google = createOidcSignInProvider({ issuer, clientId: testClientId, allowHttp: true })
        const at = await createTestIdentity(database, { signInProviders: { external: undefined, google } })
        const token = await ownProvider.mint(subject, { jti: issuer })
        statuses[issuer] = (await createBrowser(at).post('/api/user/google-login', { token })).statusCode
        await at.close()
      }
    } finally {
      await ownProvider.stop()
    }
    const accepted = Object.entries(statuses).flatMap(([issuer, status]) => (status === 200 ? [issuer] : []))
    expect(accepted).toEqual([ownProvider.issuer])
    expect(Object.values(statuses).filter((status) => status === 503)).toHaveLength(2)
  })
})
