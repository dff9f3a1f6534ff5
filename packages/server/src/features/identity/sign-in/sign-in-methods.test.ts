import { allEndpoints } from '@tern/contract/endpoints'
import { listRefusals } from '@tern/contract/protocol/endpoint'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { openTestIdentity, buildRegistration } from '@tern/testkit/identity/identity'

const tern = await openTestIdentity(await createTestDatabase())

beforeAll(async () => {
  await tern.signUp('taken')
})

const ceremony = '0199f0a0-0000-7000-8000-000000000000'
const email = 'nobody@tern.example'
const token = 'x'.repeat(43)

const signInMethods: Record<string, object> = {
  register: buildRegistration('taken'),
  login: { email, password: 'not this one' },
  sendLoginLink: { email },
  verifyLoginLink: { token },
  sendVerificationEmail: { email },
  verifyEmail: { token },
  checkEmailToken: { token },
  sendPasswordReset: { email },
  resetPassword: { token, password: 'a new passphrase' },
  reportUnrecognizedSignIn: { token },
  freezeByLink: { token },
  answerSecondFactor: { challenge: token, method: 'totp', code: '123456' },
  secondFactorPasskeyOptions: { challenge: token },
  answerSecondFactorByPasskey: { challenge: token, ceremony, response: {} },
  passkeySignInOptions: {},
  logInByPasskey: { ceremony, response: {} },
  startExternalSignIn: { provider: 'google', mode: 'redirect' },
  finishExternalSignIn: { query: 'state=x' },
  googleLogin: { token },
}

test('lists every sign-in method', () => {
  const publicEndpoints = Object.entries(allEndpoints).filter(
    ([, endpoint]) => endpoint.access === 'public' && listRefusals(endpoint).includes('rate_limited'),
  )
  const signIn = publicEndpoints.filter(([, { path }]) => /^\/(user|auth)\//.test(path)).map(([name]) => name)
  expect(Object.keys(signInMethods).toSorted()).toEqual(signIn.toSorted())
})

test.each(Object.entries(signInMethods))(
  '%s: the 121st attempt in a minute from one address is refused',
  async (name, body) => {
    const { path } = allEndpoints[name as keyof typeof allEndpoints]
    const attemptSignIn = (remoteAddress: string, headers: Record<string, string> = {}) =>
      tern.http.inject({ method: 'POST', url: `/api${path}`, remoteAddress, payload: body, headers })
    const address = `198.51.100.${Object.keys(signInMethods).indexOf(name) + 1}`
    // A page of another site must not be able to use up a user's attempts.
    const foreignReplies = await Promise.all(
      Array.from({ length: 130 }, () => attemptSignIn(address, { origin: 'https://evil.example' })),
    )
    expect(new Set(foreignReplies.map((reply) => reply.json().code))).toEqual(new Set(['cross_site_request']))
    const isLimited = (reply: Awaited<ReturnType<typeof attemptSignIn>>) => {
      if (reply.statusCode !== 429 || reply.json().code !== 'rate_limited') return false
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
      return true
    }
    const replies = await Promise.all(Array.from({ length: 120 }, () => attemptSignIn(address)))
    expect(replies.filter(isLimited)).toEqual([])
    expect(replies.map((reply) => reply.statusCode).filter((status) => status >= 500 && status !== 503)).toEqual([])
    expect(isLimited(await attemptSignIn(address))).toBe(true)
    expect(isLimited(await attemptSignIn('203.0.113.200'))).toBe(false)
  },
)
