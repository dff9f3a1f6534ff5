import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import type { Product } from '../../product.ts'
import { ordersRoutes } from './orders.routes.ts'

export const feature: Feature = {
  name: 'orders',
  routes: (api, { orders }) => ordersRoutes(api, orders),
  followers: [{ in: ['worker'], pauseMs: 1000, failure: 'due orders were not run', run: runDueOrders }],
  auditRules,
}

/** Runs orders at the newest stored rates. */
async function runDueOrders({ exchange, orders }: Product): Promise<void> {
  await exchange.readRates()
  await orders.runDue()
}
