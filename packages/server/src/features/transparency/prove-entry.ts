// Place of an entry in the log, with its path to the root of a signed tree.

import type { LogProof } from '@tern/transparency/proof-file'
import { buildInclusionProof, listInclusionTiles } from '@tern/transparency/tiles'
import type { Db } from '../../platform/database/db.ts'
import { readProvingCheckpoint } from './checkpoints.ts'
import { loadTiles } from './tile-store.ts'

/** Proves the entry at an index; undefined until a signed checkpoint contains it. */
export async function proveEntry(db: Db, index: number): Promise<Omit<LogProof, 'extra'> | undefined> {
  const checkpoint = await readProvingCheckpoint(db, index)
  if (!checkpoint) return undefined
  const { size } = checkpoint
  const tiles = await loadTiles(db, listInclusionTiles({ index, size }))
  return { index, inclusion: buildInclusionProof({ index, size, tiles }), checkpoint }
}
