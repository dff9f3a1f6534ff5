import type { Feature } from '../../manifests/feature.ts'
import { readJobId } from '../../platform/database/queue/job-payload.ts'
import type { Product } from '../../product.ts'
import { forwardEntry, resumeForwarding, type WaitlistContext } from './waitlist.ts'
import { waitlistRoutes } from './waitlist.routes.ts'

export const feature: Feature = {
  name: 'waitlist',
  routes: (api, product) => waitlistRoutes(api, { ...createContext(product), ...product }),
  tasks: [
    {
      name: 'resume_waitlist',
      at: '7 * * * *',
      run: (product) => resumeForwarding(createContext(product), product.pool),
    },
  ],
  jobs: [
    {
      name: 'forward_waitlist',
      atOnce: 2,
      hasOwnRunner: true,
      run: (product, payload) => forwardEntry(createContext(product), product.pool, readJobId(payload, 'waitlistId')),
    },
  ],
}

const createContext = ({ config }: Product): WaitlistContext => ({ formUrl: config.waitlistFormUrl })
