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
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '../../../../../../tools/testing/test-app.ts'

let world: TestApp
let ida: TestPerson
let finn: TestPerson

beforeAll(async () => {
  world = await startTestApp()
  ida = await world.enroll('ida', null)
  finn = await world.enroll('finn', null)
})
afterAll(() => world.close())

/** The link matching `pattern` in someone's newest mail that has one. */
async function mailedLink(to: string, pattern: RegExp): Promise<URL> {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    const answer = await fetch(`${world.sandboxUrl}/api/mail?to=${encodeURIComponent(to)}`)
    const mails = (await answer.json()) as { text: string }[]
    for (const { text } of mails) {
      const link = text.match(/https?:\/\/\S+/g)?.find((found) => pattern.test(found))
      if (link !== undefined) return new URL(link)
    }
    await delay(25)
  }
  throw new Error(`no link like ${String(pattern)} was mailed to ${to}`)
}

const tokenIn = (link: URL) => new URLSearchParams(link.hash.slice(1) || link.search).get('token') ?? ''

test('links point to our own host whatever the Host header says', async () => {
  const payload = { email: ida.email }
  const named = { method: 'POST', url: '/api/user/send-login-link', payload } as const
  const elsewhere = await world.app.http.inject({ ...named, headers: { host: 'evil.example' } })
  expect([elsewhere.statusCode, elsewhere.json().code]).toEqual([421, 'unknown_host'])
  const poisoned = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
  for (const [path, pattern] of [
    ['/api/user/send-login-link', /login-link/],
    ['/api/user/send-password-reset', /reset-password/],
  ] as const) {
    const reply = await world.app.http.inject({
      method: 'POST',
      url: path,
      headers: poisoned,
      payload,
    })
    expect(reply.statusCode).toBe(200)
    expect((await mailedLink(ida.email, pattern)).origin).toBe(world.url)
  }
  const answer = await fetch(`${world.sandboxUrl}/api/mail?to=${encodeURIComponent(ida.email)}`)
  expect(await answer.text()).not.toContain('evil.example')
})

test('a mail scanner that follows the link spends nothing', async () => {
  const link = await mailedLink(ida.email, /verify-email/)
  for (const method of ['GET', 'HEAD', 'GET']) await fetch(link, { method })
  const { rows } = await world.database.pool.query<{ used: boolean; confirmed: boolean }>(
    `select used_at is not null as used, email_verified_at is not null as confirmed
       from mailed_link join app_user on app_user.id = user_id where user_id = $1 and purpose = 'verify_email'`,
    [ida.id],
  )
  expect(rows).toEqual([{ used: false, confirmed: false }])
  expect(await ida.call(verifyEmail, { body: { token: tokenIn(link) } })).toMatchObject({ success: true })
  expect(await ida.call(checkEmailToken, { body: { token: tokenIn(link) } })).toMatchObject({ success: true })
})

test('people can be found by email once it is confirmed', async () => {
  const seeker = await world.enroll('seeker', 'Germany')
  const look = () => seeker.call(searchUsers, { query: { query: finn.email } })
  expect(await look()).toEqual([])
  await world.confirmEmail(finn)
  expect(await look()).toMatchObject([{ id: finn.id, email: finn.email }])
})

test('signs in end to end: request, mail, link', async () => {
  const { email } = finn
  await finn.call(sendVerificationEmail, { body: { email } })
  await finn.call(sendLoginLink, { body: { email, from: '/send' } })
  // This client keeps no cookies, so each call comes from another browser.
  await expect(
    finn.call(verifyLoginLink, { body: { token: tokenIn(await mailedLink(email, /login-link/)) } }),
  ).rejects.toMatchObject({ code: 'link_of_other_browser' })
  await finn.call(sendPasswordReset, { body: { email } })
  const chosen = `${finn.password} again`
  await finn.call(resetPassword, {
    body: { token: tokenIn(await mailedLink(email, /reset-password/)), password: chosen },
  })
  const { reset_token: token } = await finn.call(reportUnrecognizedSignIn, {
    body: { token: tokenIn(await mailedLink(email, /not-me/)) },
  })
  const login = () => world.raw('POST', '/user/login', { body: { email, password: chosen } })
  expect(await login()).toMatchObject({ status: 403, body: { code: 'password_reset_required' } })
  await finn.call(resetPassword, { body: { token, password: chosen } })
  expect((await login()).status).toBe(200)
})
