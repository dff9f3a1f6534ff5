import type { StepUpRequirement } from '@tern/contract/security'
import { Secret, TOTP } from 'otpauth'
import { expect } from 'vitest'
import { createTestAuthenticator, type TestAuthenticator } from './authenticator.ts'
import { type createTestIdentity, password, publicUrl } from './identity.ts'

type Tern = Awaited<ReturnType<typeof createTestIdentity>>
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface Answer {
  readonly status: number
  // Untyped, because the shape of the body is what tests check.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

function createCall(tern: Tern) {
  let calls = 0

  /** Each call has another address, so that limits per address do not apply. */
  return async function call(
    method: Method,
    path: string,
    {
      token,
      body,
      confirmation,
      cookie,
    }: { token?: string; body?: object; confirmation?: string; cookie?: string } = {},
  ): Promise<Answer> {
    calls += 1
    const reply = await tern.http.inject({
      method,
      url: path,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(confirmation ? { 'step-up': confirmation } : {}),
        ...(cookie ? { cookie } : {}),
      },
      remoteAddress: `10.99.${calls >> 8}.${calls & 255}`,
      ...(body ? { payload: body } : {}),
    })
    return { status: reply.statusCode, body: reply.body === '' ? undefined : reply.json() }
  }
}

/** Creates the passkeys of all users, and confirmation by them. */
function createPasskeys(call: ReturnType<typeof createCall>) {
  /** Passkeys by user number. */
  const passkeys = new Map<string, TestAuthenticator[]>()
  const listPasskeys = (token: string): TestAuthenticator[] => {
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub: string }
    const userPasskeys = passkeys.get(sub) ?? []
    passkeys.set(sub, userPasskeys)
    return userPasskeys
  }

  async function confirmByPasskey(token: string, id: string): Promise<void> {
    const { body } = await call('POST', `/api/auth/step-up/${id}/passkey/options`, { token })
    const allowed = new Set((body.options.allowCredentials as { id: string }[]).map((credential) => credential.id))
    const authenticator = listPasskeys(token).find((passkey) => allowed.has(passkey.id))
    if (!authenticator) throw new Error('no passkey of this user was enrolled here')
    const response = authenticator.get(body.options)
    const proofReply = await call('POST', `/api/auth/step-up/${id}/passkey`, {
      token,
      body: { ceremony: body.ceremony, response },
    })
    expect(proofReply).toEqual({ status: 200, body: { success: true } })
  }
  return { listPasskeys, confirmByPasskey }
}

/** For tests: actions with second factors on a test identity. */
export function createFactorTests(tern: Tern) {
  const call = createCall(tern)
  const { listPasskeys, confirmByPasskey } = createPasskeys(call)

  async function requestMailedCode(token: string, confirmation: string): Promise<string> {
    const mailResponse = await call('POST', `/api/auth/step-up/${confirmation}/code`, { token })
    expect(mailResponse).toEqual({ status: 200, body: { success: true } })
    const mail = tern.mails.findLast(({ template }) => template === 'step_up_code')
    if (mail?.template !== 'step_up_code') throw new Error('no code was mailed')
    return mail.data.code
  }

  /**
   * Confirms by passkey if there is one, otherwise by password and code. `secret`: secret of the authenticator app, if
   * any.
   */
  async function confirm(token: string, { id, code, passkey }: StepUpRequirement, secret?: string): Promise<void> {
    if (passkey) return confirmByPasskey(token, id)
    if (code === 'totp') tern.advance(30_000)
    const submittedCode = code === 'totp' ? computeCode(secret ?? '') : await requestMailedCode(token, id)
    const proofReply = await call('POST', `/api/auth/step-up/${id}`, { token, body: { password, code: submittedCode } })
    expect(proofReply).toEqual({ status: 200, body: { success: true } })
  }

  async function callWithStepUp(method: Method, path: string, token: string, secret?: string): Promise<Answer> {
    const refusal = await call(method, path, { token })
    expect([refusal.status, refusal.body?.code], JSON.stringify(refusal.body)).toEqual([403, 'step_up_required'])
    await confirm(token, refusal.body.confirmation, secret)
    return call(method, path, { token, confirmation: refusal.body.confirmation.id })
  }

  /** Returns the authenticator app's code, `steps` half minutes from now. */
  const computeCode = (secret: string, steps = 0): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: tern.options.now().getTime() + steps * 30_000,
    })

  /** Sets up an authenticator app at the beginning of a half minute. */
  async function enrollTotp(
    token: string,
    currentProof?: string,
  ): Promise<{ secret: string; recoveryCodes: string[] | null }> {
    const started = await callWithStepUp('POST', '/api/user/totp', token, currentProof)
    expect(started.status).toBe(200)
    const { secret } = started.body as { secret: string }
    tern.advance(30_000 - (tern.options.now().getTime() % 30_000))
    const enabled = await call('POST', '/api/user/totp/confirm', { token, body: { code: computeCode(secret) } })
    expect(enabled.status, JSON.stringify(enabled.body)).toBe(200)
    return { secret, recoveryCodes: enabled.body.recovery_codes }
  }

  async function enrollPasskey(
    token: string,
    authenticator: TestAuthenticator = createTestAuthenticator(publicUrl),
    { secret, name }: { secret?: string; name?: string } = {},
  ) {
    const started = await callWithStepUp('POST', '/api/user/passkeys/options', token, secret)
    expect(started.status).toBe(200)
    const { ceremony, options } = started.body
    const body = { ceremony, response: authenticator.create(options), ...(name === undefined ? {} : { name }) }
    const added = await call('POST', '/api/user/passkeys', { token, body })
    expect(added.status, JSON.stringify(added.body)).toBe(201)
    listPasskeys(token).push(authenticator)
    const { passkey, recovery_codes: recoveryCodes } = added.body
    return { authenticator, options, passkey, recoveryCodes: recoveryCodes as string[] | null }
  }

  const logIn = (username: string) =>
    call('POST', '/api/user/login', { body: { email: `${username}@tern.example`, password } })

  async function startChallenge(username: string): Promise<string> {
    const { status, body } = await logIn(username)
    expect([status, body.second_factor_required]).toEqual([200, true])
    return body.challenge as string
  }

  const answerChallenge = (challenge: string, code: string, method: 'totp' | 'recovery_code' = 'totp') =>
    call('POST', '/api/auth/second-factor', { body: { challenge, method, code } })

  return {
    call,
    mailedCode: requestMailedCode,
    confirm,
    confirmed: callWithStepUp,
    codeOf: computeCode,
    enrollTotp,
    enrollPasskey,
    logIn,
    challengeOf: startChallenge,
    answerChallenge,
  }
}
