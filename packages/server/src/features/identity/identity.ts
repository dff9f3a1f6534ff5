import type { CookieSerializeOptions } from '@fastify/cookie'
import type { SignInProviders } from '@tern/providers/signin/port'
import type { FastifyRequest } from 'fastify'
import type { JWK } from 'jose'
import type pg from 'pg'
import type { Tx } from '../../platform/database/db.ts'
import { refuse } from '../../platform/refuse.ts'
import { createSeal } from '../../platform/seal.ts'
import type { Authenticate } from '../../platform/http/serve.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { createAccessTokens } from './sessions/access-token.ts'
import { type Account, createAccount } from './users/account.ts'
import { type AccountSecurity, createAccountSecurity } from './users/account-security.ts'
import { createAlerts } from './sign-in/sign-in-alerts.ts'
import { createSignInCompletion } from './sign-in/complete-sign-in.ts'
import { type Browsers, createBrowsers } from './sessions/browser.ts'
import { createEmailLinks, type EmailLinks } from './email-links/email-links.ts'
import { createFactors, type Factors } from './factors/factors.ts'
import { createExternalSignIn, type ExternalSignIn } from './external/external.ts'
import { createExternalLinks, type ExternalLinks } from './external/external-links.ts'
import { createLiveSessions, type RememberByUser } from './sessions/live-sessions.ts'
import type { Log } from './log.ts'
import { createLoginAttempts } from './sign-in/login-attempts.ts'
import { createMailRequests } from './mailed-links/mail-requests.ts'
import { requireSameOrigin } from './sessions/csrf.ts'
import { createPasskeyCeremonies } from './factors/passkey-ceremonies.ts'
import { createPasskeys, type Passkeys } from './factors/passkeys.ts'
import { createUserDirectory, type UserDirectory } from './users/user-directory.ts'
import { createStepUp, type StepUp } from './step-up/step-up.ts'
import { createRecoveryCodes } from './factors/recovery-codes.ts'
import { refreshLifetimeSeconds } from './sessions/refresh-tokens.ts'
import { createSecondFactor, type SecondFactorSignIn } from './factors/second-factor.ts'
import { createSignIn, type SignIn } from './sign-in/sign-in.ts'
import { createTotp } from './factors/totp.ts'

export { isUserNumber } from './users/user-number.ts'
export type { KnownUser } from './users/users.ts'
export type { Client } from './sessions/sessions.ts'
export type { SecondFactorRequired, SignedIn } from './sign-in/complete-sign-in.ts'
export type { StepUp, SensitiveAction } from './step-up/step-up.ts'

export interface IdentityOptions {
  readonly pool: pg.Pool
  readonly databaseUrl: string
  /** 32 bytes from which all identity keys are derived. */
  readonly secret: Buffer
  /** False only where browsers reach the product on this machine without TLS. */
  readonly secureCookie: boolean
  /** The product's public origin, also the issuer of its tokens. */
  readonly publicUrl: string
  readonly now: () => Date
  /** Decides expiry and waiting by real time, even where the product's clock moves. */
  readonly realNow?: () => Date
  readonly log: Log
  readonly notifications: Notifications
  readonly signInProviders?: SignInProviders
  /** Runs in the transaction that adds a user. */
  readonly onRegistered: (tx: Tx, user: { id: bigint }) => Promise<void>
}

export interface Identity
  extends SignIn, ExternalSignIn, ExternalLinks, EmailLinks, Browsers, AccountSecurity, Account, UserDirectory {
  /** The caller of a bearer token, with its session checked. Refuses `unauthenticated`. */
  readonly authenticate: Authenticate
  /** Whether a session is still live; to be polled by open connections. */
  isLive(sessionId: string): Promise<boolean>
  /** Caches reads per user until that user changes in any process. */
  readonly rememberByUser: RememberByUser
  readonly stepUp: StepUp
  readonly factors: Factors
  readonly secondFactor: SecondFactorSignIn
  readonly passkeys: Passkeys
  /** Public keys for our access tokens (RFC 7517). */
  publicKeys(): { keys: JWK[] }
  retireOldKey(): Promise<void>
  /** Refuses `cross_site_request`. */
  requireSameOrigin(request: FastifyRequest): void
  readonly refreshCookie: { readonly name: string; readonly options: CookieSerializeOptions }
  /** Whether a browser may be signed in: enough to choose a page, not to answer a call. */
  hasRefreshCookie(request: FastifyRequest): boolean
  close(): Promise<void>
}

