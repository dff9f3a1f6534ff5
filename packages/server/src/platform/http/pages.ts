import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { pathsWithAccess } from '@tern/contract/pages'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const buildDirectory = fileURLToPath(new URL('../../../../web/build/', import.meta.url))
const firstNames = (paths: readonly string[]) => new Set(paths.map((path) => path.split('/')[1]))
const protectedPages = firstNames(pathsWithAccess('member'))
const sandboxPages = firstNames(pathsWithAccess('sandbox'))

/**
 * Serves the built pages: each with its own content security policy, assets that never change under a name for good.
 * A visitor without a session who asks for a protected page is sent to /login with the way back; where the sandbox is
 * off, its pages do not exist.
 */
export async function servePages(
  app: FastifyInstance,
  options: { sandbox: boolean; publicUrl: string; hasSession: (request: FastifyRequest) => boolean },
): Promise<void> {
  const client = `${buildDirectory}client/`
  if (!existsSync(client)) {
    app.log.warn('the web pages are not built; only the API is served')
    return
  }
  const policies = JSON.parse(readFileSync(`${buildDirectory}csp.json`, 'utf8')) as Record<string, string>

  await app.register(fastifyStatic, {
    root: client,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (response, path) => {
      const forever = path.includes('/assets/')
      void response.header('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })

  const sendPage = (reply: FastifyReply, file: string, status = 200) => {
    const policy = policies[file]
    if (policy !== undefined) void reply.header('content-security-policy', policy)
    return reply.code(status).sendFile(file)
  }

  const pageOf = (path: string): string | undefined => {
    const name = path.replace(/^\/+|\/+$/g, '')
    if (!/^[\w/-]*$/.test(name)) return undefined
    const file = name === '' ? 'index.html' : `${name}/index.html`
    return policies[file] === undefined ? undefined : file
  }

  /** A page that does not exist is still a page for somebody in a browser; everybody else gets the problem document. */
  const sendNothing = (request: FastifyRequest, reply: FastifyReply) =>
    request.headers.accept?.includes('text/html') === true
      ? sendPage(reply, '__spa-fallback.html', 404)
      : reply.callNotFound()

  app.get('/sitemap.xml', { schema: { hide: true } }, (_request, reply) =>
    reply.type('application/xml').send(sitemapOf(options.publicUrl)),
  )

  app.get('/*', { schema: { hide: true } }, async (request, reply) => {
    const [path = '/', query] = request.url.split('?')
    const first = path.split('/')[1] ?? ''
    if (sandboxPages.has(first) && !options.sandbox) return sendNothing(request, reply)
    // The cookie is not sent with a step from another site, such as the way back from a checkout: then the page itself
    // finds out whether somebody is signed in.
    const isKnown = options.hasSession(request) || request.headers['sec-fetch-site'] === 'cross-site'
    if (protectedPages.has(first) && !isKnown) {
      const from = query === undefined ? path : `${path}?${query}`
      return reply.redirect(`/login?from=${encodeURIComponent(from)}`, 302)
    }
    const page = pageOf(path)
    if (page !== undefined) return sendPage(reply, page)
    // Only names that stay below the folder: a step up would tell which files this machine has.
    const isBelow = !path.split('/').includes('..')
    if (isBelow && /\.\w+$/.test(path) && existsSync(client + path) && !path.endsWith('.html'))
      return reply.sendFile(path)
    return sendNothing(request, reply)
  })
}

/** The public pages, for search engines (sitemaps.org protocol 0.9). */
const sitemapOf = (publicUrl: string): string => {
  const entries = pathsWithAccess('public').map((path) => `<url><loc>${new URL(path, publicUrl).href}</loc></url>`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>
`
}
