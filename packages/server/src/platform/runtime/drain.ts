import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sendProblem } from '../http/problem.ts'

const drainTimeoutMs = 10_000
const pollMs = 10

/**
 * Lets a stop wait for pending requests, apart from event streams; later ones get 503. Returns the waiting function.
 */
export function createDrain(http: FastifyInstance): () => Promise<void> {
  const running = new Set<object>()
  let stopping = false
  http.addHook('onRequest', async (request, reply) => {
    if (stopping) return sendProblem(request, reply.header('connection', 'close'), 'not_ready')
    if (request.routeOptions.url === '/api/events') return
    running.add(request.raw)
  })
  http.addHook('onResponse', async (request) => {
    running.delete(request.raw)
  })
  http.addHook('onRequestAbort', async (request) => {
    running.delete(request.raw)
  })
  return async () => {
    stopping = true
    const giveUpAt = performance.now() + drainTimeoutMs
    while (running.size > 0 && performance.now() < giveUpAt) await delay(pollMs)
  }
}
