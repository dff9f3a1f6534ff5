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

let people = 0
async function createUser() {
  people += 1
  const who = await tern.signUp(`prover${String(people)}`)
  const { rows } = await database.pool.query<{ id: string }>('select id from session where user_id = $1', [who.id])
  const caller: Caller = { userId: BigInt(who.id), sessionId: rows[0]!.id, verified: false }
  return { ...who, caller, auth: { authorization: `Bearer ${who.token}` } }
}
type Somebody = Awaited<ReturnType<typeof createUser>>

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
const passes = (caller: Caller, act: SensitiveAction, confirmation: string) =>
  expect(tern.identity.requireStepUp({ caller, act, confirmation })).resolves.toBeInstanceOf(Date)

async function mailedCode({ auth }: Somebody, id: string): Promise<string> {
  const reply = await tern.post(`/api/auth/step-up/${id}/code`, undefined, auth)
  expect(reply.statusCode, reply.body).toBe(200)
  const mail = tern.mails.at(-1)
  if (mail?.template !== 'step_up_code') throw new Error('no code was mailed')
  return mail.data.code
}
const prove = ({ auth }: Somebody, id: string, body: object) => tern.post(`/api/auth/step-up/${id}`, body, auth)
async function proved(who: Somebody, act: SensitiveAction): Promise<string> {
  const { id } = await requirementFor(who.caller, act)
  const reply = await prove(who, id, { password, code: await mailedCode(who, id) })
  expect(reply.statusCode, reply.body).toBe(200)
  return id
}
const codeOf = (reply: { json(): unknown }) => (reply.json() as { code: string }).code
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe('a step-up confirmation', () => {
  test('shows what is confirmed, in the answer and the mail, and permits exactly that action', async () => {
    const who = await createUser()
    const require = await requirementFor(who.caller, payment)
    expect(require).toMatchObject({
      action: 'send_money',
      subject: payment.subject,
      password: true,
      passkey: false,
      code: 'email',
    })
    const code = await mailedCode(who, require.id)
    expect(code).toMatch(/^\d{6}$/)
    expect(tern.mails.at(-1)).toMatchObject({
      email: `prover${String(people)}@tern.example`,
      data: { action: 'send_money', subject: Object.entries(payment.subject) },
    })
    const reply = await prove(who, require.id, { password, code: `${code.slice(0, 3)} ${code.slice(3)}` })
    expect(reply.json()).toEqual({ success: true })
    await passes(who.caller, payment, require.id)
    const { rows } = await database.pool.query<{ text: string }>(
      'select step_up_confirmation::text as text from step_up_confirmation',
    )
    expect(rows.map((row) => row.text).join(' ')).not.toContain(code)
  })

  test('a mailed code that confirmed an earlier action is told apart from a wrong one, and is no guess', async () => {
    const who = await createUser()
    const first = await requirementFor(who.caller, payment)
    const used = await mailedCode(who, first.id)
    expect((await prove(who, first.id, { password, code: used })).statusCode).toBe(200)
    const second = await requirementFor(who.caller, change)
    const fresh = await mailedCode(who, second.id)
    for (let time = 0; time < 7; time += 1) {
      const reply = await prove(who, second.id, { password, code: used })
      expect(reply.json()).toMatchObject({ code: 'code_used', reason: 'ask_for_new_code', errors: [{ field: 'code' }] })
    }
    const stranger = await createUser()
    const theirs = await requirementFor(stranger.caller, change)
    await mailedCode(stranger, theirs.id)
    expect(codeOf(await prove(stranger, theirs.id, { password, code: used })), 'of another account').toBe(
      'code_invalid',
    )
    expect((await prove(who, second.id, { password, code: fresh })).json()).toEqual({ success: true })
  })

  test('is bound to action, payee, amount, currency and key: any change requires a new one', async () => {
    const who = await createUser()
    const id = await proved(who, payment)
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
    for (const changed of changes) expect((await requirementFor(who.caller, changed, id)).id).not.toBe(id)
    const { fee, ...rest } = payment.subject
    await passes(who.caller, { ...payment, subject: { fee: fee!, ...rest } }, id)
  })

  test('is useless to other sessions and users, who cannot confirm it either', async () => {
    const who = await createUser()
    const stranger = await createUser()
    const id = await proved(who, payment)
    await requirementFor(stranger.caller, payment, id)
    await requirementFor({ ...who.caller, sessionId: stranger.caller.sessionId }, payment, id)
    const open = await requirementFor(who.caller, payment)
    for (const reply of [
      await prove(stranger, open.id, { password, code: '123456' }),
      await tern.post(`/api/auth/step-up/${open.id}/code`, undefined, stranger.auth),
      await tern.post(`/api/auth/step-up/${open.id}/passkey/options`, undefined, stranger.auth),
    ]) {
      expect([reply.statusCode, codeOf(reply)]).toEqual([410, 'step_up_invalid'])
    }
    await passes(who.caller, payment, id)
  })

  test('is spent once, but can be repeated with the same movement for a day', async () => {
    const who = await createUser()
    const once = await proved(who, change)
    const both = await Promise.allSettled(
      [1, 2, 3].map(() => tern.identity.requireStepUp({ caller: who.caller, act: change, confirmation: once })),
    )
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await requirementFor(who.caller, change, once)

    const again = await proved(who, payment)
    await passes(who.caller, payment, again)
    tern.advance(23 * 3_600_000)
    await passes(who.caller, payment, again)
    tern.advance(2 * 3_600_000)
    await requirementFor(who.caller, payment, again)
  })

  test('expires after five minutes, confirmed or not', async () => {
    const who = await createUser()
    const confirmation = await proved(who, payment)
    const open = await requirementFor(who.caller, payment)
    const code = await mailedCode(who, open.id)
    tern.advance(5 * 60_000 + 1000)
    const refreshed = await tern.refreshWith(who.cookie)
    const auth = { authorization: `Bearer ${refreshed.json<{ access_token: string }>().access_token}` }
    const late = await prove({ ...who, auth }, open.id, { password, code })
    expect([late.statusCode, codeOf(late)]).toEqual([410, 'step_up_invalid'])
    await requirementFor(who.caller, payment, confirmation)
  })
})

