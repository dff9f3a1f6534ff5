import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { isFullRun } from '@tern/testkit/length'
import { connect } from '../../../platform/database/db.ts'
import { createIdentity } from '../identity.ts'
import {
  createTestIdentity,
  openTestIdentity,
  buildLogin,
  buildRegistration,
  publicUrl,
  statuses,
} from '@tern/testkit/identity/identity'

const rounds = isFullRun ? 50 : 15
const database = await createTestDatabase()
const tern = await openTestIdentity(database)

/** Starts another server over the same database, with its own cache, as in another process. */
async function startInstance(now: () => Date) {
  const pool = connect(database.url)
  const instance = await createTestIdentity({ pool, url: database.url }, { now, realNow: now })
  const url = await instance.http.listen({ port: 0, host: '127.0.0.1' })
  const end = async () => {
    await instance.close()
    await pool.end()
  }
  return { ...instance, url, end }
}

describe('the refresh cookie', () => {
  test('is rotated at each use', async () => {
    const { cookie } = await tern.signUp('fred')
    const reply = await tern.refreshWith(cookie)
    expect(reply.statusCode).toBe(200)
    expect(tern.newCookie(reply)).not.toBe(cookie)
    expect((await tern.get('/api/user/user', reply.json().access_token)).json().username).toBe('fred')
    expect((await tern.refreshWith(tern.newCookie(reply))).statusCode).toBe(200)
  })

  test(`is granted to one of 40 parallel refreshes in four processes, for ${rounds} rounds; an old token ends the session everywhere`, async () => {
    // The clock is fixed, so that requests count as concurrent even on a slow machine.
    let at = new Date()
    const instances = await Promise.all(Array.from({ length: 4 }, () => startInstance(() => at)))
    const instance = (i: number) => instances[i % instances.length]!
    const first = await instance(0).signUp('gina')
    let { cookie } = first
    let token = ''
    const counts: Record<number, number> = {}
    for (let round = 0; round < rounds; round += 1) {
      const replies = await Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          const reply = await fetch(`${instance(i).url}/api/auth/token`, {
            method: 'POST',
            headers: { cookie: `rt=${cookie}` },
          })
          counts[reply.status] = (counts[reply.status] ?? 0) + 1
          return { reply, body: (await reply.json()) as { access_token?: string; code?: string } }
        }),
      )
      const successes = replies.filter(({ reply }) => reply.status === 200)
      expect(successes).toHaveLength(1)
      expect(new Set(replies.map(({ body }) => body.code))).toEqual(new Set([undefined, 'request_in_progress']))
      cookie = /^rt=([^;]+)/.exec(
        successes[0]!.reply.headers.getSetCookie().find((text) => text.startsWith('rt='))!,
      )![1]!
      token = successes[0]!.body.access_token!
    }
    expect(counts).toEqual({ 200: rounds, 409: 39 * rounds })
    expect(
      await tern.count(`from refresh_token join session s on s.id = session_id join app_user u on u.id = s.user_id
      where username = 'gina' and used_at is null`),
    ).toBe(1)

    const hasAccess = async (i: number) => (await instance(i).get('/api/user/user', token)).statusCode === 200
    for (const i of instances.keys()) expect(await hasAccess(i)).toBe(true)
    at = new Date(at.getTime() + 60_000)
    expect((await instance(1).refreshWith(first.cookie)).statusCode).toBe(401)
    expect(await hasAccess(1)).toBe(false)
    for (const i of instances.keys()) await expect.poll(() => hasAccess(i), { interval: 5 }).toBe(false)
    expect((await instance(2).refreshWith(cookie)).statusCode).toBe(401)
    for (const { end } of instances) await end()
  })

  test('ends the session and its access token when used twice', async () => {
    const { cookie, token } = await tern.signUp('hugo')
    const first = await tern.refreshWith(cookie)
    const second = await tern.refreshWith(tern.newCookie(first))
    tern.advance(5000)
    const stolenReply = await tern.refreshWith(cookie)
    expect(stolenReply.statusCode).toBe(401)
    expect(tern.newCookie(stolenReply)).toBe('')
    expect((await tern.get('/api/user/user', token)).statusCode).toBe(401)
    expect((await tern.get('/api/user/user', second.json().access_token)).statusCode).toBe(401)
    expect((await tern.refreshWith(tern.newCookie(second))).statusCode).toBe(401)
    expect(tern.logged.some((line) => line.includes('refresh token reused'))).toBe(true)
  })

  test('can be requested again for 30 seconds when the answer was lost', async () => {
    const { cookie } = await tern.signUp('ida')
    const lostReply = await tern.refreshWith(cookie)
    tern.advance(10_000)
    const repeatedReply = await tern.refreshWith(cookie)
    expect(repeatedReply.statusCode).toBe(200)
    expect((await tern.refreshWith(tern.newCookie(repeatedReply))).statusCode).toBe(200)
    // Another client uses the token of the lost reply.
    tern.advance(5000)
    expect((await tern.refreshWith(tern.newCookie(lostReply))).statusCode).toBe(401)
    expect((await tern.get('/api/user/user', repeatedReply.json().access_token)).statusCode).toBe(401)
  })

  test('is granted to one of several parallel repetitions, and none ends the session', async () => {
    const { cookie } = await tern.signUp('ivan')
    await tern.refreshWith(cookie)
    tern.advance(10_000)
    const replies = await Promise.all(Array.from({ length: 20 }, () => tern.refreshWith(cookie)))
    expect(statuses(replies)).toEqual([200, ...Array(19).fill(409)])
    const successfulReply = replies.find((reply) => reply.statusCode === 200)!
    expect((await tern.refreshWith(tern.newCookie(successfulReply))).statusCode).toBe(200)
  })

  test('counts as reused when repeated after 30 seconds', async () => {
    const { cookie, token } = await tern.signUp('jana')
    await tern.refreshWith(cookie)
    tern.advance(31_000)
    expect((await tern.refreshWith(cookie)).statusCode).toBe(401)
    expect((await tern.get('/api/user/user', token)).statusCode).toBe(401)
  })

  test('expires after 30 days without use', async () => {
    const { cookie } = await tern.signUp('kai')
    tern.advance(30 * 86_400_000 + 1000)
    expect((await tern.refreshWith(cookie)).statusCode).toBe(401)
    tern.advance(-30 * 86_400_000)
  })

  test('is not stored in the database', async () => {
    const { cookie } = await tern.signUp('lars')
    const { rows } = await database.pool.query<{ hash: Buffer }>('select hash from refresh_token')
    for (const { hash } of rows) {
      expect(hash.toString('base64url')).not.toBe(cookie)
      expect(hash.toString('utf8')).not.toContain(cookie)
    }
    expect(Buffer.from(cookie, 'base64url')).toHaveLength(32)
    expect(tern.logged.join('\n')).not.toContain(cookie)
    expect(tern.logged.join('\n')).not.toContain('@tern.example')
  })

  test('carries the __Host- prefix wherever there is TLS', async () => {
    const secureIdentity = await createIdentity({ ...tern.options, secureCookie: true })
    expect(secureIdentity.refreshCookie).toMatchObject({
      name: '__Host-rt',
      options: { secure: true, path: '/', httpOnly: true },
    })
    expect(secureIdentity.refreshCookie.options.domain).toBeUndefined()
    await secureIdentity.close()
  })

  test.each([{ cookie: '' }, { cookie: 'rt=' }, { cookie: 'rt=invented' }, { cookie: `rt=${'x'.repeat(4000)}` }])(
    'is refused when malformed: %j',
    async (headers) => {
      expect((await tern.post('/api/auth/token', undefined, headers)).statusCode).toBe(401)
    },
  )
})

