import type { StepUpRequirement } from '@tern/contract/security'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { createFactorTests } from '@tern/testkit/identity/factors'
import { openTestIdentity } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)
const steps = createFactorTests(tern)

let userCount = 0
async function createUser() {
  userCount += 1
  const username = `factor${String(userCount)}`
  return { username, ...(await tern.signUp(username)) }
}
const findChangeMails = (username: string) =>
  tern.mails.flatMap((mail) =>
    mail.template === 'security_change' && mail.email === `${username}@tern.example` ? [mail.data.change] : [],
  )
const countSessions = ({ id }: { id: number }) => tern.count(`from session where user_id = ${String(id)}`)

describe('setting up an authenticator app', () => {
  test('asks for confirmation, takes effect at the first code, issues ten recovery codes once, and sends a mail', async () => {
    const user = await createUser()
    const enrolment = await steps.confirmed('POST', '/api/user/totp', user.token)
    const { secret, uri } = enrolment.body as { secret: string; uri: string }
    const address = new URL(uri)
    expect(`${address.protocol}//${address.host}`).toBe('otpauth://totp')
    expect(decodeURIComponent(address.pathname)).toBe(`/Tern:${user.username}@tern.example`)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      issuer: 'Tern',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
      secret,
    })
    expect((await steps.logIn(user.username)).body.access_token).toBeDefined()
    const refusedReply = await steps.call('POST', '/api/user/totp/confirm', {
      token: user.token,
      body: { code: '12345' },
    })
    expect([refusedReply.status, refusedReply.body.code]).toEqual([422, 'code_invalid'])
    const code = steps.codeOf(secret)
    const confirmation = await steps.call('POST', '/api/user/totp/confirm', {
      token: user.token,
      body: { code: `${code.slice(0, 3)} ${code.slice(3)}` },
    })
    expect(confirmation.body.recovery_codes).toHaveLength(10)
    expect(new Set(confirmation.body.recovery_codes).size).toBe(10)
    for (const recovery of confirmation.body.recovery_codes) {
      expect(recovery).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
    }
    expect((await steps.logIn(user.username)).body).toMatchObject({
      second_factor_required: true,
      methods: ['totp', 'recovery_code'],
    })
    expect(findChangeMails(user.username)).toEqual(['totp_added'])
    const repeatResponse = await steps.call('POST', '/api/user/totp/confirm', { token: user.token, body: { code } })
    expect([repeatResponse.status, repeatResponse.body.code]).toEqual([410, 'challenge_invalid'])
    const storedSecrets = await database.pool.query<{ text: string }>(
      `select (totp.*)::text || (select string_agg(hash::text, ' ') from recovery_code) as text from totp`,
    )
    expect(storedSecrets.rows[0]?.text).not.toContain(secret)
  })

  test('replaces an unconfirmed secret when restarted, and expires after an hour', async () => {
    const user = await createUser()
    const first = (await steps.confirmed('POST', '/api/user/totp', user.token)).body.secret as string
    const second = (await steps.confirmed('POST', '/api/user/totp', user.token)).body.secret as string
    const confirm = (code: string, token = user.token) =>
      steps.call('POST', '/api/user/totp/confirm', { token, body: { code } })
    expect((await confirm(steps.codeOf(first))).body.code).toBe('code_invalid')
    tern.advance(61 * 60_000)
    const token = (await tern.refreshWith(user.cookie)).json<{ access_token: string }>().access_token
    expect((await confirm(steps.codeOf(second), token)).body.code).toBe('challenge_invalid')
  })

  test('keeps the old app valid until the first code of the new one', async () => {
    const user = await createUser()
    const { secret: oldSecret } = await steps.enrollTotp(user.token)
    const enrolment = await steps.confirmed('POST', '/api/user/totp', user.token, oldSecret)
    const newSecret = enrolment.body.secret as string
    tern.advance(30_000)
    expect(
      (await steps.answerChallenge(await steps.challengeOf(user.username), steps.codeOf(newSecret))).body.code,
    ).toBe('code_invalid')
    expect((await steps.answerChallenge(await steps.challengeOf(user.username), steps.codeOf(oldSecret))).status).toBe(
      200,
    )
    const confirmation = await steps.call('POST', '/api/user/totp/confirm', {
      token: user.token,
      body: { code: steps.codeOf(newSecret) },
    })
    expect(confirmation).toEqual({ status: 200, body: { recovery_codes: null } })
    tern.advance(30_000)
    expect(
      (await steps.answerChallenge(await steps.challengeOf(user.username), steps.codeOf(oldSecret))).body.code,
    ).toBe('code_invalid')
    expect((await steps.answerChallenge(await steps.challengeOf(user.username), steps.codeOf(newSecret))).status).toBe(
      200,
    )
  })

  test('removes the recovery codes with the last factor; then the password alone signs in', async () => {
    const user = await createUser()
    expect((await steps.call('DELETE', '/api/user/totp', { token: user.token })).status).toBe(404)
    expect((await steps.call('POST', '/api/user/recovery-codes', { token: user.token })).status).toBe(404)
    const { secret } = await steps.enrollTotp(user.token)
    const removal = await steps.confirmed('DELETE', '/api/user/totp', user.token, secret)
    expect(removal).toEqual({ status: 204, body: undefined })
    expect(await tern.count(`from recovery_code where user_id = ${String(user.id)}`)).toBe(0)
    expect((await steps.logIn(user.username)).body.access_token).toBeDefined()
    expect(findChangeMails(user.username)).toEqual(['totp_added', 'totp_removed'])
  })
})

