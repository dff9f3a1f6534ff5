import type { AddressInfo } from 'node:net'
import helmet from '@fastify/helmet'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { ApiError, errorBody, requireSecret } from './server/api.ts'
import { createApiFaults } from './control/api-faults.ts'
import { createBankAccounts } from './banks/bank-accounts.ts'
import { bankRoutes } from './banks/bank.routes.ts'
import { createCardPayments } from './cards/card-payments.ts'
import { Checkout } from './cards/checkout.ts'
import { checkoutRoutes } from './cards/checkout.routes.ts'
import { clockRoutes, createClock } from './control/clock.ts'
import { controlRoutes } from './control/control.routes.ts'
import { debitOrders } from './banks/debits.ts'
import { createSavedCards } from './cards/saved-cards.ts'
import { identityPages } from './pages/visits/identity-page.ts'
import { identityRoutes } from './identity/identity.routes.ts'
import { createReviewer } from './identity/reviewer.ts'
import { createPayees } from './banks/payees.ts'
import { createLinks } from './banks/links.ts'
import { createMailbox, mailRoutes } from './reports/mail.ts'
import { createOidc, getSigningKey, oidcRoutes } from './oidc/oidc.ts'
import { accountPages } from './oidc/account-page.ts'
import { assetRoutes } from './pages/assets.ts'
import { bankPages } from './pages/visits/bank-page.ts'
import { checkoutPages } from './pages/visits/checkout-page.ts'
import { controlPages } from './pages/control-page.ts'
import { messagePage, sendPage } from './pages/layout.ts'
import { mailPages } from './pages/mail-pages.ts'
import { contentSecurityPolicy } from './pages/policy.ts'
import { ratesPage } from './pages/rates-page.ts'
import { startPage } from './pages/start-page.ts'
import { Orders } from './banks/orders.ts'
import { payoutOrders } from './banks/payouts.ts'
import { createPeople } from './server/people.ts'
import type { MarketMode } from './market/course.ts'
import { createLiquidity } from './market/liquidity.ts'
import { liquidityRoutes } from './market/liquidity.routes.ts'
import { createMarket } from './market/market.ts'
import { marketRoutes } from './market/market.routes.ts'
import { createOwnMoney, typicalOwnMoney } from './reports/own-money.ts'
import { reportRoutes } from './reports/report.ts'
import { createSafeguardingBanks } from './safeguarding/safeguarding-banks.ts'
import { safeguardingRoutes } from './safeguarding/safeguarding.routes.ts'
import { createSessions } from './cards/sessions.ts'
import { getDatabasePath } from './control/settings.ts'
import { openStore, type Store } from './server/store.ts'
import { createWebhookFaults } from './server/webhook-faults.ts'
import { Webhooks } from './server/webhooks.ts'

export interface SandboxOptions {
  /** 0 chooses a free port. */
  port: number
  dataDir: string
  secret: string
  webhookUrl: string
  oidcRedirect?: string
  host?: string
  /** Public address of this service; defaults to `http://localhost:<port>`. */
  publicUrl?: string
  /** Delays in milliseconds after the first, second … failed delivery of a webhook. */
  retryDelaysMs?: readonly number[]
  /** Initial price movement; defaults to `walk`. */
  market?: MarketMode
  /** Charges typical fees and settles daily, unless that was changed at runtime; defaults to false. */
  chargesFees?: boolean
  log?: boolean
}

export interface RunningSandbox {
  url: string
  port: number
  /** Generates the signing key ahead of the first sign-in through the replacement for Google. */
  prepare(): Promise<void>
  /** Completes the running requests, then closes everything. The webhook queue is stored. */
  stop(): Promise<void>
}

const merchant = 'Tern'
const dueIntervalMs = 2000

const wantsJson = (request: FastifyRequest): boolean => request.url.startsWith('/api/') || request.url === '/healthz'

function sendError(request: FastifyRequest, reply: FastifyReply, error: ApiError): FastifyReply {
  reply.code(error.status)
  if (wantsJson(request)) return reply.send(errorBody(error.code, error.message, error.fields))
  const title = error.status === 404 ? 'Nothing here' : 'Something went wrong'
  return sendPage(reply, messagePage(title, error.message))
}

const requestCodes = new Map([
  [413, 'too_large'],
  [415, 'unsupported_media_type'],
])

/** Returns the error to reply with; undefined for internal errors, whose details clients must not see. */
function toApiError(error: FastifyError | ApiError): ApiError | undefined {
  if (error instanceof ApiError) return error
  const { statusCode = 500 } = error
  if (statusCode < 400 || statusCode >= 500) return undefined
  return new ApiError(statusCode, requestCodes.get(statusCode) ?? 'malformed_request', error.message)
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const expected = toApiError(error)
    if (expected) return sendError(request, reply, expected)
    request.log.error({ err: error, path: request.routeOptions.url }, 'a request failed')
    return sendError(request, reply, new ApiError(500, 'internal_error', 'The sandbox has a fault. Try again.'))
  })
  app.setNotFoundHandler((request, reply) =>
    sendError(request, reply, new ApiError(404, 'not_found', 'There is nothing at this address.')),
  )
}

