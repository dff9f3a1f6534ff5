import { type CryptoKey, decodeProtectedHeader, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { connect, transact } from '../../../platform/database/db.ts'
import { createSeal } from '../../../platform/seal.ts'
import { createIdentity, type Identity } from '../identity.ts'
import { addressPrefix, revokeUserSessions } from './sessions.ts'
import { withLowS } from '../../../platform/keys/low-s.ts'
import { setKycStatus } from '../users/users.ts'
import { openTestIdentity, buildLogin, buildRegistration, publicUrl } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)

const hasAccess = async (token: string) => (await tern.get('/api/user/user', token)).statusCode === 200
const findSession = async (id: number) => {
  const { rows } = await database.pool.query<{ id: string }>('select id from session where user_id = $1', [id])
  return rows[0]?.id ?? ''
}

/** Creates a second identity over the same database, with its own cache, as in another process. */
async function createOtherProcess(): Promise<{ identity: Identity; end: () => Promise<void> }> {
  const pool = connect(database.url)
  const identity = await createIdentity({ ...tern.options, pool })
  return {
    identity,
    async end() {
      await identity.close()
      await pool.end()
    },
  }
}

const authenticateCall = (identity: Identity, token: string) =>
  identity
    .authenticate({ headers: { authorization: `Bearer ${token}` } } as Parameters<Identity['authenticate']>[0])
    .then(
      (caller) => (caller.verified ? 'verified' : 'unverified'),
      (error: { code: string }) => error.code,
    )

