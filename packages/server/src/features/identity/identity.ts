import type { CookieSerializeOptions } from '@fastify/cookie'
import type { CurrentUser, PublicUser } from '@tern/contract/identity'
import type { KycStatus } from '@tern/contract/kyc'
import type { SignInProviders } from '@tern/providers/signin/port'
import type { FastifyRequest } from 'fastify'
import type { JWK } from 'jose'
import type pg from 'pg'
import type { Queryable, Tx } from '../../db.ts'
import { refuse } from '../../refuse.ts'
import { createSeal } from '../../seal.ts'
import type { Authenticate } from '../../serve.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { createAccessTokens } from './access-token.ts'
import { type Account, createAccount } from './account.ts'
import { type AccountSecurity, createAccountSecurity } from './account-security.ts'
import { createAlerts } from './alerts.ts'
import { createArrivals } from './arrivals.ts'
import { type Browsers, createBrowsers } from './browser.ts'
import { createEmailLinks, type EmailLinks } from './email-links.ts'
import { createFactors, type Factors } from './factors.ts'
import { createExternalSignIn, type ExternalSignIn } from './external.ts'
import { createExternalLinks, type ExternalLinks } from './external-links.ts'
import { createLiveSessions, sessionChannel, userNotice } from './live-sessions.ts'
import type { Log } from './log.ts'
import { createLoginAttempts } from './login-attempts.ts'
import { createMailRequests } from './mail-requests.ts'
import { demandOwnPage } from './own-page.ts'
import { createPasskeyCeremonies } from './passkey-ceremonies.ts'
import { createPasskeys, type Passkeys } from './passkeys.ts'
import { createProofs, type Proofs } from './proofs.ts'
import { createRecoveryCodes } from './recovery-codes.ts'
import { refreshLifetimeSeconds } from './refresh-tokens.ts'
import { createSecondFactor, type SecondFactorDoor } from './second-factor.ts'
import { revokeSessionsOf } from './sessions.ts'
import { createSignIn, type SignIn } from './sign-in.ts'
import { createTotp } from './totp.ts'
import * as users from './users.ts'

export { isUserNumber } from './user-number.ts'
export type { KnownUser } from './users.ts'
export type { Client } from './sessions.ts'
export type { SecondFactorAsked, SignedIn } from './arrivals.ts'
export type { Proofs, ProvenAct } from './proofs.ts'

export interface IdentityOptions {
  readonly pool: pg.Pool
  /** Where the connection goes that listens for ended sessions. */
  readonly databaseUrl: string
  /** 32 bytes from which all keys of identity are derived. */
  readonly secret: Buffer
  /** False only where browsers reach the product without TLS on this machine. */
  readonly secureCookie: boolean
  /** The origin under which people reach the product; also the issuer of its tokens. */
  readonly publicUrl: string
  /** Dates the accounts. */
  readonly now: () => Date
  /** Decides what has expired and who has to wait: real time, even where the product's own clock can be moved. */
  readonly realNow?: () => Date
  readonly log: Log
  readonly notifications: Notifications
  /** None unless given. */
  readonly signInProviders?: SignInProviders
  /** Runs inside the transaction that adds a user. */
  readonly onRegistered: (tx: Tx, user: { id: bigint }) => Promise<void>
}

/** Who people are, and whether it is really them. */
export interface Identity extends SignIn, ExternalSignIn, ExternalLinks, EmailLinks, Browsers, AccountSecurity, Account {
  /** The caller behind a request's bearer token, whose session is checked every time. Refuses `unauthenticated`. */
  readonly authenticate: Authenticate
  /** Whether a session still lives: to be asked again and again by whoever keeps a connection open. */
  isLive(sessionId: string): Promise<boolean>
  /** Fresh proofs for sensitive acts. */
  readonly proofs: Proofs
  readonly factors: Factors
  readonly secondFactor: SecondFactorDoor
  readonly passkeys: Passkeys
  currentUser(userId: bigint): Promise<CurrentUser>
  searchUsers(query: string, exact: boolean): Promise<PublicUser[]>
  /** Refuses `not_found`. */
  userProfile(userId: bigint): Promise<PublicUser>
  /** Those of the numbers that belong to somebody. */
  usersById(ids: readonly bigint[], db?: Queryable): Promise<Map<bigint, users.KnownUser>>
  /** Where verification stands, with the user locked until the transaction ends. */
  kycStatusForUpdate(tx: Tx, userId: bigint): Promise<KycStatus>
  /** Changes it and tells every process with the commit; then call `forgetUser`. */
  setKycStatus(tx: Tx, userId: bigint, status: KycStatus): Promise<void>
  /** Makes the verified name the one somebody is shown and found by. */
  setLegalName(tx: Tx, userId: bigint, name: { firstName: string; lastName: string }): Promise<void>
  /** Ends all sessions of a user with the commit; then call `forgetUser`. */
  revokeSessions(tx: Tx, userId: bigint, reason: string): Promise<void>
  /** Drops what this process remembers of a user's sessions: after the commit, before answering. */
  forgetUser(userId: bigint): void
  /** The keys that check our access tokens (RFC 7517). */
  publicKeys(): { keys: JWK[] }
  /** Lets a signing key go after 90 days; whoever signs next makes a new one. */
  retireOldKey(): Promise<void>
  /** Refuses `cross_site_request`. */
  demandOwnPage(request: FastifyRequest): void
  readonly refreshCookie: { readonly name: string; readonly options: CookieSerializeOptions }
  /** Whether a browser may be signed in: enough to choose a page, never to answer a call. */
  hasRefreshCookie(request: FastifyRequest): boolean
  close(): Promise<void>
}

