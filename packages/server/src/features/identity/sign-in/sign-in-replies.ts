import type { SignInReply, SignedInReply } from '@tern/contract/sign-in'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Limit, limitPerAddress, limitPerUser } from '../../../platform/http/rate-limits.ts'
import type { SecondFactorRequired, SignedIn } from './complete-sign-in.ts'
import type { Identity } from '../identity.ts'
import type { Client } from '../sessions/sessions.ts'

// Per minute and address. Shared by everyone behind it; guessing is limited separately.
const attemptsPerAddress = 120
// Per minute. Each call without a confirmation creates one.
const sensitiveActionsPerUser = 30

export interface SignInRouteHelpers {
  clientOf(request: FastifyRequest, reply: FastifyReply): Client
  /** First call of each sign-in route: refuses `cross_site_request` and `rate_limited`. */
  enter(request: FastifyRequest): Promise<void>
  limitAttempts: Limit
  /** One count per user for all identity calls that require step-up. */
  limitSensitiveActions: Limit
  setRefreshCookie(reply: FastifyReply, refreshToken: string): void
  dropRefreshCookie(reply: FastifyReply): void
  /** The signed-in reply: sets the refresh cookie. */
  toSignedIn(reply: FastifyReply, arrival: SignedIn): SignedInReply
  /** A sign-in reply: signed in, or a second factor challenge. */
  answer(reply: FastifyReply, arrival: SignedIn | SecondFactorRequired): SignInReply
}

export function createSignInRouteHelpers(app: FastifyInstance, identity: Identity): SignInRouteHelpers {
  const { refreshCookie } = identity
  const limitAttempts = limitPerAddress(app, 'sign-in', attemptsPerAddress)
  const setRefreshCookie = (reply: FastifyReply, refreshToken: string) =>
    void reply.setCookie(refreshCookie.name, refreshToken, refreshCookie.options)

  function toSignedIn(reply: FastifyReply, { user, accessToken, refreshToken, isNewUser }: SignedIn): SignedInReply {
    setRefreshCookie(reply, refreshToken)
    return { user, access_token: accessToken, ...(isNewUser ? { new_user: true } : {}) }
  }

  return {
    clientOf: identity.clientOf,
    async enter(request) {
      identity.requireSameOrigin(request)
      await limitAttempts(request)
    },
    limitAttempts,
    limitSensitiveActions: limitPerUser(app, 'proven-act', sensitiveActionsPerUser),
    setRefreshCookie,
    dropRefreshCookie: (reply) => void reply.clearCookie(refreshCookie.name, refreshCookie.options),
    toSignedIn,
    answer(reply, arrival) {
      if (arrival.status === 'signed_in') return toSignedIn(reply, arrival)
      const { challenge, methods, expiresAt } = arrival
      return { second_factor_required: true, challenge, methods: [...methods], expires_at: expiresAt.toISOString() }
    },
  }
}
