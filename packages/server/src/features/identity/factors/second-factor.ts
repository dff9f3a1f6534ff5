import type pg from 'pg'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { SignInCompletion, SignedIn } from '../sign-in/complete-sign-in.ts'
import type { LoginAttempts } from '../sign-in/login-attempts.ts'
import type { AssertionOf, CeremonyAnswer, CeremonyBegun, PasskeyCeremonies } from './passkey-ceremonies.ts'
import { codeGuesses } from '../step-up/step-up.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import { hashOfSecret } from '../secrets.ts'
import type { Client } from '../sessions/sessions.ts'
import type { Totp } from './totp.ts'

/** Second step of a sign-in. */
export interface SecondFactorSignIn {
  /** Refuses `challenge_invalid`, `code_invalid`, `too_many_attempts`. */
  answerByCode(
    answer: { challenge: string; method: 'totp' | 'recovery_code'; code: string },
    client: Client,
  ): Promise<SignedIn>
  /** Refuses `challenge_invalid`. */
  passkeyOptions(challenge: string): Promise<CeremonyBegun>
  /** Refuses `challenge_invalid`, `passkey_invalid`. */
  answerByPasskey(challenge: string, answer: CeremonyAnswer, client: Client): Promise<SignedIn>
}

export interface SecondFactorParts {
  readonly pool: pg.Pool
  readonly signInCompletion: SignInCompletion
  readonly totp: Totp
  readonly recoveryCodes: RecoveryCodes
  readonly ceremonies: PasskeyCeremonies
  readonly attempts: LoginAttempts
}

export function createSecondFactor(parts: SecondFactorParts): SecondFactorSignIn {
  const { pool, signInCompletion, totp, recoveryCodes, ceremonies, attempts } = parts

  async function assertionOf(challenge: string): Promise<AssertionOf> {
    const userId = await signInCompletion.challenged(challenge)
    return { purpose: 'second_factor', userId, subject: hashOfSecret(challenge).toString('hex') }
  }

  return {
    async answerByCode({ challenge, method, code }, client) {
      const userId = await signInCompletion.challenged(challenge)
      // Counted per account: the password allows any number of challenges.
      const isRight = await attempts.guard(codeGuesses(userId), async () => {
        const spent = method === 'totp' ? totp.spend(pool, userId, code) : recoveryCodes.spend(code, { userId, client })
        return (await spent) || undefined
      })
      if (!isRight) refuseField('code_invalid', 'code')
      return signInCompletion.issueChallengedSession(challenge, client)
    },

    async passkeyOptions(challenge) {
      return ceremonies.beginAssertion(await assertionOf(challenge))
    },

    async answerByPasskey(challenge, answer, client) {
      const expected = await assertionOf(challenge)
      const { userId } = await ceremonies.finishAssertion(expected, answer)
      if (userId !== expected.userId) refuse('passkey_invalid')
      return signInCompletion.issueChallengedSession(challenge, client)
    },
  }
}
