import type { CurrentUser } from '@tern/contract/identity'
import type { SecondFactor } from '@tern/contract/sign-in'
import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import type { AccessTokens } from '../sessions/access-token.ts'
import type { Alerts } from './sign-in-alerts.ts'
import type { Factors } from '../factors/factors.ts'
import type { Log } from '../log.ts'
import { holdCredentials, type VerifiedCredentials } from '../sessions/verified-credentials.ts'
import { issueRefreshToken } from '../sessions/refresh-tokens.ts'
import { addChallenge, spendChallenge, userOfChallenge } from './sign-in-challenges.ts'
import { type Client, openSession } from '../sessions/sessions.ts'
import { readCurrentUser } from '../users/users.ts'

export type SignInMethod = 'register' | 'password' | 'link' | 'passkey' | 'google' | 'external'

/** An authenticated user with the tokens of the new session. */
export interface SignedIn {
  readonly status: 'signed_in'
  readonly user: CurrentUser
  readonly sessionId: string
  readonly accessToken: string
  readonly refreshToken: string
  readonly isNewUser: boolean
}

/** The first factor was right and a second is required. */
export interface SecondFactorRequired {
  readonly status: 'second_factor'
  readonly challenge: string
  readonly methods: readonly SecondFactor[]
  readonly expiresAt: Date
}

/** Shared by all sign-in methods: second factor, new-device alert and session. */
export interface SignInCompletion {
  /**
   * Opens a session after the first factor, or requires the second. Refuses `challenge_invalid` when credentials
   * changed meanwhile.
   */
  issueSession(
    confirmed: VerifiedCredentials,
    signInMethod: SignInMethod,
    client: Client,
  ): Promise<SignedIn | SecondFactorRequired>
  /** The same inside a transaction, for a user without second factors. */
  openWithin(tx: Tx, userId: bigint, signInMethod: SignInMethod, client: Client): Promise<OpenedSession>
  /** Issues the tokens of a session opened by `openWithin`, after the commit. */
  toSignedIn(userId: bigint, opened: OpenedSession, isNewUser: boolean): Promise<SignedIn>
  /** The user of a challenge, without spending it. Refuses `challenge_invalid`. */
  challenged(challenge: string): Promise<bigint>
  /** Opens the session of a challenge after its second factor. Refuses `challenge_invalid`. */
  issueChallengedSession(challenge: string, client: Client): Promise<SignedIn>
}

export interface OpenedSession {
  readonly sessionId: string
  readonly refreshToken: string
}

export interface SignInCompletionParts {
  readonly pool: pg.Pool
  readonly accessTokens: AccessTokens
  readonly factors: Pick<Factors, 'methodsOf'>
  readonly alerts: Alerts
  readonly realNow: () => Date
  readonly log: Log
}

export function createSignInCompletion({
  pool,
  accessTokens,
  factors,
  alerts,
  realNow,
  log,
}: SignInCompletionParts): SignInCompletion {
  async function openWithin(
    tx: Tx,
    userId: bigint,
    signInMethod: SignInMethod,
    client: Client,
  ): Promise<OpenedSession> {
    const at = realNow()
    const sessionId = await openSession(tx, { userId, signInMethod, client, at })
    if (signInMethod !== 'register') await alerts.alertSignIn(tx, { userId, sessionId, client, at })
    return { sessionId, refreshToken: await issueRefreshToken(tx, sessionId, at) }
  }

  async function toSignedIn(userId: bigint, opened: OpenedSession, isNewUser: boolean): Promise<SignedIn> {
    const { sessionId, refreshToken } = opened
    const [user, accessToken] = await Promise.all([
      readCurrentUser(pool, userId),
      accessTokens.issue({ userId, sessionId }),
    ])
    log.info({ userId: String(userId), sessionId }, isNewUser ? 'registered' : 'signed in')
    return { status: 'signed_in', user, sessionId, accessToken, refreshToken, isNewUser }
  }

  return {
    async issueSession(confirmed, signInMethod, client) {
      // Possession plus the device's own check: two factors in one step.
      const needsFactor = signInMethod !== 'passkey'
      const { userId } = confirmed
      const outcome = await transact(pool, async (tx) => {
        await holdCredentials(tx, confirmed)
        const methods = needsFactor ? await factors.methodsOf(userId, tx) : []
        if (methods.length === 0) return { opened: await openWithin(tx, userId, signInMethod, client) }
        const secondFactor = await addChallenge(tx, confirmed, { signInMethod, at: realNow() })
        return { secondFactor: { status: 'second_factor', methods, ...secondFactor } as const }
      })
      return outcome.opened ? toSignedIn(userId, outcome.opened, false) : outcome.secondFactor
    },
    openWithin,
    toSignedIn,
    challenged: (challenge) => userOfChallenge(pool, challenge, realNow()),
    async issueChallengedSession(challenge, client) {
      const { userId, opened } = await transact(pool, async (tx) => {
        const { userId, signInMethod } = await spendChallenge(tx, challenge, realNow())
        return { userId, opened: await openWithin(tx, userId, signInMethod, client) }
      })
      return toSignedIn(userId, opened, false)
    },
  }
}
