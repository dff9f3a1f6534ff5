import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import type { Product } from '../../product.ts'
import { createLookUp } from '../wallets/wallets.ts'
import { holdsQueue } from './desk/holds-queue.ts'
import { streetHoldsRoutes } from './held/street/street-holds.routes.ts'
import { trackingRoutes } from './tracking/tracking.routes.ts'
import { transfersRoutes } from './transfers.routes.ts'
import { warningsRoutes } from './warnings/warnings.routes.ts'
import { undoWindowsRoutes } from './undo/undo-windows.routes.ts'

/** Maximum age of the deadlines that the follower handles. The task that runs every minute handles all. */
const recentMs = 10_000

export const feature: Feature = {
  name: 'transfers',
  routes(api, product) {
    const lookUp = createLookUp(api, product)
    transfersRoutes(api, { ...product, transferOf: product.payments.transferOf, lookUp })
    warningsRoutes(api, { ...product, lookUp })
    trackingRoutes(api, product.transferLinks)
    streetHoldsRoutes(api, product.transferLinks)
    undoWindowsRoutes(api, product.undoWindows)
  },
  tasks: [{ name: 'end_due_transfers', at: '* * * * *', run: endDueTransfers }],
  followers: [
    {
      in: ['worker'],
      pauseMs: 500,
      failure: 'held transfers that are due were not read',
      run: ({ heldTransfers, now }) => heldTransfers.endDue(new Date(now().getTime() - recentMs)),
    },
  ],
  deskQueues: [holdsQueue],
  auditRules,
}

/** Ends due transfers, and notifies senders of transfers that need a second proof. */
async function endDueTransfers({ heldTransfers, transferLinks }: Product): Promise<void> {
  await heldTransfers.endDue()
  await transferLinks.notifyStreetHolds()
}
