import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { AccessTokens } from '../sessions/access-token.ts'
import type { SignInCompletion, SecondFactorRequired, SignedIn } from './complete-sign-in.ts'
import type { EmailLinks } from '../email-links/email-links.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { Log } from '../log.ts'
import type { LoginAttempts } from './login-attempts.ts'
import { hashPassword, isPassword, passwordWeakness } from '../users/passwords.ts'
import { rotateRefreshToken, sessionOfRefreshToken } from '../sessions/refresh-tokens.ts'
import { type Client, revokeSession } from '../sessions/sessions.ts'
import * as users from '../users/users.ts'

export interface Registration {
  readonly email: string
  readonly password: string
  readonly username: string
  readonly name?: string | undefined
}

export interface SignIn {
  /**
   * Opens an account and session, and mails a confirmation link. Refuses `invalid_request`, `email_taken`,
   * `username_taken`.
   */
  register(registration: Registration, client: Client): Promise<SignedIn>
  /** Signs in with a password. Refuses `invalid_credentials`, `too_many_attempts`, `password_reset_required`. */
  logIn(credentials: { email: string; password: string }, client: Client): Promise<SignedIn | SecondFactorRequired>
  /** Exchanges a refresh token for new tokens. Refuses `unauthenticated`, `request_in_progress`. */
  refresh(refreshToken: string): Promise<{ accessToken: string; refreshToken: string }>
  /** Ends the session of either token, if any, at once. */
  logOut(tokens: { refreshToken?: string | undefined; accessToken?: string | undefined }): Promise<void>
}

export interface SignInParts {
  readonly pool: pg.Pool
  readonly accessTokens: AccessTokens
  readonly signInCompletion: SignInCompletion
  readonly attempts: LoginAttempts
  readonly emailLinks: Pick<EmailLinks, 'mailVerification' | 'sendPasswordReset'>
  readonly live: LiveSessions
  readonly now: () => Date
  readonly realNow: () => Date
  readonly log: Log
  readonly onRegistered: (tx: Tx, user: { id: bigint }) => Promise<void>
}

export function createSignIn(parts: SignInParts): SignIn {
  const { pool, accessTokens, signInCompletion, attempts, emailLinks, live, now, realNow, log, onRegistered } = parts

  async function register(registration: Registration, client: Client): Promise<SignedIn> {
    const weakness = passwordWeakness(registration.password, registration)
    if (weakness !== undefined) refuseField('invalid_request', 'password', weakness)
    await users.refuseTaken(pool, registration)
    const passwordHash = await hashPassword(registration.password)
    const { userId, opened } = await transact(pool, async (tx) => {
      const user = await users.insertUser(tx, { ...registration, passwordHash }, now())
      const userId = BigInt(user.id)
      await onRegistered(tx, { id: userId })
      await emailLinks.mailVerification(tx, { userId, email: user.email })
      return { userId, opened: await signInCompletion.openWithin(tx, userId, 'register', client) }
    })
    return signInCompletion.toSignedIn(userId, opened, true)
  }

  async function logIn({ email, password }: { email: string; password: string }, client: Client) {
    const found = await attempts.guard(email, async () => {
      const known = await users.readCredentials(pool, email)
      return (await isPassword(known?.passwordHash, password)) ? known : undefined
    })
    if (found === undefined) refuse('invalid_credentials')
    // Revealed only with the right password.
    if (found.isBlocked) {
      await emailLinks.sendPasswordReset(email, client)
      refuse('password_reset_required')
    }
    return signInCompletion.issueSession(found, 'password', client)
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
      await transact(pool, (tx) => revokeSession(tx, sessionId, 'logged_out', realNow()))
      live.forgetSession(sessionId)
    }
  }

  return { register, logIn, refresh, logOut }
}