describe('guessing at a confirmation', () => {
  test('names the wrong field and ends at the fifth failure: then even right answers are refused', async () => {
    const who = await createUser()
    const { id } = await requirementFor(who.caller, payment)
    const code = await mailedCode(who, id)
    const missing = await prove(who, id, { code })
    expect([missing.statusCode, missing.json()]).toMatchObject([422, { errors: [{ field: 'password' }] }])
    const wrongPassword = await prove(who, id, { password: 'not the password', code })
    expect([codeOf(wrongPassword), wrongPassword.json()]).toMatchObject([
      'invalid_credentials',
      { errors: [{ field: 'password' }] },
    ])
    for (let guess = 0; guess < 4; guess += 1) {
      const wrong = await prove(who, id, { password, code: otherThan(code) })
      expect([wrong.statusCode, codeOf(wrong)]).toEqual([422, 'code_invalid'])
    }
    const sixth = await prove(who, id, { password, code })
    expect([sixth.statusCode, codeOf(sixth)]).toEqual([410, 'step_up_invalid'])
    await requirementFor(who.caller, payment, id)
  })

  test('checks five parallel guesses, not fifty', async () => {
    const who = await createUser()
    const { id } = await requirementFor(who.caller, payment)
    const code = await mailedCode(who, id)
    const replies = await Promise.all(
      Array.from({ length: 28 }, () => prove(who, id, { password, code: otherThan(code) })),
    )
    expect(statuses(replies).filter((status) => status === 422)).toHaveLength(5)
    expect(replies.filter((reply) => codeOf(reply) === 'step_up_invalid')).toHaveLength(23)
    expect(codeOf(await prove(who, id, { password, code }))).toBe('step_up_invalid')
    const more = [
      await prove(who, id, { password, code }),
      await tern.post(`/api/auth/step-up/${id}/code`, undefined, who.auth),
      await tern.post(`/api/auth/step-up/${id}/passkey/options`, undefined, who.auth),
      await tern.post(`/api/auth/step-up/${id}/passkey`, { ceremony: id, response: {} }, who.auth),
    ]
    expect(more.map(codeOf), 'the 31st in a minute').toEqual(Array(4).fill('rate_limited'))
    const other = await createUser()
    expect((await tern.post(`/api/auth/step-up/${id}/code`, undefined, other.auth)).statusCode).toBe(410)
  })

  test('is unaffected by strangers who try to sign in', async () => {
    const who = await createUser()
    const email = `prover${String(people)}@tern.example`
    const { id } = await requirementFor(who.caller, payment)
    const code = await mailedCode(who, id)
    for (let guess = 0; guess < 5; guess += 1) {
      await tern.post('/api/user/login', { email, password: 'not the password' })
    }
    expect(codeOf(await tern.post('/api/user/login', { email, password }))).toBe('too_many_attempts')
    expect((await prove(who, id, { password, code })).statusCode).toBe(200)
  })

  test('counts passwords and codes together, and is not forgiven by password-only confirmations', async () => {
    const who = await createUser()
    for (let guess = 0; guess < 5; guess += 1) {
      const { id } = await requirementFor(who.caller, payment)
      const wrong = guess % 2 ? { password: 'not the password', code: '000000' } : { password, code: '000000' }
      expect((await prove(who, id, wrong)).statusCode).toBe(guess % 2 ? 401 : 422)
    }
    const mending = await requirementFor(who.caller, {
      action: 'change_email',
      subject: { email: 'mended@tern.example' },
    })
    expect((await prove(who, mending.id, { password })).statusCode).toBe(200)
    const { id } = await requirementFor(who.caller, payment)
    const slowed = await prove(who, id, { password, code: await mailedCode(who, id) })
    expect([slowed.statusCode, codeOf(slowed)]).toEqual([429, 'too_many_attempts'])
  })

  test('slows the account down across confirmations; attempts refused meanwhile do not count', async () => {
    const who = await createUser()
    for (let guess = 0; guess < 5; guess += 1) {
      const { id } = await requirementFor(who.caller, payment)
      const code = await mailedCode(who, id)
      expect(codeOf(await prove(who, id, { password, code: otherThan(code) }))).toBe('code_invalid')
    }
    const { id } = await requirementFor(who.caller, payment)
    const code = await mailedCode(who, id)
    for (let tries = 0; tries < 6; tries += 1) {
      const slowed = await prove(who, id, { password, code })
      expect([slowed.statusCode, codeOf(slowed)]).toEqual([429, 'too_many_attempts'])
    }
    tern.advance(31_000)
    expect((await prove(who, id, { password, code })).statusCode).toBe(200)
  })

  test('is not helped by mails: three per confirmation, and only the last code works', async () => {
    const who = await createUser()
    const { id } = await requirementFor(who.caller, payment)
    const first = await mailedCode(who, id)
    await mailedCode(who, id)
    const last = await mailedCode(who, id)
    const fourth = await tern.post(`/api/auth/step-up/${id}/code`, undefined, who.auth)
    expect([fourth.statusCode, codeOf(fourth)]).toEqual([429, 'rate_limited'])
    if (first !== last) expect(codeOf(await prove(who, id, { password, code: first }))).toBe('code_invalid')
    expect((await prove(who, id, { password, code: last })).statusCode).toBe(200)
    expect(codeOf(await prove(who, id, { password, code: last }))).toBe('step_up_invalid')
  })

  test('is not helped by many confirmations: ten codes are mailed per hour', async () => {
    const who = await createUser()
    for (let mails = 0; mails < 10; mails += 1) await mailedCode(who, (await requirementFor(who.caller, payment)).id)
    const { id } = await requirementFor(who.caller, payment)
    const eleventh = () => tern.post(`/api/auth/step-up/${id}/code`, undefined, who.auth)
    expect(codeOf(await eleventh())).toBe('rate_limited')
    expect(Number((await eleventh()).headers['retry-after'])).toBeGreaterThan(0)
    const other = await createUser()
    await mailedCode(other, (await requirementFor(other.caller, payment)).id)
  })

  test('finds no code before one was mailed', async () => {
    const who = await createUser()
    const { id } = await requirementFor(who.caller, payment)
    for (const code of ['000000', 'null', '\u0660\u0661\u0662\u0663\u0664\u0665']) {
      expect(codeOf(await prove(who, id, { password, code }))).toBe('code_invalid')
    }
    const unknown = await prove(who, '018f3c1e-0000-7000-8000-000000000000', { password, code: '123456' })
    expect(codeOf(unknown)).toBe('step_up_invalid')
  })

  test('an account without a password, or with a blocked one, confirms by code alone', async () => {
    const who = await createUser()
    const setPassword = (change: string) => database.pool.query(`update app_user set ${change} where id = $1`, [who.id])
    await setPassword('password_blocked_at = now()')
    expect((await requirementFor(who.caller, payment)).password).toBe(false)
    await setPassword('password_hash = null, password_blocked_at = null')
    const require = await requirementFor(who.caller, payment)
    expect(require.password).toBe(false)
    expect((await prove(who, require.id, { code: await mailedCode(who, require.id) })).statusCode).toBe(200)
  })
})

