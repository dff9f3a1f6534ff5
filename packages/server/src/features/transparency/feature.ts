import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { logRoutes, proofRoutes } from './log.routes.ts'

export const feature: Feature = {
  name: 'transparency',
  routes: proofRoutes,
  rootRoutes: logRoutes,
  prepare: ({ transparency, pool }) => transparency.ensureKey(pool),
  followers: [
    {
      in: ['worker'],
      pauseMs: 2000,
      failure: 'the transparency log was not extended',
      run: ({ transparency, pool }) => transparency.append(pool),
    },
  ],
  auditRules,
}
