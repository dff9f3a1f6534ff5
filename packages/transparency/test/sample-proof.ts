// A log with witnesses, and proofs of receipts in it, all from fixed seeds.

import { hashBytes, hashLeaf } from '../src/merkle.ts'
import { signCheckpoint, type Checkpoint } from '../src/checkpoint.ts'
import { cosign } from '../src/cosignature.ts'
import { createSigningKey, type SigningKey, toVerifierKey } from '../src/note-keys.ts'
import type { Policy } from '../src/policy.ts'
import { commitLedger, commitView, formatPostingLeaf, type LedgerPosting } from '../src/posting-leaf.ts'
import type { ReceiptProof } from '../src/receipt-proof.ts'
import { buildInclusionProof } from '../src/tiles.ts'
import { formatTilePath } from '../src/tile-paths.ts'
import { appendLeaves, computeEdgeRoot, emptyEdge, listEdgeTiles } from '../src/tree-edge.ts'
import { formatViewFacts, type ViewFacts } from '../src/view-facts.ts'

/** Bytes that depend only on their name. */
export const derive = (name: string): Uint8Array => hashBytes(new TextEncoder().encode(name))

export function deriveUuid(name: string): string {
  const digits = Array.from(derive(name).slice(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export const logKey: SigningKey = createSigningKey({ name: 'tern.example/log', type: 1, seed: derive('log') })
export const witnessKeys: readonly SigningKey[] = ['w1', 'w2'].map((name) =>
  createSigningKey({ name: `witness.example/${name}`, type: 4, seed: derive(name) }),
)

export const samplePolicy: Policy = {
  logs: [toVerifierKey(logKey)],
  witnesses: witnessKeys.map((key) => toVerifierKey(key)),
  quorum: witnessKeys.length,
}

export const samplePosting: LedgerPosting = {
  id: deriveUuid('posting'),
  kind: 'send',
  reference: deriveUuid('reference'),
  time: 1_796_021_100_123_456n,
  entries: [
    { accountName: 'wallet:b:USD', version: 7n, leg: 0, amount: 1000n, balance: 5000n },
    { accountName: 'wallet:a:USD', version: 12n, leg: 0, amount: -1000n, balance: 250n },
    { accountName: 'wallet:a:USD', version: 13n, leg: 1, amount: -5n, balance: 245n },
    { accountName: 'fee:USD#2', version: 900n, leg: 1, amount: 5n, balance: 77n },
  ],
}

export const sampleFacts: ViewFacts = {
  postingId: samplePosting.id,
  reference: samplePosting.reference,
  kind: 'send',
  time: samplePosting.time,
  changes: [
    { part: 'on_hold', currency: 'USD', scale: 2, minor: 0n },
    { part: 'available', currency: 'USD', scale: 2, minor: -1005n },
  ],
  fee: { currency: 'USD', scale: 2, minor: 5n },
  delivered: { currency: 'EUR', scale: 2, minor: 921n },
  fromName: 'Ana Sousa',
  toName: 'Zoë Müller 🐦',
}

export interface SampleInput {
  readonly facts?: ViewFacts
  readonly index?: number
  readonly size?: number
  readonly otherViews?: number
  readonly position?: number
}

/** Makes a log of postings of which one has the given facts, and proves the view of it. */
export function createSampleProof({
  facts = sampleFacts,
  index = 3,
  size = 11,
  otherViews = 1,
  position = 1,
}: SampleInput = {}): ReceiptProof {
  const salt = derive('salt')
  const closed = [
    commitLedger(samplePosting, derive('ledger salt')),
    ...Array.from({ length: otherViews }, (_, place) => derive(`view ${place}`)),
  ]
  const leaf = formatPostingLeaf(closed.toSpliced(position, 0, commitView(facts, salt)))
  const leafHashes = Array.from({ length: size }, (_, place) =>
    place === index ? hashLeaf(leaf) : derive(`leaf ${place}`),
  )
  const { edge, fullTiles } = appendLeaves(emptyEdge, leafHashes)
  const tiles = new Map([...fullTiles, ...listEdgeTiles(edge)].map((tile) => [formatTilePath(tile), tile.hashes]))
  const inclusion = buildInclusionProof({ index, size, tiles })
  const signed = signCheckpoint({ origin: logKey.name, size, root: computeEdgeRoot(edge) }, logKey)
  const checkpoint = cosignSample(signed, witnessKeys)
  return {
    index,
    inclusion,
    checkpoint,
    disclosure: { view: formatViewFacts(facts), salt, position, otherCommitments: closed },
  }
}

export const cosignSample = (checkpoint: Checkpoint, keys: readonly SigningKey[]): Checkpoint => ({
  ...checkpoint,
  signatures: [
    ...checkpoint.signatures,
    ...keys.map((key, place) => cosign(checkpoint.text, { time: 1_796_021_200 + place, key })),
  ],
})