describe('a passkey enrolled, a payment confirmed by password and mailed code: never weaker than the strongest factor', () => {
  const acts: SensitiveAction[] = sensitiveActionKinds.map((action) => ({ action, subject: {} }))

  test.each(acts)('with a passkey, $action takes no password with a mailed or an app code', async (act) => {
    const who = await createUser()
    const { secret } = await steps.enrollTotp(who.token)
    tern.advance(30_000)
    const { recoveryCodes } = await steps.enrollPasskey(who.token, undefined, { secret })
    expect(recoveryCodes, 'the first factor gave them').toBeNull()
    tern.advance(30_000)
    const asked = await requirementFor(who.caller, act)
    expect(asked).toMatchObject({ passkey: true, password: true, code: 'recovery_code', recovery_code: true })
    const mail = await tern.post(`/api/auth/step-up/${asked.id}/code`, undefined, who.auth)
    expect([mail.statusCode, codeOf(mail)]).toEqual([410, 'step_up_invalid'])
    for (const body of [{}, { code: steps.codeOf(secret) }, { code: '123456', method: 'recovery_code' }]) {
      const weaker = await prove(who, asked.id, { password, ...body })
      expect(weaker.statusCode, JSON.stringify(body)).toBe(422)
    }
    expect((await requirementFor(who.caller, act, asked.id)).id, 'nothing confirmed it').not.toBe(asked.id)
  })

  test.each(acts)('with an app, $action takes no mailed code', async (act) => {
    const who = await createUser()
    await steps.enrollTotp(who.token)
    const asked = await requirementFor(who.caller, act)
    expect(asked).toMatchObject({ passkey: false, code: 'totp' })
    expect(codeOf(await tern.post(`/api/auth/step-up/${asked.id}/code`, undefined, who.auth))).toBe('step_up_invalid')
    expect((await prove(who, asked.id, { password })).statusCode).toBe(422)
  })

  test('a code that was mailed before the passkey was added is refused after it', async () => {
    const who = await createUser()
    const asked = await requirementFor(who.caller, payment)
    const code = await mailedCode(who, asked.id)
    await steps.enrollPasskey(who.token)
    expect(codeOf(await prove(who, asked.id, { password, code }))).toBe('code_invalid')
    await requirementFor(who.caller, payment, asked.id)
  })

  test('a user who lost the passkey confirms by a recovery code; without any left only the passkey does', async () => {
    const who = await createUser()
    const { recoveryCodes } = await steps.enrollPasskey(who.token)
    const asked = await requirementFor(who.caller, payment)
    const recovered = await prove(who, asked.id, { password, code: recoveryCodes![0] })
    expect(recovered.statusCode, recovered.body).toBe(200)
    await passes(who.caller, payment, asked.id)
    await database.pool.query('update recovery_code set used_at = now() where user_id = $1', [who.id])
    const only = await requirementFor(who.caller, payment)
    expect(only).toMatchObject({ passkey: true, password: false, code: null, recovery_code: false })
    expect(codeOf(await prove(who, only.id, { password, code: recoveryCodes![1] }))).toBe('step_up_invalid')
    await steps.confirm(who.token, only)
    await passes(who.caller, payment, only.id)
  })
})

