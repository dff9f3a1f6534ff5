import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { createLookUp } from '../wallets/wallets.ts'
import { requestsRoutes } from './requests.routes.ts'

export const feature: Feature = {
  name: 'requests',
  routes: (api, product) => requestsRoutes(api, { ...product, lookUp: createLookUp(api, product) }),
  tasks: [{ name: 'end_due_requests', at: '* * * * *', run: ({ requests }) => requests.endDue() }],
  auditRules,
}
