import type { DeviceSession } from '@tern/contract/security'
import {
  endOtherSessions,
  endSession,
  listSessions,
  reportUnrecognizedSession,
  securityOverview,
} from '@tern/contract/security'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { transact } from '../../../platform/database/db.ts'
import { createFactorTests } from '@tern/testkit/identity/factors'
import { alertChange } from '../mailed-links/security-alerts.ts'
import { openTestIdentity, password } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

const germanAddress = '81.169.145.64'
const netherlands = '91.198.174.192'

function createBrowser(userAgent: string) {
  let cookie: string | undefined
  return async function logIn(username: string, remoteAddress: string) {
    const reply = await tern.http.inject({
      method: 'POST',
      url: '/api/user/login',
      remoteAddress,
      headers: { 'user-agent': userAgent, ...(cookie === undefined ? {} : { cookie: `browser=${cookie}` }) },
      payload: { email: `${username}@tern.example`, password },
    })
    expect(reply.statusCode, reply.body).toBe(200)
    cookie = reply.cookies.find(({ name }) => name === 'browser')?.value
    return { token: reply.json<{ access_token: string }>().access_token, cookie: tern.newCookie(reply) }
  }
}

const call = (method: 'GET' | 'POST' | 'DELETE', path: string, token: string) =>
  tern.http.inject({ method, url: `/api${path}`, headers: { authorization: `Bearer ${token}` } })
const steps = createFactorTests(tern)
const callWithConfirmation = async (method: 'DELETE', path: string, token: string) =>
  (await steps.confirmed(method, `/api${path}`, token)).status
const loadSessions = async (token: string) => (await call('GET', listSessions.path, token)).json<DeviceSession[]>()
const hasAccess = async (token: string) => (await tern.get('/api/user/user', token)).statusCode === 200
const findAlerts = (username: string) =>
  tern.mails.filter(({ email, template }) => email === `${username}@tern.example` && template === 'new_sign_in')

describe('an alert', () => {
  test('is sent once for a new device or place, never for known ones', async () => {
    await tern.signUp('alma')
    expect(findAlerts('alma')).toEqual([])
    const laptop = createBrowser(chrome)
    await laptop('alma', germanAddress)
    expect(findAlerts('alma')).toHaveLength(1)
    await laptop('alma', germanAddress)
    await laptop('alma', '81.169.200.1')
    expect(findAlerts('alma')).toHaveLength(1)

    await laptop('alma', netherlands)
    expect(findAlerts('alma')).toHaveLength(2)
    expect(findAlerts('alma')[1]?.data).toMatchObject({
      device: { browser: 'Chrome', system: 'Linux' },
      place: { country: 'NL' },
    })

    const phone = createBrowser(iphone)
    await phone('alma', germanAddress)
    expect(findAlerts('alma')).toHaveLength(3)
    expect(findAlerts('alma')[2]?.data).toMatchObject({
      device: { browser: 'Safari', system: 'iPhone' },
      place: { country: 'DE' },
    })
    await phone('alma', netherlands)
    await laptop('alma', germanAddress)
    expect(findAlerts('alma')).toHaveLength(3)
  })

  test('goes by the network where no country is known', async () => {
    await tern.signUp('anja')
    const laptop = createBrowser(chrome)
    await laptop('anja', '192.168.7.1')
    await laptop('anja', '192.168.7.99')
    expect(findAlerts('anja')).toHaveLength(1)
    expect(findAlerts('anja')[0]?.data).toMatchObject({ place: { country: undefined, network: '192.168.7.0/24' } })
    await laptop('anja', '192.168.8.1')
    expect(findAlerts('anja')).toHaveLength(2)
  })

  test('is not sent for the first session', async () => {
    const { id } = await tern.signUp('aron')
    await database.pool.query(
      'delete from refresh_token where session_id in (select id from session where user_id = $1)',
      [id],
    )
    await database.pool.query('delete from session where user_id = $1', [id])
    await createBrowser(chrome)('aron', germanAddress)
    expect(findAlerts('aron')).toEqual([])
  })

  test('links to our own pages and names the session; its token is not stored', async () => {
    const { id } = await tern.signUp('arne')
    const { token } = await createBrowser(chrome)('arne', germanAddress)
    const [alert] = findAlerts('arne')
    const { link } = alert!.data as { link: string }
    const secret = /^http:\/\/localhost:3000\/not-me#token=([\w-]{43})$/.exec(link)?.[1] ?? ''
    const { rows } = await database.pool.query<{ row: string; session_id: string; purpose: string }>(
      'select mailed_link::text as row, session_id, purpose from mailed_link where user_id = $1 and session_id is not null',
      [id],
    )
    expect(rows).toMatchObject([{ purpose: 'unrecognized_sign_in', session_id: (await loadSessions(token))[0]?.id }])
    expect(rows[0]?.row).not.toContain(secret)
  })

  test('is sent again for the device and place of a sign-in reported by its mailed link', async () => {
    await tern.signUp('axel')
    const thief = createBrowser(iphone)
    await thief('axel', netherlands)
    const { link } = findAlerts('axel')[0]!.data as { link: string }
    const reportReply = await tern.post('/api/auth/not-me', { token: link.split('#token=')[1] })
    const { reset_token: token } = reportReply.json<{ reset_token: string }>()
    expect((await tern.post('/api/user/reset-password', { token, password })).statusCode).toBe(200)
    await thief('axel', netherlands)
    expect(findAlerts('axel')).toHaveLength(2)
  })

  test('is sent again for the device and place of a sign-in reported in the product', async () => {
    const { token } = await tern.signUp('ayla')
    const thief = createBrowser(iphone)
    await thief('ayla', netherlands)
    const reported = (await loadSessions(token)).find(({ current }) => !current)
    const path = reportUnrecognizedSession.path.replace(':id', reported!.id)
    expect((await call('POST', path, token)).statusCode).toBe(204)
    await thief('ayla', netherlands)
    expect(findAlerts('ayla')).toHaveLength(2)
  })

  test('does not make parallel sign-ins fail', async () => {
    await tern.signUp('asta')
    const signIns = await Promise.all(Array.from({ length: 12 }, () => createBrowser(chrome)('asta', germanAddress)))
    expect(await Promise.all(signIns.map(({ token }) => hasAccess(token)))).toEqual(Array(12).fill(true))
    expect(findAlerts('asta').length).toBeGreaterThan(0)
  })
})

