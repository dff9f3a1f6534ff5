import { setTimeout as delay } from 'node:timers/promises'
import cookie from '@fastify/cookie'
import swagger from '@fastify/swagger'
import { buildOpenApiDocument } from '@tern/contract/reference/document'
import fastify, { type FastifyInstance } from 'fastify'
import { newId } from './platform/ids.ts'
import type { Config } from './platform/runtime/config.ts'
import { createUserEvents, type UserEvents } from './platform/events/events.ts'
import { eventsRoutes } from './platform/events/events.routes.ts'
import type { TransferRule } from './features/transfers/transfers.ts'
import { changeReader } from './features/wallets/wallet-changes.ts'
import { addMetrics, addReferencePages, guardAdmin, listenForOperators } from './platform/operations/admin.ts'
import { addProbes } from './platform/operations/probes.ts'
import { addHealth, type Health, findDatabaseProblem } from './platform/operations/health.ts'
import { allowHosts } from './platform/operations/hosts.ts'
import { createLeadership } from './platform/operations/leadership.ts'
import { listEventSenders, measureRequests } from './platform/operations/request-metrics.ts'
import { acceptJson } from './platform/http/text/json-body.ts'
import { serializerCompiler, validatorCompiler } from './platform/http/schemas/compiled-schemas.ts'
import { createLimits } from './platform/http/rate-limits.ts'
import { createReplicas } from './platform/database/replicas/replicas.ts'
import { watchReplicas } from './platform/operations/gauges.ts'
import { answersWithoutHooks, sendSecurityHeaders } from './platform/http/security-headers.ts'
import { readCatalogues } from './platform/messages.ts'
import { loggingOptions } from './platform/runtime/logging.ts'
import { createMetrics } from './platform/runtime/metrics.ts'
import type { PublishedRules } from './platform/http/installation/filled-pages.ts'
import { servePages } from './platform/http/pages.ts'
import { answerError, sendProblem } from './platform/http/problem.ts'
import { createDrain } from './platform/runtime/drain.ts'
import { tracing } from './platform/tracing/tracing.ts'
import { createDeskApp } from './desk-app.ts'
import { manifests } from './manifests/manifests.ts'
import { createProduct, type Product } from './product.ts'
import { prepareFeatures, readWarnings, startFollowers, watchProduct } from './manifests/running-features.ts'

const requestTimeoutMs = 60_000
const securityContactMs = 180 * 86_400_000
const largestBodyBytes = 64 * 1024

export interface App {
  readonly http: FastifyInstance
  readonly product: Product
  /** Lets `/readyz` succeed. */
  setReady(): void
  /**
   * Stops the app. For `lameDuckMs` it still serves while `/readyz` fails, so that load balancers send no more
   * requests.
   */
  close(options?: { lameDuckMs?: number }): Promise<void>
}

const toHeaderOptions = ({ publicUrl }: Pick<Config, 'publicUrl'>) => ({
  origin: publicUrl,
  headers: {
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': 'camera=(self), geolocation=(), microphone=(), payment=()',
  },
})

function createHttp(config: Config, logFile: string | undefined): FastifyInstance {
  return fastify({
    ...loggingOptions(config.logLevel, logFile),
    genReqId: () => newId(new Date()),
    trustProxy: config.trustedProxies === 0 ? false : (_address, hop) => hop < config.trustedProxies,
    bodyLimit: largestBodyBytes,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    requestTimeout: requestTimeoutMs,
    ...answersWithoutHooks(toHeaderOptions(config)),
    // Without this, open event streams would delay a stop.
    forceCloseConnections: true,
  })
}

async function addPlugins(http: FastifyInstance, config: Config): Promise<void> {
  http.setValidatorCompiler(validatorCompiler)
  http.setSerializerCompiler(serializerCompiler)
  // Accepts only JSON; by default fastify also accepts plain text.
  http.removeContentTypeParser('text/plain')
  acceptJson(http)
  http.setErrorHandler(answerError)
  http.setNotFoundHandler((request, reply) => sendProblem(request, reply, 'not_found'))
  http.decorate('served', new Set<string>())
  http.decorate('readings', new Set<string>())
  http.decorate('catalogues', await readCatalogues())
  http.decorateRequest('caller', undefined)
  await http.register(cookie)
  sendSecurityHeaders(http, toHeaderOptions(config))
}

async function addReference(http: FastifyInstance, config: Config): Promise<void> {
  await http.register(swagger, {
    // Hides the routes, since the contract describes the API in more detail. The document is built on the first
    // request.
    transform: ({ url }) => ({ schema: { hide: true }, url }),
    transformObject: () => buildOpenApiDocument(config.publicUrl),
  })
  await addReferencePages(http)
}

