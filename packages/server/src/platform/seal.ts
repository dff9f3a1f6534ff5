import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Error for data sealed under a secret that is not configured. */
export class UnknownSecretError extends Error {}

/** Secrets of the installation, 32 bytes each: the first seals and hashes; each opens values and matches hashes. */
export type KeyRing = readonly [Buffer, ...Buffer[]]
export type Secret = Buffer | KeyRing

/** Encrypts stored data, and computes keyed hashes to compare it. */
export interface Seal {
  /** Encrypts with a fresh nonce under the ring's first key, bound to `context` (such as the row's id). */
  seal(content: string | Buffer, context: string): Buffer
  /** Decrypts text. Throws for altered data, another context or a secret outside the ring. */
  open(sealed: Buffer, context: string): string
  /** Decrypts binary data; throws like `open`. */
  openBytes(sealed: Buffer, context: string): Buffer
  /** Returns a keyed hash under the first key: deterministic, and not reversible by guessing without the secret. */
  fingerprint(text: string): Buffer
  /** Returns the keyed hashes under every key of the ring and every retained key, to compare with stored hashes. */
  fingerprints(text: string): Buffer[]
}

// Version 1 had no key ids; some rows may still have it.
const versionWithoutKeyId = 1
const version = 2
const keyIdLength = 4
const nonceLength = 12
const tagLength = 16

const derive = (secret: Buffer, info: string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', info, length))

export const toRing = (secret: Secret): KeyRing => (Buffer.isBuffer(secret) ? [secret] : secret)

/** Returns the id of a secret, as stored in sealed values; it reveals nothing about the secret. */
export const deriveKeyId = (secret: Buffer): Buffer => derive(secret, 'tern/key-id', keyIdLength)

/** Returns the prefix of all values sealed by the ring's first key. */
export const currentPrefix = (secret: Secret): Buffer =>
  Buffer.concat([Buffer.of(version), deriveKeyId(toRing(secret)[0])])

/** Returns the key for a purpose's keyed hashes, which is retained when its secret leaves the ring. */
export const deriveHashKey = (secret: Buffer, purpose: string): Buffer =>
  derive(secret, `tern/${purpose}/fingerprint`, 32)

/**
 * Creates a seal for one purpose, with keys derived from the installation's secret. `retained` are hash keys of secrets
 * removed from the ring.
 */
export function createSeal(secret: Secret, purpose: string, retained: readonly Buffer[] = []): Seal {
  const keys = toRing(secret).map((each) => ({
    id: deriveKeyId(each),
    encryption: derive(each, `tern/${purpose}/encrypt`, 32),
  }))
  const [current] = keys as [(typeof keys)[number], ...typeof keys]
  const hashKeys = [...toRing(secret).map((each) => deriveHashKey(each, purpose)), ...retained]
  const hash = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  function openBytes(sealedBytes: Buffer, context: string): Buffer {
    if (sealedBytes[0] !== version && sealedBytes[0] !== versionWithoutKeyId)
      throw new Error(`unknown seal version ${sealedBytes[0]}`)
    const start = sealedBytes[0] === version ? 1 + keyIdLength : 1
    const matchingKeys =
      sealedBytes[0] === version ? keys.filter(({ id }) => id.equals(sealedBytes.subarray(1, start))) : keys
    if (matchingKeys.length === 0) throw new UnknownSecretError('sealed under a secret that is not configured')
    return decryptWithAnyKey(
      matchingKeys.map(({ encryption }) => encryption),
      sealedBytes.subarray(start),
      context,
    )
  }
  return {
    seal(content, context) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', current.encryption, nonce).setAAD(Buffer.from(context))
      const encrypted = Buffer.concat([cipher.update(Buffer.from(content)), cipher.final()])
      return Buffer.concat([Buffer.of(version), current.id, nonce, cipher.getAuthTag(), encrypted])
    },
    open: (sealedBytes, context) => openBytes(sealedBytes, context).toString('utf8'),
    openBytes,
    fingerprint: (text) => hash(hashKeys[0] as Buffer, text),
    fingerprints: (text) => hashKeys.map((key) => hash(key, text)),
  }
}

function decryptWithAnyKey(keys: readonly Buffer[], sealedBytes: Buffer, context: string): Buffer {
  let failure: unknown
  for (const key of keys) {
    try {
      return decryptWithKey(key, sealedBytes, context)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function decryptWithKey(key: Buffer, sealedBytes: Buffer, context: string): Buffer {
  const nonce = sealedBytes.subarray(0, nonceLength)
  const tag = sealedBytes.subarray(nonceLength, nonceLength + tagLength)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength })
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
  const encrypted = sealedBytes.subarray(nonceLength + tagLength)
  return Buffer.concat([decipher.update(encrypted), decipher.final()])
}
