import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Db, transact, type Tx } from '../../platform/database/db.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Authenticate, Caller } from '../../platform/http/serve.ts'
import { createContext, type IdentityOptions } from './context.ts'
import { requireSameOrigin } from './sessions/csrf.ts'
import type { SessionLimits } from './sessions/session-limits.ts'
import { addressPrefix, type Client } from './sessions/sessions.ts'
import { logIn, logOut, register, type Registration } from './password-sign-in.ts'
import type { SensitiveAction } from './step-up/confirmations.ts'
import { afterFreeze, freezeLink, freezeWithin } from './account/freeze.ts'
import { notMeLink, whereFrom } from './mailed-links/security-alerts.ts'
import { requireStepUp } from './step-up/step-up.ts'
import { alertChange } from './mailed-links/security-alerts.ts'
import { clientOf } from './sessions/browser.ts'
import { verifyOwner } from './users/account-changes.ts'
import * as favorites from './favorites/favorites.ts'
import { beginDeletion, keepAccount } from './leaving/leaving.ts'
import { pseudonymise } from './users/deleted-users.ts'
import type { LegalName } from './users/users.ts'
import { keepShownName } from './users/shown-names.ts'
import * as users from './users/users.ts'

export type { IdentityOptions } from './context.ts'
export type { Client } from './sessions/sessions.ts'
/** Country and network of a client, as far as they are known. */
export const placeOf = (client: Client) => whereFrom(client).place
export type { SecondFactorRequired, SignedIn } from './sign-in/complete-sign-in.ts'
export type { SensitiveAction } from './step-up/confirmations.ts'
export { hasLeft, lockToDelete, nameOfDeleted } from './users/deleted-users.ts'
export { wasShownSql } from './users/shown-names.ts'
export { isUserNumber } from './users/user-number.ts'
export {
  countryCode,
  countryForOthersSql,
  haveTransacted,
  haveTransactedSql,
  initialsOf,
  type KnownUser,
  lockKycStatus,
  requireVerifiedToLookUp,
  setKycStatus,
} from './users/users.ts'

/** Who people are: what other features and commands need of it. */
export type Identity = Awaited<ReturnType<typeof createIdentity>>

