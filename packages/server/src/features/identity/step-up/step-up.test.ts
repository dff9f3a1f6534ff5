import { sensitiveActionKinds, type StepUpRequirement } from '@tern/contract/security'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { Refusal } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { createFactorTests } from '@tern/testkit/identity/factors'
import type { SensitiveAction } from './confirmations.ts'
import { openTestIdentity, password, statuses } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)
const steps = createFactorTests(tern)

let userCount = 0
async function createUser() {
  userCount += 1
  const user = await tern.signUp(`prover${String(userCount)}`)
  const { rows } = await database.pool.query<{ id: string }>('select id from session where user_id = $1', [user.id])
  const caller: Caller = { userId: BigInt(user.id), sessionId: rows[0]!.id, verified: false }
  return { ...user, caller, auth: { authorization: `Bearer ${user.token}` } }
}
type TestUser = Awaited<ReturnType<typeof createUser>>

const payment: SensitiveAction = {
  action: 'send_money',
  subject: { to: 'Bruno Tester (@bruno)', amount: '250.00 USD', fee: '2.50 USD' },
  hidden: { recipient: '1234567890', idempotencyKey: '5b1d2b6e-5f3e-4a55-9d6e-1d0a33b0a001' },
}
const change: SensitiveAction = { action: 'change_factors', subject: { change: 'Add a passkey' } }

async function requirementFor(caller: Caller, act: SensitiveAction, confirmation?: string): Promise<StepUpRequirement> {
  const outcome = await tern.identity.requireStepUp({ caller, act, confirmation }).then(
    () => 'passed',
    (error: unknown) => error,
  )
  if (!(outcome instanceof Refusal)) throw new Error(`expected a refusal, got ${String(outcome)}`)
  expect(outcome.code).toBe('step_up_required')
  return outcome.details.extra?.confirmation as StepUpRequirement
}
const expectAccepted = (caller: Caller, act: SensitiveAction, confirmation: string) =>
  expect(tern.identity.requireStepUp({ caller, act, confirmation })).resolves.toBeInstanceOf(Date)

