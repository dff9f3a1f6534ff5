import type { CurrentUser } from '@tern/contract/identity'
import type pg from 'pg'
import { transact, type Tx } from '../../db.ts'
import { refuse, refuseField } from '../../refuse.ts'
import type { AccessTokens } from './access-token.ts'
import type { LiveSessions } from './live-sessions.ts'
import type { Log } from './log.ts'
import type { LoginAttempts } from './login-attempts.ts'
import { hashPassword, isPassword, passwordWeakness } from './passwords.ts'
import { issueRefreshToken, rotateRefreshToken, sessionOfRefreshToken } from './refresh-tokens.ts'
import { type Client, openSession, revokeSession } from './sessions.ts'
import * as users from './users.ts'

export interface Registration {
  readonly email: string
  readonly password: string
  readonly username: string
  readonly name?: string | undefined
}

/** Somebody who has just proved who they are, with the two tokens of their new session. */
export interface SignedIn {
  readonly user: CurrentUser
  readonly sessionId: string
  readonly accessToken: string
  readonly refreshToken: string
}

/** The ways into a session, along it, and out of it. */
export interface SignIn {
  /** Opens an account and a session. Refuses `invalid_request`, `email_taken`, `username_taken`. */
  register(registration: Registration, client: Client): Promise<SignedIn>
  /** Opens a session. Refuses `invalid_credentials`, `too_many_attempts`. */
  logIn(credentials: { email: string; password: string }, client: Client): Promise<SignedIn>
  /** Exchanges a refresh token for new tokens. Refuses `unauthenticated`, `request_in_progress`. */
  refresh(refreshToken: string): Promise<{ accessToken: string; refreshToken: string }>
  /** Ends the session behind either token, at once and for good. Does nothing when there is none. */
  logOut(tokens: { refreshToken?: string | undefined; accessToken?: string | undefined }): Promise<void>
}

export interface SignInParts {
  readonly pool: pg.Pool
  readonly accessTokens: AccessTokens
  readonly attempts: LoginAttempts
  readonly live: LiveSessions
  /** Dates the accounts. */
  readonly now: () => Date
  readonly realNow: () => Date
  readonly log: Log
  readonly onRegistered: (tx: Tx, user: { id: bigint }) => Promise<void>
}

export function createSignIn(parts: SignInParts): SignIn {
  const { pool, accessTokens, attempts, live, now, realNow, log, onRegistered } = parts

  async function startSession(tx: Tx, userId: bigint, client: Client) {
    const sessionId = await openSession(tx, userId, client, realNow())
    return { sessionId, refreshToken: await issueRefreshToken(tx, sessionId, realNow()) }
  }

  async function signIn(userId: bigint, user: CurrentUser, started: { sessionId: string; refreshToken: string }) {
    const accessToken = await accessTokens.issue({ userId, sessionId: started.sessionId })
    return { user, accessToken, ...started }
  }

  async function register(registration: Registration, client: Client): Promise<SignedIn> {
    const weakness = passwordWeakness(registration.password, registration)
    if (weakness !== undefined) refuseField('invalid_request', 'password', weakness)
    await users.refuseTaken(pool, registration)
    const passwordHash = await hashPassword(registration.password)
    const { userId, user, started } = await transact(pool, async (tx) => {
      const user = await users.insertUser(tx, { ...registration, passwordHash }, now())
      const userId = BigInt(user.id)
      await onRegistered(tx, { id: userId })
      return { userId, user, started: await startSession(tx, userId, client) }
    })
    log.info({ userId: String(userId), sessionId: started.sessionId }, 'registered')
    return signIn(userId, user, started)
  }

  async function logIn({ email, password }: { email: string; password: string }, client: Client): Promise<SignedIn> {
    const userId = await attempts.guard(email, async () => {
      const found = await users.readCredentials(pool, email)
      return (await isPassword(found?.passwordHash, password)) ? found?.id : undefined
    })
    if (userId === undefined) refuse('invalid_credentials')
    const started = await transact(pool, (tx) => startSession(tx, userId, client))
    log.info({ userId: String(userId), sessionId: started.sessionId }, 'logged in')
    return signIn(userId, await users.readCurrentUser(pool, userId), started)
  }

  async function refresh(presented: string) {
    const rotation = await rotateRefreshToken(pool, presented, realNow())
    switch (rotation.status) {
      case 'rotated':
        return { accessToken: await accessTokens.issue(rotation), refreshToken: rotation.token }
      case 'in_progress':
        return refuse('request_in_progress', { retryAfterSeconds: 2 })
      case 'reused':
        live.forgetSession(rotation.sessionId)
        log.warn(
          { userId: String(rotation.userId), sessionId: rotation.sessionId },
          'refresh token reused: session ended',
        )
        return refuse('unauthenticated')
      case 'void':
        return refuse('unauthenticated')
    }
  }

  async function logOut(tokens: { refreshToken?: string | undefined; accessToken?: string | undefined }) {
    const claims = tokens.accessToken === undefined ? undefined : await accessTokens.verify(tokens.accessToken)
    const byCookie =
      tokens.refreshToken === undefined ? undefined : await sessionOfRefreshToken(pool, tokens.refreshToken)
    for (const sessionId of new Set([claims?.sessionId, byCookie])) {
      if (sessionId === undefined) continue
      await transact(pool, (tx) => revokeSession(tx, sessionId, 'logged out', realNow()))
      live.forgetSession(sessionId)
    }
  }

  return { register, logIn, refresh, logOut }
}
