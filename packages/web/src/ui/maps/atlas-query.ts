import { type Atlas, readAtlas, type StoredAtlas } from '@tern/contract/chart/globe'
import atlasAddress from '@tern/contract/chart/land.json?url'

/** Fallback with which a map is drawn without land. */
export const noAtlas: Atlas = { land: [], countries: {} }

/** Land and countries of all route maps. */
export const atlasQuery = {
  queryKey: ['atlas'],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Atlas> =>
    readAtlas((await (await fetch(atlasAddress, { signal })).json()) as StoredAtlas),
  staleTime: Infinity,
  retry: false,
}
