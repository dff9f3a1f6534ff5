import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../platform/database/db.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Authenticate, Caller } from '../../platform/http/serve.ts'
import type { Secret } from '../../platform/seal.ts'
import { type IdentityContext, readSeals } from './context.ts'
import { requireSameOrigin } from './sessions/csrf.ts'
import { endSessionsByOperator, listUsersWithSessions } from './sessions/end-by-operator.ts'
import { createLiveSessions } from './sessions/live-sessions.ts'
import { type SessionLimits, defaultSessionLimits } from './sessions/session-limits.ts'
import { addressPrefix, type Client } from './sessions/sessions.ts'
import {
  createAccessTokens,
  loadSigningKeys,
  publicKeys,
  retireOldKey,
  verifyAccessToken,
} from './sessions/tokens/access-token.ts'
import { createLoginAttempts } from './sign-in/login-attempts.ts'
import { logIn, logOut, register } from './password-sign-in.ts'
import { completeFreeze, freezeInTransaction, moneyAlertLinks } from './account/freeze.ts'
import { alertChange, locateClient } from './mailed-links/security-alerts.ts'
import { requireStepUp, type StepUp } from './step-up/step-up.ts'
import { identifyClient } from './sessions/browser.ts'
import { proveEmail } from './users/account-changes.ts'
import { beginDeletion, cancelAccountDeletion } from './deletion/deletion.ts'
import { pseudonymise } from './users/deleted-users.ts'
import * as users from './users/users.ts'

export type { UserAndTime } from './context.ts'
export type { Client } from './sessions/sessions.ts'
/** Country, if known, and network of a client. */
export const locatePlace = (client: Client) => locateClient(client).place
export type { SecondFactorRequired, SignedIn } from './sign-in/complete-sign-in.ts'
export type { SensitiveAction } from './step-up/confirmations.ts'
export { isDeleted, lockForDeletion, findDeletedName } from './users/deleted-users.ts'
export { nameForOperators, personFacts } from './users/desk-facts.ts'
export { wasShownSql } from './users/shown-names.ts'
export { isUserNumber } from './users/user-number.ts'
export {
  countryCode,
  countryForOthersSql,
  haveTransacted,
  haveTransactedSql,
  abbreviateName,
  type KnownUser,
  lockKycStatus,
  requireVerifiedToLookUp,
  setKycStatus,
} from './users/users.ts'

type CreatedMember = 'accessTokens' | 'attempts' | 'live' | 'seals'
type OptionalParts = 'realNow' | 'sessionLimits' | 'signInProviders'

export interface IdentityOptions
  extends Omit<IdentityContext, CreatedMember | OptionalParts>, Partial<Pick<IdentityContext, OptionalParts>> {
  readonly pool: pg.Pool
  readonly databaseUrl: string
  /** Secret from which the keys that seal and hash the data of identity are derived. */
  readonly secret: Secret
}

export type Identity = Awaited<ReturnType<typeof createIdentity>>

