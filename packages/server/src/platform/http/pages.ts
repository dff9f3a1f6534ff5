import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { listPathsByAccess, listPathsWithCode } from '@tern/contract/pages'
import { removalWorkerPath, workerPath } from '@tern/contract/site/offline-copy'
import { negotiate } from '@tern/messages/language'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PublicSettings } from '../runtime/config.ts'
import { createFilledPages, type FilledPages, type PublishedRules } from './installation/filled-pages.ts'
import { sendPacked } from './installation/packed-page.ts'

const buildsDirectory = fileURLToPath(new URL('../../../../web/build/', import.meta.url))
const defaultLanguage = 'en'
/** Name of the cookie with the language chosen by the reader, which overrides the browser's. */
export const languageCookie = 'language'
const listTopSegments = (paths: readonly string[]) => new Set(paths.map((path) => path.split('/')[1]))
const protectedPages = listTopSegments(listPathsByAccess('member'))
const codedPaths = listPathsWithCode()
/** Policy of the worker of /verify, which may only load what it keeps. */
const workerPolicy = "default-src 'none'; connect-src 'self'"
const developmentPages = listTopSegments(listPathsByAccess('development'))

interface Build {
  language: string
  client: string
  /** Content security policies by file. */
  policies: Record<string, string>
  filled: FilledPages
}

/** Returns all builds, one per language, English first. */
function readBuilds(directory: string, { settings, readRules }: PageOptions): Build[] {
  if (!existsSync(directory)) return []
  const builtLanguages = readdirSync(directory).filter((language) => existsSync(`${directory}${language}/csp.json`))
  return [defaultLanguage, ...builtLanguages.filter((language) => language !== defaultLanguage)]
    .filter((language) => builtLanguages.includes(language))
    .map((language) => {
      const client = `${directory}${language}/client/`
      const policies = JSON.parse(readFileSync(`${directory}${language}/csp.json`, 'utf8')) as Record<string, string>
      const files = Object.keys(policies)
      const filled = createFilledPages({ client, files, language, settings, readRules })
      return { language, client, policies, filled }
    })
}

/** Chooses the build by the reader's cookie, then by the browser's languages, then English. */
function chooseBuild(builds: readonly [Build, ...Build[]], request: FastifyRequest): Build {
  const [first, ...otherBuilds] = builds
  const chosenLanguage = request.cookies[languageCookie]
  const language =
    builds.find((build) => build.language === chosenLanguage)?.language ??
    negotiate(request.headers['accept-language'], [first.language, ...otherBuilds.map((build) => build.language)])
  return builds.find((build) => build.language === language) ?? first
}

function findPage(build: Build, path: string): string | undefined {
  const [, first, code, ...otherFolders] = path.split('/')
  const hasCodeSegment = code !== undefined && otherFolders.length === 0 && codedPaths.includes(`/${first}`)
  const name = hasCodeSegment ? String(first) : path.replace(/^\/+|\/+$/g, '')
  if (!/^[\w/-]*$/.test(name)) return undefined
  const file = name === '' ? 'index.html' : `${name}/index.html`
  return build.policies[file] === undefined ? undefined : file
}

interface PageOptions {
  showsGallery: boolean
  /** False to delete the copies of /verify that browsers keep. */
  keepsVerify: boolean
  publicUrl: string
  hasSession: (request: FastifyRequest) => boolean
  settings: PublicSettings
  /** Returns the current values of rules that operators change while the server runs. */
  readRules: () => Promise<PublishedRules>
  /** Folder with one subfolder per language. */
  directory?: string
}

/**
 * Serves the built pages in the reader's language, each with its own content security policy. Assets are cached
 * permanently, since their names change with their content. Visitors without a session are redirected from protected
 * pages to /login, and back after login. Development pages answer 404 unless enabled. Fills in the operator's settings
 * and rules.
 */
export async function servePages(app: FastifyInstance, options: PageOptions): Promise<void> {
  const [first, ...otherBuilds] = readBuilds(options.directory ?? buildsDirectory, options)
  if (first === undefined) {
    app.log.warn('the web pages are not built; only the API is served')
    return
  }
  const builds = [first, ...otherBuilds] as const

  await app.register(fastifyStatic, {
    root: builds.map(({ client }) => client),
    serve: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (response, path) => {
      const isImmutable = path.includes('/assets/')
      void response.header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })

  const addLanguage = (reply: FastifyReply, { language }: Build) => {
    if (otherBuilds.length > 0) void reply.header('vary', 'accept-language, cookie')
    return reply.header('content-language', language)
  }

  const sendPage = async (reply: FastifyReply, build: Build, file: string, status = 200) => {
    const policy = build.policies[file]
    if (policy !== undefined) void reply.header('content-security-policy', policy)
    void addLanguage(reply, build)
    const filledPage = await build.filled.page(file)
    return filledPage ? sendPacked(reply.code(status), filledPage) : reply.code(status).sendFile(file, build.client)
  }

  /** Answers 404 with a page for browsers, otherwise with a problem document. */
  const sendNotFound = (request: FastifyRequest, reply: FastifyReply) =>
    request.headers.accept?.includes('text/html') === true
      ? sendPage(reply, chooseBuild(builds, request), '__spa-fallback.html', 404)
      : reply.callNotFound()

  app.get('/sitemap.xml', { schema: { hide: true } }, (_request, reply) =>
    reply.type('application/xml').send(buildSitemap(options.publicUrl)),
  )

  // Browsers compare the worker with the one they have: another one replaces it, also the one that removes all copies.
  app.get(workerPath, { schema: { hide: true } }, (request, reply) => {
    const build = chooseBuild(builds, request)
    const file = options.keepsVerify ? workerPath : removalWorkerPath
    return addLanguage(reply, build).header('content-security-policy', workerPolicy).sendFile(file, build.client)
  })

  app.get('/*', { schema: { hide: true } }, async (request, reply) => {
    const [path = '/', query] = request.url.split('?')
    const first = path.split('/')[1] ?? ''
    if (developmentPages.has(first) && !options.showsGallery) return sendNotFound(request, reply)
    // On navigation from another site, such as a checkout, browsers omit the cookie; the page then checks the session
    // itself.
    const isKnown = options.hasSession(request) || request.headers['sec-fetch-site'] === 'cross-site'
    if (protectedPages.has(first) && !isKnown) {
      const from = query === undefined ? path : `${path}?${query}`
      return reply.redirect(`/login?from=${encodeURIComponent(from)}`, 302)
    }
    const build = chooseBuild(builds, request)
    const page = findPage(build, path)
    if (page !== undefined) return sendPage(reply, build, page)
    // Paths above the folder would reveal which files exist on this machine.
    const isBelow = !path.split('/').includes('..')
    if (isBelow && /\.\w+$/.test(path) && !path.endsWith('.html')) {
      // After a change of language, a page that is still open requests assets of another language's build.
      const holder = [build, ...builds].find(({ client }) => existsSync(client + path))
      if (holder !== undefined) return reply.sendFile(path, holder.client)
    }
    return sendNotFound(request, reply)
  })
}

/** Returns the sitemap of public pages (sitemaps.org protocol 0.9). */
const buildSitemap = (publicUrl: string): string => {
  const entries = listPathsByAccess('public').map((path) => `<url><loc>${new URL(path, publicUrl).href}</loc></url>`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>
`
}
