import { transact } from '../../platform/database/db.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import type { IdentityContext } from './context.ts'
import {
  issueSession,
  openWithin,
  type SecondFactorRequired,
  type SignedIn,
  toSignedIn,
} from './sign-in/complete-sign-in.ts'
import { sendPasswordReset } from './email-links/email-links-sent.ts'
import { mailVerification } from './mailed-links/mailed-links.ts'
import { hashPassword, isPassword, passwordWeakness, turnOf } from './users/passwords.ts'
import { rotateRefreshToken, sessionOfRefreshToken } from './sessions/refresh-tokens.ts'
import { knownBrowser } from './sessions/known-browsers.ts'
import { type Client, revokeSession } from './sessions/sessions.ts'
import * as users from './users/users.ts'

export interface Registration {
  readonly email: string
  readonly password: string
  readonly username: string
  readonly name?: string | undefined
}

/**
 * Opens an account and session, and mails a confirmation link. Refuses `invalid_request`, `email_taken`,
 * `username_taken`.
 */
export async function register(
  context: IdentityContext,
  registration: Registration,
  client: Client,
): Promise<SignedIn> {
  const { pool, now, onRegistered } = context
  const weakness = passwordWeakness(registration.password, registration)
  if (weakness !== undefined) refuseField('invalid_request', 'password', weakness)
  await users.refuseTaken(pool, registration)
  const passwordHash = await hashPassword(registration.password, turnOf(client))
  const { userId, opened } = await transact(pool, async (tx) => {
    const user = await users.insertUser(tx, { ...registration, passwordHash }, now())
    const userId = BigInt(user.id)
    await onRegistered(tx, { id: userId })
    await mailVerification(context, tx, { userId, email: user.email })
    return { userId, opened: await openWithin(context, tx, { userId, signInMethod: 'register', client }) }
  })
  return toSignedIn(context, userId, opened, true)
}

/** Signs in with a password. Refuses `invalid_credentials`, `too_many_attempts`, `password_reset_required`. */
export async function logIn(
  context: IdentityContext,
  { email, password }: { email: string; password: string },
  client: Client,
): Promise<SignedIn | SecondFactorRequired> {
  const browser = await knownBrowser(context.pool, { email }, client)
  const check = async () => {
    const known = await users.readCredentials(context.pool, email)
    return (await isPassword(known?.passwordHash, password, browser ?? turnOf(client))) ? known : undefined
  }
  const found = await context.attempts.guard(email, check, { browser, otherWays: 'other_ways_to_log_in' })
  if (found === undefined) refuse('invalid_credentials')
  // Revealed only with the right password.
  if (found.isBlocked) {
    await sendPasswordReset(context, email, client)
    refuse('password_reset_required')
  }
  return issueSession(context, found, 'password', client)
}

/** Exchanges a refresh token for new tokens. Refuses `unauthenticated`, `request_in_progress`. */
export async function refresh(
  { pool, accessTokens, live, realNow, log, sessionLimits }: IdentityContext,
  presented: string,
): Promise<{ accessToken: string; refreshToken: string }> {
  const rotation = await rotateRefreshToken(pool, presented, realNow(), sessionLimits)
  switch (rotation.status) {
    case 'rotated':
      return { accessToken: await accessTokens.issue(rotation), refreshToken: rotation.token }
    case 'in_progress':
      return refuse('request_in_progress', { retryAfterSeconds: 2 })
    case 'reused': {
      const { userId, sessionId } = rotation
      live.forgetSession(sessionId)
      log.warn({ userId: String(userId), sessionId }, 'refresh token reused: session ended')
      return refuse('unauthenticated')
    }
    case 'void':
      return refuse('unauthenticated')
  }
}

/** Ends the session of either token, if any, at once. */
export async function logOut(
  { pool, accessTokens, live, realNow }: IdentityContext,
  tokens: { refreshToken?: string | undefined; accessToken?: string | undefined },
): Promise<void> {
  const { refreshToken, accessToken } = tokens
  const claims = accessToken === undefined ? undefined : await accessTokens.verify(accessToken)
  const byCookie = refreshToken === undefined ? undefined : await sessionOfRefreshToken(pool, refreshToken)
  for (const sessionId of new Set([claims?.sessionId, byCookie])) {
    if (sessionId === undefined) continue
    await transact(pool, (tx) => revokeSession(tx, sessionId, 'logged_out', realNow()))
    live.forgetSession(sessionId)
  }
}
