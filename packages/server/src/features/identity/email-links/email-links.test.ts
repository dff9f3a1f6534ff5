import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { openTestIdentity, password, statuses, timeRatio } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)
type SentMail = (typeof tern.mails)[number]

const minute = 60_000
const newPassword = 'another sound passphrase'
const newBrowser = () => ({ cookie: `browser=${randomBytes(32).toString('base64url')}` })
const buildEmail = (name: string) => `${name}@tern.example`

const findMails = (name: string, template?: SentMail['template']) =>
  tern.mails.filter((mail) => mail.email === buildEmail(name) && (template === undefined || mail.template === template))

function findLink(name: string, template: SentMail['template']): URL {
  const data = findMails(name, template).at(-1)?.data
  if (!data || !('link' in data)) throw new Error(`no ${template} was mailed to ${name}`)
  return new URL(data.link)
}

const parseToken = (link: URL) => new URLSearchParams(link.hash.slice(1) || link.search).get('token') ?? ''
const findToken = (name: string, template: SentMail['template']) => parseToken(findLink(name, template))

const requestLogin = (name: string, headers = newBrowser(), overrides: object = {}) =>
  tern.post('/api/user/send-login-link', { email: buildEmail(name), ...overrides }, headers)
const followLogin = (token: string, headers = {}) => tern.post('/api/user/verify-login-link', { token }, headers)
const verify = (token: string, headers = {}) => tern.post('/api/user/verify-email', { token }, headers)
const requestReset = (name: string) => tern.post('/api/user/send-password-reset', { email: buildEmail(name) })
const reset = (token: string, nextPassword = newPassword) =>
  tern.post('/api/user/reset-password', { token, password: nextPassword })
const reportUnrecognizedSignIn = (token: string) => tern.post('/api/auth/not-me', { token })
const logIn = (name: string, enteredPassword = password) =>
  tern.post('/api/user/login', { email: buildEmail(name), password: enteredPassword })
const isLive = async (token: string) => (await tern.get('/api/user/user', token)).statusCode === 200

const isConfirmed = async (name: string) =>
  (await tern.count(`from app_user where email = '${buildEmail(name)}' and email_verified_at is not null`)) === 1

/** Registers a user and confirms the address in the same browser. */
async function signUpVerified(name: string) {
  const user = await tern.signUp(name)
  expect((await verify(findToken(name, 'verify_email'), user.browser)).statusCode).toBe(200)
  return user
}

/** Causes a security alert by resetting the password to the same one. Returns the alert's "this wasn't me" token. */
async function findNotMeToken(name: string) {
  const mailsBefore = findMails(name, 'security_change').length
  await requestReset(name)
  await reset(findToken(name, 'reset_password'), password)
  expect(findMails(name, 'security_change')).toHaveLength(mailsBefore + 1)
  return findToken(name, 'security_change')
}

async function addSignInMethods(id: number) {
  const { pool } = database
  await pool.query(`insert into totp (user_id, secret, created_at, confirmed_at) values ($1, '\\x00', now(), now())`, [
    id,
  ])
  await pool.query(`insert into recovery_code (user_id, hash, created_at) values ($1, '\\x00', now())`, [id])
  await pool.query(
    `insert into passkey (id, user_id, credential_id, public_key, counter, transports, name, synced, created_at)
     values (gen_random_uuid(), $1::bigint, $1::text, '\\x00', 0, '{}', 'Key', false, now())`,
    [id],
  )
  await pool.query(
    `insert into external_identity (issuer, subject, user_id, provider, linked_at)
     values ('https://issuer.example', $1::text, $1::bigint, 'google', now())`,
    [id],
  )
}

const countSignInMethods = (id: number) =>
  tern.count(`from (select user_id from totp union all select user_id from recovery_code union all
    select user_id from passkey union all select user_id from external_identity) methods where user_id = ${id}`)