/** Publishes the security contact (RFC 9116), if configured, with a fresh expiry each time. */
function addSecurityContact(http: FastifyInstance, { publicSettings, publicUrl }: Config): void {
  const { securityContact } = publicSettings
  if (securityContact === undefined) return
  http.get('/.well-known/security.txt', { schema: { hide: true } }, (_request, reply) => {
    const expires = new Date(Date.now() + securityContactMs).toISOString()
    const lines = [
      `Contact: ${securityContact}`,
      `Expires: ${expires}`,
      'Preferred-Languages: en',
      `Canonical: ${publicUrl}/.well-known/security.txt`,
    ]
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`)
  })
}

/** Returns the rules in force that the public pages show. */
async function readPublishedRules(product: Product): Promise<PublishedRules> {
  const parts = await Promise.all(manifests.map(async ({ publishedRules }) => publishedRules?.(product)))
  return Object.assign({}, ...parts)
}

/** Returns why a running app should get no traffic; undefined while ready. */
async function findAppProblem(product: Product): ReturnType<Health['findReadinessProblem']> {
  const reason = await findDatabaseProblem(product.databaseWatch, product.pool)
  if (reason !== undefined) return reason
  for (const { findReadinessProblem } of manifests) {
    const own = findReadinessProblem?.(product)
    if (own !== undefined) return own
  }
  return undefined
}

/** Serves the features' routes and the event stream below `/api`. */
async function serveApi(http: FastifyInstance, product: Product, userEvents: UserEvents): Promise<void> {
  await http.register(
    async (api) => {
      for (const { routes } of manifests) routes?.(api, product)
      eventsRoutes(api, userEvents, product.identity.isLive)
    },
    { prefix: '/api' },
  )
}

/**
 * Builds the application over the database at `databaseUrl`, ready to listen. Requires a current schema. Logs to
 * standard output unless given a file; `transferRules` replace the registered ones.
 */
export async function createApp(
  config: Config,
  databaseUrl: string,
  {
    logFile,
    transferRules,
  }: { logFile?: string | undefined; transferRules?: readonly TransferRule[] | undefined } = {},
): Promise<App> {
  const metrics = createMetrics()
  const http = createHttp(config, logFile)
  tracing()?.requests(http)
  const drain = createDrain(http)
  await addPlugins(http, config)
  allowHosts(http, config)
  guardAdmin(http, config.operations)
  await addReference(http, config)
  const product = await createProduct({ config, databaseUrl, metrics, log: http.log, transferRules })
  const { identity, pool, now } = product
  const changes = changeReader({ pool, now })
  const userEvents = createUserEvents({ databaseUrl, changes, waker: product.waker, log: http.log })
  metrics.watch({ name: 'tern_event_streams', help: 'Open event streams' }, () => userEvents.size())
  watchProduct(metrics, product)
  const replicas = createReplicas({
    urls: config.replicaUrls,
    primary: pool,
    log: http.log,
    count: (outcome) => metrics.replicaReads.inc({ outcome }),
  })
  watchReplicas(metrics, replicas)
  http.decorate('replicas', replicas)
  http.decorate('authenticate', identity.authenticate)
  http.decorate('databaseWatch', product.databaseWatch)
  http.decorate('limits', createLimits({ pool, secret: config.secret, metrics }))
  let phase: 'starting' | 'running' | 'stopping' = 'starting'
  addHealth(http, {
    findReadinessProblem: async () => (phase === 'running' ? findAppProblem(product) : phase),
    warnings: () => readWarnings(metrics, product),
  })
  const leadership = createLeadership(product)
  addProbes(http, config.secret)
  addMetrics(http, metrics, leadership)
  measureRequests(http, metrics, listEventSenders(product.providers))
  for (const { rootRoutes } of manifests) rootRoutes?.(http, product)
  addSecurityContact(http, config)
  await serveApi(http, product, userEvents)
  await servePages(http, {
    showsGallery: config.showsGallery,
    keepsVerify: config.keepsVerify,
    publicUrl: config.publicUrl,
    hasSession: identity.hasRefreshCookie,
    settings: config.publicSettings,
    readRules: () => readPublishedRules(product),
  })

  await prepareFeatures(product, 'app')
  const followers = startFollowers(product, 'app')
  const { catalogues, log } = http
  const deskApp = await createDeskApp({ config, product, metrics, catalogues, log })
  const stopListeningForOperators = await listenForOperators(http, deskApp, config.operations)
  let closing: Promise<void> | undefined
  async function close(lameDuckMs: number): Promise<void> {
    phase = 'stopping'
    await delay(lameDuckMs)
    // Running followers call providers; a stop does not wait for them.
    for (const follower of followers) void follower.close()
    await drain()
    await userEvents.close()
    await http.close()
    await stopListeningForOperators()
    await deskApp.close()
    await replicas.close()
    await leadership.close()
    await product.close()
  }
  return {
    http,
    product,
    setReady() {
      phase = 'running'
    },
    close: ({ lameDuckMs = 0 } = {}) => (closing ??= close(lameDuckMs)),
  }
}
