import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { pathsWithAccess } from '@tern/contract/pages'
import { negotiate } from '@tern/messages/language'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const buildsDirectory = fileURLToPath(new URL('../../../../web/build/', import.meta.url))
const defaultLanguage = 'en'
/** Holds the language somebody has chosen, where it is not the one their browser asks for. */
export const languageCookie = 'language'
const firstNames = (paths: readonly string[]) => new Set(paths.map((path) => path.split('/')[1]))
const protectedPages = firstNames(pathsWithAccess('member'))
const sandboxPages = firstNames(pathsWithAccess('sandbox'))

/** The pages in one language. */
interface Build {
  language: string
  client: string
  /** The content security policy of each page, by its file. */
  policies: Record<string, string>
}

/** The builds that there are, one per language, English first. */
function readBuilds(directory: string): Build[] {
  if (!existsSync(directory)) return []
  const built = readdirSync(directory).filter((language) => existsSync(`${directory}${language}/csp.json`))
  return [defaultLanguage, ...built.filter((language) => language !== defaultLanguage)]
    .filter((language) => built.includes(language))
    .map((language) => ({
      language,
      client: `${directory}${language}/client/`,
      policies: JSON.parse(readFileSync(`${directory}${language}/csp.json`, 'utf8')) as Record<string, string>,
    }))
}

/** The build in the language of the reader: what their cookie says, else what their browser asks for, else English. */
function chooseBuild(builds: readonly [Build, ...Build[]], request: FastifyRequest): Build {
  const [first, ...others] = builds
  const chosen = request.cookies[languageCookie]
  const language =
    builds.find((build) => build.language === chosen)?.language ??
    negotiate(request.headers['accept-language'], [first.language, ...others.map((build) => build.language)])
  return builds.find((build) => build.language === language) ?? first
}

function pageOf(build: Build, path: string): string | undefined {
  const name = path.replace(/^\/+|\/+$/g, '')
  if (!/^[\w/-]*$/.test(name)) return undefined
  const file = name === '' ? 'index.html' : `${name}/index.html`
  return build.policies[file] === undefined ? undefined : file
}

interface PageOptions {
  sandbox: boolean
  publicUrl: string
  hasSession: (request: FastifyRequest) => boolean
  /** Where the builds are, one folder per language. */
  directory?: string
}

/**
 * Serves the built pages in the language of the reader: each with its own content security policy, assets that never
 * change under a name for good. A visitor without a session who asks for a protected page is sent to /login with the way
 * back; where the sandbox is off, its pages do not exist.
 */
export async function servePages(app: FastifyInstance, options: PageOptions): Promise<void> {
  const [first, ...others] = readBuilds(options.directory ?? buildsDirectory)
  if (first === undefined) {
    app.log.warn('the web pages are not built; only the API is served')
    return
  }
  const builds = [first, ...others] as const

  await app.register(fastifyStatic, {
    root: builds.map(({ client }) => client),
    serve: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (response, path) => {
      const forever = path.includes('/assets/')
      void response.header('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })

  const sendPage = (reply: FastifyReply, build: Build, file: string, status = 200) => {
    const policy = build.policies[file]
    if (policy !== undefined) void reply.header('content-security-policy', policy)
    if (others.length > 0) void reply.header('vary', 'accept-language, cookie')
    void reply.header('content-language', build.language)
    return reply.code(status).sendFile(file, build.client)
  }

  /** A page that does not exist is still a page for somebody in a browser; everybody else gets the problem document. */
  const sendNothing = (request: FastifyRequest, reply: FastifyReply) =>
    request.headers.accept?.includes('text/html') === true
      ? sendPage(reply, chooseBuild(builds, request), '__spa-fallback.html', 404)
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
    const build = chooseBuild(builds, request)
    const page = pageOf(build, path)
    if (page !== undefined) return sendPage(reply, build, page)
    // Only names that stay below the folder: a step up would tell which files this machine has.
    const isBelow = !path.split('/').includes('..')
    if (isBelow && /\.\w+$/.test(path) && !path.endsWith('.html')) {
      // A page may ask for its assets after the reader has changed the language: any build may have them.
      const holder = [build, ...builds].find(({ client }) => existsSync(client + path))
      if (holder !== undefined) return reply.sendFile(path, holder.client)
    }
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
