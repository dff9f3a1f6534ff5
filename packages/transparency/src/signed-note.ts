// Signed notes (c2sp.org/signed-note).

import { sign, verify } from '@noble/ed25519'
import { areEqual, concat, encodeUtf8, fromBase64, toBase64 } from './bytes.ts'
import { FormatError } from './format-error.ts'
import { isKeyName, type SigningKey, type VerifierKey } from './note-keys.ts'

export interface NoteSignature {
  readonly name: string
  readonly keyId: Uint8Array
  /** Bytes after the key id. */
  readonly signature: Uint8Array
}

export interface SignedNote {
  /** Ends with a newline. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

/** Longest note in characters; docs/transparency.md states it. */
const longestNote = 1_000_000
/** Signatures of one note; the specification asks for at least 16. */
const mostSignatures = 100

/** A text may contain newlines and no other control character below U+0020. */
// oxlint-disable-next-line no-control-regex -- the format is defined by these characters
export const isNoteText = (text: string): boolean => text.isWellFormed() && !/[\u0000-\u0009\u000b-\u001f]/.test(text)

export function parseNote(note: string): SignedNote {
  if (note.length > longestNote || !isNoteText(note)) throw new FormatError('note is malformed')
  const end = note.lastIndexOf('\n\n')
  if (end === -1 || !note.endsWith('\n')) throw new FormatError('note has no signatures')
  const lines = note
    .slice(end + 2)
    .split('\n')
    .slice(0, -1)
  if (lines.length === 0 || lines.length > mostSignatures) throw new FormatError('note has too few or many signatures')
  return { text: note.slice(0, end + 1), signatures: lines.map((line) => parseSignatureLine(line)) }
}

export function parseSignatureLine(line: string): NoteSignature {
  const [, name = '', encoded = ''] = /^\u2014 ([^ ]+) ([A-Za-z0-9+/=]+)$/u.exec(line) ?? []
  if (!isKeyName(name)) throw new FormatError('signature line is malformed')
  const bytes = fromBase64(encoded)
  if (bytes.length < 5) throw new FormatError('signature is too short')
  return { name, keyId: bytes.slice(0, 4), signature: bytes.slice(4) }
}

export const formatSignatureLine = ({ name, keyId, signature }: NoteSignature): string =>
  `\u2014 ${name} ${toBase64(concat(keyId, signature))}`

export const formatNote = ({ text, signatures }: SignedNote): string =>
  `${text}\n${signatures.map((signature) => `${formatSignatureLine(signature)}\n`).join('')}`

/** Signs a text with a key of type 1. */
export function signText(text: string, key: SigningKey): NoteSignature {
  if (key.type !== 1) throw new RangeError('key does not sign notes')
  return { name: key.name, keyId: key.id, signature: sign(encodeUtf8(text), key.seed) }
}

/** A signature names a key by its name and id together. */
export const isSignedBy = ({ name, keyId }: NoteSignature, key: VerifierKey): boolean =>
  name === key.name && areEqual(keyId, key.id)

/** Verifies a signature of type 1 over a text. */
export const verifyTextSignature = (text: string, { signature }: NoteSignature, key: VerifierKey): boolean =>
  key.type === 1 && verifyEd25519(signature, encodeUtf8(text), key.publicKey)

/** Verifies Ed25519 strictly (FIPS 186-5): canonical encodings, no public key of small order, cofactored equation. */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  return signature.length === 64 && publicKey.length === 32 && verify(signature, message, publicKey, { zip215: false })
}
