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

/** A limit for calls of which only the end tells whether they count. Called as it is, it counts at once. */
export interface LimitOfOutcomes extends Limit {
  /** Whether one more call would be taken up at once. */
  hasRoom(request: FastifyRequest): boolean
  /**
   * Does `work` and counts it if `counts` says so of the error it ended with; what goes well counts as nothing. No more
   * are under way than could all count, further ones wait. Refuses `rate_limited` before any work when there were too many.
   */
  around<T>(request: FastifyRequest, work: () => Promise<T>, counts: (error: unknown) => boolean): Promise<T>
}

interface Counted {
  counted: number
  underWay: number
  endsAt: number
  readonly waiting: (() => void)[]
}

const minuteMs = 60_000

/** Whole milliseconds, so that a difference of two has no rounding error. */
const nowMs = () => Math.floor(performance.now()) // not money: time

/** At most so many calls that count per minute, process and signed-in user. */
export function limitOutcomesPerUser(mostPerMinute: number): LimitOfOutcomes {
  const users = new Map<string, Counted>()
  let sweptAt = nowMs()

  function sweep(at: number): void {
    if (at - sweptAt < minuteMs) return
    sweptAt = at
    for (const [key, { endsAt, underWay }] of users) if (endsAt <= at && underWay === 0) users.delete(key)
  }

  function stateOf(request: FastifyRequest): Counted {
    const at = nowMs()
    sweep(at)
    const key = byUser.keyGenerator(request)
    const known = users.get(key) ?? { counted: 0, underWay: 0, endsAt: at + minuteMs, waiting: [] }
    users.set(key, known)
    if (known.endsAt <= at) Object.assign(known, { counted: 0, endsAt: at + minuteMs })
    return known
  }

  async function enter(request: FastifyRequest): Promise<void> {
    for (;;) {
      const state = stateOf(request)
      if (state.counted >= mostPerMinute) {
        const leftMs = state.endsAt - nowMs()
        refuse('rate_limited', { retryAfterSeconds: Math.ceil(leftMs / 1000) }) // not money: seconds
      }
      state.underWay += 1
      if (state.counted + state.underWay <= mostPerMinute) return
      state.underWay -= 1
      await new Promise<void>((resolve) => state.waiting.push(resolve))
    }
  }

  function leave(request: FastifyRequest, isCounted: boolean): void {
    const state = stateOf(request)
    state.underWay -= 1
    if (isCounted) state.counted += 1
    // Once nothing is left, everybody is to hear it.
    const woken = state.waiting.splice(0, state.counted >= mostPerMinute ? Infinity : 1)
    for (const wake of woken) wake()
  }

  const count = async (request: FastifyRequest) => {
    await enter(request)
    leave(request, true)
  }
  return Object.assign(count, {
    hasRoom(request: FastifyRequest): boolean {
      const { counted, underWay } = stateOf(request)
      return counted + underWay < mostPerMinute
    },
    async around<T>(request: FastifyRequest, work: () => Promise<T>, counts: (error: unknown) => boolean): Promise<T> {
      await enter(request)
      let isCounted = false
      try {
        return await work()
      } catch (error) {
        isCounted = counts(error)
        throw error
      } finally {
        leave(request, isCounted)
      }
    },
  })
}
