import type { CurrentUser } from '@tern/contract/identity'
import type { SecondFactor } from '@tern/contract/sign-in'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { undoDeletion } from '../deletion/deletion.ts'
import type { IdentityContext } from '../context.ts'
import { alertChange, alertSignIn } from '../mailed-links/security-alerts.ts'
import { lockCredentials, loadSecondFactors, type VerifiedCredentials } from '../sessions/verified-credentials.ts'
import { issueRefreshToken } from '../sessions/refresh-tokens.ts'
import { issueAccessToken } from '../sessions/tokens/access-token.ts'
import { addChallenge, consumeChallenge } from './sign-in-challenges.ts'
import { type Client, endSurplusSessions, openSession } from '../sessions/sessions.ts'
import { readCurrentUser } from '../users/users.ts'

// Steps shared by all sign-in methods: second factor, alert about a new device, and session.

export type SignInMethod = 'register' | 'password' | 'link' | 'passkey' | 'google' | 'external'

/** Authenticated user with the tokens of the new session. */
export interface SignedIn {
  readonly status: 'signed_in'
  readonly user: CurrentUser
  readonly sessionId: string
  readonly accessToken: string
  readonly refreshToken: string
  readonly isNewUser: boolean
  /** True if the sign-in cancelled a pending deletion of the account. */
  readonly isDeletionUndone: boolean
}

/** Outcome of a right first factor when a second one is required. */
export interface SecondFactorRequired {
  readonly status: 'second_factor'
  readonly challenge: string
  readonly methods: readonly SecondFactor[]
  readonly expiresAt: Date
}

interface OpenedSession {
  readonly sessionId: string
  readonly refreshToken: string
  /** Sessions ended because the account had too many. */
  readonly endedSessions: readonly string[]
  readonly isDeletionUndone: boolean
}

/** Opens a session after all required factors, and cancels a pending deletion. */
export async function openSessionInTransaction(
  ctx: IdentityContext,
  tx: Tx,
  { userId, signInMethod, client }: { userId: bigint; signInMethod: SignInMethod; client: Client },
): Promise<OpenedSession> {
  const { realNow, sessionLimits } = ctx
  const at = realNow()
  const isDeletionUndone = await undoDeletion(ctx, tx, { userId, client, at })
  const sessionId = await openSession(tx, { userId, signInMethod, client, at })
  if (signInMethod !== 'register') await alertSignIn(ctx, tx, { userId, sessionId, client, at })
  const endedSessions = await endSurplusSessions(tx, { userId, sessionId, at, max: sessionLimits.maxPerAccount })
  if (endedSessions.length > 0)
    await alertChange(ctx, tx, { userId, sessionId, change: 'oldest_session_ended', client, at })
  return {
    sessionId,
    refreshToken: await issueRefreshToken(tx, { sessionId, at, limits: sessionLimits }),
    endedSessions,
    isDeletionUndone,
  }
}

/** Issues the access token of a session opened by `openSessionInTransaction`. Call after its commit. */
export async function toSignedIn(
  ctx: IdentityContext,
  db: Db,
  { userId, openedSession, isNewUser = false }: { userId: bigint; openedSession: OpenedSession; isNewUser?: boolean },
): Promise<SignedIn> {
  const { sessionId, refreshToken, endedSessions, isDeletionUndone } = openedSession
  const { live, log } = ctx
  for (const endedId of endedSessions) live.forgetSession(endedId)
  if (isDeletionUndone) live.forgetUser(userId)
  const [user, accessToken] = await Promise.all([
    readCurrentUser(db, userId),
    issueAccessToken(ctx, db, { userId, sessionId }),
  ])
  log.info({ userId: String(userId), sessionId }, isNewUser ? 'registered' : 'signed in')
  return { status: 'signed_in', user, sessionId, accessToken, refreshToken, isNewUser, isDeletionUndone }
}

/**
 * Opens a session after the first factor, or returns a challenge for the second. Refuses `challenge_invalid` if the
 * credentials changed since the first factor.
 */
export async function issueSession(
  ctx: IdentityContext,
  pool: pg.Pool,
  {
    credentials,
    signInMethod,
    client,
  }: { credentials: VerifiedCredentials; signInMethod: SignInMethod; client: Client },
): Promise<SignedIn | SecondFactorRequired> {
  // A passkey counts as two factors: possession, and the device's check of its user.
  const needsFactor = signInMethod !== 'passkey'
  const { userId } = credentials
  const outcome = await transact(pool, async (tx) => {
    await lockCredentials(tx, credentials)
    const methods = needsFactor ? await loadSecondFactors(tx, userId) : []
    if (methods.length === 0)
      return { openedSession: await openSessionInTransaction(ctx, tx, { userId, signInMethod, client }) }
    const secondFactor = await addChallenge(ctx, tx, { credentials, signInMethod })
    return { secondFactor: { status: 'second_factor', methods, ...secondFactor } as const }
  })
  return outcome.openedSession
    ? toSignedIn(ctx, pool, { userId, openedSession: outcome.openedSession })
    : outcome.secondFactor
}

/** Opens a session after the second factor of a challenge. Refuses `challenge_invalid`. */
export async function issueChallengedSession(
  ctx: IdentityContext,
  pool: pg.Pool,
  { challenge, client }: { challenge: string; client: Client },
): Promise<SignedIn> {
  const { userId, openedSession } = await transact(pool, async (tx) => {
    const { userId, signInMethod } = await consumeChallenge(tx, { challenge, at: ctx.realNow() })
    return { userId, openedSession: await openSessionInTransaction(ctx, tx, { userId, signInMethod, client }) }
  })
  return toSignedIn(ctx, pool, { userId, openedSession })
}
