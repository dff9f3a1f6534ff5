import type { Feature } from './feature.ts'
import { features } from '../features/list.ts'

async function loadManifest(name: string): Promise<Feature> {
  const { feature } = (await import(`../features/${name}/feature.ts`)) as { readonly feature: Feature }
  return feature
}

/** Manifests of all features, in dependency order. */
export const manifests: readonly Feature[] = await Promise.all(features.map(loadManifest))