describe('requests for mail do not reveal whether an address is known', () => {
  beforeAll(async () => {
    await signUpVerified('known')
    await tern.signUp('fresh')
  })

  test.each([
    ['/api/user/send-login-link', { known: 'log_in', fresh: 'log_in' }],
    ['/api/user/send-verification-email', { known: 'email_already_verified', fresh: 'verify_email' }],
    ['/api/user/send-password-reset', { known: 'reset_password', fresh: 'reset_password' }],
  ])('%s answers alike for all; only the mailbox differs', async (path, templates) => {
    const replies = []
    for (const [name, template] of Object.entries({ ...templates, stranger: 'no_account' })) {
      const mailsBefore = findMails(name).length
      replies.push(await tern.post(path, { email: buildEmail(name).toUpperCase() }))
      expect(findMails(name).slice(mailsBefore)).toMatchObject([{ template }])
    }
    expect(replies.map(({ statusCode, body }) => [statusCode, body])).toEqual(
      Array.from({ length: 3 }, () => [200, '{"success":true}']),
    )
    expect(new Set(replies.map(({ headers }) => Object.keys(headers).toSorted().join())).size).toBe(1)
    expect(findLink('stranger', 'no_account').href).toBe('http://localhost:3000/signup')
  })

  test('sends someone already confirmed to the login page', () => {
    expect(findLink('known', 'email_already_verified').href).toBe('http://localhost:3000/login')
  })

  test('takes the same time either way', async () => {
    for (const path of ['send-login-link', 'send-verification-email', 'send-password-reset']) {
      const requestLink = async (name: string) => {
        await database.pool.query('delete from mail_request')
        await tern.post(`/api/user/${path}`, { email: buildEmail(name) })
      }
      const ratio = await timeRatio(
        () => requestLink('known'),
        (i) => requestLink(`unheard-${path}-${i}`),
        { suspiciousRatio: 2 },
      )
      expect(ratio, path).toBeGreaterThan(0.5)
      expect(ratio, path).toBeLessThan(2)
    }
  })

  test.each(['known', 'nobody-here'])(
    '%s sends at most five mails of a kind per hour, also to concurrent requests',
    async (name) => {
      await database.pool.query('delete from mail_request')
      const mailsBefore = findMails(name).length
      const replies = await Promise.all(Array.from({ length: 12 }, () => requestReset(name)))
      expect(statuses(replies)).toEqual(Array(12).fill(200))
      expect(findMails(name).length - mailsBefore).toBe(5)
      await requestLogin(name)
      expect(findMails(name).length - mailsBefore).toBe(6)
      tern.advance(59 * minute)
      await requestReset(name)
      expect(findMails(name).length - mailsBefore).toBe(6)
      tern.advance(2 * minute)
      await requestReset(name)
      expect(findMails(name).length - mailsBefore).toBe(7)
    },
  )

  test.each(['send-login-link', 'send-verification-email', 'send-password-reset'])(
    '%s names the wrong field and mails nothing',
    async (path) => {
      const mailsBefore = tern.mails.length
      for (const email of ['nobody', undefined, 7, `${'a'.repeat(250)}@x.example`]) {
        const reply = await tern.post(`/api/user/${path}`, { email })
        expect(reply.statusCode).toBe(422)
        expect(reply.json().errors).toMatchObject([{ field: 'email' }])
      }
      const foreignResponse = await tern.post(
        `/api/user/${path}`,
        { email: buildEmail('known') },
        { 'sec-fetch-site': 'cross-site' },
      )
      expect(foreignResponse.json()).toMatchObject({ code: 'cross_site_request' })
      expect(tern.mails).toHaveLength(mailsBefore)
    },
  )
})

