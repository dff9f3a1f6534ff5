import type pg from 'pg'
import { transact } from '../../platform/database/db.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import type { IdentityContext } from './context.ts'
import {
  issueSession,
  openSessionInTransaction,
  type SecondFactorRequired,
  type SignedIn,
  toSignedIn,
} from './sign-in/complete-sign-in.ts'
import { sendPasswordReset } from './email-links/send-links.ts'
import { mailVerification } from './mailed-links/mailed-links.ts'
import { guardAttempts } from './sign-in/login-attempts.ts'
import { issueAccessToken, verifyAccessToken } from './sessions/tokens/access-token.ts'
import { hashPassword, isPassword, passwordWeakness, queueKey } from './users/passwords.ts'
import { rotateRefreshToken, findRefreshTokenSession } from './sessions/refresh-tokens.ts'
import { findKnownBrowser } from './sessions/known-browsers.ts'
import { type Client, revokeSession } from './sessions/sessions.ts'
import * as users from './users/users.ts'

export interface Registration {
  readonly email: string
  readonly password: string
  readonly username: string
  readonly name?: string | undefined
}

/**
 * Registers a user, opens a session, and mails a link to confirm the address. Refuses `invalid_request` for a weak
 * password, `email_taken`, `username_taken`.
 */
export async function register(
  ctx: IdentityContext,
  pool: pg.Pool,
  { client, ...registration }: Registration & { client: Client },
): Promise<SignedIn> {
  const { now, accountEvents, operatorName } = ctx
  const weakness = passwordWeakness(registration.password, { ...registration, operatorName })
  if (weakness !== undefined) refuseField('invalid_request', 'password', weakness)
  await users.refuseTaken(pool, registration)
  const passwordHash = await hashPassword(registration.password, queueKey(client))
  const { userId, openedSession } = await transact(pool, async (tx) => {
    const user = await users.insertUser(tx, { user: { ...registration, passwordHash }, at: now() })
    const userId = BigInt(user.id)
    for (const { registered } of accountEvents) await registered?.(tx, { userId, at: now() })
    await mailVerification(ctx, tx, { userId, email: user.email })
    return {
      userId,
      openedSession: await openSessionInTransaction(ctx, tx, { userId, signInMethod: 'register', client }),
    }
  })
  return toSignedIn(ctx, pool, { userId, openedSession, isNewUser: true })
}

/** Signs in with a password. Refuses `invalid_credentials`, `too_many_attempts`, `password_reset_required`. */
export async function logIn(
  ctx: IdentityContext,
  pool: pg.Pool,
  { email, password, client }: { email: string; password: string; client: Client },
): Promise<SignedIn | SecondFactorRequired> {
  const browser = await findKnownBrowser(pool, { email, client })
  const check = async () => {
    const credentials = await users.readCredentials(pool, email)
    return (await isPassword(credentials?.passwordHash, password, browser ?? queueKey(client)))
      ? credentials
      : undefined
  }
  const checkedCredentials = await guardAttempts(
    ctx,
    pool,
    { account: email, browser, otherWays: 'other_ways_to_log_in' },
    check,
  )
  if (checkedCredentials === undefined) refuse('invalid_credentials')
  // Only a right password reveals that the password is blocked.
  if (checkedCredentials.isBlocked) {
    await sendPasswordReset(ctx, pool, { email, client })
    refuse('password_reset_required')
  }
  return issueSession(ctx, pool, { credentials: checkedCredentials, signInMethod: 'password', client })
}

/** Exchanges a refresh token for a new one and an access token. Refuses `unauthenticated`, `request_in_progress`. */
export async function refresh(
  ctx: IdentityContext,
  pool: pg.Pool,
  presentedToken: string,
): Promise<{ accessToken: string; refreshToken: string }> {
  const { live, realNow, log, sessionLimits } = ctx
  const rotation = await rotateRefreshToken(pool, { presentedToken, at: realNow(), limits: sessionLimits })
  switch (rotation.status) {
    case 'rotated':
      return { accessToken: await issueAccessToken(ctx, pool, rotation), refreshToken: rotation.token }
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

/** Ends the sessions of both tokens. */
export async function logOut(
  ctx: IdentityContext,
  pool: pg.Pool,
  { refreshToken, accessToken }: { refreshToken?: string | undefined; accessToken?: string | undefined },
): Promise<void> {
  const claims = accessToken === undefined ? undefined : await verifyAccessToken(ctx, pool, accessToken)
  const cookieSessionId = refreshToken === undefined ? undefined : await findRefreshTokenSession(pool, refreshToken)
  for (const sessionId of new Set([claims?.sessionId, cookieSessionId])) {
    if (sessionId === undefined) continue
    await transact(pool, (tx) => revokeSession(tx, { sessionId, reason: 'logged_out', at: ctx.realNow() }))
    ctx.live.forgetSession(sessionId)
  }
}
