// Operators' endpoints: metrics and the API reference, on the admin port or with a token, and the desk, on the admin
// port only.

import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Config } from '../runtime/config.ts'
import type { OperationsConfig } from '../runtime/config.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { readCatalogues } from '../messages.ts'
import { addHealth, type Health } from './health.ts'
import { allowHosts } from './hosts.ts'
import type { Leadership } from './leadership.ts'
import { answerError, sendProblem } from '../http/problem.ts'
import { answersWithoutHooks, sendSecurityHeaders } from '../http/security-headers.ts'

const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])
const isForOperators = (path: string): boolean => path === '/metrics' || /^\/api\/(docs|openapi\.json)(\/|$)/.test(path)

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Returns the token of a request: a bearer token, or the password in basic authentication, which browsers support. */
function readToken({ headers }: FastifyRequest): string {
  const [scheme = '', credentials = ''] = (headers.authorization ?? '').split(' ')
  if (scheme.toLowerCase() === 'bearer') return credentials
  if (scheme.toLowerCase() !== 'basic') return ''
  return Buffer.from(credentials, 'base64')
    .toString()
    .replace(/^[^:]*:/, '')
}

/**
 * Separates operators' paths from the public ones. The admin port serves only operators' paths and health checks. On
 * the public port, operators' paths require the token (401 without it), and answer 404 if no token is configured.
 */
export function guardAdmin(http: FastifyInstance, { admin, adminToken }: OperationsConfig): void {
  const expected = adminToken === undefined ? undefined : digest(adminToken)
  http.addHook('onRequest', (request, reply, done) => {
    const path = request.routeOptions.url ?? request.url.split('?')[0] ?? ''
    const isOperatorPath = isForOperators(path)
    if (admin !== undefined && request.raw.socket.localPort === admin.port) {
      if (isOperatorPath || healthPaths.has(path)) done()
      else sendProblem(request, reply, 'not_found')
    } else if (!isOperatorPath) done()
    else if (expected === undefined) sendProblem(request, reply, 'not_found')
    else if (timingSafeEqual(digest(readToken(request)), expected)) done()
    else sendProblem(request, reply.header('www-authenticate', 'Basic realm="Tern"'), 'unauthenticated')
  })
}

/** Serves the metrics of this process and, if it leads, those of the installation. */
export function addMetrics(
  http: FastifyInstance,
  { registry, sharedRegistry }: Metrics,
  leadership: Pick<Leadership, 'leads'>,
): void {
  http.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    const registries = (await leadership.leads()) ? [registry, sharedRegistry] : [registry]
    const parts = await Promise.all(registries.map((each) => each.metrics()))
    return reply.type(registry.contentType).send(parts.join('\n'))
  })
}

/** Serves the API reference; requires @fastify/swagger. */
export async function addReferencePages(http: FastifyInstance): Promise<void> {
  // Loaded lazily, because the worker serves only metrics.
  const { default: swaggerUi } = await import('@fastify/swagger-ui')
  await http.register(swaggerUi, { routePrefix: '/api/docs', staticCSP: true })
  http.get('/api/openapi.json', { schema: { hide: true } }, () => http.swagger())
}

const isDeskPath = (url = ''): boolean => /^\/desk(?:[/?]|$)/.test(url)

/**
 * Listens on the admin port with the routes of `http`, and below `/desk` with those of `desk`, which no other port
 * serves. Returns the function that closes it.
 */
export async function listenForOperators(
  http: FastifyInstance,
  desk: FastifyInstance,
  { admin, deskUrl }: OperationsConfig,
): Promise<() => Promise<void>> {
  if (admin === undefined) return () => Promise.resolve()
  await http.ready()
  await desk.ready()
  const server = createServer((request, response) => (isDeskPath(request.url) ? desk : http).routing(request, response))
  server.on('clientError', answersWithoutHooks({ origin: deskUrl, headers: {} }).clientErrorHandler)
  server.listen(admin.port, admin.host)
  await once(server, 'listening')
  return async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}

/** Serves health and metrics on the admin port for a process without pages. Returns the function that closes it. */
export async function serveOperators(
  config: Pick<Config, 'publicUrl' | 'operations'>,
  parts: { metrics: Metrics; leadership: Pick<Leadership, 'leads'>; health: Health; log: FastifyBaseLogger },
): Promise<() => Promise<void>> {
  const { admin } = config.operations
  const { metrics, leadership, health, log } = parts
  if (admin === undefined) return () => Promise.resolve()
  const headers = { origin: config.publicUrl, headers: {} }
  const http = fastify({ loggerInstance: log, forceCloseConnections: true, ...answersWithoutHooks(headers) })
  sendSecurityHeaders(http, headers)
  http.setErrorHandler(answerError)
  http.setNotFoundHandler((request, reply) => sendProblem(request, reply, 'not_found'))
  http.decorate('catalogues', await readCatalogues())
  allowHosts(http, config)
  addHealth(http, health)
  addMetrics(http, metrics, leadership)
  await http.listen(admin)
  return () => http.close()
}
