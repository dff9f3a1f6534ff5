import type { SignInProviders } from '@tern/providers/signin/port'
import type { AccountEvents } from '../../platform/account-events.ts'
import type { Db } from '../../platform/database/db.ts'
import { readRetainedKeys } from '../../platform/keys/retained-keys.ts'
import { createSeal, type Secret } from '../../platform/seal.ts'
import type { Caller } from '../../platform/http/serve.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Log } from './log.ts'
import type { AccessTokens } from './sessions/tokens/access-token.ts'
import type { LiveSessions } from './sessions/live-sessions.ts'
import type { Client } from './sessions/sessions.ts'
import type { SessionLimits } from './sessions/session-limits.ts'
import type { LoginAttempts } from './sign-in/login-attempts.ts'

export interface UserAndTime {
  readonly userId: bigint
  readonly at: Date
}

export interface ClientInput {
  readonly client: Client
}

/** Caller of a change, with the id of a step-up confirmation if one was sent. */
export interface ConfirmedCaller {
  readonly caller: Caller
  readonly confirmation: string | undefined
}

export interface IdentityContext {
  /** Public origin of the product; also the issuer of its access tokens. */
  readonly publicUrl: string
  /** Company that runs the product, whose name is no password. */
  readonly operatorName?: string | undefined
  /** True if browsers use TLS. Plain HTTP is allowed only on this machine. */
  readonly secureCookie: boolean
  readonly now: () => Date
  /** Machine clock for expiry and waits; `now` can be shifted in sandbox mode. */
  readonly realNow: () => Date
  readonly log: Log
  readonly sessionLimits: SessionLimits
  readonly notifications: Pick<Notifications, 'mail' | 'notify' | 'markSubjectRead' | 'touch'>
  readonly signInProviders: SignInProviders
  readonly seals: Seals
  readonly accessTokens: AccessTokens
  readonly attempts: LoginAttempts
  readonly live: LiveSessions
  /** Hooks of other features, run in the transaction that adds a user or cancels a deletion. */
  readonly accountEvents: readonly Pick<AccountEvents, 'registered' | 'kept'>[]
}

export type Seals = Awaited<ReturnType<typeof readSeals>>

export async function readSeals(db: Db, secret: Secret) {
  const retainedKeys = await readRetainedKeys(db, secret)
  const seal = (part: string) => createSeal(secret, `identity/${part}`, retainedKeys.get(`identity/${part}`))
  return {
    confirmation: seal('proof'),
    externalSignIn: seal('external-sign-in'),
    localName: seal('local-name'),
    loginAttempt: seal('login-attempt'),
    mailRequest: seal('mail-request'),
    passkey: seal('passkey'),
    recoveryCode: seal('recovery-code'),
    signingKey: seal('signing-key'),
    totp: seal('totp'),
  }
}
