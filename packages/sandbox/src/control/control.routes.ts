import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { ApiError } from '../server/api.ts'
import { type ApiFaultSettings, readApiFaults } from './api-faults.ts'
import type { CardPayments, PaymentAction } from './control-targets.ts'
import { readFields } from '../server/fields.ts'
import { readWebhookFaults, type WebhookFaultSettings } from '../server/webhook-faults.ts'
import type { Webhooks } from '../server/webhooks.ts'

interface Parts {
  payments: CardPayments
  webhooks: Webhooks
  webhookFaults: WebhookFaultSettings
  apiFaults: ApiFaultSettings
  /** Requires the secret, and applies no faults. */
  onlySteering: onRequestHookHandler
}

const paymentActions: readonly PaymentAction[] = ['settle', 'fail', 'refund', 'dispute', 'win_dispute']

/** The control API for faults and card payments, itself without faults. */
export function controlRoutes(app: FastifyInstance, parts: Parts): void {
  const { payments, webhooks, webhookFaults, apiFaults, onlySteering } = parts
  const guard = { onRequest: onlySteering }

  app.get('/api/control/webhooks', guard, () => ({ ...webhookFaults.get(), deliveries: webhooks.list(200) }))
  app.put('/api/control/webhooks', guard, (request) => {
    const fields = readFields(request.body)
    const faults = readWebhookFaults(fields)
    fields.check()
    webhookFaults.change(faults)
    return webhookFaults.get()
  })
  app.post<{ Params: { number: string } }>('/api/control/webhooks/:number/resend', guard, ({ params }) =>
    webhooks.resend(params.number),
  )

  app.get('/api/control/faults', guard, () => apiFaults.get())
  app.put('/api/control/faults', guard, (request) => {
    const fields = readFields(request.body)
    const faults = readApiFaults(fields)
    fields.check()
    apiFaults.change(faults)
    return apiFaults.get()
  })

  app.post<{ Params: { id: string; action: string } }>('/api/control/payments/:id/:action', guard, ({ params }) => {
    const action = paymentActions.find((known) => known === params.action)
    if (!action) throw new ApiError(404, 'not_found', 'There is nothing at this address.')
    return payments[action](params.id)
  })
}
