import type { SignInProviders } from '@tern/providers/signin/port'
import type pg from 'pg'
import type { Tx } from '../../platform/database/db.ts'
import { readRetainedKeys } from '../../platform/keys/retained-keys.ts'
import { createSeal, type Secret } from '../../platform/seal.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Log } from './log.ts'
import { createAccessTokens } from './sessions/tokens/access-token.ts'
import { createLiveSessions } from './sessions/live-sessions.ts'
import { type SessionLimits, usualSessionLimits } from './sessions/session-limits.ts'
import { createLoginAttempts } from './sign-in/login-attempts.ts'

export interface IdentityOptions {
  readonly pool: pg.Pool
  readonly databaseUrl: string
  /** What all identity keys are derived from. */
  readonly secret: Secret
  /** False only where browsers reach the product on this machine without TLS. */
  readonly secureCookie: boolean
  /** The product's public origin, also the issuer of its tokens. */
  readonly publicUrl: string
  readonly now: () => Date
  /** Decides expiry and waiting by real time, even where the product's clock moves. */
  readonly realNow?: () => Date
  readonly log: Log
  readonly sessionLimits?: SessionLimits
  readonly notifications: Pick<Notifications, 'mail' | 'notify' | 'readAbout' | 'touch'>
  readonly signInProviders?: SignInProviders
  /** Runs in the transaction that adds a user. */
  readonly onRegistered: (tx: Tx, user: { id: bigint }) => Promise<void>
  /** Runs in the transaction that takes a deletion back. */
  readonly onAccountKept: (tx: Tx, userId: bigint) => Promise<void>
}

/** What every part of identity needs. Loads or creates the signing key and starts listening. */
export async function createContext({ databaseUrl, secret, ...options }: IdentityOptions) {
  const { pool, publicUrl, realNow = () => new Date(), log, sessionLimits = usualSessionLimits } = options
  const retained = await readRetainedKeys(pool, secret)
  const seal = (part: string) => createSeal(secret, `identity/${part}`, retained.get(`identity/${part}`))
  return {
    ...options,
    realNow,
    sessionLimits,
    signInProviders: options.signInProviders ?? { external: undefined, google: undefined },
    seals: {
      confirmation: seal('proof'),
      externalSignIn: seal('external-sign-in'),
      localName: seal('local-name'),
      mailRequest: seal('mail-request'),
      passkey: seal('passkey'),
      recoveryCode: seal('recovery-code'),
      totp: seal('totp'),
    },
    accessTokens: await createAccessTokens({ pool, seal: seal('signing-key'), issuer: publicUrl, now: realNow }),
    attempts: createLoginAttempts({ pool, seal: seal('login-attempt'), now: realNow }),
    live: createLiveSessions({ pool, databaseUrl, log, now: realNow, limits: sessionLimits }),
  }
}

export type IdentityContext = Awaited<ReturnType<typeof createContext>>