describe('a session', () => {
  test('ends at once on logout, by cookie or token; logging out twice is harmless', async () => {
    const cookieUser = await tern.signUp('anna')
    expect(await hasAccess(cookieUser.token)).toBe(true)
    const logoutReply = await tern.post('/api/user/logout/', undefined, { cookie: `rt=${cookieUser.cookie}` })
    expect(logoutReply.statusCode).toBe(204)
    expect(logoutReply.cookies[0]).toMatchObject({ name: 'rt', value: '', path: '/' })
    expect(await hasAccess(cookieUser.token)).toBe(false)
    expect((await tern.refreshWith(cookieUser.cookie)).statusCode).toBe(401)

    const tokenUser = await tern.signUp('bela')
    expect(await hasAccess(tokenUser.token)).toBe(true)
    await tern.post('/api/user/logout', undefined, { authorization: `Bearer ${tokenUser.token}` })
    expect(await hasAccess(tokenUser.token)).toBe(false)
    expect((await tern.refreshWith(tokenUser.cookie)).statusCode).toBe(401)
    expect((await tern.post('/api/user/logout', undefined, { cookie: `rt=${tokenUser.cookie}` })).statusCode).toBe(204)
    expect((await tern.post('/api/user/logout')).statusCode).toBe(204)
  })

  test("ends alone; the user's other sessions continue", async () => {
    const first = await tern.signUp('cora')
    const second = await tern.post('/api/user/login', buildLogin('cora'))
    await tern.post('/api/user/logout', undefined, { cookie: `rt=${first.cookie}` })
    expect(await hasAccess(second.json().access_token)).toBe(true)
  })

  test('ended in one process is refused in the others', async () => {
    const otherProcess = await createOtherProcess()
    // The fastest of up to three attempts, because other work may delay one.
    const times: number[] = []
    for (let count = 0; count < 3 && !times.some((time) => time < 500); count += 1) {
      const { token, cookie } = await tern.signUp(`dirk${count}`)
      await delay(100)
      expect(await authenticateCall(otherProcess.identity, token)).toBe('unverified')
      await tern.post('/api/user/logout', undefined, { cookie: `rt=${cookie}` })
      const endedAt = performance.now()
      await expect.poll(() => authenticateCall(otherProcess.identity, token), { interval: 1 }).toBe('unauthenticated')
      times.push(performance.now() - endedAt)
    }
    expect(Math.min(...times)).toBeLessThan(500)
    await otherProcess.end()
  })

  test('ended while no listener is connected is refused all the same', async () => {
    const { token, id } = await tern.signUp('egon')
    expect(await hasAccess(token)).toBe(true)
    // Terminates the listening connection together with ending the session, so that no notification arrives.
    await transact(database.pool, async (tx) => {
      await tx.query(`update session set revoked_at = now(), revoked_reason = 'test' where user_id = $1`, [id])
      await tx.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'tern tern_session' and datname = current_database()`,
      )
    })
    await expect.poll(() => hasAccess(token), { interval: 1 }).toBe(false)
    // The listener reconnects automatically.
    const otherUser = await tern.signUp('egon2')
    expect(await hasAccess(otherUser.token)).toBe(true)
    await expect
      .poll(
        async () => {
          const { rows } = await database.pool.query(
            `select 1 from pg_stat_activity where application_name = 'tern tern_session' and datname = current_database()`,
          )
          return rows.length
        },
        { interval: 20 },
      )
      .toBe(1)
  })

  test('shows in every process at once that its user was verified', async () => {
    const otherProcess = await createOtherProcess()
    const { token, id } = await tern.signUp('fina')
    await delay(100)
    expect(await authenticateCall(tern.identity, token)).toBe('unverified')
    expect(await authenticateCall(otherProcess.identity, token)).toBe('unverified')
    await transact(database.pool, (tx) => setKycStatus(tx, { userId: BigInt(id), status: 'verified' }))
    tern.identity.forgetUser(BigInt(id))
    expect(await authenticateCall(tern.identity, token)).toBe('verified')
    await expect.poll(() => authenticateCall(otherProcess.identity, token), { interval: 1 }).toBe('verified')
    await otherProcess.end()
  })

  test('ends together with all others of the user', async () => {
    const { token, id, cookie } = await tern.signUp('gero')
    const second = (await tern.post('/api/user/login', buildLogin('gero'))).json().access_token as string
    expect([await hasAccess(token), await hasAccess(second)]).toEqual([true, true])
    await transact(database.pool, (tx) =>
      revokeUserSessions(tx, { userId: BigInt(id), reason: 'password_changed', at: tern.options.now() }),
    )
    tern.identity.forgetUser(BigInt(id))
    expect([await hasAccess(token), await hasAccess(second)]).toEqual([false, false])
    expect((await tern.refreshWith(cookie)).statusCode).toBe(401)
    expect(await tern.identity.isLive(await findSession(id))).toBe(false)
  })

  test('is answered from memory while listening', async () => {
    const { token } = await tern.signUp('hanna')
    await hasAccess(token)
    const querySpy = vi.spyOn(database.pool, 'query')
    const countQueries = async () => {
      querySpy.mockClear()
      for (let i = 0; i < 200; i += 1) await authenticateCall(tern.identity, token)
      return querySpy.mock.calls.length
    }
    // If this process was paused, it queries until the listening connection has answered again.
    await expect.poll(countQueries).toBe(0)
    querySpy.mockRestore()
  })

  test("expires by real time, regardless of the product's clock", async () => {
    const shiftedIdentity = await createIdentity({ ...tern.options, now: () => new Date('2001-01-01T00:00:00Z') })
    const client = { userAgent: 'test', address: '192.0.2.1' }
    const { user, accessToken, refreshToken } = await shiftedIdentity.register({
      ...buildRegistration('hilde'),
      client,
    })
    expect(user.created_at).toBe('2001-01-01T00:00:00.000Z')
    expect(await authenticateCall(shiftedIdentity, accessToken)).toBe('unverified')
    expect((await tern.refreshWith(refreshToken)).statusCode).toBe(200)
    await shiftedIdentity.close()
  })

  test('stores the network and the browser, not the address', async () => {
    const { id } = await tern.signUp('ines')
    const { rows } = await database.pool.query('select address_prefix, user_agent from session where user_id = $1', [
      id,
    ])
    expect(rows[0]).toMatchObject({ address_prefix: expect.stringMatching(/^10\.\d+\.\d+\.0\/24$/) })
    expect(addressPrefix('::ffff:192.0.2.77')).toBe('192.0.2.0/24')
    expect(addressPrefix('2001:db8:12:34::1')).toBe('2001:db8:12::/48')
    expect(addressPrefix('2001:db8::1')).toBe('2001:db8:0::/48')
    expect(addressPrefix('fe80::1%eth0')).toBe('fe80:0:0::/48')
    expect(addressPrefix('::1')).toBe('0:0:0::/48')
    expect(addressPrefix('somewhere')).toBe('')
  })
})

describe('an access token', () => {
  const loadSigningKey = async () => {
    const { rows } = await database.pool.query<{ id: string; private_key: Buffer }>(
      'select id, private_key from signing_key where retired_at is null',
    )
    const row = rows[0]!
    const jwk = JSON.parse(createSeal(tern.options.secret, 'identity/signing-key').open(row.private_key, row.id)) as JWK
    return { kid: row.id, key: (await importJWK(jwk, 'ES256')) as CryptoKey }
  }
  type Forgery = { header?: object; claims?: object; key?: CryptoKey | Uint8Array }
  /** Creates a token signed with the real key, unless `key` is given; `header` and `claims` override valid values. */
  async function forgeToken(user: { id: number; sessionId: string }, { header = {}, claims = {}, key }: Forgery = {}) {
    const signingKey = await loadSigningKey()
    const seconds = Math.floor(tern.options.now().getTime() / 1000)
    const validClaims = {
      sub: String(user.id),
      sid: user.sessionId,
      iss: publicUrl,
      aud: 'tern',
      iat: seconds,
      exp: seconds + 300,
    }
    const token = await new SignJWT({ ...validClaims, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: signingKey.kid, ...header })
      .sign(key ?? signingKey.key)
    return 'alg' in header ? token : withLowS(token)
  }
  let victim: { id: number; sessionId: string; token: string }
  let stranger: { id: number; sessionId: string; token: string }
  beforeAll(async () => {
    const signUpWithSession = async (name: string) => {
      const { id, token } = await tern.signUp(name)
      return { id, token, sessionId: await findSession(id) }
    }
    victim = await signUpWithSession('victim')
    stranger = await signUpWithSession('stranger')
  })
  const base64 = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

  test('is accepted when valid', async () => {
    expect(await hasAccess(await forgeToken(victim))).toBe(true)
  })

  test.each<[string, () => Promise<string> | string]>([
    ['expired', () => forgeToken(victim, { claims: { exp: Math.floor(tern.options.now().getTime() / 1000) - 1 } })],
    ['without expiry', () => forgeToken(victim, { claims: { exp: undefined } })],
    ['of another issuer', () => forgeToken(victim, { claims: { iss: 'https://evil.example' } })],
    ['for another audience', () => forgeToken(victim, { claims: { aud: 'others' } })],
    ['of another type', () => forgeToken(victim, { header: { typ: 'JWT' } })],
    ['without a session', () => forgeToken(victim, { claims: { sid: undefined } })],
    ['with a session that is no id', () => forgeToken(victim, { claims: { sid: 'x' } })],
    ['with an invented session', () => forgeToken(victim, { claims: { sid: '0199f0a0-0000-7000-8000-000000000000' } })],
    ["with somebody else's session", () => forgeToken(victim, { claims: { sid: stranger.sessionId } })],
    ['with another user', () => forgeToken(victim, { claims: { sub: String(stranger.id) } })],
    ['with a user that is no number', () => forgeToken(victim, { claims: { sub: 'root' } })],
    ['with an unknown key', () => forgeToken(victim, { header: { kid: 'unknown' } })],
    ['without a key', () => forgeToken(victim, { header: { kid: undefined } })],
    ['signed with another key', async () => forgeToken(victim, { key: (await generateKeyPair('ES256')).privateKey })],
    [
      'with the public key as a secret (HS256)',
      async () =>
        forgeToken(victim, {
          header: { alg: 'HS256' },
          key: Buffer.from(JSON.stringify(tern.identity.publicKeys().keys[0])),
        }),
    ],
    [
      'unsigned (alg none)',
      () => {
        const [, payload] = victim.token.split('.')
        return `${base64({ alg: 'none', typ: 'at+jwt' })}.${payload}.`
      },
    ],
    [
      'that brings its own key',
      async () => {
        const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
        return forgeToken(victim, { header: { jwk: await crypto.subtle.exportKey('jwk', publicKey) }, key: privateKey })
      },
    ],
    ['cut short', () => victim.token.slice(0, -4)],
    [
      'with another payload',
      async () => {
        const [header, , signature] = victim.token.split('.')
        const [, payload] = (await forgeToken(stranger)).split('.')
        return `${header}.${payload}.${signature}`
      },
    ],
    ['too long', () => `${victim.token}${'A'.repeat(4000)}`],
    ['that is none', () => 'x'],
    ['of three empty parts', () => '..'],
  ])('%s is refused', async (_case, buildToken) => {
    const reply = await tern.get('/api/user/user', await buildToken())
    expect(reply.statusCode).toBe(401)
    expect(reply.json()).toMatchObject({ code: 'unauthenticated' })
  })

  test.each([undefined, '', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz'])(
    'is refused when invalid: %j',
    async (authorization) => {
      const headers = authorization === undefined ? {} : { authorization }
      const reply = await tern.http.inject({ method: 'GET', url: '/api/user/user', headers })
      expect(reply.statusCode).toBe(401)
    },
  )

  test('is valid for five minutes, also when seen before', async () => {
    const { token } = await tern.signUp('otto')
    expect(await hasAccess(token)).toBe(true)
    // Tokens count whole seconds, and the calls take some time.
    tern.advance(295_000)
    expect(await hasAccess(token)).toBe(true)
    tern.advance(6000)
    expect(await hasAccess(token)).toBe(false)
    tern.advance(-301_000)
  })

  test('can be verified with the published keys, which reveal nothing else', async () => {
    const reply = await tern.http.inject({ method: 'GET', url: '/.well-known/jwks.json' })
    const [jwk, ...otherKeys] = reply.json<{ keys: JWK[] }>().keys
    expect(otherKeys).toEqual([])
    expect(Object.keys(jwk!).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    const { payload } = await jwtVerify(victim.token, await importJWK(jwk!, 'ES256'), {
      issuer: publicUrl,
      audience: 'tern',
    })
    expect(payload.sub).toBe(String(victim.id))
    expect(Object.keys(payload).toSorted()).toEqual(['aud', 'exp', 'iat', 'iss', 'sid', 'sub'])
  })

  test('is signed by one key, however many processes start at first', async () => {
    const newDatabase = await createTestDatabase()
    const start = () => createIdentity({ ...tern.options, pool: newDatabase.pool, databaseUrl: newDatabase.url })
    const identities = await Promise.all(Array.from({ length: 6 }, start))
    expect(new Set(identities.map((identity) => identity.publicKeys().keys[0]?.kid)).size).toBe(1)
    await expect(
      createIdentity({
        ...tern.options,
        pool: newDatabase.pool,
        databaseUrl: newDatabase.url,
        secret: Buffer.alloc(32, 8),
      }),
    ).rejects.toThrow('TERN_SECRET')
    await Promise.all(identities.map((identity) => identity.close()))
    await newDatabase.drop()
  })
})

// Runs last, because it replaces the signing key of the earlier tests.
test('an access token is signed with a new key after retirement; older tokens stay valid until they expire', async () => {
  const { token, cookie } = await tern.signUp('rota')
  const readKid = (jwt: string) => decodeProtectedHeader(jwt).kid
  await tern.identity.retireOldKey()
  tern.advance(61_000)
  const immediateReply = await tern.refreshWith(cookie)
  expect(readKid(immediateReply.json<{ access_token: string }>().access_token)).toBe(readKid(token))
  await database.pool.query(`update signing_key set created_at = created_at - interval '91 days'`)
  await tern.identity.retireOldKey()
  tern.advance(61_000)
  const laterReply = await tern.refreshWith(tern.newCookie(immediateReply))
  const newToken = laterReply.json<{ access_token: string }>().access_token
  expect(readKid(newToken)).not.toBe(readKid(token))
  expect((await tern.get('/api/user/user/', token)).statusCode).toBe(200)
  expect((await tern.get('/api/user/user/', newToken)).statusCode).toBe(200)
  const { keys } = (await tern.get('/.well-known/jwks.json')).json<{ keys: { kid: string }[] }>()
  expect(keys.map(({ kid }) => kid)).toEqual(expect.arrayContaining([readKid(token), readKid(newToken)]))
  expect(await tern.count('from signing_key where retired_at is null')).toBe(1)
})
