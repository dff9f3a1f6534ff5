import type { Feature } from '../../manifests/feature.ts'
import { insightRoutes } from './insight.routes.ts'

export const feature: Feature = { name: 'insight', routes: insightRoutes }