describe('login links', () => {
  test('signs in the browser that requested it and confirms the mailbox', async () => {
    const browser = newBrowser()
    await tern.post('/api/user/register', { email: buildEmail('lina'), username: 'lina', password }, browser)
    await requestLogin('lina', browser)
    expect(findLink('lina', 'log_in').href).toMatch(/^http:\/\/localhost:3000\/login-link#token=[\w-]{43}$/)
    const reply = await followLogin(findToken('lina', 'log_in'), browser)
    expect(reply.statusCode, reply.body).toBe(200)
    expect(reply.json()).toMatchObject({ user: { username: 'lina', email_verified: true } })
    expect(tern.newCookie(reply)).not.toBe('')
    expect(reply.headers['cache-control']).toBe('no-store')
    // The password set in the registering browser stays valid.
    expect((await logIn('lina')).statusCode).toBe(200)
  })

  test('works once, also among concurrent attempts', async () => {
    await signUpVerified('rosa')
    const browser = newBrowser()
    await requestLogin('rosa', browser)
    const token = findToken('rosa', 'log_in')
    const sessionsBefore = await tern.count('from session')
    const replies = await Promise.all(Array.from({ length: 12 }, () => followLogin(token, browser)))
    expect(statuses(replies)).toEqual([200, ...Array(11).fill(410)])
    expect((await followLogin(token, browser)).json()).toMatchObject({ code: 'link_invalid' })
    expect(await tern.count('from session')).toBe(sessionsBefore + 1)
  })

  test('is refused, unspent, in another browser', async () => {
    await signUpVerified('otto')
    const browser = newBrowser()
    await requestLogin('otto', browser)
    const token = findToken('otto', 'log_in')
    const sessionsBefore = await tern.count('from session')
    for (const headers of [newBrowser(), {}, { cookie: 'browser=short' }]) {
      const reply = await followLogin(token, headers)
      expect([reply.statusCode, reply.json().code]).toEqual([403, 'link_of_other_browser'])
      expect(tern.newCookie(reply)).toBe('')
    }
    expect(await tern.count('from session')).toBe(sessionsBefore)
    expect((await followLogin(token, browser)).statusCode).toBe(200)
  })

  test('is not spent by GET or HEAD', async () => {
    await signUpVerified('pia')
    const browser = newBrowser()
    await requestLogin('pia', browser)
    const link = findLink('pia', 'log_in')
    const token = parseToken(link)
    // The token is in the fragment, which is not sent to the server.
    expect(`${link.pathname}${link.search}`).toBe('/login-link')
    for (const method of ['GET', 'HEAD'] as const) {
      for (const path of ['/login-link', '/api/user/verify-login-link', '/api/user/verify-email']) {
        const reply = await tern.http.inject({ method, url: path, query: { token }, headers: browser })
        expect(reply.statusCode).toBe(404)
      }
    }
    expect((await followLogin(token, browser)).statusCode).toBe(200)
  })

  test('points to our own host, regardless of the Host header', async () => {
    await signUpVerified('hugo')
    for (const headers of [
      { host: 'evil.example' },
      { 'x-forwarded-host': 'evil.example' },
      { forwarded: 'host=evil.example' },
    ]) {
      await database.pool.query('delete from mail_request')
      await requestLogin('hugo', { ...newBrowser(), ...headers })
      expect(findLink('hugo', 'log_in').origin).toBe('http://localhost:3000')
      await tern.post('/api/user/send-password-reset', { email: buildEmail('hugo') }, headers)
      expect(findLink('hugo', 'reset_password').origin).toBe('http://localhost:3000')
    }
  })

  test.each([
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/send\\..\\\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'send',
    '',
    `/send?${'x'.repeat(500)}`,
  ])('refuses an open redirect to %j', async (from) => {
    await signUpVerified(`from${randomBytes(3).toString('hex')}`)
    const mailsBefore = tern.mails.length
    const reply = await requestLogin('hugo', newBrowser(), { from })
    expect(reply.statusCode).toBe(422)
    expect(reply.json().errors).toMatchObject([{ field: 'from' }])
    expect(tern.mails).toHaveLength(mailsBefore)
  })

  test('continues to a path on our site', async () => {
    await signUpVerified('fred')
    const from = '/send?to=1&note=a#b'
    await requestLogin('fred', newBrowser(), { from })
    expect(findLink('fred', 'log_in').href).toMatch(/&from=%2Fsend%3Fto%3D1%26note%3Da%23b$/)
  })

  test('expires after 15 minutes; only the newest works', async () => {
    await signUpVerified('nina')
    const browser = newBrowser()
    await requestLogin('nina', browser)
    const olderToken = findToken('nina', 'log_in')
    await requestLogin('nina', browser)
    expect((await followLogin(olderToken, browser)).json()).toMatchObject({ code: 'link_invalid' })
    tern.advance(14 * minute)
    const newestToken = findToken('nina', 'log_in')
    tern.advance(2 * minute)
    expect((await followLogin(newestToken, browser)).json()).toMatchObject({ code: 'link_invalid' })
  })

  test('does not bypass the second factor', async () => {
    const { id } = await signUpVerified('tora')
    await addSignInMethods(id)
    const browser = newBrowser()
    await requestLogin('tora', browser)
    const reply = await followLogin(findToken('tora', 'log_in'), browser)
    expect(reply.json()).toMatchObject({ second_factor_required: true })
    expect(tern.newCookie(reply)).toBe('')
    expect(await countSignInMethods(id)).toBe(4)
  })

  test('revokes everything set up by someone who registered with a foreign address', async () => {
    const squatter = await tern.signUp('victim')
    const browser = newBrowser()
    await requestLogin('victim', browser)
    const reply = await followLogin(findToken('victim', 'log_in'), browser)
    expect(reply.json()).toMatchObject({ user: { email_verified: true } })
    expect(await isLive(squatter.token)).toBe(false)
    expect((await logIn('victim')).json()).toMatchObject({ code: 'password_reset_required' })
  })

  test('leaves the address unconfirmed when the registrant set up a second factor', async () => {
    const squatter = await tern.signUp('target')
    await addSignInMethods(squatter.id)
    const browser = newBrowser()
    await requestLogin('target', browser)
    expect((await followLogin(findToken('target', 'log_in'), browser)).json()).toHaveProperty('challenge')
    expect(await isConfirmed('target')).toBe(false)
  })

  test.each([
    ['an empty one', ''],
    ['none', undefined],
    ['a number', 7],
    ['a long one', 'x'.repeat(201)],
  ])('names %s as an invalid token field', async (_case, token) => {
    for (const path of [
      'user/verify-login-link',
      'user/verify-email',
      'auth/verify-email',
      'user/reset-password',
      'auth/not-me',
    ]) {
      const reply = await tern.post(
        `/api/${path}`,
        path === 'user/reset-password' ? { token, password: newPassword } : { token },
      )
      expect([path, reply.statusCode]).toEqual([path, 422])
      expect(reply.json().errors).toMatchObject([{ field: 'token' }])
    }
  })

  test('refuses a token issued for another purpose', async () => {
    await signUpVerified('polly')
    const browser = newBrowser()
    await requestReset('polly')
    await requestLogin('polly', browser)
    const [resetToken, loginToken] = [findToken('polly', 'reset_password'), findToken('polly', 'log_in')]
    const replies = await Promise.all([
      followLogin(resetToken, browser),
      verify(resetToken),
      reportUnrecognizedSignIn(resetToken),
      verify(loginToken),
      reset(loginToken),
      reportUnrecognizedSignIn(loginToken),
      followLogin(randomBytes(32).toString('base64url'), browser),
    ])
    expect(statuses(replies)).toEqual(Array(7).fill(410))
    expect((await followLogin(loginToken, browser)).statusCode).toBe(200)
    expect((await reset(resetToken)).statusCode).toBe(200)
  })
})

describe('confirming an address', () => {
  test('accepts the registration link any number of times', async () => {
    const { token, browser } = await tern.signUp('vera')
    expect((await tern.get('/api/user/user', token)).json().email_verified).toBe(false)
    const link = findLink('vera', 'verify_email')
    expect(link.href).toMatch(/^http:\/\/localhost:3000\/verify-email\?token=[\w-]{43}$/)
    const replies = await Promise.all(Array.from({ length: 6 }, () => verify(parseToken(link), browser)))
    expect(statuses(replies)).toEqual(Array(6).fill(200))
    expect((await tern.get('/api/user/user', token)).json().email_verified).toBe(true)
    expect((await tern.post('/api/auth/verify-email', { token: parseToken(link) })).json()).toEqual({
      success: true,
      email_verified: true,
    })
  })

  test('refuses an old, foreign or missing link', async () => {
    await tern.signUp('late')
    const token = findToken('late', 'verify_email')
    tern.advance(25 * 60 * minute)
    for (const invalidToken of [token, randomBytes(32).toString('base64url')]) {
      expect((await verify(invalidToken)).json()).toMatchObject({ code: 'link_invalid' })
      expect((await tern.post('/api/auth/verify-email', { token: invalidToken })).json()).toEqual({ success: false })
    }
    expect(await isConfirmed('late')).toBe(false)
    await tern.post('/api/user/send-verification-email', { email: buildEmail('late') })
    expect((await verify(findToken('late', 'verify_email'))).statusCode).toBe(200)
    expect(await isConfirmed('late')).toBe(true)
  })
})

describe('choosing a new password', () => {
  test('ends all sessions and everything pending', async () => {
    const user = await signUpVerified('resa')
    const browser = newBrowser()
    await requestLogin('resa', browser)
    await requestReset('resa')
    const olderToken = findToken('resa', 'reset_password')
    await requestReset('resa')
    for (let i = 0; i < 5; i += 1) await logIn('resa', 'not this one')
    expect((await logIn('resa')).statusCode).toBe(429)

    expect((await reset(findToken('resa', 'reset_password'))).json()).toEqual({ success: true })
    expect(await isLive(user.token)).toBe(false)
    expect((await tern.refreshWith(user.cookie)).statusCode).toBe(401)
    expect((await logIn('resa', newPassword)).statusCode).toBe(200)
    expect((await logIn('resa')).statusCode).toBe(401)
    expect((await followLogin(findToken('resa', 'log_in'), browser)).json()).toMatchObject({ code: 'link_invalid' })
    expect((await reset(olderToken)).json()).toMatchObject({ code: 'link_invalid' })
    expect(findMails('resa', 'security_change')).toMatchObject([{ data: { change: 'password_reset' } }])
  })

  test.each(['short', 'password123', 'wanda@tern.example', 'aaaaaaaaaaaa', 'x'.repeat(201), undefined])(
    'refuses %j without spending the link',
    async (weakPassword) => {
      if (!(await tern.count(`from app_user where username = 'wanda'`))) await signUpVerified('wanda')
      await database.pool.query('delete from mail_request')
      await requestReset('wanda')
      const token = findToken('wanda', 'reset_password')
      const reply = await tern.post('/api/user/reset-password', { token, password: weakPassword })
      expect(reply.statusCode).toBe(422)
      expect(reply.json()).toMatchObject({ code: 'invalid_request', errors: [{ field: 'password' }] })
      expect((await logIn('wanda')).statusCode).toBe(200)
      expect((await reset(token, password)).statusCode).toBe(200)
    },
  )

  test('accepts a link once, also among concurrent attempts, for an hour', async () => {
    await signUpVerified('once')
    await requestReset('once')
    const token = findToken('once', 'reset_password')
    const passwords = Array.from({ length: 8 }, (_, i) => `${newPassword} ${i}`)
    const replies = await Promise.all(passwords.map((word) => reset(token, word)))
    expect(statuses(replies)).toEqual([200, ...Array(7).fill(410)])
    const winner = passwords[replies.findIndex(({ statusCode }) => statusCode === 200)]
    expect((await logIn('once', winner)).statusCode).toBe(200)
    expect(findMails('once', 'security_change')).toHaveLength(1)
    await requestReset('once')
    tern.advance(61 * minute)
    expect((await reset(findToken('once', 'reset_password'))).statusCode).toBe(410)
    expect((await logIn('once', winner)).statusCode).toBe(200)
  })

  test('removes the sign-in methods of a registrant who never confirmed the address', async () => {
    const squatter = await tern.signUp('owned')
    await addSignInMethods(squatter.id)
    await requestReset('owned')
    expect((await reset(findToken('owned', 'reset_password'))).statusCode).toBe(200)
    expect(await countSignInMethods(squatter.id)).toBe(0)
    expect(await isConfirmed('owned')).toBe(true)
    expect(await isLive(squatter.token)).toBe(false)
  })

  test('keeps the sign-in methods of a confirmed owner and still requires the second factor', async () => {
    const { id } = await signUpVerified('proven')
    await addSignInMethods(id)
    await requestReset('proven')
    expect((await reset(findToken('proven', 'reset_password'))).statusCode).toBe(200)
    expect(await countSignInMethods(id)).toBe(4)
    expect((await logIn('proven', newPassword)).json()).toMatchObject({ second_factor_required: true })
  })

  test('invalidates a pending second factor challenge', async () => {
    const { id } = await signUpVerified('halfway')
    await addSignInMethods(id)
    const countOpenChallenges = () => tern.count(`from sign_in_challenge where user_id = ${id} and used_at is null`)
    expect((await logIn('halfway')).json()).toHaveProperty('challenge')
    expect(await countOpenChallenges()).toBe(1)
    await requestReset('halfway')
    await reset(findToken('halfway', 'reset_password'))
    expect(await countOpenChallenges()).toBe(0)
  })
})

describe('“this was not me”', () => {
  test('ends all sessions, blocks the password, and lets the owner choose another', async () => {
    await signUpVerified('noa')
    const token = await findNotMeToken('noa')
    const intruder = (await logIn('noa')).json<{ access_token: string }>().access_token
    const mails = findMails('noa', 'reset_password').length
    const replies = await Promise.all(Array.from({ length: 6 }, () => reportUnrecognizedSignIn(token)))
    expect(statuses(replies)).toEqual([200, ...Array(5).fill(410)])
    expect(await isLive(intruder)).toBe(false)
    expect(findMails('noa', 'reset_password')).toHaveLength(mails + 1)
    const refusedLogin = await logIn('noa')
    expect([refusedLogin.statusCode, refusedLogin.json().code]).toEqual([403, 'password_reset_required'])
    expect(tern.newCookie(refusedLogin)).toBe('')

    const { reset_token: resetToken } = replies.find(({ statusCode }) => statusCode === 200)!.json()
    expect((await reset(resetToken)).statusCode).toBe(200)
    expect((await logIn('noa', newPassword)).statusCode).toBe(200)
    expect((await reset(findToken('noa', 'reset_password'))).statusCode).toBe(410)
  })

  test('lets the owner return later, by this mail or one sent on a login with the blocked password', async () => {
    await signUpVerified('lars')
    await reportUnrecognizedSignIn(await findNotMeToken('lars'))
    const resetToken = findToken('lars', 'reset_password')
    const mailsBefore = findMails('lars', 'reset_password').length
    expect((await logIn('lars', 'not this one')).statusCode).toBe(401)
    expect(findMails('lars', 'reset_password')).toHaveLength(mailsBefore)
    for (let i = 0; i < 7; i += 1) expect((await logIn('lars')).statusCode).toBe(403)
    expect(findMails('lars', 'reset_password')).toHaveLength(mailsBefore + 4)
    expect((await reset(resetToken)).statusCode).toBe(200)
    expect((await logIn('lars', newPassword)).statusCode).toBe(200)
  })

  test('ignores an unknown or month-old token', async () => {
    await signUpVerified('slow')
    const token = await findNotMeToken('slow')
    await logIn('slow')
    tern.advance(31 * 24 * 60 * minute)
    expect((await reportUnrecognizedSignIn(token)).json()).toMatchObject({ code: 'link_invalid' })
    expect((await reportUnrecognizedSignIn('x')).json()).toMatchObject({ code: 'link_invalid' })
    expect(
      await tern.count(`from session join app_user on app_user.id = user_id
      where username = 'slow' and revoked_at is null`),
    ).toBe(1)
    expect((await logIn('slow')).statusCode).toBe(200)
  })
})

test('no token is stored in the database or logged', async () => {
  const tokens = tern.mails
    .flatMap(({ data }) => ('link' in data ? [parseToken(new URL(data.link))] : []))
    .filter(Boolean)
  expect(tokens.length).toBeGreaterThan(20)
  const { rows } = await database.pool.query<{ line: string }>('select mailed_link::text as line from mailed_link')
  const storedText = [...rows.map(({ line }) => line), ...tern.logged].join('\n')
  for (const token of tokens) expect(storedText).not.toContain(token)
})
