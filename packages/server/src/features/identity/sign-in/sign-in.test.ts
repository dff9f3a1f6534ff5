import type { DeviceSession } from '@tern/contract/security'
import { describe, expect, test, vi } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import type { Tx } from '../../../platform/database/db.ts'
import { createIdentity, type Identity } from '../identity.ts'
import { revokeUserSessions } from '../sessions/sessions.ts'
import { createFactorTests } from '@tern/testkit/identity/factors'
import { isUserNumber } from '../users/user-number.ts'
import { openTestIdentity, password, buildRegistration, statuses } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)

async function reportByMail({ email }: { email: string }) {
  const alert = tern.mails.findLast((mail) => mail.email === email && mail.template === 'new_sign_in')
  if (alert?.template !== 'new_sign_in') throw new Error('no alert was mailed')
  const token = new URLSearchParams(new URL(alert.data.link).hash.slice(1)).get('token')
  expect((await tern.post('/api/auth/not-me', { token })).statusCode).toBe(200)
}

/** Reports the newest session of another device. */
async function reportInProduct({ token }: { token: string }) {
  const sessions = (await tern.get('/api/auth/sessions', token)).json<DeviceSession[]>()
  const reported = sessions.find(({ current }) => !current)
  const headers = { authorization: `Bearer ${token}` }
  expect((await tern.post(`/api/auth/sessions/${reported?.id}/not-me`, undefined, headers)).statusCode).toBe(204)
}

describe('registration', () => {
  test('opens an account, a wallet and a session', async () => {
    const reply = await tern.post('/api/user/register/', {
      ...buildRegistration('ada'),
      email: 'Ada@Tern.example ',
      name: ' Ada  Lovelace ',
    })
    expect(reply.statusCode).toBe(201)
    const body = reply.json()
    expect(body).toMatchObject({
      email: 'ada@tern.example',
      username: 'ada',
      profile: { first_name: 'Ada' },
      email_verified: false,
      kyc_status: 'not_started',
      user: { id: body.id },
    })
    expect(isUserNumber(BigInt(body.id))).toBe(true)
    expect(reply.cookies.find(({ name }) => name === 'rt')).toMatchObject({
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
    })
    expect(reply.headers['cache-control']).toBe('no-store')
    expect(await tern.count(`from wallet where user_id = ${body.id}`)).toBe(1)
    const profile = await tern.get('/api/user/user/', body.access_token)
    expect(profile.json()).toEqual(body.user)
    expect(profile.body).not.toContain('argon2')
  })

  test.each([
    ['email', { email: 'nobody' }],
    ['email', { email: undefined }],
    ['email', { email: `${'a'.repeat(250)}@x.example` }],
    ['email', { email: 7 }],
    ['username', { username: 'x' }],
    ['username', { username: 'has space' }],
    ['username', { username: undefined }],
    ['username', { username: 'a'.repeat(31) }],
    ['name', { name: 'a'.repeat(101) }],
    ['name', { name: 'a\u0000b' }],
    ['password', { password: 'short' }],
    ['password', { password: undefined }],
    ['password', { password: 'x'.repeat(201) }],
    ['password', { password: 'Wrong-One' }],
    ['password', { password: 'wrongfield@tern.example' }],
    ['password', { password: 'Password123' }],
    ['password', { password: 'aaaaaaaaaaaa' }],
    ['password', { password: '9876543210' }],
  ])('refuses a wrong %s: %j', async (field, invalidFields) => {
    const usersBefore = await tern.count('from app_user')
    const reply = await tern.post('/api/user/register', { ...buildRegistration('wrongfield'), ...invalidFields })
    expect(reply.statusCode).toBe(422)
    expect(reply.headers['content-type']).toContain('application/problem+json')
    expect(reply.json()).toMatchObject({ code: 'invalid_request' })
    expect(reply.json().errors.map((error: { field: string }) => error.field)).toContain(field)
    expect(await tern.count('from app_user')).toBe(usersBefore)
  })

  test('grants an email and a username once, also to concurrent requests', async () => {
    const registerSame = (email: string, username: string) =>
      tern.post('/api/user/register', { ...buildRegistration(username), email })
    const emailReplies = await Promise.all(
      Array.from({ length: 12 }, (_, i) => registerSame('twin@tern.example', `twin-${i}`)),
    )
    expect(statuses(emailReplies)).toEqual([201, ...Array(11).fill(409)])
    expect(emailReplies.find((reply) => reply.statusCode === 409)?.json()).toMatchObject({
      code: 'email_taken',
      errors: [{ field: 'email' }],
    })
    const usernameReplies = await Promise.all(
      Array.from({ length: 12 }, (_, i) => registerSame(`n${i}@tern.example`, 'TheOne')),
    )
    expect(statuses(usernameReplies)).toEqual([201, ...Array(11).fill(409)])
    expect(usernameReplies.find((reply) => reply.statusCode === 409)?.json()).toMatchObject({
      code: 'username_taken',
      errors: [{ field: 'username' }],
    })
    expect(await tern.count(`from app_user left join wallet on user_id = app_user.id where user_id is null`)).toBe(0)
  })
})

