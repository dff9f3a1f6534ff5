import { type Atlas, readAtlas, type StoredAtlas } from '@tern/contract/chart/globe'
import atlasAddress from '@tern/contract/chart/land.json?url'

/** A map is drawn without land where the atlas did not come. */
export const noAtlas: Atlas = { land: [], countries: {} }

/** Land and countries of all maps of a route. */
export const atlasQuery = {
  queryKey: ['atlas'],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Atlas> =>
    readAtlas((await (await fetch(atlasAddress, { signal })).json()) as StoredAtlas),
  staleTime: Infinity,
  retry: false,
}