/** Opens identity over `pool`: makes or opens the signing key and begins to listen for ended sessions. */
export async function createIdentity(options: IdentityOptions): Promise<Identity> {
  const {
    pool,
    databaseUrl,
    secret,
    publicUrl,
    now,
    realNow = () => new Date(),
    log,
    notifications,
    signInProviders = { external: undefined, google: undefined },
    onRegistered,
  } = options
  const seal = (purpose: string) => createSeal(secret, `identity/${purpose}`)
  const accessTokens = await createAccessTokens({ pool, seal: seal('signing-key'), issuer: publicUrl, now: realNow })
  const attempts = createLoginAttempts({ pool, seal: seal('login-attempt'), now: realNow })
  const live = createLiveSessions({ pool, databaseUrl, log })
  const refreshCookie = describeCookie(options.secureCookie)
  const browsers = createBrowsers({ secure: options.secureCookie })
  const alerts = createAlerts({ notifications, publicUrl })
  const totp = createTotp({ seal: seal('totp'), realNow })
  const ceremonies = createPasskeyCeremonies({ pool, seal: seal('passkey'), publicUrl, realNow, log })
  const proofs = createProofs({ pool, seal: seal('proof'), notifications, attempts, totp, ceremonies, realNow })
  const recoveryCodes = createRecoveryCodes({ seal: seal('recovery-code'), realNow })
  const factors = createFactors({ pool, totp, recoveryCodes, proofs, attempts, alerts, realNow })
  const arrivals = createArrivals({ pool, accessTokens, factors, alerts, realNow, log })
  const doors = { pool, arrivals, ceremonies, alerts, realNow }
  const secondFactor = createSecondFactor({ ...doors, totp, recoveryCodes, attempts })
  const passkeys = createPasskeys({ ...doors, proofs, factors })
  const mailRequests = createMailRequests({ seal: seal('mail-request') })
  const common = { pool, notifications, alerts, attempts, mailRequests, live, publicUrl, realNow, log }
  const emailLinks = createEmailLinks({ ...common, arrivals })
  const account = createAccount({ ...common, proofs })
  const signIn = createSignIn({
    pool,
    accessTokens,
    arrivals,
    attempts,
    emailLinks,
    live,
    now,
    realNow,
    log,
    onRegistered,
  })
  const external = createExternalSignIn({
    ...common,
    seal: seal('external-sign-in'),
    providers: signInProviders,
    arrivals,
    emailLinks,
    now,
    onRegistered,
  })
  const externalLinks = createExternalLinks({ ...common, proofs })
  const accountSecurity = createAccountSecurity({ pool, live, realNow })

  const authenticate: Authenticate = async (request) => {
    const token = bearerToken(request)
    const claims = token === undefined ? undefined : await accessTokens.verify(token)
    const caller = claims && (await live.find(claims.sessionId))
    return caller?.userId === claims?.userId && caller ? caller : refuse('unauthenticated')
  }

  async function setKycStatus(tx: Tx, userId: bigint, status: KycStatus): Promise<void> {
    await tx.query('update app_user set kyc_status = $2 where id = $1', [userId, status])
    await tx.query('select pg_notify($1, $2)', [sessionChannel, userNotice(userId)])
  }

  return {
    authenticate,
    isLive: async (sessionId) => (await live.find(sessionId)) !== undefined,
    ...browsers,
    ...signIn,
    ...external,
    ...externalLinks,
    ...emailLinks,
    ...accountSecurity,
    ...account,
    proofs,
    factors,
    secondFactor,
    passkeys,
    currentUser: (userId) => users.readCurrentUser(pool, userId),
    searchUsers: (query, exact) => users.searchUsers(pool, query, exact),
    userProfile: (userId) => users.readProfile(pool, userId),
    usersById: (ids, db = pool) => users.readUsers(db, ids),
    kycStatusForUpdate: users.lockKycStatus,
    setKycStatus,
    setLegalName: users.updateLegalName,
    revokeSessions: (tx, userId, reason) => revokeSessionsOf(tx, userId, reason, realNow()),
    forgetUser: live.forgetUser,
    publicKeys: accessTokens.publicKeys,
    retireOldKey: accessTokens.retireOldKey,
    demandOwnPage: (request) => demandOwnPage(request, publicUrl),
    refreshCookie,
    hasRefreshCookie: (request) => request.cookies[refreshCookie.name] !== undefined,
    close: live.close,
  }
}

/** The token of `Authorization: Bearer …`, if the request has one. */
export const bearerToken = (request: FastifyRequest): string | undefined =>
  /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]

// Browsers take a __Host- cookie only with Secure, Path=/ and no Domain, so no other host can plant one.
const describeCookie = (secure: boolean): Identity['refreshCookie'] => ({
  name: secure ? '__Host-rt' : 'rt',
  options: { httpOnly: true, secure, sameSite: 'strict', path: '/', maxAge: refreshLifetimeSeconds },
})
