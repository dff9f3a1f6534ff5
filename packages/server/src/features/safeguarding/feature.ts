import type { Feature } from '../../manifests/feature.ts'

export const feature: Feature = {
  name: 'safeguarding',
  tasks: [{ name: 'compare_safeguarded_money', at: '17 * * * *', run: ({ safeguarding }) => safeguarding.compare() }],
  gauges: [
    {
      name: 'tern_safeguarding_findings',
      help: 'Open differences between safeguarded money and our records, or days without a comparison',
      label: 'state',
      read: ({ safeguarding }) => safeguarding.countFindings(),
    },
    {
      name: 'tern_safeguarding_age_seconds',
      help: 'Time since the end of the last day that was compared; NaN for a bank that was never compared',
      label: 'bank',
      read: ({ safeguarding }) => safeguarding.readAges(),
    },
  ],
}
