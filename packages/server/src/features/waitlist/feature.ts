import type { Feature } from '../../manifests/feature.ts'
import { readJobId } from '../../platform/database/queue/job-payload.ts'
import { waitlistRoutes } from './waitlist.routes.ts'

export const feature: Feature = {
  name: 'waitlist',
  routes: (api, { waitlist, identity }) => waitlistRoutes(api, waitlist, identity.requireSameOrigin),
  tasks: [{ name: 'resume_waitlist', at: '7 * * * *', run: ({ waitlist }) => waitlist.resumeForwarding() }],
  jobs: [
    {
      name: 'forward_waitlist',
      atOnce: 2,
      hasOwnRunner: true,
      run: ({ waitlist }, payload) => waitlist.forward(readJobId(payload, 'waitlistId')),
    },
  ],
}