async function requestMailedCode({ auth }: TestUser, id: string): Promise<string> {
  const reply = await tern.post(`/api/auth/step-up/${id}/code`, undefined, auth)
  expect(reply.statusCode, reply.body).toBe(200)
  const mail = tern.mails.at(-1)
  if (mail?.template !== 'step_up_code') throw new Error('no code was mailed')
  return mail.data.code
}
const submitProof = ({ auth }: TestUser, id: string, body: object) => tern.post(`/api/auth/step-up/${id}`, body, auth)
async function createProof(user: TestUser, action: SensitiveAction): Promise<string> {
  const { id } = await requirementFor(user.caller, action)
  const reply = await submitProof(user, id, { password, code: await requestMailedCode(user, id) })
  expect(reply.statusCode, reply.body).toBe(200)
  return id
}
const readCode = (reply: { json(): unknown }) => (reply.json() as { code: string }).code
const buildOtherCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe('a step-up confirmation', () => {
  test('shows what is confirmed, in the answer and the mail, and permits exactly that action', async () => {
    const user = await createUser()
    const requirement = await requirementFor(user.caller, payment)
    expect(requirement).toMatchObject({
      action: 'send_money',
      subject: payment.subject,
      password: true,
      passkey: false,
      code: 'email',
    })
    const code = await requestMailedCode(user, requirement.id)
    expect(code).toMatch(/^\d{6}$/)
    expect(tern.mails.at(-1)).toMatchObject({
      email: `prover${String(userCount)}@tern.example`,
      data: { action: 'send_money', subject: Object.entries(payment.subject) },
    })
    const reply = await submitProof(user, requirement.id, { password, code: `${code.slice(0, 3)} ${code.slice(3)}` })
    expect(reply.json()).toEqual({ success: true })
    await expectAccepted(user.caller, payment, requirement.id)
    const { rows } = await database.pool.query<{ text: string }>(
      'select step_up_confirmation::text as text from step_up_confirmation',
    )
    expect(rows.map((row) => row.text).join(' ')).not.toContain(code)
  })

  test('a mailed code that confirmed an earlier action is told apart from a wrong one, and is no guess', async () => {
    const user = await createUser()
    const first = await requirementFor(user.caller, payment)
    const usedCode = await requestMailedCode(user, first.id)
    expect((await submitProof(user, first.id, { password, code: usedCode })).statusCode).toBe(200)
    const second = await requirementFor(user.caller, change)
    const newCode = await requestMailedCode(user, second.id)
    for (let attempt = 0; attempt < 7; attempt += 1) {
      const reply = await submitProof(user, second.id, { password, code: usedCode })
      expect(reply.json()).toMatchObject({ code: 'code_used', reason: 'ask_for_new_code', errors: [{ field: 'code' }] })
    }
    const stranger = await createUser()
    const strangerRequirement = await requirementFor(stranger.caller, change)
    await requestMailedCode(stranger, strangerRequirement.id)
    expect(
      readCode(await submitProof(stranger, strangerRequirement.id, { password, code: usedCode })),
      'of another account',
    ).toBe('code_invalid')
    expect((await submitProof(user, second.id, { password, code: newCode })).json()).toEqual({ success: true })
  })

  test('is bound to action, payee, amount, currency and key: any change requires a new one', async () => {
    const user = await createUser()
    const id = await createProof(user, payment)
    const changes: SensitiveAction[] = [
      { ...payment, action: 'link_bank_account' },
      { ...payment, subject: { ...payment.subject, to: 'Mallory (@mallory)' } },
      { ...payment, subject: { ...payment.subject, amount: '251.00 USD' } },
      { ...payment, subject: { ...payment.subject, amount: '250.00 EUR' } },
      { ...payment, subject: { ...payment.subject, arrives: 'x' } },
      { ...payment, hidden: { ...payment.hidden, recipient: '1234567891' } },
      { ...payment, hidden: { ...payment.hidden, idempotencyKey: '5b1d2b6e-5f3e-4a55-9d6e-1d0a33b0a002' } },
      { ...payment, hidden: {} },
    ]
    for (const changedAction of changes) expect((await requirementFor(user.caller, changedAction, id)).id).not.toBe(id)
    const { fee, ...rest } = payment.subject
    await expectAccepted(user.caller, { ...payment, subject: { fee: fee!, ...rest } }, id)
  })

  test('is useless to other sessions and users, who cannot confirm it either', async () => {
    const user = await createUser()
    const stranger = await createUser()
    const id = await createProof(user, payment)
    await requirementFor(stranger.caller, payment, id)
    await requirementFor({ ...user.caller, sessionId: stranger.caller.sessionId }, payment, id)
    const requirement = await requirementFor(user.caller, payment)
    for (const reply of [
      await submitProof(stranger, requirement.id, { password, code: '123456' }),
      await tern.post(`/api/auth/step-up/${requirement.id}/code`, undefined, stranger.auth),
      await tern.post(`/api/auth/step-up/${requirement.id}/passkey/options`, undefined, stranger.auth),
    ]) {
      expect([reply.statusCode, readCode(reply)]).toEqual([410, 'step_up_invalid'])
    }
    await expectAccepted(user.caller, payment, id)
  })

  test('is spent once, but can be repeated with the same movement for a day', async () => {
    const user = await createUser()
    const proof = await createProof(user, change)
    const proofResults = await Promise.allSettled(
      [1, 2, 3].map(() => tern.identity.requireStepUp({ caller: user.caller, act: change, confirmation: proof })),
    )
    expect(proofResults.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await requirementFor(user.caller, change, proof)

    const secondProof = await createProof(user, payment)
    await expectAccepted(user.caller, payment, secondProof)
    tern.advance(23 * 3_600_000)
    await expectAccepted(user.caller, payment, secondProof)
    tern.advance(2 * 3_600_000)
    await requirementFor(user.caller, payment, secondProof)
  })

  test('expires after five minutes, confirmed or not', async () => {
    const user = await createUser()
    const confirmation = await createProof(user, payment)
    const requirement = await requirementFor(user.caller, payment)
    const code = await requestMailedCode(user, requirement.id)
    tern.advance(5 * 60_000 + 1000)
    const refreshReply = await tern.refreshWith(user.cookie)
    const auth = { authorization: `Bearer ${refreshReply.json<{ access_token: string }>().access_token}` }
    const lateReply = await submitProof({ ...user, auth }, requirement.id, { password, code })
    expect([lateReply.statusCode, readCode(lateReply)]).toEqual([410, 'step_up_invalid'])
    await requirementFor(user.caller, payment, confirmation)
  })
})

describe('guessing at a confirmation', () => {
  test('names the wrong field and ends at the fifth failure: then even right answers are refused', async () => {
    const user = await createUser()
    const { id } = await requirementFor(user.caller, payment)
    const code = await requestMailedCode(user, id)
    const incompleteReply = await submitProof(user, id, { code })
    expect([incompleteReply.statusCode, incompleteReply.json()]).toMatchObject([
      422,
      { errors: [{ field: 'password' }] },
    ])
    const wrongPasswordReply = await submitProof(user, id, { password: 'not the password', code })
    expect([readCode(wrongPasswordReply), wrongPasswordReply.json()]).toMatchObject([
      'invalid_credentials',
      { errors: [{ field: 'password' }] },
    ])
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const wrongReply = await submitProof(user, id, { password, code: buildOtherCode(code) })
      expect([wrongReply.statusCode, readCode(wrongReply)]).toEqual([422, 'code_invalid'])
    }
    const sixthReply = await submitProof(user, id, { password, code })
    expect([sixthReply.statusCode, readCode(sixthReply)]).toEqual([410, 'step_up_invalid'])
    await requirementFor(user.caller, payment, id)
  })

  test('checks five parallel guesses, not fifty', async () => {
    const user = await createUser()
    const { id } = await requirementFor(user.caller, payment)
    const code = await requestMailedCode(user, id)
    const replies = await Promise.all(
      Array.from({ length: 28 }, () => submitProof(user, id, { password, code: buildOtherCode(code) })),
    )
    expect(statuses(replies).filter((status) => status === 422)).toHaveLength(5)
    expect(replies.filter((reply) => readCode(reply) === 'step_up_invalid')).toHaveLength(23)
    expect(readCode(await submitProof(user, id, { password, code }))).toBe('step_up_invalid')
    const excessReplies = [
      await submitProof(user, id, { password, code }),
      await tern.post(`/api/auth/step-up/${id}/code`, undefined, user.auth),
      await tern.post(`/api/auth/step-up/${id}/passkey/options`, undefined, user.auth),
      await tern.post(`/api/auth/step-up/${id}/passkey`, { ceremony: id, response: {} }, user.auth),
    ]
    expect(excessReplies.map(readCode), 'the 31st in a minute').toEqual(Array(4).fill('rate_limited'))
    const otherUser = await createUser()
    expect((await tern.post(`/api/auth/step-up/${id}/code`, undefined, otherUser.auth)).statusCode).toBe(410)
  })

  test('is unaffected by strangers who try to sign in', async () => {
    const user = await createUser()
    const email = `prover${String(userCount)}@tern.example`
    const { id } = await requirementFor(user.caller, payment)
    const code = await requestMailedCode(user, id)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await tern.post('/api/user/login', { email, password: 'not the password' })
    }
    expect(readCode(await tern.post('/api/user/login', { email, password }))).toBe('too_many_attempts')
    expect((await submitProof(user, id, { password, code })).statusCode).toBe(200)
  })

  test('counts passwords and codes together, and is not forgiven by password-only confirmations', async () => {
    const user = await createUser()
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { id } = await requirementFor(user.caller, payment)
      const wrongFactors = attempt % 2 ? { password: 'not the password', code: '000000' } : { password, code: '000000' }
      expect((await submitProof(user, id, wrongFactors)).statusCode).toBe(attempt % 2 ? 401 : 422)
    }
    const changeRequirement = await requirementFor(user.caller, {
      action: 'change_email',
      subject: { email: 'mended@tern.example' },
    })
    expect((await submitProof(user, changeRequirement.id, { password })).statusCode).toBe(200)
    const { id } = await requirementFor(user.caller, payment)
    const limitedReply = await submitProof(user, id, { password, code: await requestMailedCode(user, id) })
    expect([limitedReply.statusCode, readCode(limitedReply)]).toEqual([429, 'too_many_attempts'])
  })

  test('slows the account down across confirmations; attempts refused meanwhile do not count', async () => {
    const user = await createUser()
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { id } = await requirementFor(user.caller, payment)
      const code = await requestMailedCode(user, id)
      expect(readCode(await submitProof(user, id, { password, code: buildOtherCode(code) }))).toBe('code_invalid')
    }
    const { id } = await requirementFor(user.caller, payment)
    const code = await requestMailedCode(user, id)
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const limitedReply = await submitProof(user, id, { password, code })
      expect([limitedReply.statusCode, readCode(limitedReply)]).toEqual([429, 'too_many_attempts'])
    }
    tern.advance(31_000)
    expect((await submitProof(user, id, { password, code })).statusCode).toBe(200)
  })

  test('is not helped by mails: three per confirmation, and only the last code works', async () => {
    const user = await createUser()
    const { id } = await requirementFor(user.caller, payment)
    const first = await requestMailedCode(user, id)
    await requestMailedCode(user, id)
    const lastCode = await requestMailedCode(user, id)
    const fourthReply = await tern.post(`/api/auth/step-up/${id}/code`, undefined, user.auth)
    expect([fourthReply.statusCode, readCode(fourthReply)]).toEqual([429, 'rate_limited'])
    if (first !== lastCode)
      expect(readCode(await submitProof(user, id, { password, code: first }))).toBe('code_invalid')
    expect((await submitProof(user, id, { password, code: lastCode })).statusCode).toBe(200)
    expect(readCode(await submitProof(user, id, { password, code: lastCode }))).toBe('step_up_invalid')
  })

  test('is not helped by many confirmations: ten codes are mailed per hour', async () => {
    const user = await createUser()
    for (let mailIndex = 0; mailIndex < 10; mailIndex += 1)
      await requestMailedCode(user, (await requirementFor(user.caller, payment)).id)
    const { id } = await requirementFor(user.caller, payment)
    const requestEleventhCode = () => tern.post(`/api/auth/step-up/${id}/code`, undefined, user.auth)
    expect(readCode(await requestEleventhCode())).toBe('rate_limited')
    expect(Number((await requestEleventhCode()).headers['retry-after'])).toBeGreaterThan(0)
    const otherUser = await createUser()
    await requestMailedCode(otherUser, (await requirementFor(otherUser.caller, payment)).id)
  })

  test('finds no code before one was mailed', async () => {
    const user = await createUser()
    const { id } = await requirementFor(user.caller, payment)
    for (const code of ['000000', 'null', '\u0660\u0661\u0662\u0663\u0664\u0665']) {
      expect(readCode(await submitProof(user, id, { password, code }))).toBe('code_invalid')
    }
    const unknownReply = await submitProof(user, '018f3c1e-0000-7000-8000-000000000000', { password, code: '123456' })
    expect(readCode(unknownReply)).toBe('step_up_invalid')
  })

  test('an account without a password, or with a blocked one, confirms by code alone', async () => {
    const user = await createUser()
    const setPassword = (change: string) =>
      database.pool.query(`update app_user set ${change} where id = $1`, [user.id])
    await setPassword('password_blocked_at = now()')
    expect((await requirementFor(user.caller, payment)).password).toBe(false)
    await setPassword('password_hash = null, password_blocked_at = null')
    const requirement = await requirementFor(user.caller, payment)
    expect(requirement.password).toBe(false)
    expect(
      (await submitProof(user, requirement.id, { code: await requestMailedCode(user, requirement.id) })).statusCode,
    ).toBe(200)
  })
})

