import type pg from 'pg'
import type { Db, WorkInput, Tx } from '../../platform/database/db.ts'
import {
  createRateAlert,
  editRateAlert,
  listRateAlerts,
  notifyTriggered,
  removeRateAlert,
} from './alerts/rate-alerts.ts'
import {
  createReturnAlert,
  listReturnAlerts,
  notifyReturned,
  removeReturnAlert,
  type WatchedPair,
} from './alerts/rate-return-alerts.ts'
import type { NoticeContext, OrdersContext } from './context.ts'
import { fillTriggered } from './fills/fill.ts'
import { cancelOrder, editOrder, placeOrder } from './order-changes.ts'
import { endHeldOrder, expireDue, expireIfDue } from './order-ends.ts'
import type { OwnOrder } from './order-rows.ts'
import { listOrders, readOrder } from './order-view.ts'
import { followIncoming } from './protection/incoming.ts'
import { type OwnRule, createRule, editRule, listRules, removeRule } from './protection/protection-rules.ts'
import { checkShares, runActions } from './protection/rule-actions.ts'

/** Exchange orders, protection rules and rate alerts. */
export function createOrders({ pool, ...ctx }: OrdersContext & { readonly pool: pg.Pool }) {
  return {
    list: (db: Db, input: WorkInput<typeof listOrders>) => listOrders(ctx, db, input),
    one: (ownOrder: OwnOrder) => readCurrentOrder(ctx, pool, ownOrder),
    place: (input: WorkInput<typeof placeOrder>) => placeOrder(ctx, pool, input),
    edit: (input: WorkInput<typeof editOrder>) => editOrder(ctx, pool, input),
    cancel: (ownOrder: OwnOrder) => cancelOrder(ctx, pool, ownOrder),
    runDue: () => runDue(ctx, pool),

    alerts: {
      list: (db: Db, userId: bigint) => listRateAlerts(ctx, db, userId),
      create: (input: WorkInput<typeof createRateAlert>) => createRateAlert(ctx, pool, input),
      edit: (input: WorkInput<typeof editRateAlert>) => editRateAlert(ctx, pool, input),
      remove: (input: WorkInput<typeof removeRateAlert>) => removeRateAlert(ctx, pool, input),
      notifyTriggered: () => notifyTriggered(ctx, pool),
    },

    returns: {
      list: (db: Db, userId: bigint) => listReturnAlerts(db, userId),
      create: (pair: WatchedPair) => createReturnAlert(ctx, pool, pair),
      remove: (pair: WatchedPair) => removeReturnAlert(pool, pair),
      notifyReturned: () => notifyReturned(ctx, pool),
    },

    protection: {
      list: (db: Db, userId: bigint) => listRules(ctx, db, userId),
      create: (input: WorkInput<typeof createRule>) => createRule(ctx, pool, input),
      edit: (input: WorkInput<typeof editRule>) => editRule(ctx, pool, input),
      remove: (ownRule: OwnRule) => removeRule(ctx, pool, ownRule),
      runDue: () => runRules(ctx, pool),
    },
  }
}

export type Orders = ReturnType<typeof createOrders>

/** Ends orders whose held exchange was decided. Separate from `createOrders`, which depends on held transfers. */
export const createOrderPurpose = (ctx: NoticeContext) => ({
  endHeld: (tx: Tx, end: WorkInput<typeof endHeldOrder>) => endHeldOrder(ctx, tx, end),
})

/** Returns one of the user's orders, after ending it if it has expired. Refuses `not_found`. */
async function readCurrentOrder(ctx: OrdersContext, pool: pg.Pool, ownOrder: OwnOrder) {
  await expireIfDue(ctx, pool, ownOrder)
  return readOrder(ctx, pool, ownOrder)
}

/**
 * Ends and fills orders, sends alerts and runs protection rules at the current rates. Safe with any number of workers.
 */
async function runDue(ctx: OrdersContext, pool: pg.Pool): Promise<void> {
  await expireDue(ctx, pool)
  await fillTriggered(ctx, pool)
  await notifyTriggered(ctx, pool)
  await notifyReturned(ctx, pool)
  await runRules(ctx, pool)
}

/** Runs protection rules at the current rates. Safe with any number of workers. */
async function runRules(ctx: OrdersContext, pool: pg.Pool): Promise<void> {
  await followIncoming(ctx, pool)
  await checkShares(ctx, pool)
  await runActions(ctx, pool)
}
