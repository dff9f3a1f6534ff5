import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const defaultDirectory = fileURLToPath(new URL('../../../../desk/build/', import.meta.url))

/** Content security policy: only files of the desk itself, no inline script or style, and no frames. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/**
 * Serves the desk's page at every address below `/desk` except `/desk/api`, and its files below `/desk/assets`. Serves
 * nothing, with a warning, if the page is not built.
 */
export async function serveDeskPages(http: FastifyInstance, directory = defaultDirectory): Promise<void> {
  if (!existsSync(`${directory}index.html`)) {
    http.log.warn('the page of the desk is not built; only its calls are served')
    return
  }
  await http.register(fastifyStatic, {
    root: `${directory}assets/`,
    prefix: '/desk/assets/',
    index: false,
    cacheControl: false,
    setHeaders: (response, path) => {
      const isImmutable = path.includes('/assets/')
      void response.header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  for (const url of ['/desk', '/desk/*']) {
    http.get(url, { schema: { hide: true } }, (request, reply) => {
      if (/^\/desk\/(api|assets)(\/|$)/.test(request.url)) return reply.callNotFound()
      void reply.header('content-security-policy', policy)
      return reply.sendFile('index.html', directory)
    })
  }
}
