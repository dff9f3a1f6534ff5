// Cosignatures of witnesses (c2sp.org/tlog-cosignature, version 1 with Ed25519).

import { sign } from '@noble/ed25519'
import { concat, encodeUtf8 } from './bytes.ts'
import type { SigningKey, VerifierKey } from './note-keys.ts'
import { type NoteSignature, verifyEd25519 } from './signed-note.ts'

const timeLength = 8

const formatSigned = (text: string, time: number): Uint8Array => encodeUtf8(`cosignature/v1\ntime ${time}\n${text}`)

/** Cosigns the text of a checkpoint at a time in seconds since 1970. */
export function cosign(
  text: string,
  { time, key }: { readonly time: number; readonly key: SigningKey },
): NoteSignature {
  if (key.type !== 4) throw new RangeError('key does not cosign')
  if (!Number.isSafeInteger(time) || time <= 0) throw new RangeError('time is out of range')
  const timestamp = new Uint8Array(timeLength)
  new DataView(timestamp.buffer).setBigUint64(0, BigInt(time))
  return {
    name: key.name,
    keyId: key.id,
    signature: concat(timestamp, sign(formatSigned(text, time), key.seed)),
  }
}

/** Verifies a cosignature; returns its time in seconds since 1970, or undefined if it is not valid. */
export function verifyCosignature(
  text: string,
  { signature }: NoteSignature,
  key: VerifierKey,
): { readonly time: number } | undefined {
  if (key.type !== 4 || signature.length !== timeLength + 64) return undefined
  const { buffer, byteOffset } = signature
  const time = Number(new DataView(buffer, byteOffset, timeLength).getBigUint64(0))
  if (!Number.isSafeInteger(time) || time === 0) return undefined
  return verifyEd25519(signature.subarray(timeLength), formatSigned(text, time), key.publicKey) ? { time } : undefined
}
