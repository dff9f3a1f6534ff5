// Proves day seals from the log's signed tree: the signature of the last checkpoint, and the inclusion of each seal.

import { encodeUtf8 } from '@tern/transparency/bytes'
import { hashBytes, hashLeaf, verifyInclusion } from '@tern/transparency/merkle'
import { buildVerifierKey, type VerifierKey } from '@tern/transparency/note-keys'
import { formatDaySeal } from '@tern/transparency/posting-leaf'
import { isSignedBy, verifyTextSignature } from '@tern/transparency/signed-note'
import { buildInclusionProof, listInclusionTiles } from '@tern/transparency/tiles'
import type { Checkpoint } from '@tern/transparency/checkpoint'
import type { Db } from '../../../platform/database/db.ts'
import { readLastCheckpoint } from '../checkpoints.ts'
import { loadTiles, MissingTileError } from '../tile-store.ts'

interface SealRow {
  readonly day: string
  readonly leaf_index: bigint
  readonly content: string
}

export interface SealProofs {
  readonly checked: number
  /** Sentences, one for each seal that is not in the signed log. */
  readonly faults: readonly string[]
}

/** Proves the seals from a day on, or all, without any secret. */
export async function proveSeals(db: Db, since?: string): Promise<SealProofs> {
  const { rows: seals } = await db.query<SealRow>(
    `select to_char(day, 'YYYY-MM-DD') as day, leaf_index, content from day_seal
      where $1::date is null or day >= $1::date order by day`,
    [since ?? null],
  )
  if (seals.length === 0) return { checked: 0, faults: [] }
  const checkpoint = await readLastCheckpoint(db)
  const key = await readVerifierKey(db)
  if (!checkpoint || !key || !isSigned(checkpoint, key)) {
    return { checked: seals.length, faults: ['the last checkpoint is not signed with the key of the log'] }
  }
  const faults: string[] = []
  for (const seal of seals) {
    if (!(await isIncluded(db, seal, checkpoint))) faults.push(`the seal of ${seal.day} is not in the signed log`)
  }
  return { checked: seals.length, faults }
}

async function readVerifierKey(db: Db): Promise<VerifierKey | undefined> {
  const { rows } = await db.query<{ origin: string; public_key: Buffer }>(
    'select origin, public_key from transparency_key',
  )
  const [row] = rows
  return row && buildVerifierKey({ name: row.origin, type: 1, publicKey: new Uint8Array(row.public_key) })
}

function isSigned({ text, signatures }: Checkpoint, key: VerifierKey): boolean {
  const signature = signatures.find((each) => isSignedBy(each, key))
  return signature !== undefined && verifyTextSignature(text, signature, key)
}

/** A seal that was appended after the checkpoint is signed within seconds, and the log's other rules cover it. */
async function isIncluded(db: Db, { day, leaf_index: leafIndex, content }: SealRow, checkpoint: Checkpoint) {
  const { size, root } = checkpoint
  const index = Number(leafIndex) // not money: a place in the log
  if (index >= size) return true
  const tiles = await loadTiles(db, listInclusionTiles({ index, size })).catch((error: unknown) => {
    if (error instanceof MissingTileError) return undefined
    throw error
  })
  if (!tiles) return false
  const proof = buildInclusionProof({ index, size, tiles })
  const leafHash = hashLeaf(formatDaySeal({ day, digest: hashBytes(encodeUtf8(content)) }))
  return verifyInclusion({ index, size, leafHash, proof, root })
}
