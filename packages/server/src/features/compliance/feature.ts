import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import type { Product } from '../../product.ts'
import { checksRoutes } from './compliance.ts'
import { casesQueue } from './desk/cases-queue.ts'
import { objectionsQueue } from './desk/objections-queue.ts'
import { complianceGauges } from './gauges.ts'

export const feature: Feature = {
  name: 'compliance',
  routes: (api, { cases }) => checksRoutes(api, cases),
  tasks: [
    { name: 'record_travel_rule', at: '* * * * *', run: recordTravelRule },
    { name: 'watch_moved', at: '* * * * *', run: watchMovedTransfers },
    { name: 'screen_people', at: '* * * * *', run: ({ compliance }) => compliance.screenDue() },
    { name: 'fetch_lists', at: '19 * * * *', atStart: 'production', run: ({ compliance }) => compliance.fetchLists() },
    { name: 'warn_of_stale_lists', at: '48 * * * *', run: warnOfStaleLists },
  ],
  gauges: complianceGauges,
  deskQueues: [casesQueue, objectionsQueue],
  async prepare(product, role) {
    if (role === 'worker' && product.config.mode === 'production') await warnOfStaleLists(product)
  },
  async warnings({ compliance }) {
    return (await compliance.lists.tooOld()).length > 0 ? ['screening_lists_not_current'] : []
  },
  publishedRules: async ({ compliance }) => ({ lists: await compliance.listsInForce() }),
  auditRules,
}

/** Refreshes the rates first, since thresholds are converted at current rates. */
async function recordTravelRule({ exchange, travelRule }: Product): Promise<void> {
  await exchange.refreshDueRates()
  await travelRule.recordDue()
}

/** Refreshes the rates first, since thresholds are converted at current rates. */
async function watchMovedTransfers({ exchange, monitoring }: Product): Promise<void> {
  await exchange.refreshDueRates()
  await monitoring.watchMovedTransfers()
}

/** Logs a warning for each list that is missing or stale. */
async function warnOfStaleLists({ compliance, log }: Product): Promise<void> {
  for (const { source, isStale, checkedAt } of await compliance.listStatus()) {
    if (isStale) log.warn({ source, checkedAt: checkedAt ?? null }, 'a screening list is missing or too old')
  }
}
