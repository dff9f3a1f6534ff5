import { type Atlas, type StoredAtlas, readAtlas } from '@tern/drawing/atlas'
import atlasAddress from '@tern/drawing/land.json?url'

/** Fallback that draws a map without land. */
export const noAtlas: Atlas = { land: [], countries: {} }

/** Land and countries of all route maps. */
export const atlasQuery = {
  queryKey: ['atlas'],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Atlas> =>
    readAtlas((await (await fetch(atlasAddress, { signal })).json()) as StoredAtlas),
  staleTime: Infinity,
  retry: false,
}
