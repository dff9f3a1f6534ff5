import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { followCases } from './follow-cases.ts'

/** Serves its calls on the admin port (`desk-app.ts`), none below `/api`. */
export const feature: Feature = {
  name: 'desk',
  tasks: [{ name: 'follow_cases', at: '* * * * *', run: followCases }],
  auditRules,
}
