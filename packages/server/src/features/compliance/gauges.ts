import type { Gauge } from '../../manifests/feature.ts'

export const complianceGauges: readonly Gauge[] = [
  {
    name: 'tern_cases_escalated',
    help: 'Open cases and objections that nobody decided in time',
    read: async ({ cases }) => Number(await cases.countEscalated()), // not money: a count
  },
  {
    name: 'tern_screening_list_age_seconds',
    help: 'Time since the files of a list were last given; NaN where they never were',
    label: 'source',
    async read({ compliance, now }) {
      const agesBySource = (await compliance.listStatus()).map(({ source, checkedAt }) => [
        source,
        checkedAt ? (now().getTime() - checkedAt.getTime()) / 1000 : Number.NaN,
      ])
      return Object.fromEntries(agesBySource) as Record<string, number>
    },
  },
  {
    name: 'tern_screening_fetch_failed',
    help: '1 for a list whose newest fetch failed',
    label: 'source',
    async read({ compliance }) {
      const failures = new Set((await compliance.fetchFailures()).map(({ source }) => source))
      const sources = (await compliance.listStatus()).map(({ source }) => source)
      return Object.fromEntries([...sources, ...failures].map((source) => [source, failures.has(source) ? 1 : 0]))
    },
  },
  {
    name: 'tern_screening_closed',
    help: '1 while lists are too old for anybody to be verified or paid',
    read: async ({ compliance }) => ((await compliance.lists.tooOld()).length > 0 ? 1 : 0),
  },
  {
    name: 'tern_screening_list_stale',
    help: '1 for a list that is missing or too old',
    label: 'source',
    read: async ({ compliance }) =>
      Object.fromEntries((await compliance.listStatus()).map(({ source, isStale }) => [source, isStale ? 1 : 0])),
  },
]
