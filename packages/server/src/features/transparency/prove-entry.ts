// Place of an entry in the log, with its path to the root of a signed tree.

import type { LogProof } from '@tern/transparency/proof-file'
import { buildInclusionProof, listInclusionTiles } from '@tern/transparency/tiles'
import type { Db } from '../../platform/database/db.ts'
import { type Quorum, readProvingCheckpoint } from './checkpoints.ts'
import { loadTiles } from './tile-store.ts'

export interface ProofContext {
  readonly counting: Quorum
  readonly realNow: () => Date
}

/** Proves with the last checkpoint, whatever its cosignatures. */
export const withoutQuorum: ProofContext = { counting: { witnesses: [], quorum: 0 }, realNow: () => new Date() }

/** Proves the entry at an index; undefined until a signed checkpoint contains it, or a quorum is still to be expected. */
export async function proveEntry(
  { counting, realNow }: ProofContext,
  db: Db,
  index: number,
): Promise<Omit<LogProof, 'extra'> | undefined> {
  const checkpoint = await readProvingCheckpoint(db, { leafIndex: index, ...counting, now: realNow() })
  if (!checkpoint) return undefined
  const { size } = checkpoint
  const tiles = await loadTiles(db, listInclusionTiles({ index, size }))
  return { index, inclusion: buildInclusionProof({ index, size, tiles }), checkpoint }
}
