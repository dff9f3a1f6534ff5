import { searchUsers } from '@tern/contract/identity'
import {
  checkEmailToken,
  reportUnrecognizedSignIn,
  resetPassword,
  sendLoginLink,
  sendPasswordReset,
  sendVerificationEmail,
  verifyEmail,
  verifyLoginLink,
} from '@tern/contract/sign-in'
import { notifications } from '@tern/contract/notifications/notifications'
import { reportUnrecognizedSession } from '@tern/contract/security'
import { setTimeout as delay } from 'node:timers/promises'
import { transact } from '../../../platform/database/db.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'

let world: TestApp
let ida: TestPerson
let finn: TestPerson

beforeAll(async () => {
  world = await startTestApp()
  ida = await world.enroll('ida', null)
  finn = await world.enroll('finn', null)
})
afterAll(() => world.close())

/** Waits up to 20 seconds for a mail to `to` with a link that matches `pattern`; takes the newest such mail. */
async function findMailedLink(to: string, pattern: RegExp): Promise<URL> {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    const answer = await fetch(`${world.sandboxUrl}/api/mail?to=${encodeURIComponent(to)}`)
    const mails = (await answer.json()) as { text: string }[]
    for (const { text } of mails) {
      const link = text.match(/https?:\/\/\S+/g)?.find((url) => pattern.test(url))
      if (link !== undefined) return new URL(link)
    }
    await delay(25)
  }
  throw new Error(`no link like ${String(pattern)} was mailed to ${to}`)
}

const parseToken = (link: URL) => new URLSearchParams(link.hash.slice(1) || link.search).get('token') ?? ''

test('links point to our own host, regardless of the Host header', async () => {
  const payload = { email: ida.email }
  const linkRequest = { method: 'POST', url: '/api/user/send-login-link', payload } as const
  const foreignHostResponse = await world.app.http.inject({ ...linkRequest, headers: { host: 'evil.example' } })
  expect([foreignHostResponse.statusCode, foreignHostResponse.json().code]).toEqual([421, 'unknown_host'])
  const forwardedHeaders = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
  for (const [path, pattern] of [
    ['/api/user/send-login-link', /login-link/],
    ['/api/user/send-password-reset', /reset-password/],
  ] as const) {
    const reply = await world.app.http.inject({
      method: 'POST',
      url: path,
      headers: forwardedHeaders,
      payload,
    })
    expect(reply.statusCode).toBe(200)
    expect((await findMailedLink(ida.email, pattern)).origin).toBe(world.url)
  }
  const answer = await fetch(`${world.sandboxUrl}/api/mail?to=${encodeURIComponent(ida.email)}`)
  expect(await answer.text()).not.toContain('evil.example')
})

test('a mail scanner that follows the link spends nothing', async () => {
  const link = await findMailedLink(ida.email, /verify-email/)
  for (const method of ['GET', 'HEAD', 'GET']) await fetch(link, { method })
  const { rows } = await world.database.pool.query<{ used: boolean; confirmed: boolean }>(
    `select used_at is not null as used, email_verified_at is not null as confirmed
       from mailed_link join app_user on app_user.id = user_id where user_id = $1 and purpose = 'verify_email'`,
    [ida.id],
  )
  expect(rows).toEqual([{ used: false, confirmed: false }])
  expect(await ida.call(verifyEmail, { body: { token: parseToken(link) } })).toMatchObject({ success: true })
  expect(await ida.call(checkEmailToken, { body: { token: parseToken(link) } })).toMatchObject({ success: true })
})

test('users can be found by email once it is confirmed', async () => {
  const searcher = await world.enroll('seeker', 'Germany')
  const searchEmail = () => searcher.call(searchUsers, { query: { query: finn.email } })
  expect(await searchEmail()).toEqual([])
  await world.confirmEmail(finn)
  expect(await searchEmail()).toMatchObject([{ id: finn.id, email: finn.email }])
})

test('signs in end to end: request, mail, link', async () => {
  const { email } = finn
  await finn.call(sendVerificationEmail, { body: { email } })
  await finn.call(sendLoginLink, { body: { email, from: '/send' } })
  // This client keeps no cookies, so each call comes from another browser.
  await expect(
    finn.call(verifyLoginLink, { body: { token: parseToken(await findMailedLink(email, /login-link/)) } }),
  ).rejects.toMatchObject({ code: 'link_of_other_browser' })
  await finn.call(sendPasswordReset, { body: { email } })
  const newPassword = `${finn.password} again`
  await finn.call(resetPassword, {
    body: { token: parseToken(await findMailedLink(email, /reset-password/)), password: newPassword },
  })
  const { reset_token: token } = await finn.call(reportUnrecognizedSignIn, {
    body: { token: parseToken(await findMailedLink(email, /not-me/)) },
  })
  const login = () => world.raw('POST', '/user/login', { body: { email, password: newPassword } })
  expect(await login()).toMatchObject({ status: 403, body: { code: 'password_reset_required' } })
  await finn.call(resetPassword, { body: { token, password: newPassword } })
  expect((await login()).status).toBe(200)
})

const otherDevice = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0' }
const logInElsewhere = async ({ email, password }: TestPerson): Promise<string> =>
  (await world.raw('POST', '/user/login', { body: { email, password }, headers: otherDevice })).body.access_token

test('reporting a sign-in covers its whole device, ends every session and freezes the account', async () => {
  const owner = await world.enroll('gil', null)
  const token = await logInElsewhere(owner)
  const [notice] = (await owner.call(notifications, {})).needs_action
  const device = { browser: 'Firefox', system: 'Windows', unfamiliar: 'device' }
  expect(notice).toMatchObject({ code: 'new_sign_in', params: device })
  const sameParams = { ...notice?.params, network: notice?.params.network as string }
  await transact(world.app.product.pool, (tx) =>
    world.app.product.notifications.notify(tx, {
      userId: BigInt(owner.id),
      code: 'new_sign_in',
      params: sameParams,
      dedupe: 'a second sign-in of the same device',
      needsAction: true,
    }),
  )
  const id = notice?.subject_id ?? ''
  await expect(ida.call(reportUnrecognizedSession, { params: { id } })).rejects.toMatchObject({ code: 'not_found' })
  await owner.call(reportUnrecognizedSession, { params: { id } })
  for (const endedToken of [token, owner.token]) {
    expect((await world.raw('GET', '/notifications', { token: endedToken })).status).toBe(401)
  }
  // The mail's link blocks the password.
  await owner.call(reportUnrecognizedSignIn, {
    body: { token: parseToken(await findMailedLink(owner.email, /not-me/)) },
  })
  expect((await world.raw('POST', '/user/login', { body: owner })).status).not.toBe(200)
  const { rows } = await world.database.pool.query<{ code: string; is_read: boolean; change: string | null }>(
    `select code, read_at is not null as is_read, params ->> 'change' as change from notification where user_id = $1 order by id`,
    [owner.id],
  )
  expect(rows).toEqual([
    { code: 'new_sign_in', is_read: true, change: null },
    { code: 'new_sign_in', is_read: true, change: null },
    { code: 'security_change', is_read: false, change: 'account_frozen' },
    { code: 'security_change', is_read: false, change: 'sign_in_unrecognized' },
  ])
  const frozenUsers = await world.database.pool.query('select from app_user where id = $1 and frozen_at is not null', [
    owner.id,
  ])
  expect(frozenUsers.rowCount).toBe(1)
})
