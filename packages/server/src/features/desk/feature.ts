import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { callsRoutes } from './calls/calls.routes.ts'
import { endOverdueCalls } from './calls/operator-calls.ts'
import { followCases } from './follow-cases.ts'

/** Operators' endpoints are served on the admin port (`desk-app.ts`); below `/api` users see calls by operators. */
export const feature: Feature = {
  name: 'desk',
  routes: callsRoutes,
  tasks: [
    { name: 'follow_cases', at: '* * * * *', run: followCases },
    { name: 'end_overdue_calls', at: '* * * * *', run: endOverdueCalls },
  ],
  auditRules,
}
