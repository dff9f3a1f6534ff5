import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { disputesQueue } from './desk/disputes-queue.ts'
import { disputesRoutes } from './disputes.routes.ts'

export const feature: Feature = {
  name: 'disputes',
  routes: disputesRoutes,
  tasks: [{ name: 'run_disputes', at: '* * * * *', run: ({ disputes }) => disputes.runDue() }],
  gauges: [
    {
      name: 'tern_disputes_overdue',
      help: 'Disputes and objections that nobody decided in time',
      read: ({ disputes }) => disputes.overdue(),
    },
  ],
  deskQueues: [disputesQueue],
  auditRules,
}
