// Decisions of a witness (c2sp.org/tlog-witness, call add-checkpoint).

import { areEqual } from '@tern/transparency/bytes'
import type { Checkpoint } from '@tern/transparency/checkpoint'
import { cosign } from '@tern/transparency/cosignature'
import { emptyRoot, verifyConsistency } from '@tern/transparency/merkle'
import type { SigningKey, VerifierKey } from '@tern/transparency/note-keys'
import { isSignedBy, verifyTextSignature } from '@tern/transparency/signed-note'
import type { WitnessRequest } from '@tern/transparency/witness-request'

export type Refusal =
  | { readonly status: 400 | 403 | 404 | 422; readonly reason: string }
  /** The old size is not that of the latest cosigned checkpoint. */
  | { readonly status: 409; readonly size: number }

export type Decision = { readonly status: 200; readonly cosigned: Checkpoint } | Refusal

/**
 * Decides on a request, given the latest checkpoint that was cosigned for its origin. The caller stores the cosigned
 * checkpoint before it answers.
 */
export function decide(
  { oldSize, proof, checkpoint }: WitnessRequest,
  {
    logs,
    key,
    latest,
    time,
  }: {
    readonly logs: readonly VerifierKey[]
    readonly key: SigningKey
    readonly latest: Checkpoint | undefined
    /** Seconds since 1970. */
    readonly time: number
  },
): Decision {
  const { origin, text, size, root } = checkpoint
  const known = logs.filter(({ name }) => name === origin)
  if (known.length === 0) return { status: 404, reason: 'log is unknown' }
  const ofLog = checkpoint.signatures.flatMap((signature) =>
    known.filter((logKey) => isSignedBy(signature, logKey)).map((logKey) => ({ signature, logKey })),
  )
  if (ofLog.length === 0) return { status: 403, reason: 'no signature of the log' }
  if (!ofLog.every(({ signature, logKey }) => verifyTextSignature(text, signature, logKey)))
    return { status: 403, reason: 'signature of the log is wrong' }
  if (oldSize > size) return { status: 400, reason: 'old size exceeds the size' }
  const latestSize = latest?.size ?? 0
  if (oldSize !== latestSize) return { status: 409, size: latestSize }
  if (size === 0 && !areEqual(root, emptyRoot)) return { status: 422, reason: 'root of the empty tree is wrong' }
  const isConsistent =
    latest === undefined || latest.size === 0
      ? proof.length === 0
      : verifyConsistency({ size1: latest.size, size2: size, root1: latest.root, root2: root, proof })
  if (!isConsistent) return { status: 422, reason: 'checkpoint is inconsistent with the latest one' }
  const signatures = [...ofLog.map(({ signature }) => signature), cosign(text, { time, key })]
  return { status: 200, cosigned: { ...checkpoint, signatures } }
}
