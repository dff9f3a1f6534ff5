import type { Endpoint, Reply } from '@tern/contract/protocol/endpoint'
import type { SignInReply, SignedInReply } from '@tern/contract/sign-in'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Limit, limitPerAddress, limitPerUser } from '../../../platform/http/rate-limits.ts'
import { type Call, type HandlerResult, serve } from '../../../platform/http/serve.ts'
import type { SecondFactorRequired, SignedIn } from './complete-sign-in.ts'
import type { Identity } from '../identity.ts'
import type { Client } from '../sessions/sessions.ts'

// Per minute, for all users of an address. Guesses at passwords are limited separately.
const attemptsPerAddress = 120
// Each call without a confirmation creates one.
const maxSensitiveActionsPerMinute = 30

/** `client` identifies the calling browser and renews its cookie. */
type ClientCall<E extends Endpoint> = Call<E> & { readonly client: () => Client }
type ServeEndpoint = <E extends Endpoint>(
  endpoint: E,
  handler: (call: ClientCall<E>) => Promise<HandlerResult<Reply<E>>>,
) => void

export function createRouteHelpers(app: FastifyInstance, identity: Identity) {
  const { refreshCookie, requireSameOrigin, describeClient } = identity
  const limitAttempts = limitPerAddress(app, 'sign-in', attemptsPerAddress)
  const limitSensitiveActions = limitPerUser(app, 'proven-act', maxSensitiveActionsPerMinute)

  const serveWithLimits =
    (...guards: Limit[]): ServeEndpoint =>
    (endpoint, handler) =>
      serve(app, endpoint, async (call) => {
        for (const guard of guards) await guard(call.request)
        return handler({ ...call, client: () => describeClient(call.request, call.reply) })
      })

  const setRefreshCookie = (reply: FastifyReply, refreshToken: string) =>
    void reply.setCookie(refreshCookie.name, refreshToken, refreshCookie.options)

  /** Builds the reply to a sign-in and sets the refresh cookie. */
  function toSignedIn(
    reply: FastifyReply,
    { user, accessToken, refreshToken, isNewUser, isDeletionUndone }: SignedIn,
  ): SignedInReply {
    setRefreshCookie(reply, refreshToken)
    return {
      ...{ user, access_token: accessToken },
      ...(isNewUser ? { new_user: true } : {}),
      ...(isDeletionUndone ? { deletion_undone: true } : {}),
    }
  }

  return {
    /** Returns a function that serves routes after checking these limits. */
    serveWithLimits,
    serve: serveWithLimits(),
    /** Serves a route that requires step-up. All such routes share one limit per user. */
    serveSensitive: serveWithLimits(limitSensitiveActions),
    /** Serves a sign-in route. Refuses `cross_site_request`, `rate_limited`. */
    serveSignIn: serveWithLimits(async (request) => requireSameOrigin(request), limitAttempts),
    /** Serves a route that reads or sets the refresh cookie. Refuses `cross_site_request`. */
    serveSameOrigin: serveWithLimits(async (request) => requireSameOrigin(request)),
    limitSensitiveActions,
    setRefreshCookie,
    dropRefreshCookie: (reply: FastifyReply) => void reply.clearCookie(refreshCookie.name, refreshCookie.options),
    toSignedIn,
    /** Builds the reply to a first factor: a session, or a challenge for the second factor. */
    answer(reply: FastifyReply, outcome: SignedIn | SecondFactorRequired): SignInReply {
      if (outcome.status === 'signed_in') return toSignedIn(reply, outcome)
      const { challenge, methods, expiresAt } = outcome
      return { second_factor_required: true, challenge, methods: [...methods], expires_at: expiresAt.toISOString() }
    },
  }
}

export type RouteHelpers = ReturnType<typeof createRouteHelpers>
