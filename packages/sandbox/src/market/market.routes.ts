import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { type Fields, readFields } from '../server/fields.ts'
import { readLevels } from './market-fields.ts'
import type { Market, Prices } from './market.ts'

const toReply = ({ asOf, usdPerUnit }: Prices) => ({ as_of: asOf.toISOString(), usd_per_unit: usdPerUnit })

function readStartTime(fields: Fields): Date {
  const text = fields.text('from', { max: 40 })
  const from = new Date(text)
  if (text && Number.isNaN(from.getTime())) fields.addProblem('from', 'Must be a time such as 2026-03-01T09:00:00Z.')
  fields.check()
  return from
}

/** Registers the public price feed, and the manual control of the market. */
export function marketRoutes(app: FastifyInstance, market: Market, requireControl: onRequestHookHandler): void {
  const answer = (): object => ({ base: 'USD', ...toReply(market.latest()) })
  app.get('/api/rates', answer)
  app.get('/api/rates/history', ({ query }) => ({
    base: 'USD',
    points: market.history(readStartTime(readFields(query))).map(toReply),
  }))
  app.put('/api/rates', { onRequest: requireControl }, (request) => {
    market.setLevels(readLevels(request.body))
    return answer()
  })
  app.get('/api/control/market', { onRequest: requireControl }, () => market.get())
  app.put('/api/control/market', { onRequest: requireControl }, (request) => market.change(request.body))
}