/** Creates identity over a database: loads or creates the signing key and listens for changes. */
export async function createIdentity({ pool, databaseUrl, secret, ...options }: IdentityOptions) {
  const ctx = await createContext({ pool, databaseUrl, secret, ...options })
  const { live, publicUrl, secureCookie, realNow } = ctx
  const refreshCookie = describeCookie(secureCookie, ctx.sessionLimits)

  return {
    /** For the routes of identity only, like `pool`. */
    ctx,
    pool,
    authenticate: ((request) => authenticate(ctx, pool, request)) satisfies Authenticate,
    /** True while a session is live. Open connections poll this. */
    isLive: async (sessionId: string) => (await live.find(sessionId)) !== undefined,
    /** Refuses `cross_site_request`. */
    requireSameOrigin: (request: FastifyRequest) => requireSameOrigin(request, publicUrl),
    refreshCookie,
    /** True if a browser may be signed in. Enough to choose a page, not to authorize a call. */
    hasRefreshCookie: (request: FastifyRequest) => request.cookies[refreshCookie.name] !== undefined,
    describeClient: (request: FastifyRequest, reply: FastifyReply): Client =>
      identifyClient(request, reply, secureCookie),
    publicKeys: () => publicKeys(ctx),
    retireOldKey: () => retireOldKey(ctx, pool),

    register: (registration: Parameters<typeof register>[2]) => register(ctx, pool, registration),
    logIn: (credentials: Parameters<typeof logIn>[2]) => logIn(ctx, pool, credentials),
    logOut: (tokens: Parameters<typeof logOut>[2]) => logOut(ctx, pool, tokens),
    requireStepUp: (step: StepUp) => requireStepUp(ctx, pool, step),
    endSessionsByOperator: (tx: Tx, userId: bigint) => endSessionsByOperator(ctx, tx, userId),
    usersWithSessions: () => listUsersWithSessions(pool),
    freezeInTransaction: (tx: Tx, by: { caller: Caller; client: Client }) => freezeInTransaction(ctx, tx, by),
    completeFreeze: (userId: bigint) => completeFreeze(ctx, pool, userId),
    moneyAlertLinks: (tx: Tx, to: { userId: bigint; email: string }) => moneyAlertLinks(ctx, tx, to),
    alertChange: (tx: Tx, event: Parameters<typeof alertChange>[2]) => alertChange(ctx, tx, event),
    /** Confirms and proves the address of a user created by the product itself. */
    vouchForEmail: (userId: bigint) => transact(pool, (tx) => proveEmail(tx, { userId, at: realNow() })),

    currentUser: (userId: bigint) => users.readCurrentUser(pool, userId),
    searchUsers: (search: Parameters<typeof users.searchUsers>[1]) => users.searchUsers(pool, search),
    userProfile: (userId: bigint) => users.readProfile(ctx, pool, userId),
    usersById: (db: Db, ids: readonly bigint[]) => users.readUsers(ctx, db, ids),
    setLegalName: (tx: Tx, name: users.LegalName & { userId: bigint }) => users.updateLegalName(ctx, tx, name),
    beginDeletion: (tx: Tx, deletion: Parameters<typeof beginDeletion>[2]) => beginDeletion(ctx, tx, deletion),
    cancelAccountDeletion: (tx: Tx, userId: bigint) => cancelAccountDeletion(ctx, tx, userId),
    pseudonymise: (tx: Tx, userId: bigint) => pseudonymise(tx, { userId, at: realNow() }),

    /** Caches reads per user until the user changes in any process. */
    rememberByUser: live.rememberByUser,
    /** Drops a user's cached values and sessions in this process. Call after the commit, before replying. */
    forgetUser: live.forgetUser,
    close: live.close,
  }
}

async function createContext({ pool, databaseUrl, secret, ...options }: IdentityOptions): Promise<IdentityContext> {
  const { realNow = () => new Date(), sessionLimits = defaultSessionLimits, log } = options
  const signInProviders = options.signInProviders ?? { external: undefined, google: undefined }
  const seals = await readSeals(pool, secret)
  const accessTokens = createAccessTokens()
  await loadSigningKeys({ accessTokens, seals, realNow, publicUrl: options.publicUrl }, pool)
  const live = createLiveSessions({ pool, databaseUrl, log, now: realNow, limits: sessionLimits })
  const attempts = createLoginAttempts()
  return { ...options, realNow, sessionLimits, signInProviders, seals, accessTokens, attempts, live }
}

/** Returns the caller of a bearer token whose session is live. Refuses `unauthenticated`. */
async function authenticate(ctx: IdentityContext, db: Db, request: FastifyRequest): Promise<Caller> {
  const token = bearerToken(request)
  const claims = token === undefined ? undefined : await verifyAccessToken(ctx, db, token)
  const caller = claims && (await ctx.live.find(claims.sessionId))
  if (!caller || caller.userId !== claims?.userId) return refuse('unauthenticated')
  return { ...caller, network: addressPrefix(request.ip) }
}

export const bearerToken = (request: FastifyRequest): string | undefined =>
  /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]

interface Cookie {
  readonly name: string
  readonly options: CookieSerializeOptions
}

// Browsers accept a `__Host-` cookie only with Secure, Path=/ and no Domain, so that no other host can set it.
const describeCookie = (secure: boolean, { idleDays }: SessionLimits): Cookie => ({
  name: secure ? '__Host-rt' : 'rt',
  options: { httpOnly: true, secure, sameSite: 'strict', path: '/', maxAge: idleDays * 86_400 },
})
