import type { Feature } from '../../manifests/feature.ts'
import { pricesRoutes } from './prices.routes.ts'

export const feature: Feature = {
  name: 'prices',
  routes: (api, { prices }) => pricesRoutes(api, prices),
  tasks: [{ name: 'count_fees', at: '10 0 * * *', run: ({ prices }) => prices.countMonths() }],
}