describe('a passkey enrolled, a payment confirmed by password and mailed code: never weaker than the strongest factor', () => {
  const actions: SensitiveAction[] = sensitiveActionKinds.map((action) => ({ action, subject: {} }))

  test.each(actions)('with a passkey, $action takes no password with a mailed or an app code', async (action) => {
    const user = await createUser()
    const { secret } = await steps.enrollTotp(user.token)
    tern.advance(30_000)
    const { recoveryCodes } = await steps.enrollPasskey(user.token, undefined, { secret })
    expect(recoveryCodes, 'the first factor gave them').toBeNull()
    tern.advance(30_000)
    const requirement = await requirementFor(user.caller, action)
    expect(requirement).toMatchObject({ passkey: true, password: true, code: 'recovery_code', recovery_code: true })
    const mail = await tern.post(`/api/auth/step-up/${requirement.id}/code`, undefined, user.auth)
    expect([mail.statusCode, readCode(mail)]).toEqual([410, 'step_up_invalid'])
    for (const body of [{}, { code: steps.codeOf(secret) }, { code: '123456', method: 'recovery_code' }]) {
      const weakerReply = await submitProof(user, requirement.id, { password, ...body })
      expect(weakerReply.statusCode, JSON.stringify(body)).toBe(422)
    }
    expect((await requirementFor(user.caller, action, requirement.id)).id, 'nothing confirmed it').not.toBe(
      requirement.id,
    )
  })

  test.each(actions)('with an app, $action takes no mailed code', async (action) => {
    const user = await createUser()
    await steps.enrollTotp(user.token)
    const requirement = await requirementFor(user.caller, action)
    expect(requirement).toMatchObject({ passkey: false, code: 'totp' })
    expect(readCode(await tern.post(`/api/auth/step-up/${requirement.id}/code`, undefined, user.auth))).toBe(
      'step_up_invalid',
    )
    expect((await submitProof(user, requirement.id, { password })).statusCode).toBe(422)
  })

  test('a code that was mailed before the passkey was added is refused after it', async () => {
    const user = await createUser()
    const requirement = await requirementFor(user.caller, payment)
    const code = await requestMailedCode(user, requirement.id)
    await steps.enrollPasskey(user.token)
    expect(readCode(await submitProof(user, requirement.id, { password, code }))).toBe('code_invalid')
    await requirementFor(user.caller, payment, requirement.id)
  })

  test('a user who lost the passkey confirms by a recovery code; without any left only the passkey does', async () => {
    const user = await createUser()
    const { recoveryCodes } = await steps.enrollPasskey(user.token)
    const requirement = await requirementFor(user.caller, payment)
    const recoveryReply = await submitProof(user, requirement.id, { password, code: recoveryCodes![0] })
    expect(recoveryReply.statusCode, recoveryReply.body).toBe(200)
    await expectAccepted(user.caller, payment, requirement.id)
    await database.pool.query('update recovery_code set used_at = now() where user_id = $1', [user.id])
    const passkeyRequirement = await requirementFor(user.caller, payment)
    expect(passkeyRequirement).toMatchObject({ passkey: true, password: false, code: null, recovery_code: false })
    expect(readCode(await submitProof(user, passkeyRequirement.id, { password, code: recoveryCodes![1] }))).toBe(
      'step_up_invalid',
    )
    await steps.confirm(user.token, passkeyRequirement)
    await expectAccepted(user.caller, payment, passkeyRequirement.id)
  })
})