describe('a page of another site', () => {
  const calls = ['/api/user/register', '/api/user/login', '/api/auth/token', '/api/user/logout'] as const
  const foreignHeaders = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost:3001' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: publicUrl, 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  ]
  test.each(calls.flatMap((path) => foreignHeaders.map((headers) => [path, headers] as const)))(
    '%s %j',
    async (path, headers) => {
      const { cookie } = await (foreignVictim ??= tern.signUp('mia'))
      const hasNoBody = path === '/api/auth/token' || path === '/api/user/logout'
      const buildBody = path === '/api/user/login' ? buildLogin : buildRegistration
      const body = hasNoBody ? undefined : buildBody('foreign')
      const reply = await tern.post(path, body, { ...headers, cookie: `rt=${cookie}` })
      expect(reply.statusCode).toBe(403)
      expect(reply.json().code).toBe('cross_site_request')
      expect(reply.headers['set-cookie']).toBeUndefined()
    },
  )

  test('our own page is answered under any name of the server', async () => {
    const { cookie } = await tern.signUp('mona')
    const first = await tern.post('/api/auth/token', undefined, { origin: publicUrl, cookie: `rt=${cookie}` })
    expect(first.statusCode).toBe(200)
    const second = await tern.post('/api/auth/token', undefined, {
      origin: 'http://127.0.0.1:3000',
      host: '127.0.0.1:3000',
      'sec-fetch-site': 'same-origin',
      cookie: `rt=${tern.newCookie(first)}`,
    })
    expect(second.statusCode).toBe(200)
  })
  let foreignVictim: ReturnType<typeof tern.signUp> | undefined
})
