import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { limitsRoutes } from './limits.routes.ts'

export const feature: Feature = {
  name: 'limits',
  routes: limitsRoutes,
  auditRules,
}
