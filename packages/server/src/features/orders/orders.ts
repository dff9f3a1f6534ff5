import type { ChangedOrder, NewOrder, Order } from '@tern/contract/orders/orders'
import type { InputOf, Tx } from '../../platform/database/db.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { createRateAlerts } from './alerts/rate-alerts.ts'
import { createRateReturnAlerts } from './alerts/rate-return-alerts.ts'
import { fillTriggered } from './fill.ts'
import { cancelOrder, editOrder, placeOrder } from './order-changes.ts'
import { expireDue, expireIfDue, endHeldOrder } from './order-ends.ts'
import type { OrderOptions } from './order-rows.ts'
import { createOrderViews } from './order-view.ts'
import { createProtectionRules } from './protection/protection-rules.ts'

/** Orders at a rate, protection rules, and rate alerts. */
export function createOrders(options: OrderOptions) {
  const views = createOrderViews(options)
  const alerts = createRateAlerts(options)
  const returns = createRateReturnAlerts(options)
  const protection = createProtectionRules(options)

  return {
    list: views.list,
    /** Refuses `not_found`. */
    async one(userId: bigint, id: string): Promise<Order> {
      await expireIfDue(options, userId, id)
      return views.one(userId, id)
    },
    async place(caller: Caller, wanted: NewOrder, idempotencyKey: string): Promise<Order> {
      return views.one(caller.userId, await placeOrder(options, caller, wanted, idempotencyKey))
    },
    async edit(caller: Caller, id: string, wanted: ChangedOrder, idempotencyKey: string): Promise<Order> {
      await editOrder(options, caller, id, wanted, idempotencyKey)
      return views.one(caller.userId, id)
    },
    async cancel(userId: bigint, id: string): Promise<Order> {
      await cancelOrder(options, userId, id)
      return views.one(userId, id)
    },
    /** Updates the order of a held exchange that ends. */
    endHeldOrder: (tx: Tx, ended: InputOf<typeof endHeldOrder>) => endHeldOrder(options, tx, ended),

    alerts,
    returns,
    protection,

    /** Ends and fills orders, sends alerts and runs rules by the rates in use. Safe with any number of workers. */
    async runDue(): Promise<void> {
      await expireDue(options)
      await fillTriggered(options)
      await alerts.tellTriggered()
      await returns.tellReturned()
      await protection.runDue()
    },
  }
}

export type Orders = ReturnType<typeof createOrders>
