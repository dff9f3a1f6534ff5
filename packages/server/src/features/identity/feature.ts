import type { Feature } from '../../manifests/feature.ts'
import { identityRoutes, wellKnownRoutes } from './identity.routes.ts'

export const feature: Feature = {
  name: 'identity',
  routes: (api, { identity }) => identityRoutes(api, identity),
  rootRoutes: (http, { identity }) => wellKnownRoutes(http, identity),
  tasks: [{ name: 'retire_old_key', at: '23 3 * * *', run: ({ identity }) => identity.retireOldKey() }],
}
