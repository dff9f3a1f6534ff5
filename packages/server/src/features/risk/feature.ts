import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { streetModeRoutes } from './street/street-mode.routes.ts'

export const feature: Feature = {
  name: 'risk',
  routes: (api, { streetMode, identity }) => streetModeRoutes(api, streetMode, identity),
  auditRules,
}
