import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const drainTimeoutMs = 10_000
const pollMs = 10

/**
 * Returns a function that stops the server and waits up to ten seconds for running requests, except event streams. Once
 * it is called, new connections are refused, idle ones are closed, and answers close theirs. A request that a proxy
 * could then not deliver was not processed, so the proxy can send it elsewhere.
 */
export function createDrain(http: FastifyInstance): () => Promise<void> {
  const running = new Set<object>()
  let isStopping = false
  http.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.url !== '/api/events') running.add(request.raw)
    done()
  })
  http.addHook('onSend', (_request, reply, _payload, done) => {
    if (isStopping) reply.header('connection', 'close')
    done()
  })
  http.addHook('onResponse', (request, _reply, done) => {
    running.delete(request.raw)
    done()
  })
  http.addHook('onRequestAbort', async (request) => {
    running.delete(request.raw)
  })
  return async () => {
    isStopping = true
    if (http.server.listening) http.server.close()
    http.server.closeIdleConnections()
    const deadline = performance.now() + drainTimeoutMs
    while (running.size > 0 && performance.now() < deadline) await delay(pollMs)
  }
}