async function createDependencies(options: IdentityOptions) {
  const { pool, databaseUrl, secret, publicUrl, realNow = () => new Date(), log, notifications } = options
  const seal = (purpose: string) => createSeal(secret, `identity/${purpose}`)
  const accessTokens = await createAccessTokens({ pool, seal: seal('signing-key'), issuer: publicUrl, now: realNow })
  const attempts = createLoginAttempts({ pool, seal: seal('login-attempt'), now: realNow })
  const live = createLiveSessions({ pool, databaseUrl, log })
  const alerts = createAlerts({ notifications, publicUrl })
  const totp = createTotp({ seal: seal('totp'), realNow })
  const ceremonies = createPasskeyCeremonies({ pool, seal: seal('passkey'), publicUrl, realNow, log })
  const mailRequests = createMailRequests({ seal: seal('mail-request') })
  const shared = { pool, notifications, alerts, attempts, mailRequests, live, publicUrl, realNow, log }
  const recoveryCodes = createRecoveryCodes({ ...shared, seal: seal('recovery-code') })
  const stepUp = createStepUp({ ...shared, seal: seal('proof'), totp, recoveryCodes, ceremonies })
  const factors = createFactors({ pool, totp, recoveryCodes, stepUp, attempts, alerts, realNow })
  const signInCompletion = createSignInCompletion({ pool, accessTokens, factors, alerts, realNow, log })
  return { ...shared, signInCompletion, seal, accessTokens, totp, ceremonies, stepUp, recoveryCodes, factors }
}

/** Opens identity over `pool`: loads or creates the signing key and starts listening. */
export async function createIdentity(options: IdentityOptions): Promise<Identity> {
  const { pool, publicUrl, now, signInProviders = { external: undefined, google: undefined }, onRegistered } = options
  const dependencies = await createDependencies(options)
  const { accessTokens, factors, live, stepUp } = dependencies
  const emailLinks = createEmailLinks(dependencies)
  const refreshCookie = describeCookie(options.secureCookie)

  const authenticate: Authenticate = async (request) => {
    const token = bearerToken(request)
    const claims = token === undefined ? undefined : await accessTokens.verify(token)
    const caller = claims && (await live.find(claims.sessionId))
    return caller?.userId === claims?.userId && caller ? caller : refuse('unauthenticated')
  }

  return {
    authenticate,
    isLive: async (sessionId) => (await live.find(sessionId)) !== undefined,
    rememberByUser: live.rememberByUser,
    ...createBrowsers({ secure: options.secureCookie }),
    ...emailLinks,
    ...createSignIn({ ...dependencies, emailLinks, now, onRegistered }),
    ...createExternalSignIn({
      ...dependencies,
      seal: dependencies.seal('external-sign-in'),
      providers: signInProviders,
      emailLinks,
      now,
      onRegistered,
    }),
    ...createExternalLinks(dependencies),
    ...createAccountSecurity(dependencies),
    ...createAccount(dependencies),
    stepUp,
    factors,
    secondFactor: createSecondFactor(dependencies),
    passkeys: createPasskeys(dependencies),
    ...createUserDirectory({ pool, live }),
    publicKeys: accessTokens.publicKeys,
    retireOldKey: accessTokens.retireOldKey,
    requireSameOrigin: (request) => requireSameOrigin(request, publicUrl),
    refreshCookie,
    hasRefreshCookie: (request) => request.cookies[refreshCookie.name] !== undefined,
    close: live.close,
  }
}

/** The token in `Authorization: Bearer …`, if any. */
export const bearerToken = (request: FastifyRequest): string | undefined =>
  /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]

// __Host- cookies need Secure, Path=/ and no Domain, so no other host can set one.
const describeCookie = (secure: boolean): Identity['refreshCookie'] => ({
  name: secure ? '__Host-rt' : 'rt',
  options: { httpOnly: true, secure, sameSite: 'strict', path: '/', maxAge: refreshLifetimeSeconds },
})
