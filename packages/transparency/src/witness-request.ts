// Requests to witnesses (c2sp.org/tlog-witness, call add-checkpoint), and the cosignatures in their answers.

import { fromBase64, parseSize, toBase64 } from './bytes.ts'
import { type Checkpoint, formatCheckpoint, parseCheckpoint } from './checkpoint.ts'
import { verifyCosignature } from './cosignature.ts'
import { FormatError } from './format-error.ts'
import { hashLength } from './merkle.ts'
import type { VerifierKey } from './note-keys.ts'
import { longestInclusion } from './proof-file.ts'
import { isSignedBy, type NoteSignature, parseSignatureLine } from './signed-note.ts'

export interface WitnessRequest {
  /** Size of the latest checkpoint that the witness cosigned; 0 if none. */
  readonly oldSize: number
  /** Consistency proof from the old size; empty if that is 0. */
  readonly proof: readonly Uint8Array[]
  readonly checkpoint: Checkpoint
}

export function formatWitnessRequest({ oldSize, proof, checkpoint }: WitnessRequest): string {
  const lines = [`old ${oldSize}`, ...proof.map((hash) => toBase64(hash))]
  return `${lines.join('\n')}\n\n${formatCheckpoint(checkpoint)}`
}

export function parseWitnessRequest(body: string): WitnessRequest {
  const end = body.indexOf('\n\n')
  if (end === -1) throw new FormatError('request is cut off')
  const [first = '', ...lines] = body.slice(0, end).split('\n')
  if (!first.startsWith('old ')) throw new FormatError('request has no old size')
  if (lines.length > longestInclusion) throw new FormatError('consistency proof is too long')
  const proof = lines.map((line) => fromBase64(line))
  if (proof.some(({ length }) => length !== hashLength)) throw new FormatError('hash has a wrong length')
  return { oldSize: parseSize(first.slice('old '.length)), proof, checkpoint: parseCheckpoint(body.slice(end + 2)) }
}

/** Returns a witness's cosignature from its answer with status 200; lines of other keys are ignored. */
export function parseCosignature(
  answer: string,
  { text, key }: { readonly text: string; readonly key: VerifierKey },
): NoteSignature & { readonly time: number } {
  if (!answer.endsWith('\n')) throw new FormatError('answer is cut off')
  const signatures = answer
    .slice(0, -1)
    .split('\n')
    .map((line) => parseSignatureLine(line))
  const own = signatures.find((signature) => isSignedBy(signature, key))
  if (own === undefined) throw new FormatError('answer has no cosignature of the witness')
  const verified = verifyCosignature(text, own, key)
  if (verified === undefined) throw new FormatError('cosignature is wrong')
  return { ...own, time: verified.time }
}

/** Parses the body of an answer with status 409: the size of the latest checkpoint that the witness cosigned. */
export function parseWitnessSize(answer: string): number {
  if (!answer.endsWith('\n')) throw new FormatError('answer is cut off')
  return parseSize(answer.slice(0, -1))
}