describe('reporting an unrecognized step-up', () => {
  const report = ({ auth }: Pick<Somebody, 'auth'>, id: string) =>
    tern.post(`/api/auth/step-up/${id}/not-me`, undefined, auth)
  const tokenIn = (link: string | undefined) => /^http:\/\/localhost:3000\/not-me#token=([\w-]{43})$/.exec(link!)![1]!
  const blockedBy = async (link: string | undefined) =>
    (await tern.post('/api/auth/not-me', { token: tokenIn(link) })).statusCode

  test('ends the pending confirmation and every session; the mail leads to a new password', async () => {
    const who = await createUser()
    const id = await proved(who, payment)
    expect((await report(who, id)).statusCode).toBe(204)
    expect((await tern.get('/api/user/user', who.token)).statusCode).toBe(401)
    await requirementFor(who.caller, payment, id)
    const { rows } = await database.pool.query('select from session where user_id = $1 and revoked_at is null', [
      who.id,
    ])
    expect(rows).toEqual([])
    const mail = tern.mails.at(-1)!
    expect(mail).toMatchObject({ template: 'security_change', data: { change: 'step_up_unrecognized' } })
    expect(await blockedBy((mail.data as { link: string }).link)).toBe(200)
  })

  test('works for one of the caller’s own unused confirmations', async () => {
    const [who, stranger] = [await createUser(), await createUser()]
    const used = await proved(who, payment)
    await passes(who.caller, payment, used)
    const others = await requirementFor(stranger.caller, payment)
    const mails = tern.mails.length
    for (const id of [used, others.id]) expect(codeOf(await report(who, id))).toBe('step_up_invalid')
    expect(tern.mails).toHaveLength(mails)
    for (const { token } of [who, stranger]) expect((await tern.get('/api/user/user', token)).statusCode).toBe(200)
  })

  test('by the code’s mail ends the requesting session and blocks the password', async () => {
    const who = await createUser()
    const { id } = await requirementFor(who.caller, payment)
    await mailedCode(who, id)
    expect(await blockedBy((tern.mails.at(-1)!.data as { link: string }).link)).toBe(200)
    expect((await tern.get('/api/user/user', who.token)).statusCode).toBe(401)
  })
})

