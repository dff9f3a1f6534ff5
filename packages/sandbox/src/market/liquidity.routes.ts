import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { marketDecimals } from '../server/currency.ts'
import { readFields } from '../server/fields.ts'
import type { Liquidity, NewLiquidityOrder } from './liquidity.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function readOrder(body: unknown): NewLiquidityOrder {
  const fields = readFields(body)
  const raw = fields.raw('sell')
  const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw)
  if (!isObject) fields.addProblem('sell', 'Must be an object with currency and amount_minor.')
  const { currency: sellCurrency, amount_minor: sellMinor } = (isObject ? raw : {}) as Record<string, unknown>
  const order = {
    id: fields.text('id', { max: 36, pattern: uuid, message: 'Must be a UUID in lower case.' }),
    sellCurrency: typeof sellCurrency === 'string' ? sellCurrency : '',
    sellMinor: typeof sellMinor === 'string' ? sellMinor : '',
    buyCurrency: fields.text('buy', { max: 4 }),
  }
  const allowedText = `Must be one of ${[...marketDecimals.keys()].join(', ')}.`
  if (isObject && !marketDecimals.has(order.sellCurrency)) fields.addProblem('sell.currency', allowedText)
  if (isObject && !/^[1-9]\d{0,29}$/.test(order.sellMinor)) {
    fields.addProblem('sell.amount_minor', 'Must be a text of 1 to 30 digits, above zero.')
  }
  if (order.buyCurrency && !marketDecimals.has(order.buyCurrency)) fields.addProblem('buy', allowedText)
  else if (order.buyCurrency === order.sellCurrency) fields.addProblem('buy', 'Must be another currency than is sold.')
  fields.check()
  return order
}

interface RouteGuards {
  requireProduct: onRequestHookHandler
  /** Requires the secret; applies no API faults. */
  requireControl: onRequestHookHandler
}

/** Registers the liquidity venue's API, and its manual control. */
export function liquidityRoutes(
  app: FastifyInstance,
  liquidity: Liquidity,
  { requireProduct, requireControl }: RouteGuards,
): void {
  app.post('/api/liquidity/orders', { onRequest: requireProduct }, (request, reply) => {
    reply.code(201)
    return liquidity.place(readOrder(request.body))
  })
  app.get<{ Params: { id: string } }>('/api/liquidity/orders/:id', { onRequest: requireProduct }, ({ params }) =>
    liquidity.show(params.id),
  )
  app.get('/api/control/liquidity', { onRequest: requireControl }, () => liquidity.get())
  app.put('/api/control/liquidity', { onRequest: requireControl }, (request) =>
    liquidity.change(readFields(request.body)),
  )
}
