import cookie from '@fastify/cookie'
import rateLimit from '@fastify/rate-limit'
import fastify, { type FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { answerError } from './problem.ts'
import type { Authenticate } from './serve.ts'

/** For tests: a server that serves only the routes that `addRoutes` puts below `/api`, as the whole application would. */
export async function createTestHttp(
  authenticate: Authenticate,
  addRoutes: (api: FastifyInstance, root: FastifyInstance) => void,
): Promise<FastifyInstance> {
  const http = fastify({ routerOptions: { ignoreTrailingSlash: true }, forceCloseConnections: true })
  http.setValidatorCompiler(validatorCompiler)
  http.setSerializerCompiler(serializerCompiler)
  http.setErrorHandler(answerError)
  http.decorate('served', new Set<string>())
  http.decorate('authenticate', authenticate)
  http.decorateRequest('caller', undefined)
  await http.register(cookie)
  await http.register(rateLimit, { global: false })
  await http.register(async (api) => addRoutes(api, http), { prefix: '/api' })
  return http
}
