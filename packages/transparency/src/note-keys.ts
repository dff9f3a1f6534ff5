// Keys of signed notes (c2sp.org/signed-note): verifier keys as text, and the private keys that belong to them.

import { getPublicKey, hashes } from '@noble/ed25519'
import { sha512 } from '@noble/hashes/sha2.js'
import { areEqual, concat, encodeUtf8, fromBase64, fromHex, toBase64, toHex } from './bytes.ts'
import { FormatError } from './format-error.ts'
import { hashBytes } from './merkle.ts'

hashes.sha512 = sha512

/** Signature types: 1 signs a note (a log), 4 signs a checkpoint and a time (a witness). */
export type SignatureType = 1 | 4

export interface VerifierKey {
  readonly name: string
  readonly type: SignatureType
  /** Four bytes that name the key in a signature line. */
  readonly id: Uint8Array
  readonly publicKey: Uint8Array
}

export interface SigningKey extends VerifierKey {
  readonly seed: Uint8Array
}

const keyLength = 32

/** A key name has 1 to 255 bytes without spaces, plus signs and control characters. */
export const isKeyName = (name: string): boolean =>
  name !== '' && name.isWellFormed() && !/[\p{White_Space}\p{Cc}+]/u.test(name) && encodeUtf8(name).length <= 255

/** Builds the key that verifies signatures made under a name. */
export function buildVerifierKey({ name, type, publicKey }: Omit<VerifierKey, 'id'>): VerifierKey {
  if (!isKeyName(name)) throw new FormatError('key name is invalid')
  const id = hashBytes(concat(encodeUtf8(name), Uint8Array.of(0x0a, type), publicKey)).slice(0, 4)
  return { name, type, id, publicKey }
}

export function parseVerifierKey(text: string): VerifierKey {
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? []
  const { type, content } = parseTyped(encoded)
  const key = buildVerifierKey({ name, type, publicKey: content })
  if (!areEqual(key.id, fromHex(id))) throw new FormatError('key id does not match the key')
  return key
}

export const formatVerifierKey = ({ name, type, id, publicKey }: VerifierKey): string =>
  `${name}+${toHex(id)}+${toBase64(concat(Uint8Array.of(type), publicKey))}`

/** Returns the public part of a signing key. */
export const toVerifierKey = ({ name, type, id, publicKey }: SigningKey): VerifierKey => ({ name, type, id, publicKey })

/** Derives a signing key from 32 random bytes. */
export function createSigningKey({
  name,
  type,
  seed,
}: {
  readonly name: string
  readonly type: SignatureType
  readonly seed: Uint8Array
}): SigningKey {
  if (seed.length !== keyLength) throw new FormatError('key has a wrong length')
  return { ...buildVerifierKey({ name, type, publicKey: getPublicKey(seed) }), seed }
}

export function generateSigningKey({
  name,
  type,
}: {
  readonly name: string
  readonly type: SignatureType
}): SigningKey {
  return createSigningKey({ name, type, seed: crypto.getRandomValues(new Uint8Array(keyLength)) })
}

/** Formats a signing key in the notation of Go's `sumdb/note`: `PRIVATE+KEY+<name>+<id>+<Base64 of type and seed>`. */
export const formatSigningKey = ({ name, type, id, seed }: SigningKey): string =>
  `PRIVATE+KEY+${name}+${toHex(id)}+${toBase64(concat(Uint8Array.of(type), seed))}`

export function parseSigningKey(text: string): SigningKey {
  const [, name = '', id = '', encoded = ''] =
    /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? []
  const { type, content } = parseTyped(encoded)
  const key = createSigningKey({ name, type, seed: content })
  if (!areEqual(key.id, fromHex(id))) throw new FormatError('key id does not match the key')
  return key
}

function parseTyped(encoded: string): { type: SignatureType; content: Uint8Array } {
  const bytes = fromBase64(encoded)
  const [type] = bytes
  if (type !== 1 && type !== 4) throw new FormatError('key type is unknown')
  if (bytes.length !== 1 + keyLength) throw new FormatError('key has a wrong length')
  return { type, content: bytes.slice(1) }
}
