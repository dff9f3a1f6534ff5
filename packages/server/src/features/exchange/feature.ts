import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { createLookUp } from '../wallets/wallets.ts'
import { listHeldBackFixes } from './exchange.ts'
import { exchangeRoutes } from './exchange.routes.ts'

export const feature: Feature = {
  name: 'exchange',
  routes: (api, product) => exchangeRoutes(api, { ...product, lookUp: createLookUp(api, product) }),
  tasks: [
    // Also at start, so that charts have a history before the first scheduled run.
    {
      name: 'fill_rate_history',
      at: '33 * * * *',
      atStart: 'always',
      run: ({ exchange }) => exchange.fillRateHistory(),
    },
  ],
  followers: [
    {
      in: ['app', 'worker'],
      // Each run polls only the sources that are due.
      pauseMs: 500,
      overlaps: true,
      failure: 'rates were not refreshed',
      level: 'warn',
      run: ({ exchange }) => exchange.refreshDueRates(),
    },
  ],
  gauges: [
    {
      name: 'tern_rates_age_seconds',
      help: 'Age of the exchange rates in use; NaN where none are known',
      isInMemory: true,
      read: ({ exchange }) => exchange.ratesAgeSeconds(),
    },
    {
      name: 'tern_rates_held_back',
      help: 'Pairs whose newest rate jumped and waits for an operator',
      read: async ({ pool }) => (await listHeldBackFixes(pool)).length,
    },
  ],
  async prepare({ exchange }, role) {
    if (role === 'app') await exchange.refreshRates()
  },
  findReadinessProblem: ({ config, exchange }) =>
    config.sandbox && !exchange.hasRates() ? 'rates_unknown' : undefined,
  auditRules,
}
