import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { readFields } from '../server/fields.ts'
import type { SafeguardingBanks } from './safeguarding-banks.ts'

interface Guards {
  requireProduct: onRequestHookHandler
  /** Requires the secret; applies no API faults. */
  requireControl: onRequestHookHandler
}

export function safeguardingRoutes(
  app: FastifyInstance,
  banks: SafeguardingBanks,
  { requireProduct, requireControl }: Guards,
): void {
  const guard = { onRequest: requireProduct }
  app.get<{ Params: { bank: string; day: string } }>('/api/safeguarding/:bank/statements/:day', guard, ({ params }) =>
    banks.readStatement(params.bank, params.day),
  )
  app.post<{ Params: { bank: string } }>('/api/safeguarding/:bank/transfers', guard, (request, reply) =>
    reply.code(201).send(banks.transfer(request.params.bank, readFields(request.body))),
  )

  const control = { onRequest: requireControl }
  app.get('/api/control/safeguarding', control, () => banks.list())
  app.put('/api/control/safeguarding/withheld', control, (request) => ({
    unavailable: banks.withhold(readFields(request.body)),
  }))
  app.post('/api/control/safeguarding/entries', control, (request, reply) =>
    reply.code(201).send(banks.add(readFields(request.body))),
  )
  app.post<{ Params: { id: string; action: string } }>(
    '/api/control/safeguarding/entries/:id/:action',
    control,
    ({ params }) => banks.execute(params.id, params.action),
  )
}
