import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { newId } from './platform/ids.ts'
import type { Config } from './platform/runtime/config.ts'
import { createUserEvents } from './platform/events/events.ts'
import { eventsRoutes } from './platform/events/events.routes.ts'
import type { Exchange } from './features/exchange/exchange.ts'
import { exchangeRoutes } from './features/exchange/exchange.routes.ts'
import { identityRoutes, wellKnownRoutes } from './features/identity/identity.routes.ts'
import { limitsRoutes } from './features/limits/limits.routes.ts'
import { kycRoutes } from './features/kyc/kyc.routes.ts'
import { bankingRoutes, paymentsRoutes } from './features/payments/payments.routes.ts'
import type { TransferRule } from './features/transfers/transfers.ts'
import { transfersRoutes } from './features/transfers/transfers.routes.ts'
import { createLookUp } from './features/wallets/lookup-limit.ts'
import { changeReader } from './features/wallets/wallet-changes.ts'
import { waitlistRoutes } from './features/waitlist/waitlist.routes.ts'
import { walletsRoutes } from './features/wallets/wallets.routes.ts'
import { isDatabaseUnavailable } from './platform/database/database-errors.ts'
import { createLimits } from './platform/http/rate-limits.ts'
import { readCatalogues } from './platform/messages.ts'
import { loggingOf } from './platform/runtime/logging.ts'
import { createMetrics, type Metrics } from './platform/runtime/metrics.ts'
import { servePages } from './platform/http/pages.ts'
import { answerError, sendProblem } from './platform/http/problem.ts'
import { createDrain } from './platform/runtime/drain.ts'
import { createProduct, type Product } from './product.ts'
import { Refusal } from './platform/refuse.ts'

const ratesRefreshMs = 15_000
const firstRatesRetryMs = 500
const requestTimeoutMs = 30_000
const securityContactMs = 180 * 86_400_000
const largestBodyBytes = 64 * 1024

export interface App {
  readonly http: FastifyInstance
  readonly product: Product
  /** Lets `/readyz` succeed. */
  setReady(): void
  close(): Promise<void>
}

function createHttp(config: Config, logFile: string | undefined): FastifyInstance {
  return fastify({
    ...loggingOf(config.logLevel, logFile),
    genReqId: () => newId(new Date()),
    trustProxy: config.trustedProxies === 0 ? false : (_address, hop) => hop < config.trustedProxies,
    bodyLimit: largestBodyBytes,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    requestTimeout: requestTimeoutMs,
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    // Otherwise open event streams would delay a stop.
    forceCloseConnections: true,
  })
}

async function addPlugins(http: FastifyInstance, config: Config): Promise<void> {
  http.setValidatorCompiler(validatorCompiler)
  http.setSerializerCompiler(serializerCompiler)
  // Accept JSON only; fastify also takes plain text.
  http.removeContentTypeParser('text/plain')
  http.setErrorHandler(answerError)
  http.setNotFoundHandler((request, reply) => sendProblem(request, reply, 'not_found'))
  http.decorate('served', new Set<string>())
  http.decorate('catalogues', await readCatalogues())
  http.decorateRequest('caller', undefined)
  await http.register(cookie)
  await http.register(helmet, {
    // Pages send their own policy with content hashes; anything else may load nothing.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    strictTransportSecurity: config.publicUrl.startsWith('https:') ? { maxAge: 63_072_000 } : false,
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
  })
  http.addHook('onRequest', async (_request, reply) => {
    void reply.header('permissions-policy', 'camera=(self), geolocation=(), microphone=(), payment=()')
  })
}

async function addReference(http: FastifyInstance, config: Config): Promise<void> {
  await http.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Tern API', version: '0.1.0', description: 'Amounts are decimal strings unless said otherwise.' },
      servers: [{ url: config.publicUrl }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    transform: jsonSchemaTransform,
  })
  await http.register(swaggerUi, { routePrefix: '/api/docs', staticCSP: true })
  http.get('/api/openapi.json', { schema: { hide: true } }, () => http.swagger())
}

type NotReady = 'starting' | 'database_unavailable' | 'schema_unusable' | 'rates_unknown'

