import cookie from '@fastify/cookie'
import fastify, { type FastifyInstance } from 'fastify'
import type pg from 'pg'
import { loggingOf } from '../runtime/logging.ts'
import { type Catalogues, readCatalogues } from '../messages.ts'
import { answerError, sendProblem } from './problem.ts'
import { createDatabaseWatch } from '../database/database-watch.ts'
import { acceptJson } from './text/json-body.ts'
import { serializerCompiler, validatorCompiler } from './schemas/compiled-schemas.ts'
import { createLimits } from './rate-limits.ts'
import type { Authenticate } from './serve.ts'
import { recordBody, recordHeaders, recordText, testLogFile } from '../keys/test-secrets.ts'

/** Creates a test server with only the routes from `addRoutes` below `/api`. */
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
    ...(logFile === undefined ? {} : loggingOf('debug', logFile)),
    routerOptions: { ignoreTrailingSlash: true },
    forceCloseConnections: true,
  })
  http.setValidatorCompiler(validatorCompiler)
  http.setSerializerCompiler(serializerCompiler)
  acceptJson(http)
  http.setErrorHandler(answerError)
  http.setNotFoundHandler((request, reply) => sendProblem(request, reply, 'not_found'))
  http.decorate('served', new Set<string>())
  http.decorate('catalogues', catalogues ?? (await readCatalogues()))
  http.decorate('authenticate', authenticate)
  http.decorate('limits', createLimits({ pool, secret: Buffer.alloc(32, 7) }))
  const databaseWatch = createDatabaseWatch({ databaseUrl, pool, log: http.log })
  http.decorate('databaseWatch', databaseWatch)
  http.addHook('onClose', () => databaseWatch.close())
  http.decorateRequest('caller', undefined)
  await http.register(cookie)
  // Registered after the cookies, which become headers only on sending.
  recordSecrets(http)
  await http.register(async (api) => addRoutes(api, http), { prefix: '/api' })
  return http
}

// Injected requests bypass the HTTP server.
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
