import type { Feature } from '../../manifests/feature.ts'
import { readJobId } from '../../platform/database/queue/job-payload.ts'
import { verificationsQueue } from './desk/verifications-queue.ts'
import { kycRoutes } from './kyc.routes.ts'

export const feature: Feature = {
  name: 'kyc',
  routes: (api, { kyc }) => kycRoutes(api, kyc),
  tasks: [
    { name: 'resume_kyc', at: '* * * * *', run: ({ kyc }) => kyc.resumePending() },
    { name: 'redact_kyc', at: '* * * * *', run: ({ kyc }) => kyc.runDueRedactions() },
  ],
  jobs: [
    {
      name: 'begin_verification',
      atOnce: 3,
      hasOwnRunner: false,
      run: ({ kyc }, payload) => kyc.beginCheck(readJobId(payload, 'submissionId')),
    },
  ],
  deskQueues: [verificationsQueue],
}
