import * as contract from '@tern/contract/identity'
import { login } from '@tern/contract/sign-in'
import type { FastifyInstance } from 'fastify'
import { type LimitOfOutcomes, limitOutcomesPerUser, limitPerAddress } from '../../platform/http/rate-limits.ts'
import { Refusal, refuse } from '../../platform/refuse.ts'
import { serve } from '../../platform/http/serve.ts'
import { accountRoutes } from './users/account.routes.ts'
import { createSignInRouteHelpers } from './sign-in/sign-in-replies.ts'
import { devicesRoutes } from './sessions/devices.routes.ts'
import { emailLinkRoutes } from './email-links/email-links.routes.ts'
import { externalRoutes } from './external/external.routes.ts'
import { bearerToken, type Identity } from './identity.ts'
import { factorRoutes } from './factors/factors.routes.ts'
import { passkeyRoutes } from './factors/passkeys.routes.ts'
import { stepUpRoutes } from './step-up/step-up.routes.ts'

// Per minute. Shared by everyone behind an address; guessing is limited separately.
const registrationsPerAddress = 120
const lookupsPerUser = 120

declare module 'fastify' {
  interface FastifyInstance {
    /** One count per user for all lookups of people, in any feature. */
    limitLookups: LimitOfOutcomes
  }
}

/** Identity routes below `/api`; gives the instance `limitLookups`. */
export function identityRoutes(app: FastifyInstance, identity: Identity): void {
  const kit = createSignInRouteHelpers(app, identity)
  const limitRegistrations = limitPerAddress(app, 'registration', registrationsPerAddress)
  app.decorate('limitLookups', limitOutcomesPerUser(app, 'lookup', lookupsPerUser))
  stepUpRoutes(app, identity.stepUp, kit)
  factorRoutes(app, { ...identity, kit })
  passkeyRoutes(app, { ...identity, kit })
  externalRoutes(app, identity, kit)

  serve(app, contract.register, async ({ body, request, reply }) => {
    identity.requireSameOrigin(request)
    await limitRegistrations(request)
    const { user, access_token } = kit.toSignedIn(reply, await identity.register(body, kit.clientOf(request, reply)))
    return { ...user, user, access_token }
  })

  serve(app, login, async ({ body, request, reply }) => {
    await kit.enter(request)
    return kit.answer(reply, await identity.logIn(body, kit.clientOf(request, reply)))
  })

  serve(app, contract.refreshToken, async ({ request, reply }) => {
    identity.requireSameOrigin(request)
    const presented = request.cookies[identity.refreshCookie.name]
    if (presented === undefined) refuse('unauthenticated')
    try {
      const { accessToken, refreshToken } = await identity.refresh(presented)
      kit.setRefreshCookie(reply, refreshToken)
      return { access_token: accessToken }
    } catch (error) {
      if (error instanceof Refusal && error.code === 'unauthenticated') kit.dropRefreshCookie(reply)
      throw error
    }
  })

  serve(app, contract.logout, async ({ request, reply }) => {
    identity.requireSameOrigin(request)
    const refreshToken = request.cookies[identity.refreshCookie.name]
    await identity.logOut({ refreshToken, accessToken: bearerToken(request) })
    kit.dropRefreshCookie(reply)
    return undefined
  })

  emailLinkRoutes(app, identity, kit)
  accountRoutes(app, identity, kit)
  devicesRoutes(app, identity)
  serve(app, contract.currentUser, ({ caller }) => identity.currentUser(caller.userId))

  serve(app, contract.searchUsers, async ({ query, request }) => {
    await app.limitLookups(request)
    return identity.searchUsers(query.query, query.exact === 'true')
  })

  serve(app, contract.userProfile, async ({ params, request }) => {
    await app.limitLookups(request)
    return identity.userProfile(BigInt(params.id))
  })
}

/** Public root routes: our token verification keys. */
export function wellKnownRoutes(app: FastifyInstance, identity: Identity): void {
  app.get('/.well-known/jwks.json', { schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').send(identity.publicKeys()),
  )
}
