// Logs that grow, fork and shrink, with a key that signs whatever they do.

import { encodeUtf8 } from '@tern/transparency/bytes'
import { type Checkpoint, formatCheckpoint, signCheckpoint } from '@tern/transparency/checkpoint'
import { hashLeaf } from '@tern/transparency/merkle'
import { createSigningKey, type SigningKey } from '@tern/transparency/note-keys'
import { buildConsistencyProof, buildRoot } from '@tern/transparency/tiles'
import { formatTilePath } from '@tern/transparency/tile-paths'
import { appendLeaves, emptyEdge, listEdgeTiles } from '@tern/transparency/tree-edge'
import { formatWitnessRequest } from '@tern/transparency/witness-request'

export const createLogKey = (name: string): SigningKey =>
  createSigningKey({ name, type: 1, seed: hashLeaf(encodeUtf8(name)) })

/** A log's leaves; two logs that share their first leaves share a history up to there. */
export type SampleLog = readonly Uint8Array[]

export const growLog = (log: SampleLog, count: number, branch: string): SampleLog => [
  ...log,
  ...Array.from({ length: count }, (_, place) => hashLeaf(encodeUtf8(`${branch} ${log.length + place}`))),
]

function buildTiles(log: SampleLog): ReadonlyMap<string, Uint8Array> {
  const { edge, fullTiles } = appendLeaves(emptyEdge, log)
  return new Map([...fullTiles, ...listEdgeTiles(edge)].map((tile) => [formatTilePath(tile), tile.hashes]))
}

export const computeLogRoot = (log: SampleLog): Uint8Array => buildRoot({ size: log.length, tiles: buildTiles(log) })

/** Body of the request to cosign the whole log, with the proof from its own first leaves. */
export function formatRequest(
  log: SampleLog,
  { oldSize, key }: { readonly oldSize: number; readonly key: SigningKey },
): string {
  const proof =
    oldSize > log.length ? [] : buildConsistencyProof({ size1: oldSize, size2: log.length, tiles: buildTiles(log) })
  return formatWitnessRequest({ oldSize, proof, checkpoint: signLog(log, key) })
}

export const signLog = (log: SampleLog, key: SigningKey): Checkpoint =>
  signCheckpoint({ origin: key.name, size: log.length, root: computeLogRoot(log) }, key)

export const formatSignedHead = (log: SampleLog, key: SigningKey): string => formatCheckpoint(signLog(log, key))
