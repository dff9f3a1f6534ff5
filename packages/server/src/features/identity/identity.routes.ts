import * as contract from '@tern/contract/identity'
import * as favorites from '@tern/contract/identity/favorites'
import { login } from '@tern/contract/sign-in'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  type OutcomeLimit,
  limitOutcomesPerUser,
  limitPerAddress,
  limitPerUser,
} from '../../platform/http/rate-limits.ts'
import { Refusal, refuse } from '../../platform/refuse.ts'
import { accountRoutes } from './account/account.routes.ts'
import { createRouteHelpers } from './sign-in/route-helpers.ts'
import { emailLinkRoutes } from './email-links/email-links.routes.ts'
import { externalRoutes } from './external/external.routes.ts'
import { bearerToken, type Identity } from './identity.ts'
import { factorRoutes } from './account/factors.routes.ts'
import { refresh } from './password-sign-in.ts'
import { stepUpRoutes } from './step-up/step-up.routes.ts'
import { addFavorite, readFavorites, removeFavorite } from './favorites/favorites.ts'
import { recordShownName } from './users/shown-names.ts'
import { haveTransacted, requireVerifiedToLookUp } from './users/users.ts'

// Per minute, for all users of an address.
const registrationsPerAddress = 120
const maxLookupsPerMinute = 120
const maxFavoriteChangesPerMinute = 60
// Per day: enough for a person's new payees, too few to enumerate accounts.
const namesPerUser = 100
const daySeconds = 86_400

declare module 'fastify' {
  interface FastifyInstance {
    /** Limits lookups of people, with one count per user for all features. */
    limitLookups: OutcomeLimit
    /**
     * Counts each full name shown of a person the caller has not transacted with, per user and day, and records it as
     * shown.
     */
    limitNames: (request: FastifyRequest, otherId: bigint) => Promise<void>
  }
}

/** Registers the identity routes below `/api`, and adds `limitLookups` and `limitNames` to the instance. */
export function identityRoutes(app: FastifyInstance, identity: Identity): void {
  const { ctx, pool } = identity
  const helpers = createRouteHelpers(app, identity)
  const { serve, serveSameOrigin, serveSignIn } = helpers
  const limitRegistrations = limitPerAddress(app, 'registration', registrationsPerAddress)
  app.decorate('limitLookups', limitOutcomesPerUser(app, 'lookup', maxLookupsPerMinute))
  const countName = limitPerUser(app, 'name', namesPerUser, daySeconds)
  app.decorate('limitNames', async (request: FastifyRequest, otherId: bigint) => {
    const callerId = request.caller?.userId
    if (callerId === undefined || callerId === otherId) return
    if (await haveTransacted(pool, { userId: callerId, otherId })) return
    await countName(request)
    await recordShownName(pool, { viewerId: callerId, ownerId: otherId, at: ctx.now() })
  })
  stepUpRoutes(app, identity, helpers)
  factorRoutes(identity, helpers)
  externalRoutes(identity, helpers)
  emailLinkRoutes(identity, helpers)
  accountRoutes(app, identity, helpers)

  serveSameOrigin(contract.register, async ({ body, request, reply, client }) => {
    await limitRegistrations(request)
    const { user, access_token } = helpers.toSignedIn(reply, await identity.register({ ...body, client: client() }))
    return { ...user, user, access_token }
  })

  serveSignIn(login, async ({ body, reply, client }) =>
    helpers.answer(reply, await identity.logIn({ ...body, client: client() })),
  )

  serveSameOrigin(contract.refreshToken, async ({ request, reply }) => {
    const presentedToken = request.cookies[identity.refreshCookie.name]
    if (presentedToken === undefined) refuse('unauthenticated')
    try {
      const { accessToken, refreshToken } = await refresh(ctx, pool, presentedToken)
      helpers.setRefreshCookie(reply, refreshToken)
      return { access_token: accessToken }
    } catch (error) {
      if (error instanceof Refusal && error.code === 'unauthenticated') helpers.dropRefreshCookie(reply)
      throw error
    }
  })

  serveSameOrigin(contract.logout, async ({ request, reply }) => {
    const refreshToken = request.cookies[identity.refreshCookie.name]
    await identity.logOut({ refreshToken, accessToken: bearerToken(request) })
    helpers.dropRefreshCookie(reply)
  })

  serve(contract.currentUser, ({ caller }) => identity.currentUser(caller.userId))

  serve(contract.searchUsers, async ({ caller, query, request }) => {
    requireVerifiedToLookUp(caller)
    await app.limitLookups(request)
    return identity.searchUsers({ query: query.query, exact: query.exact === 'true', callerId: caller.userId })
  })

  serve(contract.userProfile, async ({ caller, params, request }) => {
    const userId = BigInt(params.id)
    if (userId === caller.userId) return identity.userProfile(userId)
    requireVerifiedToLookUp(caller)
    await app.limitLookups(request)
    const profile = await identity.userProfile(userId)
    if (profile.name !== null) await app.limitNames(request, userId)
    return profile
  })

  const limitFavorites = limitPerUser(app, 'favorite', maxFavoriteChangesPerMinute)
  serve(favorites.favorites, ({ caller }) => readFavorites(pool, caller.userId))
  serve(favorites.addFavorite, async ({ caller, params, request }) => {
    await limitFavorites(request)
    await addFavorite(pool, { userId: caller.userId, favoriteId: BigInt(params.id), at: ctx.now() })
  })
  serve(favorites.removeFavorite, async ({ caller, params, request }) => {
    await limitFavorites(request)
    await removeFavorite(pool, { userId: caller.userId, favoriteId: BigInt(params.id) })
  })
}

/** Registers the public route of our token verification keys. */
export function wellKnownRoutes(app: FastifyInstance, identity: Identity): void {
  app.get('/.well-known/jwks.json', { schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').send(identity.publicKeys()),
  )
}
