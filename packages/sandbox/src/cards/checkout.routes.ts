import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { ApiError, requireKey } from '../server/api.ts'
import { readCard } from './cards.ts'
import type { Attempt, Checkout, PayResult } from './checkout.ts'
import type { Clock } from '../control/clock.ts'
import { type Fields, readFields, readPayment, readReturnUrl } from '../server/fields.ts'
import type { SavedCards } from './saved-cards.ts'
import { returnAddress, type SessionRequest, toSessionReply } from './sessions.ts'

const readRequest = (fields: Fields): SessionRequest => ({ ...readPayment(fields), returnUrl: readReturnUrl(fields) })

/** Reads a payer's card. Throws ApiError 422 with field errors. */
export function readAttempt(body: unknown, now: Date): Attempt {
  const fields = readFields(body)
  const details = readCard(fields, now)
  const wantsSaving = fields.flag('save_card')
  fields.check()
  if (!details) throw new ApiError(500, 'internal_error', 'A card without a fault is a test card.')
  return { details, wantsSaving }
}

interface IdParams {
  Params: { id: string }
}

interface Dependencies {
  checkout: Checkout
  cards: SavedCards
  clock: Clock
  publicUrl: () => string
  requireProduct: onRequestHookHandler
}

/** Registers the checkout API, which the product calls. */
function productRoutes(app: FastifyInstance, { checkout, cards, publicUrl, requireProduct }: Dependencies): void {
  const guard = { onRequest: requireProduct }
  const pageAddress = (id: string): string => `${publicUrl()}/checkout/${id}`

  app.post('/api/checkout/sessions', guard, (request, reply) => {
    const key = requireKey(request.headers)
    const fields = readFields(request.body)
    const order = {
      ...readRequest(fields),
      saveCard: fields.flag('save_card') ?? false,
      capturesLater: fields.flag('captures_later') ?? false,
    }
    fields.check()
    const { id } = checkout.create(order, key)
    reply.code(201)
    return { session_id: id, url: pageAddress(id) }
  })

  app.post('/api/charges', guard, (request, reply) => {
    const key = requireKey(request.headers)
    const fields = readFields(request.body)
    const payment = readRequest(fields)
    const cardToken = fields.text('card_token', { max: 100 })
    const order = { ...payment, cardToken, capturesLater: fields.flag('captures_later') ?? false }
    fields.check()
    const { id, status, is_challenged } = checkout.charge(order, key)
    reply.code(201)
    return { session_id: id, status, url: is_challenged ? pageAddress(id) : null }
  })

  app.get<IdParams>('/api/checkout/sessions/:id', guard, ({ params }) => toSessionReply(checkout.find(params.id)))
  app.post<IdParams>('/api/checkout/sessions/:id/capture', guard, ({ params }) =>
    toSessionReply(checkout.capture(params.id)),
  )
  app.post<IdParams>('/api/checkout/sessions/:id/cancel', guard, ({ params }) =>
    toSessionReply(checkout.cancel(params.id)),
  )

  app.post<{ Params: { token: string } }>('/api/cards/:token/forget', guard, (request) => {
    cards.delete(request.params.token)
    return { token: request.params.token, status: 'forgotten' }
  })
}

/** Returns the result for the payer's browser; `return_url` is null while the payer has to do another step. */
function toResultReply(result: PayResult): object {
  if (result.status === 'failed') return { status: 'failed', return_url: null, message: result.message }
  if (result.status === 'challenge') return { status: 'challenge', return_url: null }
  return { status: result.status, return_url: result.returnUrl }
}

/** Registers the API of the hosted page. The session's id, which is secret, authorizes its calls. */
function payerRoutes(app: FastifyInstance, { checkout, clock }: Dependencies): void {
  app.post<IdParams>('/api/checkout/:id/pay', (request) =>
    toResultReply(checkout.pay(request.params.id, () => readAttempt(request.body, clock.now()))),
  )

  app.post<IdParams>('/api/checkout/:id/challenge', (request) => {
    const fields = readFields(request.body)
    const isApproved = fields.flag('approve')
    if (isApproved === undefined) fields.addProblem('approve', 'Must be true or false.')
    fields.check()
    return toResultReply(checkout.answerChallenge(request.params.id, isApproved === true))
  })

  app.post<IdParams>('/api/checkout/:id/cancel', (request) => ({
    return_url: returnAddress(checkout.cancel(request.params.id)),
  }))
}

export function checkoutRoutes(app: FastifyInstance, parts: Dependencies): void {
  productRoutes(app, parts)
  payerRoutes(app, parts)
}
