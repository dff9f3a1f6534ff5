import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { connect } from '../../../platform/database/db.ts'
import { createIdentity } from '../identity.ts'
import { openTestIdentity, buildLogin, buildRegistration } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)

const day = 86_400_000
const minute = 60_000
const hasAccess = async (token: string) => (await tern.get('/api/user/user', token)).statusCode === 200
const readToken = (reply: { json(): unknown }) => (reply.json() as { access_token: string }).access_token

/** Creates a second identity over the same database, with its own cache, as in another process. */
async function createOtherProcess(overrides: Parameters<typeof createIdentity>[0] = tern.options) {
  const pool = connect(database.url)
  const identity = await createIdentity({ ...overrides, pool })
  const isKnown = (token: string) =>
    identity
      .authenticate({ headers: { authorization: `Bearer ${token}` } } as Parameters<typeof identity.authenticate>[0])
      .then(
        () => true,
        () => false,
      )
  const end = async () => {
    await identity.close()
    await pool.end()
  }
  return { identity, isKnown, end }
}

describe('a session ends by age', () => {
  test('90 days after the sign-in, however much it is used, in every process and with its access token', async () => {
    const otherProcess = await createOtherProcess()
    let { cookie, token } = await tern.signUp('used')
    const refreshSession = async () => {
      const reply = await tern.refreshWith(cookie)
      if (reply.statusCode === 200) [cookie, token] = [tern.newCookie(reply), readToken(reply)]
      return reply.statusCode
    }
    for (let month = 0; month < 3; month += 1) {
      tern.advance(29 * day)
      expect(await refreshSession()).toBe(200)
    }
    tern.advance(3 * day - 3 * minute)
    expect(await refreshSession()).toBe(200)
    // Both processes have cached the session.
    expect([await hasAccess(token), await otherProcess.isKnown(token)]).toEqual([true, true])
    tern.advance(4 * minute)
    expect([await hasAccess(token), await otherProcess.isKnown(token)]).toEqual([false, false])
    expect(await refreshSession()).toBe(401)
    await otherProcess.end()
  })

  test('30 days after its last use', async () => {
    const { cookie } = await tern.signUp('unused')
    tern.advance(30 * day - minute)
    const reply = await tern.refreshWith(cookie)
    expect(reply.statusCode).toBe(200)
    tern.advance(30 * day + minute)
    expect((await tern.refreshWith(tern.newCookie(reply))).statusCode).toBe(401)
  })

  test('and is no longer listed as signed in, though its refresh token has not expired', async () => {
    const { id } = await tern.signUp('aged')
    // Simulates a session from before the maximum age was introduced.
    await database.pool.query(`update session set created_at = created_at - interval '91 days' where user_id = $1`, [
      id,
    ])
    const reply = await tern.post('/api/user/login', buildLogin('aged'))
    const sessionList = await tern.get('/api/auth/sessions', readToken(reply))
    expect(sessionList.json()).toMatchObject([{ current: true }])
  })

  test('as configured, also when that has become shorter', async () => {
    const strictProcess = await createOtherProcess({
      ...tern.options,
      sessionLimits: { lifetimeDays: 1, idleDays: 1, maxPerAccount: 2 },
    })
    const { cookie, token } = await tern.signUp('shortened')
    expect(await strictProcess.isKnown(token)).toBe(true)
    tern.advance(day + minute)
    const newToken = readToken(await tern.refreshWith(cookie))
    expect([await hasAccess(newToken), await strictProcess.isKnown(newToken)]).toEqual([true, false])
    await strictProcess.end()
  })
})

describe('an account has at most twenty sessions', () => {
  test('another ends the longest unused one at once, in every process, and its user is notified', async () => {
    const otherProcess = await createOtherProcess()
    const first = await tern.signUp('many')
    const logIn = async () => {
      const reply = await tern.post('/api/user/login', buildLogin('many'))
      expect(reply.statusCode).toBe(200)
      return { token: readToken(reply), cookie: tern.newCookie(reply) }
    }
    const second = await logIn()
    for (let loginCount = 2; loginCount < 20; loginCount += 1) await logIn()
    tern.advance(minute)
    // The first session is the oldest but not the least recently used.
    const rotatedToken = readToken(await tern.refreshWith(first.cookie))
    expect([
      await hasAccess(rotatedToken),
      await hasAccess(second.token),
      await otherProcess.isKnown(second.token),
    ]).toEqual([true, true, true])
    const countEndedSessionMails = () =>
      tern.mails.filter(({ data }) => 'change' in data && data.change === 'oldest_session_ended').length
    expect(countEndedSessionMails()).toBe(0)
    await logIn()
    expect([await hasAccess(rotatedToken), await hasAccess(second.token)]).toEqual([true, false])
    await expect.poll(() => otherProcess.isKnown(second.token)).toBe(false)
    expect((await tern.refreshWith(second.cookie)).statusCode).toBe(401)
    expect(countEndedSessionMails()).toBe(1)
    expect(tern.mails.at(-1)).toMatchObject({ email: buildRegistration('many').email, template: 'security_change' })
    await otherProcess.end()
  })

  test('also for concurrent sign-ins in two processes', async () => {
    const otherProcess = await createOtherProcess()
    const { id } = await tern.signUp('crowd')
    const client = { userAgent: 'test', address: '192.0.2.7' }
    const credentials = { email: buildRegistration('crowd').email, password: buildRegistration('crowd').password }
    await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        i % 2 ? tern.post('/api/user/login', credentials) : otherProcess.identity.logIn({ ...credentials, client }),
      ),
    )
    expect(await tern.count(`from session where user_id = ${String(id)} and revoked_at is null`)).toBe(20)
    await otherProcess.end()
  })
})