describe('reporting an unrecognized step-up', () => {
  const reportStepUp = ({ auth }: Pick<TestUser, 'auth'>, id: string) =>
    tern.post(`/api/auth/step-up/${id}/not-me`, undefined, auth)
  const parseToken = (link: string | undefined) =>
    /^http:\/\/localhost:3000\/not-me#token=([\w-]{43})$/.exec(link!)![1]!
  const reportNotMe = async (link: string | undefined) =>
    (await tern.post('/api/auth/not-me', { token: parseToken(link) })).statusCode

  test('ends the pending confirmation and every session; the mail leads to a new password', async () => {
    const user = await createUser()
    const id = await createProof(user, payment)
    expect((await reportStepUp(user, id)).statusCode).toBe(204)
    expect((await tern.get('/api/user/user', user.token)).statusCode).toBe(401)
    await requirementFor(user.caller, payment, id)
    const { rows } = await database.pool.query('select from session where user_id = $1 and revoked_at is null', [
      user.id,
    ])
    expect(rows).toEqual([])
    const mail = tern.mails.at(-1)!
    expect(mail).toMatchObject({ template: 'security_change', data: { change: 'step_up_unrecognized' } })
    expect(await reportNotMe((mail.data as { link: string }).link)).toBe(200)
  })

  test('works for one of the caller’s own unused confirmations', async () => {
    const [user, stranger] = [await createUser(), await createUser()]
    const usedProof = await createProof(user, payment)
    await expectAccepted(user.caller, payment, usedProof)
    const strangerRequirement = await requirementFor(stranger.caller, payment)
    const mails = tern.mails.length
    for (const id of [usedProof, strangerRequirement.id])
      expect(readCode(await reportStepUp(user, id))).toBe('step_up_invalid')
    expect(tern.mails).toHaveLength(mails)
    for (const { token } of [user, stranger]) expect((await tern.get('/api/user/user', token)).statusCode).toBe(200)
  })

  test('by the code’s mail ends the requesting session and blocks the password', async () => {
    const user = await createUser()
    const { id } = await requirementFor(user.caller, payment)
    await requestMailedCode(user, id)
    expect(await reportNotMe((tern.mails.at(-1)!.data as { link: string }).link)).toBe(200)
    expect((await tern.get('/api/user/user', user.token)).statusCode).toBe(401)
  })
})

