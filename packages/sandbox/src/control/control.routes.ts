import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { ApiFaultSettings } from './api-faults.ts'
import type { ControlTargets } from './control-targets.ts'
import type { Payees } from '../banks/payees.ts'
import type { OwnMoney } from '../reports/own-money.ts'
import { readFields } from '../server/fields.ts'
import type { WebhookFaultSettings } from '../server/webhook-faults.ts'
import type { Webhooks } from '../server/webhooks.ts'

interface Dependencies {
  targets: ControlTargets
  webhooks: Webhooks
  webhookFaults: WebhookFaultSettings
  apiFaults: ApiFaultSettings
  ownMoney: OwnMoney
  payees: Payees
  /** Requires the secret; applies no API faults. */
  requireControl: onRequestHookHandler
}

/** Registers the control API for faults, payments, debits and payouts. API faults do not apply to it. */
export function controlRoutes(app: FastifyInstance, parts: Dependencies): void {
  const { targets, webhooks, webhookFaults, apiFaults, ownMoney, payees, requireControl } = parts
  const guard = { onRequest: requireControl }

  app.get('/api/control/webhooks', guard, () => ({ ...webhookFaults.get(), deliveries: webhooks.list(200) }))
  app.put('/api/control/webhooks', guard, (request) => webhookFaults.change(readFields(request.body)))
  app.post<{ Params: { number: string } }>('/api/control/webhooks/:number/resend', guard, ({ params }) =>
    webhooks.resend(params.number),
  )

  app.get('/api/control/faults', guard, () => apiFaults.get())
  app.put('/api/control/faults', guard, (request) => apiFaults.change(readFields(request.body)))

  app.get('/api/control/payees', guard, () => payees.getOverride())
  app.put('/api/control/payees', guard, (request) => payees.override(readFields(request.body)))

  app.get('/api/control/own-money', guard, () => ownMoney.get())
  app.put('/api/control/own-money', guard, (request) => ownMoney.change(readFields(request.body)))
  app.post('/api/control/own-money/lines', guard, (request, reply) =>
    reply.code(201).send(ownMoney.add(readFields(request.body))),
  )

  for (const [kind, target] of Object.entries(targets)) {
    app.post<{ Params: { id: string; action: string } }>(`/api/control/${kind}/:id/:action`, guard, ({ params }) =>
      target.execute(params.id, params.action),
    )
  }
}
