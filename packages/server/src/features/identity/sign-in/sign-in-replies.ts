import type { SignInReply, SignedInReply } from '@tern/contract/sign-in'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Limit, limitPerAddress, limitPerUser } from '../../../platform/http/rate-limits.ts'
import type { SecondFactorAsked, SignedIn } from './complete-sign-in.ts'
import type { Identity } from '../identity.ts'
import type { Client } from '../sessions/sessions.ts'

// Per minute and address. People behind one address share it; guessing at one account is slowed down elsewhere.
const attemptsPerAddress = 120
// Per minute. Each one that comes without a proof makes one.
const sensitiveActionsPerUser = 30

/** What the routes of the doors, and of what is changed behind them, share. */
export interface SignInRouteHelpers {
  clientOf(request: FastifyRequest, reply: FastifyReply): Client
  /** To be called first by each door: refuses `cross_site_request` and `rate_limited`. */
  enter(request: FastifyRequest): Promise<void>
  limitAttempts: Limit
  /** One count per user for every call of identity that asks for a fresh proof. */
  limitSensitiveActions: Limit
  setRefreshCookie(reply: FastifyReply, refreshToken: string): void
  dropRefreshCookie(reply: FastifyReply): void
  /** The reply for somebody who is in: sets the refresh cookie. */
  toSignedIn(reply: FastifyReply, arrival: SignedIn): SignedInReply
  /** The reply of a door: somebody who is in, or the question for the second proof. */
  answer(reply: FastifyReply, arrival: SignedIn | SecondFactorAsked): SignInReply
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
