import cookie from '@fastify/cookie'
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { deskRoutes } from './features/desk/desk.routes.ts'
import { serveDeskPages } from './features/desk/desk-pages.ts'
import { acceptJson } from './platform/http/text/json-body.ts'
import { serializerCompiler, validatorCompiler } from './platform/http/schemas/compiled-schemas.ts'
import { createLimits } from './platform/http/rate-limits.ts'
import { measureDeskRequests } from './platform/operations/request-metrics.ts'
import { answersWithoutHooks, sendSecurityHeaders } from './platform/http/security-headers.ts'
import { answerError, sendProblem } from './platform/http/problem.ts'
import { newId } from './platform/ids.ts'
import type { Catalogues } from './platform/messages.ts'
import { refuse } from './platform/refuse.ts'
import { loopbackNames } from './platform/runtime/setting-types.ts'
import type { Config } from './platform/runtime/config.ts'
import type { Metrics } from './platform/runtime/metrics.ts'
import { tracing } from './platform/tracing/tracing.ts'
import type { Product } from './product.ts'

const largestBodyBytes = 16 * 1024
const requestTimeoutMs = 30_000

interface DeskAppOptions {
  readonly config: Pick<Config, 'secret' | 'operations'>
  readonly product: Product
  readonly metrics: Metrics
  readonly catalogues: Catalogues
  readonly log: FastifyBaseLogger
}

/**
 * Creates the operators' desk: a separate application without a listener of its own. Only the admin port passes
 * requests to it, so no request on the public port can reach it.
 */
export async function createDeskApp({
  config,
  product,
  metrics,
  catalogues,
  log,
}: DeskAppOptions): Promise<FastifyInstance> {
  const { deskUrl } = product.desk.context
  const headers = { origin: deskUrl, headers: { 'x-frame-options': 'DENY' } }
  const http = fastify({
    loggerInstance: log,
    genReqId: () => newId(new Date()),
    bodyLimit: largestBodyBytes,
    requestTimeout: requestTimeoutMs,
    forceCloseConnections: true,
    ...answersWithoutHooks(headers),
  })
  tracing()?.requests(http)
  http.setValidatorCompiler(validatorCompiler)
  http.setSerializerCompiler(serializerCompiler)
  http.removeContentTypeParser('text/plain')
  acceptJson(http)
  http.setErrorHandler(answerError)
  http.setNotFoundHandler((request, reply) => sendProblem(request, reply, 'not_found'))
  http.decorate('served', new Set<string>())
  http.decorate('catalogues', catalogues)
  http.decorate('databaseWatch', product.databaseWatch)
  // The desk has no customer sessions.
  http.decorate('authenticate', () => Promise.resolve().then(() => refuse('unauthenticated')))
  http.decorate('limits', createLimits({ pool: product.pool, secret: config.secret, metrics }))
  http.decorateRequest('caller', undefined)
  await http.register(cookie)
  sendSecurityHeaders(http, headers)
  requireDeskHost(http, deskUrl)
  measureDeskRequests(http, metrics)
  await http.register(async (api) => deskRoutes(api, product), { prefix: '/desk/api' })
  await serveDeskPages(http)
  await http.ready()
  return http
}

/**
 * Answers only under the host name of the passkeys, otherwise with 421 `unknown_host` (RFC 9110, section 7.4). If that
 * name is this machine, GET requests for pages under its other names are redirected.
 */
function requireDeskHost(http: FastifyInstance, deskUrl: string): void {
  const { host, hostname } = new URL(deskUrl)
  http.addHook('onRequest', async (request, reply) => {
    const requestedHost = (request.raw.headers.host ?? '').toLowerCase()
    if (requestedHost === host) return
    const name = requestedHost.replace(/:\d+$/, '')
    const isLoopbackHost = loopbackNames.includes(hostname) && loopbackNames.includes(name)
    if (isLoopbackHost && request.method === 'GET' && !request.url.startsWith('/desk/api')) {
      return reply.redirect(deskUrl + request.url, 302)
    }
    return sendProblem(request, reply, 'unknown_host')
  })
}
