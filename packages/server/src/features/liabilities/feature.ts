import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { liabilitiesRoutes } from './liabilities.routes.ts'

export const feature: Feature = {
  name: 'liabilities',
  routes: liabilitiesRoutes,
  tasks: [
    {
      name: 'close_liabilities',
      at: '*/5 * * * *',
      run: ({ liabilities, pool }) => liabilities.closeDays(pool),
    },
  ],
  auditRules,
}