test('changes that require confirmation share a limit of thirty per minute', async () => {
  const who = await createUser()
  const some = '018f3c1e-0000-7000-8000-000000000000'
  const acts = [
    ['PUT', '/api/user/password', { password: 'another sound passphrase' }],
    ['PUT', `/api/user/update-profile/${String(who.id)}`, { email: 'elsewhere@tern.example' }],
    ['POST', '/api/user/totp'],
    ['DELETE', '/api/user/totp'],
    ['POST', '/api/user/recovery-codes'],
    ['POST', '/api/user/passkeys/options'],
    ['DELETE', `/api/user/passkeys/${some}`],
    ['DELETE', '/api/auth/external/google'],
    ['DELETE', '/api/auth/sessions'],
    ['DELETE', `/api/auth/sessions/${some}`],
  ] as const
  const act = async ([method, url, payload]: (typeof acts)[number]) => {
    const reply = await tern.http.inject({ method, url, headers: who.auth, ...(payload ? { payload } : {}) })
    return [url, codeOf(reply)]
  }
  for (let calls = 0; calls < 30; calls += 1) {
    const [url, code] = await act(acts[calls % acts.length]!)
    expect(['step_up_required', 'not_found'], url).toContain(code)
  }
  for (const one of acts) expect(await act(one)).toEqual([one[1], 'rate_limited'])
  expect((await tern.get('/api/user/user', who.token)).statusCode).toBe(200)
})

test('an unconfirmed address is changed by password alone; a confirmed one gets a code', async () => {
  const who = await createUser()
  const act: SensitiveAction = { action: 'change_email', subject: { email: 'right@tern.example' } }
  const { id, code } = await requirementFor(who.caller, act)
  expect(code).toBeNull()
  expect((await tern.post(`/api/auth/step-up/${id}/code`, undefined, who.auth)).json()).toMatchObject({
    code: 'step_up_invalid',
  })
  expect((await prove(who, id, {})).json()).toMatchObject({ errors: [{ field: 'password' }] })
  expect((await prove(who, id, { password: 'not the password' })).json()).toMatchObject({ code: 'invalid_credentials' })
  await expect(requirementFor(who.caller, act, id)).resolves.toBeDefined()
  expect((await prove(who, id, { password })).statusCode).toBe(200)
  await passes(who.caller, act, id)
  expect((await requirementFor(who.caller, payment)).code, 'of anything else').toBe('email')
  await database.pool.query('update app_user set email_verified_at = now() where id = $1', [who.id])
  const later = await requirementFor(who.caller, act)
  expect(later.code).toBe('email')
  expect((await prove(who, later.id, { password })).json()).toMatchObject({ errors: [{ field: 'code' }] })
})