/** Why a started application cannot serve, if so. */
async function whyNotReady(
  { pool, databaseWatch, exchange }: Product,
  { sandbox }: Config,
): Promise<NotReady | undefined> {
  try {
    await databaseWatch.whileThere(() => pool.query('select 1 from ledger.account limit 1'))
  } catch (error) {
    const isAway = error instanceof Refusal || isDatabaseUnavailable(error)
    return isAway ? 'database_unavailable' : 'schema_unusable'
  }
  return sandbox && !exchange.hasRates() ? 'rates_unknown' : undefined
}

function addHealth(
  http: FastifyInstance,
  { product, metrics, config }: { product: Product; metrics: Metrics; config: Config },
  isReady: () => boolean,
): void {
  http.get('/healthz', { schema: { hide: true } }, () => ({ status: 'ok' }))
  http.get('/readyz', { schema: { hide: true } }, async (request, reply) => {
    const reason = isReady() ? await whyNotReady(product, config) : 'starting'
    if (reason === undefined) return { status: 'ready' }
    return sendProblem(request, reply, 'not_ready', { reason })
  })
  http.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
  http.addHook('onResponse', async (request, reply) => {
    metrics.requestSeconds.observe(
      { method: request.method, route: request.routeOptions.url ?? 'none', status: String(reply.statusCode) },
      reply.elapsedTime / 1000,
    )
  })
}

/** Publishes the security contact (RFC 9116), if configured, with a fresh expiry each time. */
function addSecurityContact(http: FastifyInstance, { securityContact, publicUrl }: Config): void {
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
  const drain = createDrain(http)
  await addPlugins(http, config)
  await addReference(http, config)
  const product = await createProduct({ config, databaseUrl, metrics, log: http.log, transferRules })
  const { identity, wallets, exchange, payments, pool, now } = product
  const changes = changeReader({ pool, wallets })
  const userEvents = createUserEvents({ databaseUrl, changes, waker: product.waker, log: http.log })
  metrics.watch('tern_event_streams', 'Open event streams', () => userEvents.size())
  metrics.watch('tern_mail_waiting_seconds', 'How long the oldest waiting mail has been waiting', () =>
    product.databaseWatch.whileThere(product.notifications.waitingSeconds),
  )
  http.decorate('authenticate', identity.authenticate)
  http.decorate('databaseWatch', product.databaseWatch)
  http.decorate('limits', createLimits({ pool, secret: config.secret }))
  let ready = false
  addHealth(http, { product, metrics, config }, () => ready)
  wellKnownRoutes(http, identity)
  addSecurityContact(http, config)
  await http.register(
    async (api) => {
      identityRoutes(api, identity)
      kycRoutes(api, product.kyc)
      limitsRoutes(api, product.ownLimits)
      const lookUp = createLookUp({ limit: api.limitLookups, hasPaid: wallets.hasPaid, now })
      walletsRoutes(api, { wallets, pool, now })
      exchangeRoutes(api, { exchange, partyOf: wallets.partyOf, lookUp })
      transfersRoutes(api, { ...product, transferOf: payments.transferOf, lookUp })
      paymentsRoutes(api, payments, lookUp)
      bankingRoutes(api, payments)
      waitlistRoutes(api, product.waitlist, identity.requireSameOrigin)
      eventsRoutes(api, userEvents, identity.isLive)
    },
    { prefix: '/api' },
  )
  await servePages(http, {
    sandbox: config.mode === 'sandbox',
    publicUrl: config.publicUrl,
    hasSession: identity.hasRefreshCookie,
    installation: { license: config.license, hasSecurityContact: config.securityContact !== undefined },
  })

  const stopRates = keepRatesFresh(exchange, http.log)
  await exchange.refreshRates()
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    stopRates()
    await drain()
    await userEvents.close()
    await http.close()
    await product.close()
  }
  return {
    http,
    product,
    setReady() {
      ready = true
    },
    close: () => (closing ??= close()),
  }
}

/** Refreshes rates; quickly while none are known, as when the provider starts later. */
function keepRatesFresh(exchange: Exchange, log: FastifyBaseLogger): () => void {
  let refreshedAt = performance.now()
  const timer = setInterval(() => {
    if (exchange.hasRates() && performance.now() - refreshedAt < ratesRefreshMs) return
    refreshedAt = performance.now()
    exchange.refreshRates().catch((error: unknown) => log.warn({ err: error }, 'rates were not refreshed'))
  }, firstRatesRetryMs)
  return () => clearInterval(timer)
}
