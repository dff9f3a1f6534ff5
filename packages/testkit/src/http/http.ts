import cookie from '@fastify/cookie'
import fastify, { type FastifyInstance } from 'fastify'
import type pg from 'pg'
import { loggingOptions } from '@tern/server/platform/runtime/logging'
import { type Catalogues, readCatalogues } from '@tern/server/platform/messages'
import { answerError, sendProblem } from '@tern/server/platform/http/problem'
import { createDatabaseWatch } from '@tern/server/platform/database/database-watch'
import { createReplicas } from '@tern/server/platform/database/replicas/replicas'
import { acceptJson } from '@tern/server/platform/http/text/json-body'
import { serializerCompiler, validatorCompiler } from '@tern/server/platform/http/schemas/compiled-schemas'
import { createLimits } from '@tern/server/platform/http/rate-limits'
import { createMetrics } from '@tern/server/platform/runtime/metrics'
import type { Authenticate } from '@tern/server/platform/http/serve'
import { recordBody, recordHeaders, recordText, testLogFile } from '../secrets.ts'

/** Creates a test server on which `addRoutes` registers the only routes; those of `api` are below `/api`. */
export async function createTestHttp(
  {
    authenticate,
    pool,
    databaseUrl,
    catalogues,
  }: { authenticate: Authenticate; pool: pg.Pool; databaseUrl: string; catalogues?: Catalogues },
  addRoutes: (api: FastifyInstance, root: FastifyInstance) => void,
): Promise<FastifyInstance> {
  const logFile = testLogFile('routes')
  const http = fastify({
    ...(logFile === undefined ? {} : loggingOptions('debug', logFile)),
    routerOptions: { ignoreTrailingSlash: true },
    forceCloseConnections: true,
  })
  http.setValidatorCompiler(validatorCompiler)
  http.setSerializerCompiler(serializerCompiler)
  acceptJson(http)
  http.setErrorHandler(answerError)
  http.setNotFoundHandler((request, reply) => sendProblem(request, reply, 'not_found'))
  http.decorate('served', new Set<string>())
  http.decorate('readings', new Set<string>())
  http.decorate('replicas', createReplicas({ urls: [], primary: pool, log: http.log, count: () => {} }))
  http.decorate('catalogues', catalogues ?? (await readCatalogues()))
  http.decorate('authenticate', authenticate)
  http.decorate('limits', createLimits({ pool, secret: Buffer.alloc(32, 7), metrics: createMetrics() }))
  const databaseWatch = createDatabaseWatch({ databaseUrl, pool, log: http.log })
  http.decorate('databaseWatch', databaseWatch)
  http.addHook('onClose', () => databaseWatch.close())
  http.decorateRequest('caller', undefined)
  await http.register(cookie)
  // Registered after the cookie plugin, which adds its headers only when sending.
  recordSecrets(http)
  await http.register(async (api) => addRoutes(api, http), { prefix: '/api' })
  return http
}

// Hooks, because injected requests do not pass through Node's HTTP server.
function recordSecrets(http: FastifyInstance): void {
  http.addHook('preValidation', async ({ headers, body, url }) => {
    recordHeaders(headers)
    recordBody(url)
    recordBody(body)
  })
  http.addHook('onSend', async (_request, reply, payload) => {
    recordHeaders(reply.getHeaders())
    if (typeof payload === 'string') recordText(payload)
    return payload
  })
}
