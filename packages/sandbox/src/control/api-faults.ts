import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError, errorBody } from '../server/api.ts'
import { chance } from '../server/chance.ts'
import type { Fields } from '../server/fields.ts'
import type { Store } from '../server/store.ts'

/** Faults in replies to the product's API calls; each call has at most one. */
export interface ApiFaults {
  /** Percentage of calls that are executed, and answered only after `hang_ms`. */
  timeout_percent: number
  /** Percentage of calls that are not executed, and answered with 500. */
  error_percent: number
  /** Percentage of calls that are executed, and answered with 500 or by closing the connection. */
  lost_answer_percent: number
  hang_ms: number
  /** Seed of the pseudorandom decisions, for repeatable tests. */
  seed: number
}

type Fault = 'hang' | 'close' | 'broken'

const noFaults: ApiFaults = { timeout_percent: 0, error_percent: 0, lost_answer_percent: 0, hang_ms: 10_000, seed: 1 }
const name = 'api_faults'
const longestHangMs = 600_000
const faultMessage = 'A fault that was asked for on the control page.'

/** Reads the faults; absent ones default to none. Throws ApiError 422. */
function readApiFaults(fields: Fields): ApiFaults {
  const faults = {
    timeout_percent: fields.integer('timeout_percent', { max: 100 }) ?? noFaults.timeout_percent,
    error_percent: fields.integer('error_percent', { max: 100 }) ?? noFaults.error_percent,
    lost_answer_percent: fields.integer('lost_answer_percent', { max: 100 }) ?? noFaults.lost_answer_percent,
    hang_ms: fields.integer('hang_ms', { max: longestHangMs }) ?? noFaults.hang_ms,
    seed: fields.integer('seed', { max: Number.MAX_SAFE_INTEGER }) ?? noFaults.seed,
  }
  if (faults.timeout_percent + faults.error_percent + faults.lost_answer_percent > 100) {
    fields.addProblem('timeout_percent', 'The three shares must not exceed 100 together.')
  }
  fields.check()
  return faults
}

export type ApiFaultSettings = ReturnType<typeof createApiFaults>

/** Settings of API faults, stored across restarts. */
export function createApiFaults(app: FastifyInstance, store: Store) {
  let faults = store.setting<ApiFaults>(name) ?? noFaults
  let calls = 0
  const faultsByRequest = new WeakMap<FastifyRequest, Fault>()
  const shutdown = new AbortController()

  app.addHook('preClose', (done) => {
    shutdown.abort()
    done()
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const fault = faultsByRequest.get(request)
    if (fault === 'hang') await sleep(faults.hang_ms, undefined, { signal: shutdown.signal }).catch(() => undefined)
    // An open keep-alive connection would delay the shutdown.
    if (shutdown.signal.aborted) reply.header('connection', 'close')
    if (fault === 'close') request.raw.socket.destroy()
    if (fault !== 'broken') return payload
    reply.code(500)
    return JSON.stringify(errorBody('fault', faultMessage))
  })

  return {
    get: (): ApiFaults => faults,
    /** Changes the faults of later calls, and restarts the pseudorandom sequence. Throws ApiError 422. */
    change(fields: Fields): ApiFaults {
      faults = readApiFaults(fields)
      calls = 0
      store.saveSetting(name, faults)
      return faults
    },
    /** Decides the fault of a call; returns the error to reply with if the call must not be executed. */
    decideFault(request: FastifyRequest): ApiError | undefined {
      const {
        error_percent: errorPercent,
        lost_answer_percent: lostPercent,
        timeout_percent: timeoutPercent,
        seed,
      } = faults
      calls += 1
      const random = chance(seed, 'call', calls)
      if (random < errorPercent) return new ApiError(500, 'fault', faultMessage)
      if (random < errorPercent + lostPercent)
        faultsByRequest.set(request, chance(seed, 'lost', calls) < 50 ? 'close' : 'broken')
      else if (random < errorPercent + lostPercent + timeoutPercent) faultsByRequest.set(request, 'hang')
      return undefined
    },
  }
}