test('a change to account protection is mailed, also to the previous address', async () => {
  const { id } = await tern.signUp('agda')
  const at = tern.options.now()
  const earlierCount = tern.mails.length
  const client = { userAgent: iphone, address: germanAddress }
  const alertUser = (overrides: { to?: string }) =>
    transact(database.pool, (tx) =>
      alertChange(tern.identity.ctx, tx, { userId: BigInt(id), change: 'email_changed', client, at, ...overrides }),
    )
  await alertUser({})
  await alertUser({ to: 'earlier@tern.example' })
  const data = {
    change: 'email_changed',
    device: { browser: 'Safari', system: 'iPhone' },
    place: { country: 'DE', network: expect.any(String) },
    at,
    link: expect.stringMatching(/^http:\/\/localhost:3000\/not-me#token=[\w-]{43}$/),
  }
  expect(tern.mails.slice(earlierCount)).toEqual([
    { email: 'agda@tern.example', template: 'security_change', data },
    { email: 'earlier@tern.example', template: 'security_change', data },
  ])
})

describe('the list of sessions', () => {
  test('starts with the current one, then the last used', async () => {
    const first = await tern.signUp('bodo')
    tern.advance(60_000)
    const second = await createBrowser(chrome)('bodo', germanAddress)
    tern.advance(60_000)
    const third = await createBrowser(iphone)('bodo', netherlands)
    tern.advance(60_000)
    const refreshReply = await tern.refreshWith(first.cookie)
    expect(refreshReply.statusCode).toBe(200)
    const sessions = await loadSessions(second.token)
    expect(sessions).toMatchObject([
      { current: true, device: 'Chrome on Linux', country: 'DE', network: '81.169.145.0/24' },
      { current: false, device: 'Unknown device', country: null },
      { current: false, device: 'Safari on iPhone', country: 'NL', network: '91.198.174.0/24' },
    ])
    expect(JSON.stringify(sessions)).not.toContain(germanAddress)
    expect((await loadSessions(third.token))[0]).toMatchObject({ current: true, device: 'Safari on iPhone' })
  })

  test('leaves out sessions unused for 30 days', async () => {
    await tern.signUp('bert')
    tern.advance(30 * 86_400_000 + 1000)
    const { token } = await createBrowser(chrome)('bert', germanAddress)
    expect(await loadSessions(token)).toHaveLength(1)
    tern.advance(-30 * 86_400_000 - 1000)
  })

  test('ends one session at once, with its access token', async () => {
    const first = await tern.signUp('cleo')
    const second = await createBrowser(chrome)('cleo', germanAddress)
    const otherSession = (await loadSessions(first.token))[1]!
    expect(await hasAccess(second.token)).toBe(true)
    const path = endSession.path.replace(':id', otherSession.id)
    const refusedReply = await call('DELETE', path, first.token)
    expect([refusedReply.statusCode, refusedReply.json()]).toMatchObject([
      403,
      { code: 'step_up_required', confirmation: { action: 'end_sessions', subject: { device: 'Chrome on Linux' } } },
    ])
    expect(await hasAccess(second.token), 'not yet').toBe(true)
    expect(await callWithConfirmation('DELETE', path, first.token)).toBe(204)
    expect(await hasAccess(second.token)).toBe(false)
    expect((await tern.refreshWith(second.cookie)).statusCode).toBe(401)
    expect(await loadSessions(first.token)).toHaveLength(1)
    expect((await call('DELETE', endSession.path.replace(':id', otherSession.id), first.token)).statusCode).toBe(404)
  })

  test('ends its own without confirmation', async () => {
    const { token } = await tern.signUp('caro')
    const [ownSession] = await loadSessions(token)
    expect((await call('DELETE', endSession.path.replace(':id', ownSession!.id), token)).statusCode).toBe(204)
    expect(await hasAccess(token)).toBe(false)
  })

  test('ends all others at once', async () => {
    const first = await tern.signUp('cato')
    const otherTokens = [
      await createBrowser(chrome)('cato', germanAddress),
      await createBrowser(iphone)('cato', germanAddress),
    ]
    const stranger = await tern.signUp('cyra')
    for (const { token } of otherTokens) expect(await hasAccess(token)).toBe(true)
    const refusedReply = await call('DELETE', endOtherSessions.path, first.token)
    expect([refusedReply.statusCode, refusedReply.json().code]).toEqual([403, 'step_up_required'])
    for (const { token } of otherTokens) expect(await hasAccess(token), 'not yet').toBe(true)
    expect(await callWithConfirmation('DELETE', endOtherSessions.path, first.token)).toBe(204)
    for (const { token, cookie } of otherTokens) {
      expect(await hasAccess(token)).toBe(false)
      expect((await tern.refreshWith(cookie)).statusCode).toBe(401)
    }
    expect(await hasAccess(first.token)).toBe(true)
    expect(await hasAccess(stranger.token)).toBe(true)
    expect((await tern.refreshWith(first.cookie)).statusCode).toBe(200)
  })

  test('is refused to everyone else', async () => {
    const owner = await tern.signUp('dina')
    const stranger = await tern.signUp('dana')
    const [session] = await loadSessions(owner.token)
    for (const id of [session!.id, '0199f0a0-0000-7000-8000-000000000000']) {
      expect((await call('DELETE', endSession.path.replace(':id', id), stranger.token)).json().code).toBe('not_found')
    }
    expect((await call('DELETE', endSession.path.replace(':id', '7'), stranger.token)).statusCode).toBe(422)
    expect(await hasAccess(owner.token)).toBe(true)
    for (const [method, path] of [
      ['GET', listSessions.path],
      ['GET', securityOverview.path],
      ['DELETE', endOtherSessions.path],
      ['DELETE', endSession.path.replace(':id', session!.id)],
    ] as const) {
      expect((await tern.http.inject({ method, url: `/api${path}` })).statusCode).toBe(401)
    }
  })
})

test('the overview describes account protection without secrets', async () => {
  const { id, token } = await tern.signUp('edda')
  const loadOverview = async () => (await call('GET', securityOverview.path, token)).json()
  expect(await loadOverview()).toEqual({
    has_password: true,
    totp: false,
    recovery_codes_left: 0,
    passkeys: [],
    external: [],
    pending_email: null,
  })
  const { pool } = database
  const passkey = '0199f0a0-0000-7000-8000-000000000001'
  await pool.query(`insert into totp (user_id, secret, created_at, confirmed_at) values ($1, 'sealed', now(), now())`, [
    id,
  ])
  await pool.query(
    `insert into recovery_code (user_id, hash, created_at, used_at) values ($1, 'a', now(), null), ($1, 'b', now(), now())`,
    [id],
  )
  await pool.query(
    `insert into passkey (id, user_id, credential_id, public_key, counter, transports, name, synced, created_at)
     values ($2, $1, 'credential', 'key', 0, '{}', 'My key', true, '2026-01-02T03:04:05Z')`,
    [id, passkey],
  )
  await pool.query(
    `insert into external_identity (issuer, subject, user_id, provider, email, linked_at)
     values ('https://issuer.example', 'subject-7', $1, 'google', 'e@x.example', '2026-01-02T03:04:05Z')`,
    [id],
  )
  await pool.query(`update app_user set pending_email = 'new@tern.example' where id = $1`, [id])
  expect(await loadOverview()).toEqual({
    has_password: true,
    totp: true,
    recovery_codes_left: 1,
    passkeys: [
      { id: passkey, name: 'My key', synced: true, created_at: '2026-01-02T03:04:05.000Z', last_used_at: null },
    ],
    external: [{ provider: 'google', email: 'e@x.example', linked_at: '2026-01-02T03:04:05.000Z' }],
    pending_email: 'new@tern.example',
  })
})
