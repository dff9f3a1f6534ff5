import type { StepUpRequirement } from '@tern/contract/security'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { createFactorTests } from '@tern/testkit/identity/factors'
import { openTestIdentity } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)
const steps = createFactorTests(tern)

let people = 0
async function somebody() {
  people += 1
  const username = `factor${String(people)}`
  return { username, ...(await tern.signUp(username)) }
}
const changesMailed = (username: string) =>
  tern.mails.flatMap((mail) =>
    mail.template === 'security_change' && mail.email === `${username}@tern.example` ? [mail.data.change] : [],
  )
const countSessions = ({ id }: { id: number }) => tern.count(`from session where user_id = ${String(id)}`)

describe('setting up an authenticator app', () => {
  test('asks for confirmation, takes effect at the first code, issues ten recovery codes once, and sends a mail', async () => {
    const who = await somebody()
    const begun = await steps.confirmed('POST', '/api/user/totp', who.token)
    const { secret, uri } = begun.body as { secret: string; uri: string }
    const address = new URL(uri)
    expect(`${address.protocol}//${address.host}`).toBe('otpauth://totp')
    expect(decodeURIComponent(address.pathname)).toBe(`/Tern:${who.username}@tern.example`)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      issuer: 'Tern',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
      secret,
    })
    expect((await steps.logIn(who.username)).body.access_token).toBeDefined()
    const wrong = await steps.call('POST', '/api/user/totp/confirm', { token: who.token, body: { code: '12345' } })
    expect([wrong.status, wrong.body.code]).toEqual([422, 'code_invalid'])
    const code = steps.codeOf(secret)
    const confirmed = await steps.call('POST', '/api/user/totp/confirm', {
      token: who.token,
      body: { code: `${code.slice(0, 3)} ${code.slice(3)}` },
    })
    expect(confirmed.body.recovery_codes).toHaveLength(10)
    expect(new Set(confirmed.body.recovery_codes).size).toBe(10)
    for (const recovery of confirmed.body.recovery_codes) {
      expect(recovery).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
    }
    expect((await steps.logIn(who.username)).body).toMatchObject({
      second_factor_required: true,
      methods: ['totp', 'recovery_code'],
    })
    expect(changesMailed(who.username)).toEqual(['totp_added'])
    const again = await steps.call('POST', '/api/user/totp/confirm', { token: who.token, body: { code } })
    expect([again.status, again.body.code]).toEqual([410, 'challenge_invalid'])
    const stored = await database.pool.query<{ text: string }>(
      `select (totp.*)::text || (select string_agg(hash::text, ' ') from recovery_code) as text from totp`,
    )
    expect(stored.rows[0]?.text).not.toContain(secret)
  })

  test('replaces an unconfirmed secret when restarted, and expires after an hour', async () => {
    const who = await somebody()
    const first = (await steps.confirmed('POST', '/api/user/totp', who.token)).body.secret as string
    const second = (await steps.confirmed('POST', '/api/user/totp', who.token)).body.secret as string
    const confirm = (code: string, token = who.token) =>
      steps.call('POST', '/api/user/totp/confirm', { token, body: { code } })
    expect((await confirm(steps.codeOf(first))).body.code).toBe('code_invalid')
    tern.advance(61 * 60_000)
    const token = (await tern.refreshWith(who.cookie)).json<{ access_token: string }>().access_token
    expect((await confirm(steps.codeOf(second), token)).body.code).toBe('challenge_invalid')
  })

  test('keeps the old app valid until the first code of the new one', async () => {
    const who = await somebody()
    const { secret: old } = await steps.enrollTotp(who.token)
    const begun = await steps.confirmed('POST', '/api/user/totp', who.token, old)
    const fresh = begun.body.secret as string
    tern.advance(30_000)
    expect((await steps.answer(await steps.challengeOf(who.username), steps.codeOf(fresh))).body.code).toBe(
      'code_invalid',
    )
    expect((await steps.answer(await steps.challengeOf(who.username), steps.codeOf(old))).status).toBe(200)
    const confirmed = await steps.call('POST', '/api/user/totp/confirm', {
      token: who.token,
      body: { code: steps.codeOf(fresh) },
    })
    expect(confirmed).toEqual({ status: 200, body: { recovery_codes: null } })
    tern.advance(30_000)
    expect((await steps.answer(await steps.challengeOf(who.username), steps.codeOf(old))).body.code).toBe(
      'code_invalid',
    )
    expect((await steps.answer(await steps.challengeOf(who.username), steps.codeOf(fresh))).status).toBe(200)
  })

  test('removes the recovery codes with the last factor; then the password alone signs in', async () => {
    const who = await somebody()
    expect((await steps.call('DELETE', '/api/user/totp', { token: who.token })).status).toBe(404)
    expect((await steps.call('POST', '/api/user/recovery-codes', { token: who.token })).status).toBe(404)
    const { secret } = await steps.enrollTotp(who.token)
    const removed = await steps.confirmed('DELETE', '/api/user/totp', who.token, secret)
    expect(removed).toEqual({ status: 204, body: undefined })
    expect(await tern.count(`from recovery_code where user_id = ${String(who.id)}`)).toBe(0)
    expect((await steps.logIn(who.username)).body.access_token).toBeDefined()
    expect(changesMailed(who.username)).toEqual(['totp_added', 'totp_removed'])
  })
})

