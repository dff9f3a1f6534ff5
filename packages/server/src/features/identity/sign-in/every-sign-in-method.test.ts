import { randomBytes } from 'node:crypto'
import { allEndpoints } from '@tern/contract/endpoints'
import { createOidcSignInProvider } from '@tern/providers/signin/oidc'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { startTestOidcProvider, testClientId } from '@tern/testkit/providers/oidc-provider'
import { createFactorTests } from '@tern/testkit/identity/factors'
import { createTestIdentity, password, publicUrl } from '@tern/testkit/identity/identity'

type Reply = Awaited<ReturnType<Awaited<ReturnType<typeof createTestIdentity>>['post']>>

const database = await openTestDatabase()
const provider = await startTestOidcProvider({ redirectUri: `${publicUrl}/auth/callback` })
const externalProvider = createOidcSignInProvider({ issuer: provider.issuer, clientId: testClientId, allowHttp: true })
const tern = await createTestIdentity(database, {
  signInProviders: { external: externalProvider, google: externalProvider },
})
const steps = createFactorTests(tern)
afterAll(async () => {
  await tern.close()
  await provider.stop()
})

let userCount = 0
async function createUser() {
  userCount += 1
  const username = `guarded${String(userCount)}`
  const email = `${username}@tern.example`
  const user = await tern.signUp(username)
  expect(
    (await tern.post('/api/user/verify-email', { token: findMailedToken(email, 'verify_email') })).statusCode,
  ).toBe(200)
  const subject = `subject-${username}`
  provider.people.set(subject, { email, email_verified: true, name: 'Ada' })
  const providerVisit = await visitProvider('external', subject)
  // The session must be newer than the visit to the provider.
  const freshLogin = await tern.post('/api/user/login', { email, password })
  const link = await tern.post(
    '/api/auth/external/link',
    { link: providerVisit.json<{ link: string }>().link },
    bearer(freshLogin.json<{ access_token: string }>().access_token),
  )
  expect(link.statusCode, link.body).toBe(200)
  return { ...user, username, email, subject, ...(await steps.enrollTotp(user.token)) }
}
type TestUser = Awaited<ReturnType<typeof createUser>>

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const newBrowser = () => ({ cookie: `browser=${randomBytes(32).toString('base64url')}` })

function findMailedToken(email: string, template: string): string {
  const data = tern.mails.findLast((mail) => mail.email === email && mail.template === template)?.data
  if (!data || !('link' in data)) throw new Error(`no ${template} was mailed`)
  const { hash, search } = new URL(data.link)
  return new URLSearchParams(hash.slice(1) || search).get('token') ?? ''
}

async function visitProvider(name: 'google' | 'external', subject: string): Promise<Reply> {
  const browser = newBrowser()
  const startResponse = await tern.post('/api/auth/external/start', { provider: name, mode: 'popup' }, browser)
  const query = await provider.signInAs(startResponse.json<{ url: string }>().url, subject)
  return tern.post('/api/auth/external/finish', { query }, browser)
}

/** Sign-in methods that need a second factor, through the routes a person uses. */
const signInMethods: Record<string, (user: TestUser) => Promise<Reply>> = {
  password: ({ email }) => tern.post('/api/user/login', { email, password }),
  'login link': async ({ email }) => {
    const browser = newBrowser()
    await tern.post('/api/user/send-login-link', { email }, browser)
    return tern.post('/api/user/verify-login-link', { token: findMailedToken(email, 'log_in') }, browser)
  },
  'external provider': ({ subject }) => visitProvider('external', subject),
  Google: ({ subject }) => visitProvider('google', subject),
  'ID token of Google': async ({ subject }) =>
    tern.post('/api/user/google-login', {
      token: await provider.mint(subject, { jti: randomBytes(8).toString('hex') }),
    }),
}

const countSessions = ({ id }: { id: number }) => tern.count(`from session where user_id = ${String(id)}`)

