import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'
import { issueChallengedSession, type SignedIn } from '../sign-in/complete-sign-in.ts'
import { userOfChallenge } from '../sign-in/sign-in-challenges.ts'
import {
  type AssertionOf,
  beginAssertion,
  type CeremonyAnswer,
  type CeremonyBegun,
  finishAssertion,
} from './passkey-ceremonies.ts'
import { acceptCode } from './one-time-code.ts'
import { spendRecoveryCode } from './recovery-codes.ts'
import { hashOfSecret } from '../secrets.ts'
import { knownBrowser } from '../sessions/known-browsers.ts'
import type { Client } from '../sessions/sessions.ts'
import { spendTotp } from './totp.ts'

// The second step of a sign-in.

/** Counts an account's code guesses, wherever tried. */
export const codeGuesses = (userId: bigint): string => `second factor ${userId}`

/** Refuses `challenge_invalid`, `code_invalid`, `code_used`, `too_many_attempts`. */
export async function answerByCode(
  context: IdentityContext,
  { challenge, method, code }: { challenge: string; method: 'totp' | 'recovery_code'; code: string },
  client: Client,
): Promise<SignedIn> {
  const userId = await userOfChallenge(context, challenge)
  // Counted per account: the password allows any number of challenges.
  const check = async () => {
    const spent =
      method === 'totp' ? spendTotp(context, userId, code) : spendRecoveryCode(context, code, { userId, client })
    return acceptCode(await spent, method) || undefined
  }
  const browser = await knownBrowser(context.pool, { userId }, client)
  const isRight = await context.attempts.guard(codeGuesses(userId), check, { browser })
  if (!isRight) refuseField('code_invalid', 'code')
  return issueChallengedSession(context, challenge, client)
}

async function assertionOf(context: IdentityContext, challenge: string): Promise<AssertionOf> {
  const userId = await userOfChallenge(context, challenge)
  return { purpose: 'second_factor', userId, subject: hashOfSecret(challenge).toString('hex') }
}

/** Refuses `challenge_invalid`. */
export async function secondFactorOptions(context: IdentityContext, challenge: string): Promise<CeremonyBegun> {
  return beginAssertion(context, await assertionOf(context, challenge))
}

/** Refuses `challenge_invalid`, `passkey_invalid`. */
export async function answerByPasskey(
  context: IdentityContext,
  { challenge, ...answer }: CeremonyAnswer & { challenge: string },
  client: Client,
): Promise<SignedIn> {
  const expected = await assertionOf(context, challenge)
  const { userId } = await finishAssertion(context, expected, answer, client)
  if (userId !== expected.userId) refuse('passkey_invalid')
  return issueChallengedSession(context, challenge, client)
}
