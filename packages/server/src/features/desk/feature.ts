import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { followCases } from './follow-cases.ts'

/** Endpoints are served on the admin port (`desk-app.ts`), so the feature has no routes below `/api`. */
export const feature: Feature = {
  name: 'desk',
  tasks: [{ name: 'follow_cases', at: '* * * * *', run: followCases }],
  auditRules,
}
