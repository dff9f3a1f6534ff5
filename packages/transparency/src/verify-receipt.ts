// Verdict on the proof of a receipt. Needs no network: everything that is trusted is in the policy.

import { FormatError } from './format-error.ts'
import { verifyInclusion } from './merkle.ts'
import { type CheckpointVerdict, type Policy, verifyCheckpoint, type WitnessTime } from './policy.ts'
import {
  hashDisclosedLeaf,
  parseCompactProof,
  parseReceiptProof,
  readFacts,
  type ReceiptProof,
} from './receipt-proof.ts'
import type { ViewFacts } from './view-facts.ts'

export interface ValidReceipt {
  readonly state: 'valid'
  readonly facts: ViewFacts
  readonly origin: string
  readonly index: number
  readonly size: number
  /** Known witnesses that saw the checkpoint, and when. */
  readonly witnesses: readonly WitnessTime[]
}

export type InvalidReceipt =
  | { readonly state: 'invalid'; readonly reason: 'malformed'; readonly detail: string }
  | { readonly state: 'invalid'; readonly reason: 'not_included' }
  | Exclude<CheckpointVerdict, { state: 'valid' }>

export type ReceiptVerdict = ValidReceipt | InvalidReceipt

/** Checks the log's signature and the witnesses, then that the disclosed facts are in the signed tree. */
export function verifyReceiptProof(proof: ReceiptProof, policy: Policy): ReceiptVerdict {
  const { index, inclusion, checkpoint, disclosure } = proof
  const verdict = verifyCheckpoint(checkpoint, policy)
  if (verdict.state === 'invalid') return verdict
  const { origin, size, root } = checkpoint
  const leafHash = hashDisclosedLeaf(disclosure)
  return verifyInclusion({ index, size, leafHash, proof: inclusion, root })
    ? { state: 'valid', facts: readFacts(proof), origin, index, size, witnesses: verdict.witnesses }
    : { state: 'invalid', reason: 'not_included' }
}

/** Verifies a proof as text: a .tlog-proof file, the compact form, or an address with the compact form after `#`. */
export function verifyReceiptText(text: string, policy: Policy): ReceiptVerdict {
  let proof: ReceiptProof
  try {
    proof = parseReceiptText(text)
  } catch (error) {
    if (error instanceof FormatError) return { state: 'invalid', reason: 'malformed', detail: error.message }
    throw error
  }
  return verifyReceiptProof(proof, policy)
}

export function parseReceiptText(text: string): ReceiptProof {
  return text.includes('\n') ? parseReceiptProof(text) : parseCompactProof(text.slice(text.indexOf('#') + 1))
}