/** Opens identity over a database: loads or creates the signing key and starts listening. */
export async function createIdentity(options: IdentityOptions) {
  const context = await createContext(options)
  const { pool, accessTokens, live, publicUrl, realNow } = context
  const refreshCookie = describeCookie(options.secureCookie, context.sessionLimits)

  /** The caller of a bearer token, with its session checked. Refuses `unauthenticated`. */
  const authenticate: Authenticate = async (request) => {
    const token = bearerToken(request)
    const claims = token === undefined ? undefined : await accessTokens.verify(token)
    const caller = claims && (await live.find(claims.sessionId))
    if (!caller || caller.userId !== claims?.userId) return refuse('unauthenticated')
    return { ...caller, network: addressPrefix(request.ip) }
  }

  return {
    /** For the routes of identity. */
    context,
    authenticate,
    /** Whether a session is still live; to be polled by open connections. */
    isLive: async (sessionId: string) => (await live.find(sessionId)) !== undefined,
    /** Refuses `cross_site_request`. */
    requireSameOrigin: (request: FastifyRequest) => requireSameOrigin(request, publicUrl),
    refreshCookie,
    /** Whether a browser may be signed in: enough to choose a page, not to answer a call. */
    hasRefreshCookie: (request: FastifyRequest) => request.cookies[refreshCookie.name] !== undefined,
    /** Public keys for our access tokens (RFC 7517). */
    publicKeys: accessTokens.publicKeys,
    retireOldKey: accessTokens.retireOldKey,

    register: (registration: Registration, client: Client) => register(context, registration, client),
    logIn: (credentials: { email: string; password: string }, client: Client) => logIn(context, credentials, client),
    logOut: (tokens: Parameters<typeof logOut>[1]) => logOut(context, tokens),
    /** Passes with a fresh `confirmation` of exactly this action; refuses `step_up_required` otherwise. */
    requireStepUp: (step: { caller: Caller; act: SensitiveAction; confirmation: string | undefined }) =>
      requireStepUp(context, step.caller, step.act, step.confirmation),
    /** Stops all money leaving the caller's account, within a larger transaction. */
    freezeWithin: (tx: Tx, { caller, client }: { caller: Caller; client: Client }) =>
      freezeWithin(context, tx, caller, client),
    /** Waits for movements in flight; call it after the commit of `freezeWithin`. */
    afterFreeze: (userId: bigint) => afterFreeze(context, userId),
    /** Links of a mail about money that left: one says "this wasn't me", the other freezes the account. */
    moneyAlertLinks: async (tx: Tx, { userId, email }: { userId: bigint; email: string }) => {
      const at = realNow()
      return {
        notMe: await notMeLink(context, tx, { userId, email, at }),
        freeze: await freezeLink(context, tx, { userId, email, at }),
      }
    },
    /** Who calls, as alerts tell of it; renews the cookie by which their browser is recognized. */
    clientOf: (request: FastifyRequest, reply: FastifyReply): Client => clientOf(request, reply, options.secureCookie),
    /** Tells somebody of a change that concerns their account's security, with a link to say that it was not them. */
    alertChange: (tx: Tx, event: Parameters<typeof alertChange>[2]) => alertChange(context, tx, event),
    /** Confirms the address of a user the product created. */
    vouchForEmail: (userId: bigint) => transact(pool, (tx) => verifyOwner(tx, userId, realNow())),

    currentUser: (userId: bigint) => users.readCurrentUser(pool, userId),
    searchUsers: (search: Parameters<typeof users.searchUsers>[1]) => users.searchUsers(pool, search),
    /** Records that a review has shown the viewer the owner's whole name. */
    keepShownName: (viewerId: bigint, ownerId: bigint) => keepShownName(pool, { viewerId, ownerId, at: context.now() }),
    /** Refuses `not_found`. */
    userProfile: (userId: bigint) => users.readProfile(context, pool, userId),
    favorites: {
      of: (userId: bigint) => favorites.readFavorites(pool, userId),
      /** Refuses `not_found` and `too_many_favorites`. */
      add: (userId: bigint, favoriteId: bigint) => favorites.addFavorite(pool, userId, favoriteId, context.now()),
      remove: (userId: bigint, favoriteId: bigint) => favorites.removeFavorite(pool, userId, favoriteId),
    },
    usersById: (db: Db, ids: readonly bigint[]) => users.readUsers(context, db, ids),
    setLegalName: (tx: Tx, name: LegalName & { userId: bigint }) => users.updateLegalName(context, tx, name),
    beginDeletion: (tx: Tx, begun: Parameters<typeof beginDeletion>[2]) => beginDeletion(context, tx, begun),
    keepAccount: (tx: Tx, userId: bigint) => keepAccount(context, tx, userId),
    pseudonymise: (tx: Tx, userId: bigint) => pseudonymise(tx, userId, context.realNow()),
    /** Caches reads per user until that user changes in any process. */
    rememberByUser: live.rememberByUser,
    /** Drops this process's cached sessions of a user: after the commit, before answering. */
    forgetUser: live.forgetUser,
    close: live.close,
  }
}

/** The token in `Authorization: Bearer …`, if any. */
export const bearerToken = (request: FastifyRequest): string | undefined =>
  /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]

interface Cookie {
  readonly name: string
  readonly options: CookieSerializeOptions
}

// __Host- cookies need Secure, Path=/ and no Domain, so no other host can set one.
const describeCookie = (secure: boolean, { idleDays }: SessionLimits): Cookie => ({
  name: secure ? '__Host-rt' : 'rt',
  options: { httpOnly: true, secure, sameSite: 'strict', path: '/', maxAge: idleDays * 86_400 },
})