describe('logging in', () => {
  test('needs the right password', async () => {
    await tern.signUp('bert')
    const validLogin = await tern.post('/api/user/login/', { email: 'BERT@tern.example', password })
    expect(validLogin.statusCode).toBe(200)
    expect(validLogin.json().user.username).toBe('bert')
    for (const wrongLogin of [
      { email: 'bert@tern.example', password: 'not the one Bert chose 7' },
      { email: 'x@y.example', password },
    ]) {
      const reply = await tern.post('/api/user/login', wrongLogin)
      expect(reply.statusCode).toBe(401)
      expect(reply.json()).toMatchObject({
        code: 'invalid_credentials',
        detail: 'That email or password is incorrect.',
      })
      expect(reply.cookies.map(({ name }) => name)).toEqual(['browser'])
    }
  })

  test('slows down after five failures, also from many addresses at once', async () => {
    await tern.signUp('dora')
    const guessPassword = (enteredPassword = 'not this one') =>
      tern.post('/api/user/login', { email: 'dora@tern.example', password: enteredPassword })
    const guesses = await Promise.all(Array.from({ length: 60 }, () => guessPassword()))
    expect(guesses.filter((reply) => reply.statusCode === 401)).toHaveLength(5)
    const limitedReplies = guesses.filter((reply) => reply.statusCode === 429)
    expect(limitedReplies).toHaveLength(55)
    expect(limitedReplies[0]?.json().code).toBe('too_many_attempts')
    expect(Number(limitedReplies[0]?.headers['retry-after'])).toBeGreaterThan(25)
    // Refused before the check, so that even the right password reveals nothing.
    expect((await guessPassword(password)).statusCode).toBe(429)

    tern.advance(31_000)
    expect((await guessPassword()).statusCode).toBe(401)
    const correctLogin = await guessPassword(password)
    expect(correctLogin.statusCode).toBe(429)
    expect(Number(correctLogin.headers['retry-after'])).toBeGreaterThan(55)
    tern.advance(61_000)
    expect((await guessPassword(password)).statusCode).toBe(200)
    // A successful sign-in clears the count: five new guesses are checked.
    const laterReplies = await Promise.all(Array.from({ length: 5 }, () => guessPassword()))
    expect(laterReplies.map((reply) => reply.statusCode)).toEqual(Array(5).fill(401))
  })

  test('counts guesses in several processes together', async () => {
    await tern.signUp('dana')
    const otherIdentity = await createIdentity(tern.options)
    const client = { userAgent: '', address: '192.0.2.1' }
    const guessPassword = (at: Identity) =>
      at.logIn({ email: 'dana@tern.example', password: 'not this one', client }).catch((error) => error.code as string)
    const codes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => guessPassword(i % 2 ? tern.identity : otherIdentity)),
    )
    expect(codes.filter((code) => code === 'invalid_credentials')).toHaveLength(5)
    await otherIdentity.close()
  })

  test('does not count concurrent correct passwords as guesses', async () => {
    await tern.signUp('emil')
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => tern.post('/api/user/login', { email: 'emil@tern.example', password })),
    )
    expect(replies.map((reply) => reply.statusCode)).toEqual(Array(12).fill(200))
  })

  test('six wrong passwords of strangers never lock the owner out of a known browser, and the wait is stated', async () => {
    const owner = await tern.signUp('ruth')
    const email = 'ruth@tern.example'
    const logIn = (browser = {}, enteredPassword = password) =>
      tern.post('/api/user/login', { email, password: enteredPassword }, browser)
    for (let attempt = 0; attempt < 6; attempt += 1) await logIn({}, 'not this one')
    const otherLogin = await logIn()
    expect([otherLogin.statusCode, otherLogin.json().code]).toEqual([429, 'too_many_attempts'])
    const { detail, until } = otherLogin.json<{ detail: string; until: string }>()
    expect(detail).toMatch(
      /^Too many failed attempts\. You can try again in \d+ seconds\. A browser you have logged in with before, a passkey or/,
    )
    expect(Date.parse(until) - tern.options.now().getTime()).toBeGreaterThan(20_000)
    for (let visitIndex = 0; visitIndex < 3; visitIndex += 1) expect((await logIn(owner.browser)).statusCode).toBe(200)
    expect((await logIn()).statusCode, 'nor does the owner help the strangers').toBe(429)

    // A known browser has five attempts of its own, which strangers cannot use up.
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await logIn(owner.browser, 'not this one')).statusCode).toBe(401)
    }
    expect((await logIn(owner.browser)).statusCode).toBe(429)
    // A browser known to one account is not known to another.
    const { browser } = await tern.signUp('ruths.neighbour')
    expect((await logIn(browser)).statusCode).toBe(429)
  })

  test.each([
    ['by the mailed link', 'selma', reportByMail],
    ['in the product', 'sonja', reportInProduct],
  ])('a browser whose sign-in was reported %s is a stranger again', async (_way, username, report) => {
    const { browser, token } = await tern.signUp(username)
    const email = `${username}@tern.example`
    const thief = { cookie: `browser=${username.padEnd(43, 't')}` }
    expect((await tern.post('/api/user/login', { email, password }, thief)).statusCode).toBe(200)
    await report({ email, token })
    const guessPassword = (from: object) =>
      tern.post('/api/user/login', { email, password: 'not this one' }, { ...from })
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await guessPassword({})).statusCode).toBe(401)
    expect((await guessPassword(thief)).statusCode).toBe(429)
    expect((await guessPassword(browser)).statusCode).toBe(401)
  })

  test('slows down an unknown email like a known one', async () => {
    const guessPassword = () => tern.post('/api/user/login', { email: 'ghost@tern.example', password })
    for (let i = 0; i < 5; i += 1) expect((await guessPassword()).statusCode).toBe(401)
    expect((await guessPassword()).statusCode).toBe(429)
  })

  test.each([
    ['address', () => '198.51.100.7'],
    ['IPv6 network', (i: number) => `2001:db8:1:2::${i.toString(16)}`],
  ])('limits attempts per %s', async (_case, chooseAddress) => {
    const logInFrom = (i: number) =>
      tern.http.inject({
        method: 'POST',
        url: '/api/user/login',
        remoteAddress: chooseAddress(i),
        payload: { email: `spray-${i}@tern.example`, password: 'x' },
      })
    const replies = []
    // Five at a time, because at most ten password checks of one network may wait.
    for (let i = 0; i < 125; i += 5)
      replies.push(...(await Promise.all([0, 1, 2, 3, 4].map((offset) => logInFrom(i + offset)))))
    const limitedReplies = replies.filter((reply) => reply.statusCode === 429)
    expect(limitedReplies).toHaveLength(5)
    expect(limitedReplies[0]?.json().code).toBe('rate_limited')
    expect(Number(limitedReplies[0]?.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('a sign-in overtaken by ending everything', () => {
  /** Revokes all of a user's sessions between the first factor and the opening of the session. */
  async function signInDuringRevocation(id: number, signIn: () => ReturnType<typeof tern.post>) {
    const client = await database.pool.connect()
    try {
      await client.query('begin')
      await client.query('select from app_user where id = $1 for update', [id])
      const reply = signIn()
      await vi.waitFor(
        async () => {
          const blockedQueries = await client.query(`select from pg_stat_activity where wait_event_type = 'Lock'
              and datname = current_database()`)
          expect(blockedQueries.rowCount).toBe(1)
        },
        { timeout: 120_000 },
      )
      await revokeUserSessions(client as unknown as Tx, {
        userId: BigInt(id),
        reason: 'ended_by_owner',
        at: tern.options.now(),
      })
      await client.query('commit')
      return await reply
    } finally {
      client.release()
    }
  }
  const countLiveSessions = (id: number) =>
    tern.count(`from session where user_id = ${String(id)} and revoked_at is null`)

  test('with a password opens no session', async () => {
    const { id } = await tern.signUp('latepassword')
    const { email } = buildRegistration('latepassword')
    const reply = await signInDuringRevocation(id, () => tern.post('/api/user/login/', { email, password }))
    expect([reply.statusCode, reply.json<{ code: string }>().code]).toEqual([410, 'challenge_invalid'])
    expect(await countLiveSessions(id)).toBe(0)
    expect((await tern.post('/api/user/login/', { email, password })).statusCode).toBe(200)
  })

  test('with a pending second factor opens none either', async () => {
    const { id, token } = await tern.signUp('latefactor')
    const { email } = buildRegistration('latefactor')
    const factors = createFactorTests(tern)
    const { secret } = await factors.enrollTotp(token)
    tern.advance(30_000)
    const firstStep = await tern.post('/api/user/login/', { email, password })
    const { challenge } = firstStep.json<{ challenge: string }>()
    const reply = await signInDuringRevocation(id, () =>
      tern.post('/api/auth/second-factor', { challenge, method: 'totp', code: factors.codeOf(secret) }),
    )
    expect([reply.statusCode, reply.json<{ code: string }>().code]).toEqual([410, 'challenge_invalid'])
    expect(await countLiveSessions(id)).toBe(0)
  })
})
