import { describe, expect, test, vi } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import type { Tx } from '../../../platform/database/db.ts'
import { createIdentity, type Identity } from '../identity.ts'
import { revokeUserSessions } from '../sessions/sessions.ts'
import { createFactorTests } from '@tern/testkit/identity/factors'
import { isUserNumber } from '../users/user-number.ts'
import { openTestIdentity, password, person, statuses } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)

describe('registration', () => {
  test('opens an account, a wallet and a session', async () => {
    const reply = await tern.post('/api/user/register/', {
      ...person('ada'),
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
    const me = await tern.get('/api/user/user/', body.access_token)
    expect(me.json()).toEqual(body.user)
    expect(me.body).not.toContain('argon2')
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
  ])('refuses a wrong %s: %j', async (field, wrong) => {
    const before = await tern.count('from app_user')
    const reply = await tern.post('/api/user/register', { ...person('wrongfield'), ...wrong })
    expect(reply.statusCode).toBe(422)
    expect(reply.headers['content-type']).toContain('application/problem+json')
    expect(reply.json()).toMatchObject({ code: 'invalid_request' })
    expect(reply.json().errors.map((error: { field: string }) => error.field)).toContain(field)
    expect(await tern.count('from app_user')).toBe(before)
  })

  test('grants an email and a username once, also to concurrent requests', async () => {
    const same = (email: string, username: string) => tern.post('/api/user/register', { ...person(username), email })
    const byEmail = await Promise.all(Array.from({ length: 12 }, (_, i) => same('twin@tern.example', `twin-${i}`)))
    expect(statuses(byEmail)).toEqual([201, ...Array(11).fill(409)])
    expect(byEmail.find((reply) => reply.statusCode === 409)?.json()).toMatchObject({
      code: 'email_taken',
      errors: [{ field: 'email' }],
    })
    const byUsername = await Promise.all(Array.from({ length: 12 }, (_, i) => same(`n${i}@tern.example`, 'TheOne')))
    expect(statuses(byUsername)).toEqual([201, ...Array(11).fill(409)])
    expect(byUsername.find((reply) => reply.statusCode === 409)?.json()).toMatchObject({
      code: 'username_taken',
      errors: [{ field: 'username' }],
    })
    expect(await tern.count(`from app_user left join wallet on user_id = app_user.id where user_id is null`)).toBe(0)
  })
})

describe('logging in', () => {
  test('needs the right password', async () => {
    await tern.signUp('bert')
    const good = await tern.post('/api/user/login/', { email: 'BERT@tern.example', password })
    expect(good.statusCode).toBe(200)
    expect(good.json().user.username).toBe('bert')
    for (const wrong of [
      { email: 'bert@tern.example', password: 'not the one Bert chose 7' },
      { email: 'x@y.example', password },
    ]) {
      const reply = await tern.post('/api/user/login', wrong)
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
    const guess = (word = 'not this one') =>
      tern.post('/api/user/login', { email: 'dora@tern.example', password: word })
    const guesses = await Promise.all(Array.from({ length: 60 }, () => guess()))
    expect(guesses.filter((reply) => reply.statusCode === 401)).toHaveLength(5)
    const refused = guesses.filter((reply) => reply.statusCode === 429)
    expect(refused).toHaveLength(55)
    expect(refused[0]?.json().code).toBe('too_many_attempts')
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(25)
    // Even the right password reveals nothing now.
    expect((await guess(password)).statusCode).toBe(429)

    tern.advance(31_000)
    expect((await guess()).statusCode).toBe(401)
    const again = await guess(password)
    expect(again.statusCode).toBe(429)
    expect(Number(again.headers['retry-after'])).toBeGreaterThan(55)
    tern.advance(61_000)
    expect((await guess(password)).statusCode).toBe(200)
    // Success forgives: five new guesses.
    const after = await Promise.all(Array.from({ length: 5 }, () => guess()))
    expect(after.map((reply) => reply.statusCode)).toEqual(Array(5).fill(401))
  })

  test('counts guesses in several processes together', async () => {
    await tern.signUp('dana')
    const other = await createIdentity(tern.options)
    const client = { userAgent: '', address: '192.0.2.1' }
    const guess = (at: Identity) =>
      at.logIn({ email: 'dana@tern.example', password: 'not this one', client }).catch((error) => error.code as string)
    const codes = await Promise.all(Array.from({ length: 20 }, (_, i) => guess(i % 2 ? tern.identity : other)))
    expect(codes.filter((code) => code === 'invalid_credentials')).toHaveLength(5)
    await other.close()
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
    const logIn = (browser = {}, word = password) => tern.post('/api/user/login', { email, password: word }, browser)
    for (let guess = 0; guess < 6; guess += 1) await logIn({}, 'not this one')
    const elsewhere = await logIn()
    expect([elsewhere.statusCode, elsewhere.json().code]).toEqual([429, 'too_many_attempts'])
    const { detail, until } = elsewhere.json<{ detail: string; until: string }>()
    expect(detail).toMatch(
      /^Too many failed attempts\. You can try again in \d+ seconds\. A browser you have logged in with before, a passkey or/,
    )
    expect(Date.parse(until) - tern.options.now().getTime()).toBeGreaterThan(20_000)
    for (let visit = 0; visit < 3; visit += 1) expect((await logIn(owner.browser)).statusCode).toBe(200)
    expect((await logIn()).statusCode, 'nor does the owner help the strangers').toBe(429)

    // The browser has its own five, which a stranger cannot use up.
    for (let guess = 0; guess < 5; guess += 1) {
      expect((await logIn(owner.browser, 'not this one')).statusCode).toBe(401)
    }
    expect((await logIn(owner.browser)).statusCode).toBe(429)
    // A browser is known to its own account only.
    const { browser } = await tern.signUp('ruths.neighbour')
    expect((await logIn(browser)).statusCode).toBe(429)
  })

  test('a browser whose sign-in was reported is a stranger again', async () => {
    const { browser } = await tern.signUp('selma')
    const email = 'selma@tern.example'
    const thief = { cookie: `browser=${'t'.repeat(43)}` }
    expect((await tern.post('/api/user/login', { email, password }, thief)).statusCode).toBe(200)
    const alert = tern.mails.findLast((mail) => mail.email === email && mail.template === 'new_sign_in')
    if (alert?.template !== 'new_sign_in') throw new Error('no alert was mailed')
    const token = new URLSearchParams(new URL(alert.data.link).hash.slice(1)).get('token')
    expect((await tern.post('/api/auth/not-me', { token })).statusCode).toBe(200)
    const guess = (from: object) => tern.post('/api/user/login', { email, password: 'not this one' }, { ...from })
    for (let wrong = 0; wrong < 5; wrong += 1) expect((await guess({})).statusCode).toBe(401)
    expect((await guess(thief)).statusCode).toBe(429)
    expect((await guess(browser)).statusCode).toBe(401)
  })

  test('slows down an unknown email like a known one', async () => {
    const guess = () => tern.post('/api/user/login', { email: 'ghost@tern.example', password })
    for (let i = 0; i < 5; i += 1) expect((await guess()).statusCode).toBe(401)
    expect((await guess()).statusCode).toBe(429)
  })

  test.each([
    ['address', () => '198.51.100.7'],
    ['IPv6 network', (i: number) => `2001:db8:1:2::${i.toString(16)}`],
  ])('limits attempts per %s', async (_what, addressOf) => {
    const from = (i: number) =>
      tern.http.inject({
        method: 'POST',
        url: '/api/user/login',
        remoteAddress: addressOf(i),
        payload: { email: `spray-${i}@tern.example`, password: 'x' },
      })
    const replies = []
    // At most this many attempts may wait for their turn at once.
    for (let i = 0; i < 125; i += 5) replies.push(...(await Promise.all([0, 1, 2, 3, 4].map((more) => from(i + more)))))
    const refused = replies.filter((reply) => reply.statusCode === 429)
    expect(refused).toHaveLength(5)
    expect(refused[0]?.json().code).toBe('rate_limited')
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('a sign-in overtaken by ending everything', () => {
  /** Ends everything between a sign-in's first factor and its session. */
  async function endMeanwhile(id: number, signIn: () => ReturnType<typeof tern.post>) {
    const client = await database.pool.connect()
    try {
      await client.query('begin')
      await client.query('select from app_user where id = $1 for update', [id])
      const reply = signIn()
      await vi.waitFor(
        async () => {
          const waiting = await client.query(`select from pg_stat_activity where wait_event_type = 'Lock'
              and datname = current_database()`)
          expect(waiting.rowCount).toBe(1)
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
  const liveSessions = (id: number) => tern.count(`from session where user_id = ${String(id)} and revoked_at is null`)

  test('with a password opens no session', async () => {
    const { id } = await tern.signUp('latepassword')
    const { email } = person('latepassword')
    const reply = await endMeanwhile(id, () => tern.post('/api/user/login/', { email, password }))
    expect([reply.statusCode, reply.json<{ code: string }>().code]).toEqual([410, 'challenge_invalid'])
    expect(await liveSessions(id)).toBe(0)
    expect((await tern.post('/api/user/login/', { email, password })).statusCode).toBe(200)
  })

  test('with a pending second factor opens none either', async () => {
    const { id, token } = await tern.signUp('latefactor')
    const { email } = person('latefactor')
    const factors = createFactorTests(tern)
    const { secret } = await factors.enrollTotp(token)
    tern.advance(30_000)
    const firstStep = await tern.post('/api/user/login/', { email, password })
    const { challenge } = firstStep.json<{ challenge: string }>()
    const reply = await endMeanwhile(id, () =>
      tern.post('/api/auth/second-factor', { challenge, method: 'totp', code: factors.codeOf(secret) }),
    )
    expect([reply.statusCode, reply.json<{ code: string }>().code]).toEqual([410, 'challenge_invalid'])
    expect(await liveSessions(id)).toBe(0)
  })
})
