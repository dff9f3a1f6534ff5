import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { ApiError, readIdempotencyKey } from './api.ts'
import { readCard, type TestCard } from './cards.ts'
import type { Checkout, NewSession, Session } from './checkout.ts'
import type { Clock } from './clock.ts'
import { currencyDecimals } from './currency.ts'
import { type Fields, readFields } from './fields.ts'

function checkReturnUrl(fields: Fields, text: string): void {
  if (!text) return
  const url = URL.canParse(text) ? new URL(text) : undefined
  const usable = url && (url.protocol === 'http:' || url.protocol === 'https:') && !url.username && !url.password
  if (!usable) fields.wrong('return_url', 'Must be an http or https address.')
}

function readSession(body: unknown): NewSession {
  const fields = readFields(body)
  const amountMinor = fields.text('amount_minor', {
    max: 12,
    pattern: /^[1-9]\d*$/,
    message: 'Must be a whole number of the smallest unit, above zero, as a text of digits.',
  })
  const currency = fields.text('currency', { max: 3 })
  if (currency && !currencyDecimals.has(currency)) {
    fields.wrong('currency', `Must be one of ${[...currencyDecimals.keys()].join(', ')}.`)
  }
  const reference = fields.text('reference', { max: 100 })
  const description = fields.text('description', { max: 200, optional: true })
  const returnUrl = fields.text('return_url', { max: 2000 })
  checkReturnUrl(fields, returnUrl)
  fields.check()
  return { amountMinor, currency, reference, description, returnUrl }
}

const shown = ({ id, status, amount_minor, currency, reference, capture_id }: Session): object => ({
  session_id: id,
  status,
  amount_minor,
  currency,
  reference,
  ...(capture_id === null ? {} : { capture_id }),
})

/** Reads the card of a pay request. Throws ApiError 422 with what is wrong by field. */
export function readPayment(body: unknown, now: Date): TestCard {
  const fields = readFields(body)
  const card = readCard(fields, now)
  fields.check()
  if (!card) throw new ApiError(500, 'internal_error', 'A card without a fault is a test card.')
  return card
}

export function checkoutRoutes(
  app: FastifyInstance,
  checkout: Checkout,
  clock: Clock,
  publicUrl: () => string,
  onlyProduct: onRequestHookHandler,
): void {
  app.post('/api/checkout/sessions', { onRequest: onlyProduct }, (request, reply) => {
    const key = readIdempotencyKey(request.headers)
    if (key === undefined) throw new ApiError(400, 'idempotency_key_missing', 'Send an Idempotency-Key header.')
    const session = checkout.create(readSession(request.body), key)
    reply.code(201)
    return { session_id: session.id, url: `${publicUrl()}/checkout/${session.id}` }
  })

  app.get<{ Params: { id: string } }>('/api/checkout/sessions/:id', { onRequest: onlyProduct }, (request) =>
    shown(checkout.find(request.params.id)),
  )

  // The next two are called by the hosted page in the payer's browser: knowing the session is the permission.
  app.post<{ Params: { id: string } }>('/api/checkout/:id/pay', (request) => {
    const result = checkout.pay(request.params.id, () => readPayment(request.body, clock.now()))
    if (result.status === 'paid') return { status: 'paid', return_url: result.returnUrl }
    return { status: 'failed', return_url: null, message: result.message }
  })

  app.post<{ Params: { id: string } }>('/api/checkout/:id/cancel', (request) => ({
    return_url: checkout.cancel(request.params.id).returnUrl,
  }))
}