describe('an account with a second factor', () => {
  test('gets a session from these calls only', () => {
    const signInEndpoints = Object.entries(allEndpoints)
      .filter(([, { reply }]) =>
        JSON.stringify(z.toJSONSchema(reply, { unrepresentable: 'any' })).includes('access_token'),
      )
      .map(([name]) => name)
    expect(signInEndpoints.toSorted()).toEqual([
      'answerSecondFactor',
      'answerSecondFactorByPasskey',
      'finishExternalSignIn',
      'googleLogin',
      'logInByPasskey',
      'login',
      'refreshToken',
      'register',
      'verifyLoginLink',
    ])
  })

  test.each(Object.entries(signInMethods))('is not opened by %s alone', async (_name, signIn) => {
    const user = await createUser()
    const sessionsBefore = await countSessions(user)
    const reply = await signIn(user)
    expect(reply.statusCode, reply.body).toBe(200)
    expect(reply.json()).toMatchObject({ second_factor_required: true, methods: ['totp', 'recovery_code'] })
    expect(reply.body).not.toContain('access_token')
    expect(reply.cookies.map(({ name }) => name)).not.toContain('rt')
    expect(await countSessions(user)).toBe(sessionsBefore)

    const { challenge } = reply.json<{ challenge: string }>()
    expect((await tern.get('/api/user/user', challenge)).statusCode).toBe(401)
    expect((await tern.refreshWith(challenge)).statusCode).toBe(401)
    const replayReply = await steps.answerChallenge(challenge, steps.codeOf(user.secret))
    expect(replayReply.body.code, 'the code it was set up with').toBe('code_used')
    tern.advance(30_000)
    const signInResponse = await steps.answerChallenge(challenge, steps.codeOf(user.secret))
    expect([signInResponse.status, signInResponse.body.user?.id]).toEqual([200, user.id])
    expect(await countSessions(user)).toBe(sessionsBefore + 1)
    expect((await steps.answerChallenge(challenge, user.recoveryCodes![0]!, 'recovery_code')).body.code).toBe(
      'challenge_invalid',
    )
  })

  test.each(Object.entries(signInMethods))(
    'that is about to be deleted stays by %s and a code, not before',
    async (_name, signIn) => {
      const user = await createUser()
      await database.pool.query(`update app_user set deletion_due_at = now() + interval '1 day' where id = $1`, [
        user.id,
      ])
      const { challenge } = (await signIn(user)).json<{ challenge: string }>()
      const countDeletions = () =>
        tern.count(`from app_user where id = ${String(user.id)} and deletion_due_at is not null`)
      expect(await countDeletions()).toBe(1)
      tern.advance(30_000)
      const signInResponse = await steps.answerChallenge(challenge, steps.codeOf(user.secret))
      expect([signInResponse.status, signInResponse.body.deletion_undone]).toEqual([200, true])
      expect(await countDeletions()).toBe(0)
    },
  )

  test('a stranger who has the password uses up no guesses of a known browser', async () => {
    const user = await createUser()
    tern.advance(30_000)
    const wrongCode = String((Number(steps.codeOf(user.secret)) + 1) % 1_000_000).padStart(6, '0')
    const requestChallenge = async (browser: object) => {
      const reply = await tern.post('/api/user/login', { email: user.email, password }, { ...browser })
      return reply.json<{ challenge: string }>().challenge
    }
    const answer = async (browser: object, code: string) => {
      const body = { challenge: await requestChallenge(browser), method: 'totp', code }
      return (await tern.post('/api/auth/second-factor', body, { ...browser })).statusCode
    }
    for (let attempt = 0; attempt < 5; attempt += 1) expect(await answer(newBrowser(), wrongCode)).toBe(422)
    expect(await answer(newBrowser(), steps.codeOf(user.secret))).toBe(429)
    expect(await answer(user.browser, steps.codeOf(user.secret))).toBe(200)
  })

  test('blocks guessing through every sign-in method at the sixth guess', async () => {
    const user = await createUser()
    tern.advance(30_000)
    const wrongCode = String((Number(steps.codeOf(user.secret)) + 1) % 1_000_000).padStart(6, '0')
    const signInAttempts = Object.values(signInMethods)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { challenge } = (await signInAttempts[attempt % signInAttempts.length]!(user)).json<{ challenge: string }>()
      expect((await steps.answerChallenge(challenge, wrongCode)).body.code).toBe('code_invalid')
    }
    for (const signIn of signInAttempts) {
      const { challenge } = (await signIn(user)).json<{ challenge: string }>()
      const sixthReply = await steps.answerChallenge(challenge, steps.codeOf(user.secret))
      expect([sixthReply.status, sixthReply.body.code]).toEqual([429, 'too_many_attempts'])
    }
  })

  test('is not opened by links that only confirm an address, and keeps its second factor through a new password', async () => {
    const user = await createUser()
    await tern.post('/api/user/send-password-reset', { email: user.email })
    const token = findMailedToken(user.email, 'reset_password')
    const replies = [
      await tern.post('/api/user/verify-email', { token: findMailedToken(user.email, 'verify_email') }),
      await tern.post('/api/user/reset-password', { token, password: 'another sound passphrase' }),
      await tern.post('/api/auth/not-me', { token: findMailedToken(user.email, 'security_change') }),
    ]
    for (const reply of replies) {
      expect(reply.body).not.toContain('access_token')
      expect(reply.cookies.map(({ name }) => name)).not.toContain('rt')
    }
    expect(replies[2]?.statusCode, replies[2]?.body).toBe(200)
    const { reset_token: nextResetToken } = replies[2]!.json<{ reset_token: string }>()
    expect((await tern.post('/api/user/reset-password', { token: nextResetToken, password })).statusCode).toBe(200)
    expect((await steps.logIn(user.username)).body.second_factor_required).toBe(true)
  })

  test('does not let a session alone remove or add a second factor', async () => {
    const user = await createUser()
    const calls = [
      ['DELETE', '/api/user/totp'],
      ['POST', '/api/user/totp'],
      ['POST', '/api/user/recovery-codes'],
      ['POST', '/api/user/passkeys/options'],
    ] as const
    for (const [method, path] of calls) {
      const { status, body } = await steps.call(method, path, { token: user.token })
      expect([status, body.code, body.confirmation.code], path).toEqual([403, 'step_up_required', 'totp'])
      const codeResponse = await steps.call('POST', `/api/auth/step-up/${body.confirmation.id}/code`, {
        token: user.token,
      })
      expect(codeResponse.body.code, 'a code by mail is no way around the app').toBe('step_up_invalid')
    }
    expect((await steps.logIn(user.username)).body.second_factor_required).toBe(true)
  })
})
