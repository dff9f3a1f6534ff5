// Trust: which logs and witnesses a verifier believes, and how many witnesses must have seen a checkpoint.

import type { Checkpoint } from './checkpoint.ts'
import { verifyCosignature } from './cosignature.ts'
import type { VerifierKey } from './note-keys.ts'
import { isSignedBy, verifyTextSignature } from './signed-note.ts'

export interface Policy {
  /** Keys of accepted logs (type 1); the name of a key is the origin of its log. */
  readonly logs: readonly VerifierKey[]
  /** Keys of known witnesses (type 4). */
  readonly witnesses: readonly VerifierKey[]
  /** Number of witnesses whose cosignatures are needed. */
  readonly quorum: number
}

export interface WitnessTime {
  readonly name: string
  /** Seconds since 1970. */
  readonly time: number
}

export type CheckpointVerdict =
  | { readonly state: 'valid'; readonly witnesses: readonly WitnessTime[] }
  | { readonly state: 'invalid'; readonly reason: 'unknown_log' | 'log_signature' }
  | { readonly state: 'invalid'; readonly reason: 'witness_signature'; readonly witness: string }
  | { readonly state: 'invalid'; readonly reason: 'too_few_witnesses'; readonly found: number; readonly needed: number }

/** Refuses policies that no checkpoint can meet, and those that would count a witness twice. */
function requirePolicy({ logs, witnesses, quorum }: Policy): void {
  if (logs.some(({ type }) => type !== 1) || witnesses.some(({ type }) => type !== 4))
    throw new RangeError('policy has a key of a wrong type')
  const publicKeys = new Set([...logs, ...witnesses].map(({ publicKey }) => publicKey.join()))
  if (publicKeys.size !== logs.length + witnesses.length) throw new RangeError('policy has a key twice')
  if (!Number.isSafeInteger(quorum) || quorum < 0 || quorum > witnesses.length)
    throw new RangeError('policy has an impossible quorum')
}

/** Verifies the signatures of a checkpoint. A wrong signature of a known key makes the whole checkpoint invalid. */
export function verifyCheckpoint(checkpoint: Checkpoint, policy: Policy): CheckpointVerdict {
  requirePolicy(policy)
  const { origin, text, signatures } = checkpoint
  const logs = policy.logs.filter(({ name }) => name === origin)
  if (logs.length === 0) return { state: 'invalid', reason: 'unknown_log' }
  const ofLog = signatures.flatMap((signature) =>
    logs.filter((key) => isSignedBy(signature, key)).map((key) => verifyTextSignature(text, signature, key)),
  )
  if (ofLog.length === 0 || ofLog.includes(false)) return { state: 'invalid', reason: 'log_signature' }
  const witnesses: WitnessTime[] = []
  for (const key of policy.witnesses) {
    const times = signatures
      .filter((signature) => isSignedBy(signature, key))
      .map((signature) => verifyCosignature(text, signature, key)?.time)
    if (times.includes(undefined)) return { state: 'invalid', reason: 'witness_signature', witness: key.name }
    // The earliest time counts if a witness has cosigned more than once.
    const time = times.reduce((a, b) => Math.min(a ?? Infinity, b ?? Infinity), undefined)
    if (time !== undefined) witnesses.push({ name: key.name, time })
  }
  const found = witnesses.length
  return found < policy.quorum
    ? { state: 'invalid', reason: 'too_few_witnesses', found, needed: policy.quorum }
    : { state: 'valid', witnesses }
}

/** Leaves out the signatures of keys that a policy does not name, to keep a proof short. */
export const keepKnownSignatures = (checkpoint: Checkpoint, { logs, witnesses }: Policy): Checkpoint => ({
  ...checkpoint,
  signatures: checkpoint.signatures.filter((signature) =>
    [...logs, ...witnesses].some((key) => isSignedBy(signature, key)),
  ),
})