describe('a second factor code', () => {
  test('is refused when used before: by the same challenge, another, or a confirmation', async () => {
    const who = await somebody()
    const { secret } = await steps.enrollTotp(who.token)
    const [first, second] = [await steps.challengeOf(who.username), await steps.challengeOf(who.username)]
    const confirmedWith = await steps.answer(first, steps.codeOf(secret))
    expect(confirmedWith.body, 'the one it was confirmed with').toMatchObject({
      code: 'code_used',
      reason: 'wait_for_next_code',
      detail: 'That code was already used. Please wait for the next one in your app.',
    })
    tern.advance(30_000)
    const code = steps.codeOf(secret)
    const before = await countSessions(who)
    const replies = await Promise.all([first, second, first, second].map((challenge) => steps.answer(challenge, code)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await countSessions(who)).toBe(before + 1)
    const third = await steps.challengeOf(who.username)
    expect((await steps.answer(third, code)).body.code).toBe('code_used')
    const required = await steps.call('DELETE', '/api/user/totp', { token: who.token })
    const confirmation = await steps.call('POST', `/api/auth/step-up/${required.body.confirmation.id}`, {
      token: who.token,
      body: { password: 'a sound passphrase', code },
    })
    expect(confirmation.body.code).toBe('code_used')
  })

  test('is accepted up to half a minute early or late, never before the last one used', async () => {
    const who = await somebody()
    const { secret } = await steps.enrollTotp(who.token)
    tern.advance(120_000)
    const challenge = await steps.challengeOf(who.username)
    expect((await steps.answer(challenge, steps.codeOf(secret, -2))).body.code).toBe('code_invalid')
    expect((await steps.answer(challenge, steps.codeOf(secret, 2))).body.code).toBe('code_invalid')
    expect((await steps.answer(challenge, steps.codeOf(secret, 1))).status).toBe(200)
    const next = await steps.challengeOf(who.username)
    expect((await steps.answer(next, steps.codeOf(secret, 0))).body.code).toBe('code_used')
    expect((await steps.answer(next, steps.codeOf(secret, -1))).body.code).toBe('code_used')
  })

  test('is accepted however it is pasted or typed', async () => {
    const who = await somebody()
    const { secret } = await steps.enrollTotp(who.token)
    for (const spell of [
      (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`,
      (code: string) => code.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
    ]) {
      tern.advance(30_000)
      const challenge = await steps.challengeOf(who.username)
      expect((await steps.answer(challenge, spell(steps.codeOf(secret)))).status).toBe(200)
      const next = await steps.challengeOf(who.username)
      expect((await steps.answer(next, spell(steps.codeOf(secret)))).body.code).toBe('code_used')
    }
  })

  test('that was used before counts as no guess, at sign-in and at a confirmation', async () => {
    const who = await somebody()
    const { secret } = await steps.enrollTotp(who.token)
    tern.advance(30_000)
    const code = steps.codeOf(secret)
    expect((await steps.answer(await steps.challengeOf(who.username), code)).status).toBe(200)
    const challenge = await steps.challengeOf(who.username)
    const required = await steps.call('DELETE', '/api/user/totp', { token: who.token })
    const prove = (typed: string) =>
      steps.call('POST', `/api/auth/step-up/${required.body.confirmation.id}`, {
        token: who.token,
        body: { password: 'a sound passphrase', code: typed },
      })
    for (let time = 0; time < 7; time += 1) {
      expect((await steps.answer(challenge, code)).body, `sign-in ${time}`).toMatchObject({ code: 'code_used' })
      expect((await prove(code)).body, `confirmation ${time}`).toMatchObject({ code: 'code_used' })
    }
    tern.advance(30_000)
    expect((await prove(steps.codeOf(secret))).body).toEqual({ success: true })
    tern.advance(30_000)
    expect((await steps.answer(challenge, steps.codeOf(secret))).status).toBe(200)
  })

  test('must wait after five wrong ones, on every challenge and after every login', async () => {
    const who = await somebody()
    const { secret, recoveryCodes } = await steps.enrollTotp(who.token)
    tern.advance(30_000)
    const wrong = String((Number(steps.codeOf(secret)) + 1) % 1_000_000).padStart(6, '0')
    const challenges = await Promise.all(Array.from({ length: 20 }, () => steps.challengeOf(who.username)))
    const guesses = await Promise.all(challenges.map((challenge) => steps.answer(challenge, wrong)))
    expect(guesses.filter(({ body }) => body.code === 'code_invalid')).toHaveLength(5)
    expect(guesses.filter(({ body }) => body.code === 'too_many_attempts')).toHaveLength(15)
    const fresh = await steps.challengeOf(who.username)
    expect((await steps.answer(fresh, steps.codeOf(secret))).status).toBe(429)
    expect((await steps.answer(fresh, recoveryCodes![0]!, 'recovery_code')).status).toBe(429)
    tern.advance(31_000)
    expect((await steps.answer(fresh, steps.codeOf(secret))).status).toBe(200)
  })

  test('is counted as wrong when malformed', async () => {
    const who = await somebody()
    await steps.enrollTotp(who.token)
    const challenge = await steps.challengeOf(who.username)
    for (const code of ['١٢٣٤٥٦', '1234567', '-12345', '12e456']) {
      const { status, body } = await steps.answer(challenge, code)
      expect([status, body.code], code).toEqual([422, 'code_invalid'])
    }
    const missing = await steps.call('POST', '/api/auth/second-factor', {
      body: { challenge, method: 'passkey', code: '1' },
    })
    expect(missing.body.code).toBe('invalid_request')
    expect((await steps.answer('no such challenge', '123456')).body.code).toBe('challenge_invalid')
  })

  test('expires with its challenge after ten minutes', async () => {
    const who = await somebody()
    const { secret } = await steps.enrollTotp(who.token)
    const challenge = await steps.challengeOf(who.username)
    tern.advance(10 * 60_000 + 1000)
    const late = await steps.answer(challenge, steps.codeOf(secret))
    expect([late.status, late.body.code]).toEqual([410, 'challenge_invalid'])
  })
})

describe('a recovery code', () => {
  test('signs in once, in any spelling, and mails the owner', async () => {
    const who = await somebody()
    const { recoveryCodes } = await steps.enrollTotp(who.token)
    const [one = '', two = ''] = recoveryCodes ?? []
    const typed = ` ${one.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `
    const challenges = await Promise.all([1, 2, 3].map(() => steps.challengeOf(who.username)))
    const replies = await Promise.all(challenges.map((challenge) => steps.answer(challenge, typed, 'recovery_code')))
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422, 422])
    expect(changesMailed(who.username)).toEqual(['totp_added', 'recovery_code_used'])
    const challenge = await steps.challengeOf(who.username)
    expect((await steps.answer(challenge, one, 'recovery_code')).body.code).toBe('code_used')
    expect((await steps.answer(challenge, two, 'totp')).body.code).toBe('code_invalid')
    expect((await steps.answer(challenge, two, 'recovery_code')).status).toBe(200)
  })

  test('is refused when of another account or a replaced batch', async () => {
    const [who, other] = [await somebody(), await somebody()]
    const { secret, recoveryCodes } = await steps.enrollTotp(who.token)
    const { recoveryCodes: theirs } = await steps.enrollTotp(other.token)
    const renewed = await steps.confirmed('POST', '/api/user/recovery-codes', who.token, secret)
    expect(renewed.body.recovery_codes).toHaveLength(10)
    expect(changesMailed(who.username)).toContain('recovery_codes_renewed')
    const challenge = await steps.challengeOf(who.username)
    for (const code of [recoveryCodes![0]!, theirs![0]!]) {
      expect((await steps.answer(challenge, code, 'recovery_code')).body.code).toBe('code_invalid')
    }
    expect((await steps.answer(challenge, renewed.body.recovery_codes[9], 'recovery_code')).status).toBe(200)
  })

  describe('in step-up', () => {
    const password = 'a sound passphrase'
    type Who = Awaited<ReturnType<typeof enrolled>>
    async function enrolled() {
      const who = await somebody()
      const { secret, recoveryCodes } = await steps.enrollTotp(who.token)
      return { ...who, secret, codes: recoveryCodes ?? [] }
    }
    const requirementFor = async ({ token }: Who) =>
      (await steps.call('DELETE', '/api/user/totp', { token })).body.confirmation as StepUpRequirement
    const prove = ({ token }: Who, { id }: StepUpRequirement, body: object) =>
      steps.call('POST', `/api/auth/step-up/${id}`, { token, body: { password, ...body } })
    const recover = (who: Who, require: StepUpRequirement, code: string | undefined) =>
      prove(who, require, { code, method: 'recovery_code' })

    test('replaces a lost app: its owner can remove it and set up another', async () => {
      const who = await enrolled()
      const require = await requirementFor(who)
      expect(require).toMatchObject({ code: 'totp', recovery_code: true })
      expect((await prove(who, require, { code: who.codes[0] })).body.code, 'not named as one').toBe('code_invalid')
      expect(changesMailed(who.username)).toEqual(['totp_added'])
      const typed = ` ${who.codes[0]?.toLowerCase().replace('-', ' ')} `
      expect(await recover(who, require, typed)).toEqual({ status: 200, body: { success: true } })
      const removed = await steps.call('DELETE', '/api/user/totp', { token: who.token, confirmation: require.id })
      expect(removed.status).toBe(204)
      expect(changesMailed(who.username)).toEqual(['totp_added', 'recovery_code_used', 'totp_removed'])
      expect((await steps.enrollTotp(who.token)).recoveryCodes).toHaveLength(10)
    })

    test("issues new codes, is spent, and is mailed with the session's name", async () => {
      const who = await enrolled()
      const ask = async () =>
        (await steps.call('POST', '/api/user/recovery-codes', { token: who.token })).body
          .confirmation as StepUpRequirement
      const require = await ask()
      expect((await recover(who, require, who.codes[0])).status).toBe(200)
      expect((await recover(who, await ask(), who.codes[0])).body.code, 'the same again').toBe('code_used')
      const challenge = await steps.challengeOf(who.username)
      expect((await steps.answer(challenge, who.codes[0]!, 'recovery_code')).body.code, 'at the door').toBe('code_used')
      expect(changesMailed(who.username)).toEqual(['totp_added', 'recovery_code_used'])
      expect(
        await tern.count(
          `from mailed_link join session on session.id = session_id
            where purpose = 'unrecognized_sign_in' and mailed_link.user_id = ${String(who.id)}`,
        ),
        'the mail with the code and those about both changes',
      ).toBe(3)
      const renewed = await steps.call('POST', '/api/user/recovery-codes', {
        token: who.token,
        confirmation: require.id,
      })
      expect(renewed.body.recovery_codes).toHaveLength(10)
    })

    test('works for one of several concurrent uses', async () => {
      const who = await enrolled()
      const requirements = await Promise.all([1, 2, 3].map(() => requirementFor(who)))
      const replies = await Promise.all(requirements.map((require) => recover(who, require, who.codes[0])))
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422, 422])
    })

    test('counts as a wrong guess when wrong, foreign or used', async () => {
      const [who, other] = [await enrolled(), await enrolled()]
      const wrong = [other.codes[0], 'AAAAA-AAAAA', '000000']
      const first = await requirementFor(who)
      for (const code of wrong) expect((await recover(who, first, code)).body.code).toBe('code_invalid')
      expect((await prove(who, first, { code: '000000' })).body.code).toBe('code_invalid')
      expect((await prove(who, first, { code: '000000', password: 'not it' })).body.code).toBe('invalid_credentials')
      expect((await recover(who, first, who.codes[0])).body.code).toBe('step_up_invalid')
      const second = await requirementFor(who)
      expect((await recover(who, second, who.codes[0])).status).toBe(429)
      expect(changesMailed(who.username)).toEqual(['totp_added'])
      tern.advance(31_000)
      expect((await recover(who, second, who.codes[0])).status).toBe(200)
      expect(
        (await recover(other, await requirementFor(other), other.codes[0])).status,
        'the other still has theirs',
      ).toBe(200)
    })

    test('is not spent by a wrong password, and not offered when none is left', async () => {
      const who = await enrolled()
      const require = await requirementFor(who)
      const wrong = await prove(who, require, { code: who.codes[0], method: 'recovery_code', password: 'not it' })
      expect(wrong.body.code).toBe('invalid_credentials')
      expect((await recover(who, require, who.codes[0])).status).toBe(200)
      await database.pool.query('update recovery_code set used_at = now() where user_id = $1', [who.id])
      expect(await requirementFor(who)).toMatchObject({ code: 'totp', recovery_code: false })
    })

    test('replaces a lost passkey', async () => {
      const who = await somebody()
      const { recoveryCodes } = await steps.enrollPasskey(who.token)
      const reply = await steps.call('POST', '/api/user/recovery-codes', { token: who.token })
      const require = reply.body.confirmation as StepUpRequirement
      expect(require).toMatchObject({ passkey: true, code: 'recovery_code', recovery_code: true })
      expect((await recover({ ...who, secret: '', codes: [] }, require, recoveryCodes?.[0])).status).toBe(200)
      expect(changesMailed(who.username)).toEqual(['passkey_added', 'recovery_code_used'])
    })
  })
})
