import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { ApiError, readIdempotencyKey } from '../server/api.ts'
import type { BankAccounts } from './bank-accounts.ts'
import { currencyDecimals } from '../server/currency.ts'
import type { BankDebits } from './debits.ts'
import { readFields } from '../server/fields.ts'
import type { Links, NewLink } from './links.ts'
import type { NewOrder } from './order-rows.ts'
import type { BankPayouts } from './payouts.ts'

function requireKey(headers: Readonly<Record<string, unknown>>): string {
  const key = readIdempotencyKey(headers)
  if (key === undefined) throw new ApiError(400, 'idempotency_key_missing', 'Send an Idempotency-Key header.')
  return key
}

function isWebAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password
}

function readLink(body: unknown): NewLink {
  const fields = readFields(body)
  const link = {
    reference: fields.text('reference', { max: 100 }),
    userReference: fields.text('user_reference', { max: 100 }),
    holderName: fields.text('holder_name', { max: 200 }),
    email: fields.text('email', { max: 254 }),
    country: fields.text('country', { max: 2, pattern: /^[A-Z]{2}$/, message: 'Must be a code such as US.' }),
    returnUrl: fields.text('return_url', { max: 2000 }),
  }
  if (link.returnUrl && !isWebAddress(link.returnUrl)) {
    fields.wrong('return_url', 'Must be an http or https address.')
  }
  fields.check()
  return link
}

function readOrder(body: unknown): NewOrder {
  const fields = readFields(body)
  const order = {
    amountMinor: fields.text('amount_minor', {
      max: 12,
      pattern: /^[1-9]\d*$/,
      message: 'Must be a whole number of the smallest unit, above zero, as a text of digits.',
    }),
    currency: fields.text('currency', { max: 3 }),
    reference: fields.text('reference', { max: 100 }),
    accountToken: fields.text('account_token', { max: 100 }),
    description: fields.text('description', { max: 200, optional: true }),
  }
  if (order.currency && !currencyDecimals.has(order.currency)) {
    fields.wrong('currency', `Must be one of ${[...currencyDecimals.keys()].join(', ')}.`)
  }
  fields.check()
  return order
}

interface ById {
  Params: { id: string }
}

interface Parts {
  links: Links
  accounts: BankAccounts
  debits: BankDebits
  payouts: BankPayouts
  publicUrl: () => string
  onlyProduct: onRequestHookHandler
}

/** The product's bank API. */
export function bankRoutes(app: FastifyInstance, parts: Parts): void {
  const { links, accounts, debits, payouts, publicUrl } = parts
  const guard = { onRequest: parts.onlyProduct }

  app.post('/api/bank/links', guard, (request, reply) => {
    const { id } = links.begin(readLink(request.body), requireKey(request.headers))
    reply.code(201)
    return { session_id: id, url: `${publicUrl()}/banks/${id}` }
  })
  app.get<ById>('/api/bank/links/:id', guard, (request) => links.show(request.params.id))
  app.post<ById>('/api/bank/accounts/:id/unlink', guard, (request) => {
    accounts.unlink(request.params.id)
    return {}
  })

  app.post('/api/bank/debits', guard, (request, reply) => {
    reply.code(201)
    return debits.order(readOrder(request.body), requireKey(request.headers))
  })
  app.get<ById>('/api/bank/debits/:id', guard, (request) => debits.show(request.params.id))
  app.post<ById>('/api/bank/debits/:id/cancel', guard, (request) => debits.cancel(request.params.id))

  app.post('/api/payouts', guard, (request, reply) => {
    reply.code(201)
    return payouts.order(readOrder(request.body), requireKey(request.headers))
  })
  app.get<ById>('/api/payouts/:id', guard, (request) => payouts.show(request.params.id))
}

/** Manual control of debits and payouts. */
export function bankControlRoutes(app: FastifyInstance, parts: Pick<Parts, 'debits' | 'payouts' | 'onlyProduct'>) {
  const { debits, payouts } = parts
  const guard = { onRequest: parts.onlyProduct }
  app.post<ById>('/api/control/debits/:id/settle', guard, ({ params }) => debits.settle(params.id))
  app.post<ById>('/api/control/debits/:id/fail', guard, ({ params }) => debits.fail(params.id))
  app.post<ById>('/api/control/debits/:id/return', guard, ({ params }) => debits.return(params.id))
  app.post<ById>('/api/control/payouts/:id/pay', guard, ({ params }) => payouts.pay(params.id))
  app.post<ById>('/api/control/payouts/:id/fail', guard, ({ params }) => payouts.fail(params.id))
  app.post<ById>('/api/control/payouts/:id/return', guard, ({ params }) => payouts.return(params.id))
}