test('changes that require confirmation share a limit of thirty per minute', async () => {
  const user = await createUser()
  const unknownId = '018f3c1e-0000-7000-8000-000000000000'
  const actions = [
    ['PUT', '/api/user/password', { password: 'another sound passphrase' }],
    ['PUT', `/api/user/update-profile/${String(user.id)}`, { email: 'elsewhere@tern.example' }],
    ['POST', '/api/user/totp'],
    ['DELETE', '/api/user/totp'],
    ['POST', '/api/user/recovery-codes'],
    ['POST', '/api/user/passkeys/options'],
    ['DELETE', `/api/user/passkeys/${unknownId}`],
    ['DELETE', '/api/auth/external/google'],
    ['DELETE', '/api/auth/sessions'],
    ['DELETE', `/api/auth/sessions/${unknownId}`],
  ] as const
  const performAction = async ([method, url, payload]: (typeof actions)[number]) => {
    const reply = await tern.http.inject({ method, url, headers: user.auth, ...(payload ? { payload } : {}) })
    return [url, readCode(reply)]
  }
  for (let callIndex = 0; callIndex < 30; callIndex += 1) {
    const [url, code] = await performAction(actions[callIndex % actions.length]!)
    expect(['step_up_required', 'not_found'], url).toContain(code)
  }
  for (const action of actions) expect(await performAction(action)).toEqual([action[1], 'rate_limited'])
  expect((await tern.get('/api/user/user', user.token)).statusCode).toBe(200)
})

