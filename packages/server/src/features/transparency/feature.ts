import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import { logRoutes, proofRoutes } from './log.routes.ts'

export const feature: Feature = {
  name: 'transparency',
  routes: proofRoutes,
  rootRoutes: logRoutes,
  async prepare({ transparency, pool }) {
    await transparency.ensureKey(pool)
    await transparency.ensureWitnesses(pool)
  },
  followers: [
    {
      in: ['worker'],
      pauseMs: 2000,
      failure: 'the transparency log was not extended',
      run: ({ transparency, pool }) => transparency.append(pool),
    },
    {
      in: ['worker'],
      // A slow witness does not delay the others, because each run asks only those that are due and not being asked.
      pauseMs: 1000,
      overlaps: true,
      failure: 'witnesses were not asked to cosign',
      run: ({ transparency, pool }) => transparency.cosign(pool),
    },
  ],
  gauges: [
    {
      name: 'tern_log_unlogged_postings',
      help: 'Committed postings that are not in the transparency log',
      read: async ({ transparency, pool }) => (await transparency.readLogLag(pool)).postings,
    },
    {
      name: 'tern_log_lag_seconds',
      help: 'Age of the oldest posting that is not in the transparency log',
      async read({ transparency, pool, now }) {
        const { oldestAt } = await transparency.readLogLag(pool)
        return oldestAt ? Math.max(0, (now().getTime() - oldestAt.getTime()) / 1000) : 0
      },
    },
    {
      name: 'tern_log_cosignature_age_seconds',
      help: "Age of each witness's last cosignature; NaN without one",
      label: 'witness',
      async read({ transparency, pool }) {
        const states = await transparency.readWitnessStates(pool)
        return Object.fromEntries(
          states.map(({ name, cosignedAt }) => [
            name,
            cosignedAt ? (Date.now() - cosignedAt.getTime()) / 1000 : Number.NaN,
          ]),
        )
      },
    },
    {
      name: 'tern_log_refused_by_witness',
      help: '1 for a witness that refuses the transparency log, or signs with another key',
      label: 'witness',
      async read({ transparency, pool }) {
        const states = await transparency.readWitnessStates(pool)
        return Object.fromEntries(states.map(({ name, isRefused }) => [name, isRefused ? 1 : 0]))
      },
    },
  ],
  auditRules,
}