async function createApp(log: boolean): Promise<FastifyInstance> {
  const app = Fastify({
    logger: log ? { level: 'warn' } : false,
    bodyLimit: 1_000_000,
    routerOptions: { ignoreTrailingSlash: true },
  })
  await app.register(helmet, { contentSecurityPolicy: false, strictTransportSecurity: false })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!reply.hasHeader('content-security-policy')) {
      reply.header('content-security-policy', contentSecurityPolicy())
    }
    done(null, payload)
  })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Requests with an empty body may have a content type.
    if (body === '') done(null, undefined)
    else void parseJson(request, body as string, done)
  })
  answerErrors(app)
  return app
}

async function connect(app: FastifyInstance, store: Store, options: SandboxOptions, publicUrl: () => string) {
  const {
    secret,
    webhookUrl,
    oidcRedirect: redirectUri = 'http://localhost:3000/auth/callback',
    retryDelaysMs,
  } = options
  const apiFaults = createApiFaults(app, store)
  const requireProduct = requireSecret(secret, apiFaults.decideFault)
  // API faults do not apply to the control API.
  const requireControl = requireSecret(secret)
  const webhookFaults = createWebhookFaults(store)
  const { plan } = webhookFaults
  const webhooks = new Webhooks(store, { url: webhookUrl, secret, plan, ...(retryDelaysMs ? { retryDelaysMs } : {}) })
  /** Components with automatic steps, in the order in which the steps run. */
  const dueTasks: { executeDue(): void }[] = []
  const executeDue = (): void => dueTasks.forEach((part) => part.executeDue())
  const clock = createClock(store, executeDue)
  const cards = createSavedCards(store, clock)
  const sessions = createSessions({ store, clock, webhooks, cards })
  const checkout = new Checkout({ store, clock, webhooks, sessions, cards })
  const accounts = createBankAccounts(store, clock)
  const payees = createPayees(store, accounts)
  const links = createLinks({ store, clock, accounts, webhooks })
  const debits = new Orders({ store, clock, accounts, webhooks }, debitOrders)
  const payouts = new Orders({ store, clock, accounts, webhooks }, payoutOrders)
  const payments = createCardPayments({ store, clock, webhooks, sessions, checkout })
  const reviewer = createReviewer({ store, clock, webhooks, publicUrl })
  const targets = { payments, debits, payouts }
  const market = createMarket(store, clock, options.market ?? 'walk')
  const liquidity = createLiquidity({ store, clock, market })
  dueTasks.push(market, checkout, links, debits, payouts, liquidity, reviewer)
  const ownMoney = createOwnMoney(store, clock, options.chargesFees ? typicalOwnMoney : undefined)
  const safeguardingBanks = createSafeguardingBanks(store, clock)
  dueTasks.push(ownMoney, safeguardingBanks)
  const mailbox = createMailbox(store, clock)
  const people = createPeople(store)
  const oidc = createOidc({ store, people, publicUrl, redirectUri })

  app.get('/healthz', () => {
    store.all('select 1')
    return { status: 'ok' }
  })
  clockRoutes(app, clock, requireControl)
  marketRoutes(app, market, requireControl)
  liquidityRoutes(app, liquidity, { requireProduct, requireControl })
  checkoutRoutes(app, { checkout, cards, clock, publicUrl, requireProduct })
  bankRoutes(app, { links, accounts, payees, debits, payouts, publicUrl, requireProduct })
  controlRoutes(app, { targets, webhooks, webhookFaults, apiFaults, ownMoney, payees, requireControl })
  reportRoutes(app, store, requireProduct)
  safeguardingRoutes(app, safeguardingBanks, { requireProduct, requireControl })
  mailRoutes(app, mailbox, requireProduct)
  assetRoutes(app)
  startPage(app, { clock, market, webhooks, webhookFaults, apiFaults, mailbox })
  ratesPage(app, market)
  mailPages(app, mailbox)
  await oidcRoutes(app, oidc, publicUrl)
  await app.register(accountPages, { oidc, people, redirectUri })
  await app.register(checkoutPages, { checkout, clock, merchant })
  await app.register(bankPages, { links, merchant })
  await app.register(identityRoutes, { reviewer, clock, requireProduct, requireControl })
  await app.register(identityPages, { reviewer, merchant })
  await app.register(controlPages, {
    ...{ targets, clock, market, liquidity, webhooks, webhookFaults, apiFaults, publicUrl },
  })
  return { webhooks, executeDue, oidc, reviewer }
}

const readPort = ({ server }: FastifyInstance): number => (server.address() as AddressInfo).port

/** Starts the sandbox with its state in `dataDir`, and resumes the webhook queue. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const store = openStore(getDatabasePath(options.dataDir))
  let url = ''
  const app = await createApp(options.log ?? false)
  const { webhooks, executeDue, reviewer } = await connect(app, store, options, () => url)
  // Set before the first request, because addresses in replies start with it.
  app.server.once('listening', () => {
    url = options.publicUrl ?? `http://localhost:${readPort(app)}`
  })
  try {
    await app.listen({ port: options.port, host: options.host ?? 'localhost' })
  } catch (error) {
    await app.close()
    store.close()
    throw error
  }
  webhooks.scheduleNow()
  const dueTimer = setInterval(executeDue, dueIntervalMs)

  return {
    url,
    port: readPort(app),
    prepare: async () => void (await getSigningKey(store)),
    async stop() {
      clearInterval(dueTimer)
      reviewer.stop()
      await app.close()
      await webhooks.stop()
      store.close()
    },
  }
}