test('an unconfirmed address is changed by password alone; a confirmed one gets a code', async () => {
  const user = await createUser()
  const action: SensitiveAction = { action: 'change_email', subject: { email: 'right@tern.example' } }
  const { id, code } = await requirementFor(user.caller, action)
  expect(code).toBeNull()
  expect((await tern.post(`/api/auth/step-up/${id}/code`, undefined, user.auth)).json()).toMatchObject({
    code: 'step_up_invalid',
  })
  expect((await submitProof(user, id, {})).json()).toMatchObject({ errors: [{ field: 'password' }] })
  expect((await submitProof(user, id, { password: 'not the password' })).json()).toMatchObject({
    code: 'invalid_credentials',
  })
  await expect(requirementFor(user.caller, action, id)).resolves.toBeDefined()
  expect((await submitProof(user, id, { password })).statusCode).toBe(200)
  await expectAccepted(user.caller, action, id)
  expect((await requirementFor(user.caller, payment)).code, 'of anything else').toBe('email')
  await database.pool.query('update app_user set email_verified_at = now() where id = $1', [user.id])
  const laterRequirement = await requirementFor(user.caller, action)
  expect(laterRequirement.code).toBe('email')
  expect((await submitProof(user, laterRequirement.id, { password })).json()).toMatchObject({
    errors: [{ field: 'code' }],
  })
})