describe('a second factor code', () => {
  test('is refused when used before: by the same challenge, another, or a confirmation', async () => {
    const user = await createUser()
    const { secret } = await steps.enrollTotp(user.token)
    const [first, second] = [await steps.challengeOf(user.username), await steps.challengeOf(user.username)]
    const confirmingAnswer = await steps.answerChallenge(first, steps.codeOf(secret))
    expect(confirmingAnswer.body, 'the one it was confirmed with').toMatchObject({
      code: 'code_used',
      reason: 'wait_for_next_code',
      detail: 'That code was already used. Please wait for the next one in your app.',
    })
    tern.advance(30_000)
    const code = steps.codeOf(secret)
    const sessionsBefore = await countSessions(user)
    const replies = await Promise.all(
      [first, second, first, second].map((challenge) => steps.answerChallenge(challenge, code)),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await countSessions(user)).toBe(sessionsBefore + 1)
    const third = await steps.challengeOf(user.username)
    expect((await steps.answerChallenge(third, code)).body.code).toBe('code_used')
    const requirement = await steps.call('DELETE', '/api/user/totp', { token: user.token })
    const confirmation = await steps.call('POST', `/api/auth/step-up/${requirement.body.confirmation.id}`, {
      token: user.token,
      body: { password: 'a sound passphrase', code },
    })
    expect(confirmation.body.code).toBe('code_used')
  })

  test('is accepted up to half a minute early or late, never before the last one used', async () => {
    const user = await createUser()
    const { secret } = await steps.enrollTotp(user.token)
    tern.advance(120_000)
    const challenge = await steps.challengeOf(user.username)
    expect((await steps.answerChallenge(challenge, steps.codeOf(secret, -2))).body.code).toBe('code_invalid')
    expect((await steps.answerChallenge(challenge, steps.codeOf(secret, 2))).body.code).toBe('code_invalid')
    expect((await steps.answerChallenge(challenge, steps.codeOf(secret, 1))).status).toBe(200)
    const next = await steps.challengeOf(user.username)
    expect((await steps.answerChallenge(next, steps.codeOf(secret, 0))).body.code).toBe('code_used')
    expect((await steps.answerChallenge(next, steps.codeOf(secret, -1))).body.code).toBe('code_used')
  })

  test('is accepted however it is pasted or typed', async () => {
    const user = await createUser()
    const { secret } = await steps.enrollTotp(user.token)
    for (const spellCode of [
      (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`,
      (code: string) => code.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
    ]) {
      tern.advance(30_000)
      const challenge = await steps.challengeOf(user.username)
      expect((await steps.answerChallenge(challenge, spellCode(steps.codeOf(secret)))).status).toBe(200)
      const next = await steps.challengeOf(user.username)
      expect((await steps.answerChallenge(next, spellCode(steps.codeOf(secret)))).body.code).toBe('code_used')
    }
  })

  test('that was used before counts as no guess, at sign-in and at a confirmation', async () => {
    const user = await createUser()
    const { secret } = await steps.enrollTotp(user.token)
    tern.advance(30_000)
    const code = steps.codeOf(secret)
    expect((await steps.answerChallenge(await steps.challengeOf(user.username), code)).status).toBe(200)
    const challenge = await steps.challengeOf(user.username)
    const requirement = await steps.call('DELETE', '/api/user/totp', { token: user.token })
    const submitProof = (typedCode: string) =>
      steps.call('POST', `/api/auth/step-up/${requirement.body.confirmation.id}`, {
        token: user.token,
        body: { password: 'a sound passphrase', code: typedCode },
      })
    for (let attempt = 0; attempt < 7; attempt += 1) {
      expect((await steps.answerChallenge(challenge, code)).body, `sign-in ${attempt}`).toMatchObject({
        code: 'code_used',
      })
      expect((await submitProof(code)).body, `confirmation ${attempt}`).toMatchObject({ code: 'code_used' })
    }
    tern.advance(30_000)
    expect((await submitProof(steps.codeOf(secret))).body).toEqual({ success: true })
    tern.advance(30_000)
    expect((await steps.answerChallenge(challenge, steps.codeOf(secret))).status).toBe(200)
  })

  test('must wait after five wrong ones, on every challenge and after every login', async () => {
    const user = await createUser()
    const { secret, recoveryCodes } = await steps.enrollTotp(user.token)
    tern.advance(30_000)
    const wrongCode = String((Number(steps.codeOf(secret)) + 1) % 1_000_000).padStart(6, '0')
    const challenges = await Promise.all(Array.from({ length: 20 }, () => steps.challengeOf(user.username)))
    const guesses = await Promise.all(challenges.map((challenge) => steps.answerChallenge(challenge, wrongCode)))
    expect(guesses.filter(({ body }) => body.code === 'code_invalid')).toHaveLength(5)
    expect(guesses.filter(({ body }) => body.code === 'too_many_attempts')).toHaveLength(15)
    const newChallenge = await steps.challengeOf(user.username)
    expect((await steps.answerChallenge(newChallenge, steps.codeOf(secret))).status).toBe(429)
    expect((await steps.answerChallenge(newChallenge, recoveryCodes![0]!, 'recovery_code')).status).toBe(429)
    tern.advance(31_000)
    expect((await steps.answerChallenge(newChallenge, steps.codeOf(secret))).status).toBe(200)
  })

  test('is counted as wrong when malformed', async () => {
    const user = await createUser()
    await steps.enrollTotp(user.token)
    const challenge = await steps.challengeOf(user.username)
    for (const code of ['١٢٣٤٥٦', '1234567', '-12345', '12e456']) {
      const { status, body } = await steps.answerChallenge(challenge, code)
      expect([status, body.code], code).toEqual([422, 'code_invalid'])
    }
    const invalidReply = await steps.call('POST', '/api/auth/second-factor', {
      body: { challenge, method: 'passkey', code: '1' },
    })
    expect(invalidReply.body.code).toBe('invalid_request')
    expect((await steps.answerChallenge('no such challenge', '123456')).body.code).toBe('challenge_invalid')
  })

  test('expires with its challenge after ten minutes', async () => {
    const user = await createUser()
    const { secret } = await steps.enrollTotp(user.token)
    const challenge = await steps.challengeOf(user.username)
    tern.advance(10 * 60_000 + 1000)
    const lateAnswer = await steps.answerChallenge(challenge, steps.codeOf(secret))
    expect([lateAnswer.status, lateAnswer.body.code]).toEqual([410, 'challenge_invalid'])
  })
})

describe('a recovery code', () => {
  test('signs in once, in any spelling, and mails the owner', async () => {
    const user = await createUser()
    const { recoveryCodes } = await steps.enrollTotp(user.token)
    const [firstCode = '', secondCode = ''] = recoveryCodes ?? []
    const typedCode = ` ${firstCode.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `
    const challenges = await Promise.all([1, 2, 3].map(() => steps.challengeOf(user.username)))
    const replies = await Promise.all(
      challenges.map((challenge) => steps.answerChallenge(challenge, typedCode, 'recovery_code')),
    )
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422, 422])
    expect(findChangeMails(user.username)).toEqual(['totp_added', 'recovery_code_used'])
    const challenge = await steps.challengeOf(user.username)
    expect((await steps.answerChallenge(challenge, firstCode, 'recovery_code')).body.code).toBe('code_used')
    expect((await steps.answerChallenge(challenge, secondCode, 'totp')).body.code).toBe('code_invalid')
    expect((await steps.answerChallenge(challenge, secondCode, 'recovery_code')).status).toBe(200)
  })

  test('is refused when of another account or a replaced batch', async () => {
    const [user, otherUser] = [await createUser(), await createUser()]
    const { secret, recoveryCodes } = await steps.enrollTotp(user.token)
    const { recoveryCodes: otherCodes } = await steps.enrollTotp(otherUser.token)
    const renewal = await steps.confirmed('POST', '/api/user/recovery-codes', user.token, secret)
    expect(renewal.body.recovery_codes).toHaveLength(10)
    expect(findChangeMails(user.username)).toContain('recovery_codes_renewed')
    const challenge = await steps.challengeOf(user.username)
    for (const code of [recoveryCodes![0]!, otherCodes![0]!]) {
      expect((await steps.answerChallenge(challenge, code, 'recovery_code')).body.code).toBe('code_invalid')
    }
    expect((await steps.answerChallenge(challenge, renewal.body.recovery_codes[9], 'recovery_code')).status).toBe(200)
  })

  describe('in step-up', () => {
    const password = 'a sound passphrase'
    type EnrolledUser = Awaited<ReturnType<typeof createEnrolledUser>>
    async function createEnrolledUser() {
      const user = await createUser()
      const { secret, recoveryCodes } = await steps.enrollTotp(user.token)
      return { ...user, secret, codes: recoveryCodes ?? [] }
    }
    const requirementFor = async ({ token }: EnrolledUser) =>
      (await steps.call('DELETE', '/api/user/totp', { token })).body.confirmation as StepUpRequirement
    const submitProof = ({ token }: EnrolledUser, { id }: StepUpRequirement, body: object) =>
      steps.call('POST', `/api/auth/step-up/${id}`, { token, body: { password, ...body } })
    const recover = (user: EnrolledUser, requirement: StepUpRequirement, code: string | undefined) =>
      submitProof(user, requirement, { code, method: 'recovery_code' })

    test('replaces a lost app: its owner can remove it and set up another', async () => {
      const user = await createEnrolledUser()
      const requirement = await requirementFor(user)
      expect(requirement).toMatchObject({ code: 'totp', recovery_code: true })
      expect((await submitProof(user, requirement, { code: user.codes[0] })).body.code, 'not named as one').toBe(
        'code_invalid',
      )
      expect(findChangeMails(user.username)).toEqual(['totp_added'])
      const typedCode = ` ${user.codes[0]?.toLowerCase().replace('-', ' ')} `
      expect(await recover(user, requirement, typedCode)).toEqual({ status: 200, body: { success: true } })
      const removal = await steps.call('DELETE', '/api/user/totp', { token: user.token, confirmation: requirement.id })
      expect(removal.status).toBe(204)
      expect(findChangeMails(user.username)).toEqual(['totp_added', 'recovery_code_used', 'totp_removed'])
      expect((await steps.enrollTotp(user.token)).recoveryCodes).toHaveLength(10)
    })

    test("issues new codes, is spent, and is mailed with the session's name", async () => {
      const user = await createEnrolledUser()
      const renewCodes = async () =>
        (await steps.call('POST', '/api/user/recovery-codes', { token: user.token })).body
          .confirmation as StepUpRequirement
      const requirement = await renewCodes()
      expect((await recover(user, requirement, user.codes[0])).status).toBe(200)
      expect((await recover(user, await renewCodes(), user.codes[0])).body.code, 'the same again').toBe('code_used')
      const challenge = await steps.challengeOf(user.username)
      expect((await steps.answerChallenge(challenge, user.codes[0]!, 'recovery_code')).body.code, 'at the door').toBe(
        'code_used',
      )
      expect(findChangeMails(user.username)).toEqual(['totp_added', 'recovery_code_used'])
      expect(
        await tern.count(
          `from mailed_link join session on session.id = session_id
            where purpose = 'unrecognized_sign_in' and mailed_link.user_id = ${String(user.id)}`,
        ),
        'the mail with the code and those about both changes',
      ).toBe(3)
      const renewal = await steps.call('POST', '/api/user/recovery-codes', {
        token: user.token,
        confirmation: requirement.id,
      })
      expect(renewal.body.recovery_codes).toHaveLength(10)
    })

    test('works for one of several concurrent uses', async () => {
      const user = await createEnrolledUser()
      const requirements = await Promise.all([1, 2, 3].map(() => requirementFor(user)))
      const replies = await Promise.all(requirements.map((requirement) => recover(user, requirement, user.codes[0])))
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422, 422])
    })

    test('counts as a wrong guess when wrong, foreign or used', async () => {
      const [user, otherPerson] = [await createEnrolledUser(), await createEnrolledUser()]
      const wrongCodes = [otherPerson.codes[0], 'AAAAA-AAAAA', '000000']
      const first = await requirementFor(user)
      for (const code of wrongCodes) expect((await recover(user, first, code)).body.code).toBe('code_invalid')
      expect((await submitProof(user, first, { code: '000000' })).body.code).toBe('code_invalid')
      expect((await submitProof(user, first, { code: '000000', password: 'not it' })).body.code).toBe(
        'invalid_credentials',
      )
      expect((await recover(user, first, user.codes[0])).body.code).toBe('step_up_invalid')
      const second = await requirementFor(user)
      expect((await recover(user, second, user.codes[0])).status).toBe(429)
      expect(findChangeMails(user.username)).toEqual(['totp_added'])
      tern.advance(31_000)
      expect((await recover(user, second, user.codes[0])).status).toBe(200)
      expect(
        (await recover(otherPerson, await requirementFor(otherPerson), otherPerson.codes[0])).status,
        'the other still has theirs',
      ).toBe(200)
    })

    test('is not spent by a wrong password, and not offered when none is left', async () => {
      const user = await createEnrolledUser()
      const requirement = await requirementFor(user)
      const refusedReply = await submitProof(user, requirement, {
        code: user.codes[0],
        method: 'recovery_code',
        password: 'not it',
      })
      expect(refusedReply.body.code).toBe('invalid_credentials')
      expect((await recover(user, requirement, user.codes[0])).status).toBe(200)
      await database.pool.query('update recovery_code set used_at = now() where user_id = $1', [user.id])
      expect(await requirementFor(user)).toMatchObject({ code: 'totp', recovery_code: false })
    })

    test('replaces a lost passkey', async () => {
      const user = await createUser()
      const { recoveryCodes } = await steps.enrollPasskey(user.token)
      const reply = await steps.call('POST', '/api/user/recovery-codes', { token: user.token })
      const requirement = reply.body.confirmation as StepUpRequirement
      expect(requirement).toMatchObject({ passkey: true, code: 'recovery_code', recovery_code: true })
      expect((await recover({ ...user, secret: '', codes: [] }, requirement, recoveryCodes?.[0])).status).toBe(200)
      expect(findChangeMails(user.username)).toEqual(['passkey_added', 'recovery_code_used'])
    })
  })
})
