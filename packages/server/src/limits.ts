import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuse } from './refuse.ts'

/** Counts one request; refuses `rate_limited` with the seconds to wait when there were too many. */
export type Limit = (request: FastifyRequest) => Promise<void>

// Whoever has one IPv6 address has the whole network around it.
const byAddress = { ipv6Subnet: 64 } as const
const byUser = { keyGenerator: (request: FastifyRequest) => String(request.caller?.userId) }

function createLimit(app: FastifyInstance, mostPerMinute: number, key: typeof byAddress | typeof byUser): Limit {
  const count = app.createRateLimit({ max: mostPerMinute, timeWindow: 60_000, ...key })
  return async (request) => {
    const state = await count(request)
    if (!state.isAllowed && state.isExceeded) refuse('rate_limited', { retryAfterSeconds: state.ttlInSeconds })
  }
}

/** At most so many requests per minute, process and address (of IPv6: /64 network). Each limit counts for itself. */
export const limitPerAddress = (app: FastifyInstance, mostPerMinute: number): Limit =>
  createLimit(app, mostPerMinute, byAddress)

/** At most so many requests per minute, process and signed-in user. Each limit counts for itself. */
export const limitPerUser = (app: FastifyInstance, mostPerMinute: number): Limit =>
  createLimit(app, mostPerMinute, byUser)
