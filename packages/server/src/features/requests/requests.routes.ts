import * as links from '@tern/contract/requests/payment-links'
import { payLinkFromOutside } from '@tern/contract/requests/link-funding'
import * as guests from '@tern/contract/requests/guest-payments'
import * as contract from '@tern/contract/requests/requests'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Db } from '../../platform/database/db.ts'
import { limitPerAddress, limitPerUser } from '../../platform/http/rate-limits.ts'
import { serve, serveReading } from '../../platform/http/serve.ts'
import { haveTransacted, type Identity } from '../identity/identity.ts'
import type { LimitedLookup } from '../wallets/wallets.ts'
import type { Requests } from './requests.ts'
import { splitsRoutes } from './split/splits.routes.ts'

const requestsPerHour = 60
const strangersPerDay = 10
const decisionsPerMinute = 30
const quotesPerMinute = 120
/** Card and bank payments, each of which calls a provider. */
const externalPaymentsPerMinute = 30
const viewsPerMinute = 120
const hourSeconds = 3600
const daySeconds = 24 * hourSeconds
/** Per network address, against the testing of stolen cards. */
const guestsPerHour = 30

interface RouteParts {
  readonly requests: Requests
  readonly pool: Db
  readonly identity: Pick<Identity, 'requireSameOrigin'>
  readonly lookUp: LimitedLookup
}

/** Routes of payment requests, their links, split bills and guest payments. */
export function requestsRoutes(app: FastifyInstance, { requests, pool, identity, lookUp }: RouteParts): void {
  const limitNewRequests = limitPerUser(app, 'request', requestsPerHour, hourSeconds)
  const limitStrangerRequests = limitPerUser(app, 'request-stranger', strangersPerDay, daySeconds)
  const limitDecisions = limitPerUser(app, 'request-decision', decisionsPerMinute)

  serve(app, contract.createRequest, async ({ caller, body, idempotencyKey, request }) => {
    await limitNewRequests(request)
    const create = () => requests.create({ caller, body, idempotencyKey })
    if (body.payer_id === undefined) return create()
    const payerId = BigInt(body.payer_id)
    // Requests to strangers, with whom the caller has not transacted, have a limit of their own.
    if (!(await haveTransacted(pool, { userId: caller.userId, otherId: payerId }))) await limitStrangerRequests(request)
    return lookUp(request, payerId, create)
  })
  serveReading(app, contract.ownRequests, ({ caller, query, db }) =>
    requests.list(db, { ...query, userId: caller.userId }),
  )
  serveReading(app, contract.requestDetails, ({ caller, params, db }) =>
    requests.details(db, { userId: caller.userId, id: params.id }),
  )
  serve(app, contract.cancelRequest, async ({ caller, params, request }) => {
    await limitDecisions(request)
    return requests.cancel({ userId: caller.userId, id: params.id })
  })
  serve(app, contract.remindPayer, async ({ caller, params, request }) => {
    await limitDecisions(request)
    return requests.remind({ userId: caller.userId, id: params.id })
  })
  linkRoutes(app, { requests, pool, identity, lookUp }, limitDecisions)
  const limits = { newRequests: limitNewRequests, strangers: limitStrangerRequests, decisions: limitDecisions }
  splitsRoutes(app, { requests, pool, lookUp, limits })
  guestRoutes(app, { requests, identity })
}

/** Routes of `/payment-links`, some of which need no account. */
function linkRoutes(
  app: FastifyInstance,
  { requests, identity }: RouteParts,
  limitDecisions: (request: FastifyRequest) => Promise<void>,
): void {
  const { limits } = app
  const limitViews = limitPerAddress(app, 'payment-link', viewsPerMinute)
  const limitQuotes = limitPerUser(app, 'payment-link-quote', quotesPerMinute)
  const limitFunding = limitPerUser(app, 'payment-link-funding', externalPaymentsPerMinute)
  limits.claim('payment-link-wanted')

  serve(app, links.paymentLink, async ({ params, request }) => {
    await limitViews(request)
    return requests.link(params.data)
  })
  serve(app, links.openPaymentLink, async ({ params, request }) => {
    identity.requireSameOrigin(request)
    await limitViews(request)
    await requests.open(params.data)
  })
  serve(app, links.priceOfLink, async ({ params, query, request }) => {
    await limitViews(request)
    return requests.price({ data: params.data, currency: query.currency })
  })
  serve(app, links.linkAsPayer, async ({ caller, params, request }) => {
    await limitViews(request)
    return requests.asPayer({ userId: caller.userId, data: params.data })
  })
  serve(app, links.quoteForLink, async ({ caller, params, body, request }) => {
    await limitQuotes(request)
    return requests.quote({ caller, data: params.data, body })
  })
  serve(app, links.payLink, ({ caller, params, body, idempotencyKey, confirmation }) =>
    requests.pay({ caller, data: params.data, quoteId: body.quote_id, idempotencyKey, confirmation }),
  )
  serve(app, payLinkFromOutside, async ({ caller, params, body, idempotencyKey, confirmation, request }) => {
    await limitFunding(request)
    return requests.payFromExternalAccount({ caller, data: params.data, body, idempotencyKey, confirmation })
  })
  serve(app, links.declineLink, async ({ caller, params, body, request }) => {
    await limitDecisions(request)
    return requests.decline({ caller, data: params.data, reason: body.reason })
  })
  serve(app, links.acceptLink, async ({ caller, params, body, request }) => {
    await limitDecisions(request)
    return requests.accept({ caller, data: params.data, on: body.on })
  })
  serve(app, links.askForNewLink, async ({ caller, params, request }) => {
    await limitDecisions(request)
    const answer = { caller, data: params.data }
    await requests.requireExpired(answer)
    // Counted per user and link.
    await limits.count(`payment-link-wanted ${caller.userId} ${params.data}`, 1, 3 * daySeconds)
    await requests.askAgain(answer)
  })
}

/** Payments by people without an account, and their receipts. */
function guestRoutes(app: FastifyInstance, { requests, identity }: Pick<RouteParts, 'requests' | 'identity'>): void {
  const limitGuests = limitPerAddress(app, 'guest-payment', guestsPerHour, hourSeconds)
  const limitReceipts = limitPerAddress(app, 'guest-receipt', viewsPerMinute)

  serve(app, guests.payAsGuest, async ({ params, body, idempotencyKey, request }) => {
    identity.requireSameOrigin(request)
    await limitGuests(request)
    return requests.payAsGuest({ data: params.data, body, idempotencyKey })
  })
  serve(app, guests.guestPayment, async ({ params, request }) => {
    await limitReceipts(request)
    return requests.guestPayment(params.receipt)
  })
  serve(app, guests.cancelGuestPayment, async ({ params, request }) => {
    identity.requireSameOrigin(request)
    await limitReceipts(request)
    return requests.cancelGuestPayment(params.receipt)
  })
}
