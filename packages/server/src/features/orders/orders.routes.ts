import { cancelOrder, editOrder, order, orders as listOrders, placeOrder } from '@tern/contract/orders/orders'
import {
  createProtectionRule,
  editProtectionRule,
  protectionRules,
  removeProtectionRule,
} from '@tern/contract/orders/protection-rules'
import { createRateAlert, editRateAlert, rateAlerts, removeRateAlert } from '@tern/contract/orders/rate-alerts'
import {
  createRateReturnAlert,
  rateReturnAlerts,
  removeRateReturnAlert,
} from '@tern/contract/orders/rate-return-alerts'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { serve, serveReading } from '../../platform/http/serve.ts'
import type { Orders } from './orders.ts'

const changesPerMinute = 60

/** Registers `/orders`, `/protection-rules`, `/rate-alerts` and `/rate-return-alerts`, for the caller's own data. */
export function ordersRoutes(app: FastifyInstance, orders: Orders): void {
  const { alerts, returns, protection } = orders
  const limitChanges = limitPerUser(app, 'orders', changesPerMinute)

  serveReading(app, listOrders, ({ caller, query, db }) =>
    orders.list(db, { userId: caller.userId, cursor: query.cursor }),
  )
  serve(app, order, ({ caller, params }) => orders.one({ userId: caller.userId, id: params.id }))
  serve(app, placeOrder, async ({ caller, body, idempotencyKey, request }) => {
    await limitChanges(request)
    return orders.place({ caller, body, idempotencyKey })
  })
  serve(app, editOrder, async ({ caller, params, body, idempotencyKey, request }) => {
    await limitChanges(request)
    return orders.edit({ caller, id: params.id, body, idempotencyKey })
  })
  serve(app, cancelOrder, async ({ caller, params, request }) => {
    await limitChanges(request)
    return orders.cancel({ userId: caller.userId, id: params.id })
  })

  serveReading(app, protectionRules, ({ caller, db }) => protection.list(db, caller.userId))
  serve(app, createProtectionRule, async ({ caller, body, idempotencyKey, request }) => {
    await limitChanges(request)
    return protection.create({ caller, body, idempotencyKey })
  })
  serve(app, editProtectionRule, async ({ caller, params, body, request }) => {
    await limitChanges(request)
    return protection.edit({ caller, id: params.id, body })
  })
  serve(app, removeProtectionRule, async ({ caller, params, request }) => {
    await limitChanges(request)
    await protection.remove({ userId: caller.userId, id: params.id })
    return undefined
  })

  serveReading(app, rateAlerts, ({ caller, db }) => alerts.list(db, caller.userId))
  serve(app, createRateAlert, async ({ caller, body, idempotencyKey, request }) => {
    await limitChanges(request)
    return alerts.create({ userId: caller.userId, body, idempotencyKey })
  })
  serve(app, editRateAlert, async ({ caller, params, body, request }) => {
    await limitChanges(request)
    return alerts.edit({ userId: caller.userId, id: params.id, body })
  })
  serve(app, removeRateAlert, async ({ caller, params, request }) => {
    await limitChanges(request)
    await alerts.remove({ userId: caller.userId, id: params.id })
    return undefined
  })

  serveReading(app, rateReturnAlerts, ({ caller, db }) => returns.list(db, caller.userId))
  serve(app, createRateReturnAlert, async ({ caller, params, request }) => {
    await limitChanges(request)
    return returns.create({ userId: caller.userId, from: params.from, to: params.to })
  })
  serve(app, removeRateReturnAlert, async ({ caller, params, request }) => {
    await limitChanges(request)
    await returns.remove({ userId: caller.userId, from: params.from, to: params.to })
    return undefined
  })
}
