import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { createLookUp } from '../wallets/wallets.ts'
import { createSchedules } from './schedules.ts'
import { schedulesRoutes } from './schedules.routes.ts'

export const feature: Feature = {
  name: 'schedules',
  routes: (api, product) => schedulesRoutes(api, createSchedules(product), createLookUp(api, product)),
  tasks: [{ name: 'run_schedules', at: '* * * * *', run: (product) => createSchedules(product).runDue() }],
  auditRules,
}
