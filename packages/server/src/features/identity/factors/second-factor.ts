import type pg from 'pg'
import type { Db } from '../../../platform/database/db.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'
import { guardAttempts } from '../sign-in/login-attempts.ts'
import { issueChallengedSession, type SignedIn } from '../sign-in/complete-sign-in.ts'
import { findChallengeUser } from '../sign-in/sign-in-challenges.ts'
import type { CeremonyAnswer, StartedCeremony } from '../../../platform/keys/webauthn.ts'
import { type AssertionScope, beginAssertion, finishAssertion } from './passkey-ceremonies.ts'
import { acceptCode } from './one-time-code.ts'
import { consumeRecoveryCode } from './recovery-codes.ts'
import { hashSecret } from '../secrets.ts'
import { findKnownBrowser } from '../sessions/known-browsers.ts'
import type { Client } from '../sessions/sessions.ts'
import { consumeTotp } from './totp.ts'

// Second step of a sign-in.

/** Key under which an account's code guesses at sign-in are counted. */
export const codeAttemptsKey = (userId: bigint): string => `second factor ${userId}`

/** Completes a sign-in by code. Refuses `challenge_invalid`, `code_invalid`, `code_used`, `too_many_attempts`. */
export async function answerByCode(
  ctx: IdentityContext,
  pool: pg.Pool,
  {
    challenge,
    method,
    code,
    client,
  }: { challenge: string; method: 'totp' | 'recovery_code'; code: string; client: Client },
): Promise<SignedIn> {
  const userId = await findChallengeUser(ctx, pool, challenge)
  // Counted per account, because the password alone yields any number of challenges.
  const check = async () => {
    const codeVerdict =
      method === 'totp'
        ? consumeTotp(ctx, pool, { userId, code })
        : consumeRecoveryCode(ctx, pool, { code, userId, client })
    return acceptCode(await codeVerdict, method) || undefined
  }
  const browser = await findKnownBrowser(pool, { userId, client })
  const isRight = await guardAttempts(ctx, pool, { account: codeAttemptsKey(userId), browser }, check)
  if (!isRight) refuseField('code_invalid', 'code')
  return issueChallengedSession(ctx, pool, { challenge, client })
}

async function loadAssertionScope(ctx: IdentityContext, db: Db, challenge: string): Promise<AssertionScope> {
  const userId = await findChallengeUser(ctx, db, challenge)
  return { purpose: 'second_factor', userId, subject: hashSecret(challenge).toString('hex') }
}

/** Begins the passkey step of a sign-in. Refuses `challenge_invalid`. */
export async function secondFactorOptions(ctx: IdentityContext, db: Db, challenge: string): Promise<StartedCeremony> {
  return beginAssertion(ctx, db, { scope: await loadAssertionScope(ctx, db, challenge) })
}

/** Completes a sign-in by passkey. Refuses `challenge_invalid`, `passkey_invalid`. */
export async function answerByPasskey(
  ctx: IdentityContext,
  pool: pg.Pool,
  { challenge, client, ...answer }: CeremonyAnswer & { challenge: string; client: Client },
): Promise<SignedIn> {
  const scope = await loadAssertionScope(ctx, pool, challenge)
  const { userId } = await finishAssertion(ctx, pool, { ...answer, scope, client })
  if (userId !== scope.userId) refuse('passkey_invalid')
  return issueChallengedSession(ctx, pool, { challenge, client })
}
