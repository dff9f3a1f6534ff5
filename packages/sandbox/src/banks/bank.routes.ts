import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { requireKey } from '../server/api.ts'
import { type BankAccounts, toNumbersReply } from './bank-accounts.ts'
import { readFields, readPayment, readReturnUrl } from '../server/fields.ts'
import { type Links, type NewLink, addReturnSecret } from './links.ts'
import type { NewOrder, Orders } from './orders.ts'
import type { Payees } from './payees.ts'

function readLink(body: unknown): NewLink {
  const fields = readFields(body)
  const link = {
    reference: fields.text('reference', { max: 100 }),
    userReference: fields.text('user_reference', { max: 100 }),
    holderName: fields.text('holder_name', { max: 200 }),
    email: fields.text('email', { max: 254 }),
    country: fields.text('country', { max: 2, pattern: /^[A-Z]{2}$/, message: 'Must be a code such as US.' }),
    returnUrl: readReturnUrl(fields),
  }
  const returnSecret = fields.text('return_secret', { max: 200, optional: true })
  fields.check()
  return { ...link, returnUrl: addReturnSecret(link.returnUrl, returnSecret) }
}

function readOrder(body: unknown): NewOrder {
  const fields = readFields(body)
  const order = { ...readPayment(fields), accountToken: fields.text('account_token', { max: 100 }) }
  fields.check()
  return order
}

interface IdParams {
  Params: { id: string }
}

interface Dependencies {
  links: Links
  accounts: BankAccounts
  payees: Payees
  debits: Orders
  payouts: Orders
  publicUrl: () => string
  requireProduct: onRequestHookHandler
}

/** Registers the API for bank links, debits and payouts, which the product calls. */
export function bankRoutes(app: FastifyInstance, parts: Dependencies): void {
  const { links, accounts, payees, debits, payouts, publicUrl } = parts
  const guard = { onRequest: parts.requireProduct }

  app.post('/api/bank/links', guard, (request, reply) => {
    const id = links.start(readLink(request.body), requireKey(request.headers))
    reply.code(201)
    return { session_id: id, url: `${publicUrl()}/banks/${id}` }
  })
  app.get<IdParams>('/api/bank/links/:id', guard, ({ params }) => links.show(params.id))
  app.get<IdParams>('/api/bank/accounts/:id/numbers', guard, ({ params }) => toNumbersReply(accounts.find(params.id)))
  app.post<IdParams>('/api/bank/accounts/:id/payee-checks', guard, ({ params, body }) => {
    const fields = readFields(body)
    const name = fields.text('holder_name', { max: 200 })
    fields.check()
    return payees.check(params.id, name)
  })
  app.post<IdParams>('/api/bank/accounts/:id/unlink', guard, ({ params }) => {
    accounts.unlink(params.id)
    return {}
  })

  for (const [path, orders] of [
    ['/api/bank/debits', debits],
    ['/api/payouts', payouts],
  ] as const) {
    app.post(path, guard, (request, reply) => {
      reply.code(201)
      return orders.place(readOrder(request.body), requireKey(request.headers))
    })
    app.get<IdParams>(`${path}/:id`, guard, ({ params }) => orders.getReply(params.id))
  }
  app.post<IdParams>('/api/bank/debits/:id/cancel', guard, ({ params }) => debits.cancel(params.id))
}
